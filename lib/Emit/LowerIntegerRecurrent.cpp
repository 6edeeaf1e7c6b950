// The integer LSTM and the SVDF of TensorFlow Lite. Sources of the factors: lstm_eval_common.cc and
// svdf_common.cc of TensorFlow Lite Micro.
#include "tigris/Emit/OpLowering.h"
#include "tigris/Emit/Requant.h"
#include "tigris/IR/Elements.h"

#include <algorithm>
#include <cmath>

namespace tigris {

namespace {

void setPair(tigris_lstm_int_params& params, size_t pair, double real) {
  const Multiplier m = quantizeMultiplier(real);
  params.multipliers[pair] = m.multiplier;
  params.shifts[pair] = m.shift;
}

Status requireConstants(const LoweringContext& context, const Op& op,
                        std::initializer_list<size_t> operands) {
  for (const size_t i : operands)
    if (const Tensor& tensor = context.graph().tensor(op.input(i)); !tensor.isConstant())
      return LoweringContext::unsupported(op, "tensor '", tensor.name, "' must be constant");
  return {};
}

/// The scale of row `row` of symmetric weights.
Expected<float> rowScale(const LoweringContext& context, const Op& op, size_t operand, size_t row) {
  const Tensor& weights = context.graph().tensor(op.input(operand));
  if (!weights.quant ||
      std::any_of(weights.quant->zeroPoint.begin(), weights.quant->zeroPoint.end(),
                  [](int32_t zero) { return zero != 0; }) ||
      (weights.quant->perChannel() && row >= weights.quant->scale.size()))
    return LoweringContext::unsupported(op, "weights '", weights.name,
                                        "' must be quantized with zero point 0");
  return weights.quant->scale[weights.quant->perChannel() ? row : 0];
}

tigris_operand constantOf(LoweringContext& context, const Op& op, size_t operand, tigris_dtype type,
                          uint16_t quant = TIGRIS_NO_QUANT) {
  const Tensor& tensor = context.graph().tensor(op.input(operand));
  return context.constant(tensor.name, type, fileDims(tensor.shape), tensor.data->bytes(), quant);
}

/// Sums of gates have 12 fractional bits, gates 15.
constexpr float SumScale = 1.0F / 4096;
constexpr double GateScale = 1.0 / 32768;

class IntegerLstm {
public:
  IntegerLstm(LoweringContext& context, const Op& op) : context_(context), op_(op) {}

  Status emit(tigris_opcode opcode) {
    if (Status status = requireConstants(context_, op_, {1, 2, 3}); !status)
      return status;
    if (Status status = context_.requireSameQuant(op_, {op_.input(4), op_.output()}); !status)
      return status;
    if (Status status = context_.requireSameQuant(op_, {op_.input(5), op_.output(1)}); !status)
      return status;
    const auto x = context_.quant(op_, op_.input(0));
    const auto h = context_.quant(op_, op_.output());
    const auto cell = context_.quant(op_, op_.output(1));
    if (!x || !h || !cell)
      return !x ? x.error() : !h ? h.error() : cell.error();
    tigris_lstm_int_params params = {};
    if (Status status = cellParams(params, *cell); !status)
      return status;
    const auto hidden = static_cast<size_t>(context_.graph().tensor(op_.input(2)).shape[2]);
    for (size_t gate = 0; gate < 4; ++gate) {
      const auto w = rowScale(context_, op_, 1, gate * hidden);
      const auto r = rowScale(context_, op_, 2, gate * hidden);
      if (!w || !r)
        return !w ? w.error() : r.error();
      setPair(params, TIGRIS_LSTM_OF_X + gate, denseScale(x->scale, *w, SumScale));
      setPair(params, TIGRIS_LSTM_OF_H + gate, denseScale(h->scale, *r, SumScale));
    }
    const double cellScale = static_cast<double>(cell->scale);
    setPair(params, TIGRIS_LSTM_KEEP, GateScale * cellScale / cellScale);
    setPair(params, TIGRIS_LSTM_ADD, GateScale * GateScale / cellScale);
    setPair(params, TIGRIS_LSTM_OUT, GateScale * GateScale / static_cast<double>(h->scale));
    return emitOp(opcode, params);
  }

private:
  Status cellParams(tigris_lstm_int_params& params, const Quant& cell) const {
    const double power = std::round(std::log2(static_cast<double>(cell.scale)));
    if (cell.zeroPoint != 0 || power < -27 || power > 2 ||
        std::abs(std::log2(static_cast<double>(cell.scale)) - power) > 1e-3)
      return LoweringContext::unsupported(op_, "the cell has scale ", cell.scale,
                                          " and zero point ", cell.zeroPoint,
                                          ", expected a power of two from 2^-27 to 4 and 0");
    params.cell_power = static_cast<int32_t>(power);
    const double clip = op_.attrs.getFloat("cell_clip");
    params.cell_clip =
        static_cast<int32_t>(std::clamp(clip / static_cast<double>(cell.scale), 0.0, 32767.0));
    if (op_.attrs.getString("direction") == "reverse")
      params.flags |= TIGRIS_RECURRENT_REVERSE;
    return {};
  }

