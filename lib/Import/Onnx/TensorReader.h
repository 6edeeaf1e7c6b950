// Decodes ONNX tensors, in every encoding, to the element types and bytes of the IR.
#pragma once

#include "tigris/Import/GraphBuilder.h"

#include <onnx/onnx_pb.h>
#include <optional>
#include <set>
#include <string>

namespace tigris {

/// The IR's type for an ONNX element type: Float32 for every float type of at least 16 bits.
/// nullopt for strings, complex numbers, 8-bit floats, and unsigned integers of at least 32 bits.
std::optional<DType> importedType(int32_t onnxType);
/// Whether importedType() replaces this float type by Float32.
bool isReplacedFloat(int32_t onnxType);
/// Warns once that another float type has been converted to float32.
void noteFloatType(GraphBuilder& builder, int32_t onnxType);
/// "FLOAT16"; "type 99" for unknown numbers.
std::string onnxTypeName(int32_t onnxType);

/// Checked dimensions of a tensor; BadModel if one is negative or the product is too large.
Expected<Shape> tensorShape(const google::protobuf::RepeatedField<int64_t>& dims,
                            const std::string& name);

class TensorReader {
public:
  /// External data must be beside the model (Support/SideFile.h); an empty path or "-" is the
  /// current directory.
  explicit TensorReader(const std::string& modelPath)
      : modelPath_(modelPath.empty() ? "-" : modelPath) {}

  /// Paths of the files read so far, as the model spells them, in alphabetical order.
  const std::set<std::string>& filesRead() const { return filesRead_; }

  /// Messages refer to the tensor as `name`: its own name, or the owner of the attribute.
  Expected<ConstantData> read(const onnx::TensorProto& tensor, const std::string& name);

private:
  Expected<std::string> externalBytes(const onnx::TensorProto& tensor, const std::string& name,
                                      size_t expected);

  std::string modelPath_;
  std::set<std::string> filesRead_;
};

} // namespace tigris
