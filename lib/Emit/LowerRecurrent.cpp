// Weights of recurrent layers with the gate as innermost axis, so that the weights of one unit are
// contiguous.
#include "tigris/Emit/OpLowering.h"
#include "tigris/IR/Elements.h"

namespace tigris {

namespace {

size_t gateCount(OpKind kind) { return kind == OpKind::LSTM ? 4 : kind == OpKind::GRU ? 3 : 1; }

class Lowering {
public:
  Lowering(LoweringContext& context, const Op& op)
      : context_(context), op_(op), gates_(gateCount(op.kind)) {
    const Shape& r = context.graph().tensor(op.input(2)).shape;
    directions_ = static_cast<size_t>(r[0]);
    hidden_ = static_cast<size_t>(r[2]);
  }

  Status emit(tigris_opcode opcode) {
    const Graph& graph = context_.graph();
    for (const size_t i : {size_t{1}, size_t{2}, size_t{3}, size_t{6}})
      if (op_.input(i) && !graph.tensor(op_.input(i)).isConstant())
        return LoweringContext::unsupported(op_, "tensor '", graph.tensor(op_.input(i)).name,
                                            "' must be constant");
    if (op_.attrs.getFloat("cell_clip") > 0 && op_.attrs.has("clip"))
      return LoweringContext::unsupported(op_, "'clip' and 'cell_clip' exclude each other");
    std::vector<tigris_operand> inputs;
    const auto add = [&](TensorId id) -> Status {
      const Expected<tigris_operand> operand = context_.operand(id);
      if (!operand)
        return operand.error();
      inputs.push_back(*operand);
      return {};
    };
    if (Status status = add(op_.input(0)); !status)
      return status;
    inputs.push_back(matrix(1));
    inputs.push_back(matrix(2));
    inputs.push_back(bias());
    for (const size_t state : {size_t{4}, size_t{5}})
      if (op_.inputs.size() > state)
        if (Status status = add(op_.input(state)); !status)
          return status;
    if (op_.input(6))
      inputs.push_back(peepholes());
    return context_.emit(op_, opcode, inputs, params());
  }

private:
  std::vector<float> values(size_t index) const {
    const Tensor& tensor = context_.graph().tensor(op_.input(index));
    return loadElements<float>(*tensor.data, tensor.type);
  }

  tigris_operand store(size_t index, const char* name, const std::vector<size_t>& shape,
                       const std::vector<float>& values) {
    std::vector<int32_t> dims;
    for (const size_t dim : shape)
      dims.push_back(static_cast<int32_t>(dim));
    const TensorId source = op_.input(index);
    const std::string text =
        source ? context_.graph().tensor(source).name : strCat(op_.name, "_", name);
    return context_.constant(text, TIGRIS_F32, dims, makeBlobOf(values)->bytes());
  }

  /// Permutes [D, gates * H, I] to [D, H, I, gates].
  tigris_operand matrix(size_t index) {
    const auto width =
        static_cast<size_t>(context_.graph().tensor(op_.input(index)).shape.fromBack(0));
    const std::vector<float> from = values(index);
    std::vector<float> to(from.size());
    size_t at = 0;
    for (size_t d = 0; d < directions_; ++d)
      for (size_t unit = 0; unit < hidden_; ++unit)
        for (size_t i = 0; i < width; ++i)
          for (size_t gate = 0; gate < gates_; ++gate)
            to[at++] = from[((d * gates_ + gate) * hidden_ + unit) * width + i];
    return store(index, "weights", {directions_, hidden_, width, gates_}, to);
  }

  /// Adds the two halves of [D, 2 * gates * H] (of W, then of R) to [D, H, gates]. A GRU's last
  /// gate keeps both, because only R's may be multiplied by the reset gate: [D, H, 4].
  tigris_operand bias() {
    const bool keepsBoth = op_.kind == OpKind::GRU;
    const size_t columns = keepsBoth ? gates_ + 1 : gates_;
    std::vector<float> to(directions_ * hidden_ * columns, 0.0F);
    if (!op_.input(3))
      return store(3, "bias", {directions_, hidden_, columns}, to);
    const std::vector<float> from = values(3);
    for (size_t d = 0; d < directions_; ++d)
      for (size_t unit = 0; unit < hidden_; ++unit)
        for (size_t gate = 0; gate < gates_; ++gate) {
          const float w = from[(d * 2 * gates_ + gate) * hidden_ + unit];
          const float r = from[((d * 2 + 1) * gates_ + gate) * hidden_ + unit];
          float* target = &to[(d * hidden_ + unit) * columns + gate];
          if (keepsBoth && gate + 1 == gates_) {
            target[0] = w;
            target[1] = r;
          } else {
            target[0] = w + r;
          }
        }
    return store(3, "bias", {directions_, hidden_, columns}, to);
  }

  /// Permutes [D, 3 * H] of input, output and forget gate to [D, H, 3].
  tigris_operand peepholes() {
    const std::vector<float> from = values(6);
    std::vector<float> to(from.size());
    for (size_t d = 0; d < directions_; ++d)
      for (size_t gate = 0; gate < 3; ++gate)
        for (size_t unit = 0; unit < hidden_; ++unit)
          to[(d * hidden_ + unit) * 3 + gate] = from[(d * 3 + gate) * hidden_ + unit];
    return store(6, "peepholes", {directions_, hidden_, 3}, to);
  }

  tigris_recurrent_params params() const {
    tigris_recurrent_params params = {0, Open};
    if (op_.attrs.has("clip"))
      params.clip = static_cast<float>(op_.attrs.getFloat("clip"));
    if (op_.attrs.getFloat("cell_clip") > 0) {
      params.clip = static_cast<float>(op_.attrs.getFloat("cell_clip"));
      params.flags |= TIGRIS_RECURRENT_CLIP_CELL;
    }
    if (op_.attrs.getString("direction") == "reverse")
      params.flags |= TIGRIS_RECURRENT_REVERSE;
    if (op_.attrs.getInt("linear_before_reset") != 0)
      params.flags |= TIGRIS_RECURRENT_RESET_AFTER;
    if (op_.attrs.getString("activation") == "Relu")
      params.flags |= TIGRIS_RECURRENT_RELU;
    return params;
  }

  LoweringContext& context_;
  const Op& op_;
  size_t gates_;
  size_t directions_ = 0;
  size_t hidden_ = 0;
};

} // namespace

Status lowerRecurrent(LoweringContext& context, const Op& op, tigris_opcode opcode) {
  return Lowering(context, op).emit(opcode);
}

} // namespace tigris
