// The services for lowering one operator: operands, constants, quantization, and the file under
// construction.
#pragma once

#include "tigris/Check/Locations.h"
#include "tigris/Emit/PlanImage.h"
#include "tigris/Emit/WeightLayout.h"
#include "tigris/IR/Graph.h"

#include "tigris_format.h"

#include <initializer_list>
#include <limits>

namespace tigris {

/// The number of a dtype in the file; 0 for types that no stored tensor or interface can have.
uint8_t fileDType(DType type);

/// Row-major dimensions for the file; every dimension fits, because finish() limits the file.
std::vector<int32_t> fileDims(const Shape& shape);

/// Fields of tigris_op that depend on the op's arithmetic.
struct OpForm {
  uint8_t flags = 0;
  uint32_t requant = TIGRIS_NONE;
};
inline OpForm evenForm(bool even) {
  return {static_cast<uint8_t>(even ? TIGRIS_ROUND_EVEN : 0), TIGRIS_NONE};
}

class LoweringContext {
public:
  LoweringContext(const Graph& graph, const Plan& plan, PlanImage& image, bool names);

  const Graph& graph() const { return graph_; }
  /// TIGRIS_ROUND_TWICE where kernels of the type need it for the graph's rounding.
  uint8_t twiceFlag(DType type) const {
    return graph_.rounding() == IntegerRounding::Micro && type == DType::Int16 ? TIGRIS_ROUND_TWICE
                                                                               : 0;
  }
  /// Whether results are rounded once, halves to even.
  bool roundsEven() const { return graph_.rounding() == IntegerRounding::Once; }
  /// Whether the kernels of the plan's target read shifts of 32 bits.
  bool wideShifts() const { return wideShifts_; }
  PlanImage& image() { return image_; }
  const Locations& locations() const { return locations_; }

  /// Operands created from now on have the addresses of this stage.
  void enterStage(size_t stage) { stage_ = stage; }
  /// Empty if names are stripped.
  std::string_view name(std::string_view text) const;

  /// The record of an activation, or of a model input or output.
  Expected<uint16_t> tensor(TensorId id);
  /// The record of a model input or output; if it is a constant, with its offset in WEIGHTS.
  Expected<tigris_operand> port(TensorId id);
  /// An operand at its planned address; a constant unchanged; the absent operand for an invalid id.
  Expected<tigris_operand> operand(TensorId id);
  /// A constant that the emitter created or rearranged. `quant` is an index into QUANT, `flags` are
  /// those of its record besides TIGRIS_TENSOR_CONST.
  tigris_operand constant(std::string_view name, tigris_dtype type,
                          const std::vector<int32_t>& dims, std::span<const uint8_t> bytes,
                          uint16_t quant = TIGRIS_NO_QUANT, uint8_t flags = 0);
  /// float32 if `isFloat`, otherwise int8.
  tigris_operand weights(const Tensor& source, const WeightArray& array, bool isFloat);

  /// The per-tensor quantization of an int8 or int16 tensor. DiagId::UnsupportedOp if it has none
  /// or one per channel.
  Expected<Quant> quant(const Op& op, TensorId id) const;
  struct Quants {
    Quant input;
    Quant output;
  };
  /// Those of the first operand and of the first result.
  Expected<Quants> quants(const Op& op) const;
  /// UnsupportedOp unless all tensors are float32, or integers of one type and quantization, or
  /// have one other type without quantization: the requirement of kernels that only move elements.
  Status requireSameQuant(const Op& op, std::initializer_list<TensorId> ids) const;

  /// The error "op 'name' (Kind): text", with the ONNX origin as a note.
  template <typename... Args> static Error unsupported(const Op& op, const Args&... text) {
    return unsupportedText(op, strCat(text...));
  }

  /// Appends the op with its operands and all its results.
  template <typename Params>
  Status emit(const Op& op, tigris_opcode opcode, std::span<const tigris_operand> inputs,
              const Params& params, OpForm form = {}) {
    return emitRecord(op, {opcode, form}, inputs, image_.params(params));
  }
  Status emit(const Op& op, tigris_opcode opcode, std::span<const tigris_operand> inputs) {
    return emitRecord(op, {opcode, {}}, inputs, TIGRIS_NO_PARAMS);
  }
  /// All operands of the op, unchanged.
  Expected<std::vector<tigris_operand>> operands(const Op& op);

private:
  /// A constant of the graph as it is.
  Expected<tigris_operand> constant(const Tensor& tensor, uint8_t flags);
  struct Operation {
    tigris_opcode opcode;
    OpForm form;
  };

  static Error unsupportedText(const Op& op, const std::string& text);
  Status emitRecord(const Op& op, Operation operation, std::span<const tigris_operand> inputs,
                    uint16_t params);
  uint16_t quantIndex(const Tensor& tensor);

  const Graph& graph_;
  Locations locations_;
  PlanImage& image_;
  bool names_;
  bool wideShifts_;
  size_t stage_ = 0;
  std::map<TensorId, uint16_t> tensors_;
  std::map<TensorId, tigris_operand> constants_;
};

/// A bound that does not clamp; use the negative for the lower bound.
inline constexpr float Open = std::numeric_limits<float>::infinity();

/// Bounds of the op's fused activation for its only result, float32 or quantized; open if there is
/// none.
struct Bounds {
  tigris_scalar lo;
  tigris_scalar hi;
};
Expected<Bounds> activationBounds(const LoweringContext& context, const Op& op);
/// The same for a clamp of floats to [lo, hi], and for a clamp of a tensor's integers, quantized by
/// `quant`.
Bounds clampBounds(float lo, float hi);
Bounds clampBounds(const LoweringContext& context, TensorId result, float lo, float hi,
                   const Quant& quant);
/// Whether the type is int8 or int16, the quantized types of the kernels.
bool isQuantizedType(DType type);

} // namespace tigris
