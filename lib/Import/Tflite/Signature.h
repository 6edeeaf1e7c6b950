// Signatures: entry points of a model, each a subgraph with names for its inputs and outputs.
#pragma once

#include "tigris/Import/Tflite/FlatModel.h"

#include <map>

namespace tigris {

struct Signature {
  /// The subgraph that runs.
  size_t graph = 0;
  /// Names that the signature gives to tensors of the subgraph.
  std::map<int32_t, std::string> inputs;
  std::map<int32_t, std::string> outputs;
};

/// The signature with this name; if `name` is empty, the first subgraph, whose tensors keep their
/// names. Usage, with the names that exist, if the model has no such signature; BadModel if the
/// signature refers to what the model does not have.
Expected<Signature> findSignature(const FlatModel& model, const std::string& name);

} // namespace tigris
