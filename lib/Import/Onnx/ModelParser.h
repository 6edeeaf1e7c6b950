// Parses the bytes of a model to its protobuf message, with actionable errors.
#pragma once

#include "tigris/Support/Expected.h"

#include <onnx/onnx_pb.h>
#include <memory>
#include <string_view>

namespace tigris {

/// The oldest supported opset of the default domain.
constexpr int OldestOpset = 7;

/// Parses a model and checks that it has a graph and a supported opset of the default domain.
/// Prints nothing. The returned pointer owns the arena of the message.
Expected<std::shared_ptr<const onnx::ModelProto>> parseModel(std::string_view bytes);

/// Version of `domain` ("" is the default domain) among the imports; 0 if it is not imported.
int opsetVersion(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>& imports,
                 std::string_view domain);

/// Whether the domain is one of the two spellings of ONNX's default domain.
inline bool isDefaultDomain(std::string_view domain) {
  return domain.empty() || domain == "ai.onnx";
}

} // namespace tigris
