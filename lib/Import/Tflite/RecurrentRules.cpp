// SVDF: a dense layer whose recent results are kept, and a filter along them.
#include "tigris/Import/Tflite/OpTables.h"
#include "tigris/Import/Tflite/Weights.h"
#include "tigris/Support/StringUtils.h"

namespace tigris {

namespace {

/// The state is [batch, filters, memory], oldest first: each run drops the oldest column and
/// appends the features of its input. A unit sums `rank` filters, each along its part of the state.
Status svdf(OpContext& op) {
  const auto* options = op.options<tflite::SVDFOptions>();
  if (!op.require(3) || op.inputIndex(4) < 0 || options == nullptr || options->rank() <= 0)
    return op.fail(DiagId::BadAttr, "it has no state, or no positive rank");
  const TensorId x = op.input(0);
  const TensorId features = weightsFor(op, x, op.input(1));
  const TensorId filters = weightsFor(op, x, op.input(2));
  const Expected<TensorFacts> facts = op.scope().facts(op.inputIndex(4));
  if (!facts)
    return op.fail(facts.error().id(), facts.error().message());
  if (op.failed())
    return op.status();
  if (facts->type != DType::Int8 && facts->type != DType::Float32)
    return op.unsupported("its state is ", dtypeName(facts->type),
                          "; states of int8 and float32 are supported");
  // Runtimes differ in where they clamp a state with another zero point.
  if (facts->quant && !facts->quant->zeroPoint.empty() && facts->quant->zeroPoint[0] != 0)
    return op.unsupported("the zero point of its state is not 0");
  const Shape weights = op.shape(features);
  const Shape filter = op.shape(filters);
  const Shape input = op.shape(x);
  const int64_t rank = options->rank();
  if (weights.rank() != 2 || filter.rank() != 2 || input.rank() != 2 || weights[1] != input[1] ||
      filter[0] != weights[0] || filter[0] % rank != 0 ||
      facts->shape.elements() != input[0] * filter.elements())
    return op.fail(DiagId::BadShape, "its operands have the shapes ", input.str(), ", ",
                   weights.str(), ", ", filter.str(), " and ", facts->shape.str());
  const int64_t memory = filter[1];
  const Shape column = {input[0], filter[0], 1};

  Variables& variables = op.translator().variables();
  const std::string name = op.scope().nameOf(op.inputIndex(4));
  const Expected<TensorId> state = variables.read(op.builder(), name, *facts);
  if (!state)
    return op.fail(state.error().id(), state.error().message());
  const TensorId now = op.step("features", OpKind::Gemm, {x, features}, {{"transB", int64_t{1}}},
                               facts->quant, facts->type);
  TensorId kept = op.reshaped(*state, {input[0], filter[0], memory});
  if (memory > 1) {
    kept = op.step("kept", OpKind::Slice, {kept},
                   {{"starts", std::vector<int64_t>{1}},
                    {"ends", std::vector<int64_t>{memory}},
                    {"axes", std::vector<int64_t>{2}}},
                   facts->quant, facts->type);
    kept = op.step("window", OpKind::Concat, {kept, op.reshaped(now, column)},
                   {{"axis", int64_t{2}}}, facts->quant, facts->type);
  } else {
    kept = op.reshaped(now, column);
  }
  const TensorId next = op.reshaped(kept, facts->shape);
  if (op.failed())
    return op.status();
  if (Status status = variables.assign(op.builder(), name, next); !status)
    return op.fail(status.error().id(), status.error().message());

  const TensorId along =
      permutedConstant(op, filters, {0, 1}, {filter[0] / rank, rank, 1, memory}, 0);
  std::vector<TensorId> inputs = {op.reshaped(kept, {input[0], filter[0], 1, memory}), along};
  if (const TensorId bias = biasFor(op, x, 3))
    inputs.push_back(bias);
  op.setActivation(options->fused_activation_function());
  return op.finish(OpKind::Conv, std::move(inputs), {{"group", filter[0] / rank}});
}

constexpr OpRule RecurrentOps[] = {
    {tflite::BuiltinOperator::SVDF, 4, svdf, "float32, or int8 with a state of int8"},
};

} // namespace

std::span<const OpRule> recurrentOps() { return RecurrentOps; }

} // namespace tigris
