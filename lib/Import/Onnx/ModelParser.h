// From bytes to the protobuf message of a model, with errors a person can act on.
#pragma once

#include "tigris/Support/Expected.h"

#include <onnx/onnx_pb.h>
#include <memory>
#include <string_view>

namespace tigris {

/// The oldest opset of the default domain whose operators are understood.
constexpr int OldestOpset = 7;

/// Parses and checks the envelope: there is a graph, and the default domain's opset is supported. Never
/// prints. The message lives on an arena that the pointer owns.
Expected<std::shared_ptr<const onnx::ModelProto>> parseModel(std::string_view bytes);

/// Version of `domain` ("" is the default domain) among the imports; 0 when it is not imported.
int opsetVersion(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>& imports,
                 std::string_view domain);

/// True for the two spellings of ONNX's default domain.
inline bool isDefaultDomain(std::string_view domain) {
  return domain.empty() || domain == "ai.onnx";
}

} // namespace tigris
