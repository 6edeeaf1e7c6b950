// What the lowering of one operator may use: operands, constants, quantization, and the file being built.
#pragma once

#include "tigris/Check/Locations.h"
#include "tigris/Emit/PlanImage.h"
#include "tigris/Emit/WeightLayout.h"
#include "tigris/IR/Graph.h"

#include "tigris_format.h"

#include <initializer_list>
#include <limits>

namespace tigris {

/// Number of a dtype in the file; 0 for one that no stored tensor or interface can have.
uint8_t fileDType(DType type);

/// Row-major dimensions as the file has them; a dimension always fits (finish() limits the file).
std::vector<int32_t> fileDims(const Shape& shape);

class LoweringContext {
public:
  LoweringContext(const Graph& graph, const Plan& plan, PlanImage& image, bool names);

  const Graph& graph() const { return graph_; }
  /// Results are rounded once, halves to the even number.
  bool roundsEven() const { return graph_.rounding() == IntegerRounding::Once; }
  PlanImage& image() { return image_; }
  const Locations& locations() const { return locations_; }

  /// Following operands are addressed as this stage places them.
  void enterStage(size_t stage) { stage_ = stage; }
  /// TIGRIS_NONE when names are stripped.
  uint32_t name(std::string_view text);

  /// The record of an activation or model input or output.
  Expected<uint16_t> tensor(TensorId id);
  /// An operand at its planned place; a constant as it is; the absent operand for an invalid id.
  Expected<tigris_operand> operand(TensorId id);
  /// A constant the emitter made or laid out anew. `quant` is an index into QUANT.
  tigris_operand constant(std::string_view name, tigris_dtype type,
                          const std::vector<int32_t>& dims, std::span<const uint8_t> bytes,
                          uint32_t quant = TIGRIS_NONE);
  /// float32 or int8, by `isFloat`.
  tigris_operand weights(const Tensor& source, const WeightArray& array, bool isFloat);

  /// The only quantization of an int8 or int16 tensor. DiagId::UnsupportedOp when it has none or one per channel.
  Expected<Quant> quant(const Op& op, TensorId id) const;
  /// UnsupportedOp unless all are float32, or integers of one type and quantization, or another type each
  /// without quantization: what a kernel that only moves elements needs.
  Status requireSameQuant(const Op& op, std::initializer_list<TensorId> ids) const;

  /// "op 'name' (Kind): text", with the ONNX origin as a note.
  template <typename... Args> static Error unsupported(const Op& op, const Args&... text) {
    return unsupportedText(op, strCat(text...));
  }

  /// Appends the op with its operands and all its results.
  template <typename Params>
  Status emit(const Op& op, tigris_opcode opcode, std::span<const tigris_operand> inputs,
              const Params& params, uint8_t flags = 0) {
    return emitRecord(op, {opcode, flags}, inputs, image_.params(params), sizeof(Params));
  }
  Status emit(const Op& op, tigris_opcode opcode, std::span<const tigris_operand> inputs) {
    return emitRecord(op, {opcode, 0}, inputs, 0, 0);
  }
  /// All operands of the op, as they are.
  Expected<std::vector<tigris_operand>> operands(const Op& op);

private:
  /// An opcode with tigris_op.flags.
  struct Operation {
    tigris_opcode opcode;
    uint8_t flags;
  };

  static Error unsupportedText(const Op& op, const std::string& text);
  Status emitRecord(const Op& op, Operation operation, std::span<const tigris_operand> inputs,
                    uint32_t params, size_t paramsSize);
  uint32_t quantIndex(const Tensor& tensor);

  const Graph& graph_;
  Locations locations_;
  PlanImage& image_;
  bool names_;
  size_t stage_ = 0;
  std::map<TensorId, uint16_t> tensors_;
  std::map<TensorId, tigris_operand> constants_;
};

/// A bound that clamps nothing; its negative on the other side.
inline constexpr float Open = std::numeric_limits<float>::infinity();

/// float32 or quantized bounds of the op's fused activation (none: open), for its only result.
struct Bounds {
  tigris_scalar lo;
  tigris_scalar hi;
};
Expected<Bounds> activationBounds(const LoweringContext& context, const Op& op);
/// The same for a clamp of floats to [lo, hi], and for one of a tensor's integers, which `quant` describes.
Bounds clampBounds(float lo, float hi);
Bounds clampBounds(const LoweringContext& context, TensorId result, float lo, float hi,
                   const Quant& quant);
/// int8 or int16, the types kernels take quantized.
bool isQuantizedType(DType type);

} // namespace tigris