  Status emitOp(tigris_opcode opcode, const tigris_lstm_int_params& params) {
    const auto x = context_.operand(op_.input(0));
    const auto h = context_.operand(op_.input(4));
    const auto cell = context_.operand(op_.input(5));
    if (!x || !h || !cell)
      return !x ? x.error() : !h ? h.error() : cell.error();
    const std::vector<tigris_operand> inputs = {*x,
                                                constantOf(context_, op_, 1, TIGRIS_S8),
                                                constantOf(context_, op_, 2, TIGRIS_S8),
                                                constantOf(context_, op_, 3, TIGRIS_S32),
                                                *h,
                                                *cell};
    return context_.emit(op_, opcode, inputs, params);
  }

  LoweringContext& context_;
  const Op& op_;
};

} // namespace

Status lowerIntegerLstm(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  return IntegerLstm(context, op).emit(opcode);
}

Status lowerSvdf(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  if (Status status = requireConstants(context, op, {1, 2, 3}); !status)
    return status;
  tigris_svdf_params params = {};
  params.rank = static_cast<int32_t>(op.attrs.getInt("rank"));
  const DType type = context.graph().tensor(op.input(0)).type;
  const DType kept = context.graph().tensor(op.input(2)).type;
  const bool isFloat = type == DType::Float32;
  if (!isFloat) {
    if (Status status = context.requireSameQuant(op, {op.input(4), op.output(1)}); !status)
      return status;
    const auto x = context.quant(op, op.input(0));
    const auto y = context.quant(op, op.output());
    const auto state = context.quant(op, op.input(4));
    const auto feature = rowScale(context, op, 1, 0);
    const auto time = rowScale(context, op, 2, 0);
    for (const Error* error :
         {x ? nullptr : &x.error(), y ? nullptr : &y.error(), state ? nullptr : &state.error(),
          feature ? nullptr : &feature.error(), time ? nullptr : &time.error()})
      if (error != nullptr)
        return *error;
    // TensorFlow Lite computes both in float32.
    const Multiplier products =
        quantizeMultiplier(static_cast<double>(x->scale * *feature / state->scale));
    const Multiplier sums =
        quantizeMultiplier(static_cast<double>(state->scale * *time / y->scale));
    params.feature_multiplier = products.multiplier;
    params.feature_shift = products.shift;
    params.time_multiplier = sums.multiplier;
    params.time_shift = sums.shift;
  }
  const auto x = context.operand(op.input(0));
  const auto state = context.operand(op.input(4));
  if (!x || !state)
    return !x ? x.error() : state.error();
  const std::vector<tigris_operand> inputs = {
      *x, constantOf(context, op, 1, isFloat ? TIGRIS_F32 : TIGRIS_S8),
      constantOf(context, op, 2, static_cast<tigris_dtype>(fileDType(kept))),
      constantOf(context, op, 3, isFloat ? TIGRIS_F32 : TIGRIS_S32), *state};
  return context.emit(op, opcode, inputs, params);
}

} // namespace tigris
