// Decodes ONNX tensors (every encoding of their data) into the element types and bytes of the IR.
#pragma once

#include "tigris/IR/Blob.h"
#include "tigris/IR/DType.h"
#include "tigris/IR/Shape.h"
#include "tigris/Support/Expected.h"

#include <onnx/onnx_pb.h>
#include <optional>
#include <set>
#include <string>

namespace tigris {

/// A constant as the graph stores it.
struct ConstantData {
  DType type = DType::Undefined;
  Shape shape;
  BlobRef data;
};

/// The IR's type for an ONNX element type: every float type of 16 bits and more is Float32. nullopt
/// for strings, complex numbers, 8-bit floats and unsigned integers of 32 bits and more.
std::optional<DType> importedType(int32_t onnxType);
/// True for the float types that importedType() replaces by Float32.
bool isReplacedFloat(int32_t onnxType);
/// "FLOAT16"; "type 99" for numbers this schema does not know.
std::string onnxTypeName(int32_t onnxType);

/// Checked dimensions of a tensor; BadModel when one is negative or the product is beyond all bounds.
Expected<Shape> tensorShape(const google::protobuf::RepeatedField<int64_t>& dims,
                            const std::string& name);

class TensorReader {
public:
  /// External data lies beside the model (Support/SideFile.h); an empty path or "-" is the current directory.
  explicit TensorReader(const std::string& modelPath)
      : modelPath_(modelPath.empty() ? "-" : modelPath) {}

  /// Paths of the files read so far, as the model spells them, in alphabetical order.
  const std::set<std::string>& filesRead() const { return filesRead_; }

  /// `name` stands for the tensor in messages: its own name, or what the attribute belongs to.
  Expected<ConstantData> read(const onnx::TensorProto& tensor, const std::string& name);

private:
  Expected<std::string> externalBytes(const onnx::TensorProto& tensor, const std::string& name,
                                      size_t expected);

  std::string modelPath_;
  std::set<std::string> filesRead_;
};

} // namespace tigris
