// What rules may ask of the importer: to translate another subgraph, and the model's variables.
#pragma once

#include "tigris/Import/Tflite/Variables.h"

namespace tigris {

class OpContext;

class Translator {
public:
  /// Translates a subgraph with these values as its inputs, and returns its outputs. `suffix`
  /// distinguishes the calls of one operator. BadModel if the subgraph does not exist or has
  /// another number of inputs, UnsupportedOp if operators of it are refused, or if the model calls
  /// more than MaxCalledOps operators or deeper than MaxDepth.
  virtual Expected<std::vector<TensorId>> call(OpContext& op, int32_t graphIndex,
                                               const std::vector<TensorId>& arguments,
                                               const std::string& suffix) = 0;
  virtual Variables& variables() = 0;

  static constexpr size_t MaxCalledOps = 32768;
  static constexpr int MaxDepth = 16;

protected:
  ~Translator() = default;
};

} // namespace tigris
