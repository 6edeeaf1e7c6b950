// A tensor of the graph: activations, constants, model inputs and outputs.
#pragma once

#include "tigris/IR/Blob.h"
#include "tigris/IR/DType.h"
#include "tigris/IR/Ids.h"
#include "tigris/IR/Shape.h"

#include <optional>
#include <string>
#include <vector>

namespace tigris {

/// real = (q - zeroPoint) * scale. Per tensor: one scale and one zero point, axis -1. Per channel:
/// one of each per index of `axis`.
struct QuantParam {
  std::vector<float> scale;
  std::vector<int32_t> zeroPoint;
  int axis = -1;

  bool perChannel() const { return axis >= 0; }
  bool operator==(const QuantParam&) const = default;
};

struct Tensor {
  std::string name;
  DType type = DType::Undefined;
  /// Stored order of the dimensions: ONNX order until layout assignment, then channels last
  /// (Graph::layout()). Constants of Conv-like operators keep ONNX order [O, I/groups, spatial...]
  /// in the whole IR; the emitter lays them out for the kernels.
  Shape shape;
  /// False only in the imported form, for results whose shape no rule could infer.
  bool hasShape = true;
  /// Quantization of integers that represent real numbers; on integer tensors only.
  std::optional<QuantParam> quant;
  /// Set if and only if the tensor is a constant.
  BlobRef data;

  bool isConstant() const { return data != nullptr; }
  int64_t elements() const { return shape.elements(); }
  uint64_t bytes() const { return static_cast<uint64_t>(shape.elements()) * dtypeSize(type); }
};

} // namespace tigris
