// exporter-patterns: recognizes operators that exporters decompose into elementary ones.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"

#include <cmath>

namespace tigris {

namespace {

constexpr const char* ExporterPatternsDoc =
    R"(Exporters write GELU, SiLU, HardSwish and layer normalization as elementary operators if the
opset has no operator for them. One kernel call reads and writes the tensor once instead of five
times:

    t = Erf(Div(x, 1.41421354))
    y = Mul(Mul(x, Add(t, 1)), 0.5)                     ->   y = Gelu(x)

    y = Mul(x, Sigmoid(x))                              ->   y = Silu(x)

    y = Div(Mul(x, Clip(Add(x, 3)) {max: 6, min: 0}), 6)  ->   y = HardSwish(x)

    d = Sub(x, ReduceMean(x) {axes: [-1]})
    v = ReduceMean(Mul(d, d)) {axes: [-1]}
    y = Add(Mul(Div(d, Sqrt(Add(v, 1e-05))), scale), bias)
                                                        ->   y = LayerNormalization(x, scale, bias)

The pass also recognizes GELU in its tanh form, Pow(d, 2), and constants on either side.
Intermediate results that other operators read are kept. Quantized patterns are not rewritten.)";

/// Matches parts of a pattern. Functions return a tensor, or an invalid id if it does not match.
class Matcher {
public:
  explicit Matcher(const Graph& graph) : graph_(graph) {}

  std::optional<float> scalar(TensorId id) const {
    const auto values = id ? floatConstant(graph_, id) : std::nullopt;
    return values && values->size() == 1 ? std::optional((*values)[0]) : std::nullopt;
  }
  bool isScalar(TensorId id, double value) const {
    const auto found = scalar(id);
    return found && std::abs(static_cast<double>(*found) - value) <= 1e-4 * std::abs(value);
  }

  /// The plain float op of this kind that produces the tensor.
  const Op* maker(TensorId id, OpKind kind) const {
    const OpId producer = id ? graph_.producer(id) : OpId();
    if (!producer)
      return nullptr;
    const Op& op = graph_.op(producer);
    const bool plain = op.kind == kind && op.act == Activation::None &&
                       graph_.tensor(id).type == DType::Float32 && hasKnownTypes(graph_, producer);
    return plain ? &op : nullptr;
  }

  /// The other operand of an op with two operands, one of which is `id`.
  static TensorId other(const Op& op, TensorId id) {
    if (op.inputs.size() != 2)
      return {};
    return op.inputs[0] == id ? op.inputs[1] : op.inputs[1] == id ? op.inputs[0] : TensorId();
  }

  /// x if the tensor is x * factor, in any spelling.
  TensorId scaledFrom(TensorId id, double factor) const {
    if (const Op* op = maker(id, OpKind::Mul)) {
      if (isScalar(op->input(1), factor))
        return op->input(0);
      if (isScalar(op->input(0), factor))
        return op->input(1);
    }
    if (const Op* op = maker(id, OpKind::Div))
      if (isScalar(op->input(1), 1 / factor))
        return op->input(0);
    return {};
  }

  /// x if the tensor is x + c.
  TensorId shiftedFrom(TensorId id, double constant) const {
    const Op* op = maker(id, OpKind::Add);
    if (op == nullptr)
      return {};
    if (isScalar(op->input(1), constant))
      return op->input(0);
    return isScalar(op->input(0), constant) ? op->input(1) : TensorId();
  }

  bool isPower(TensorId id, TensorId x, int exponent) const {
    if (const Op* op = maker(id, OpKind::Pow))
      return op->input(0) == x && isScalar(op->input(1), exponent);
    const Op* op = maker(id, OpKind::Mul);
    if (op == nullptr)
      return false;
    if (exponent == 2)
      return op->input(0) == x && op->input(1) == x;
    const TensorId square = other(*op, x);
    return square && isPower(square, x, exponent - 1);
  }

private:
  const Graph& graph_;
};

/// x if the tensor is erf(x / sqrt 2), or tanh(sqrt(2 / pi) * (x + 0.044715 x^3)).
TensorId geluArgument(const Matcher& match, TensorId id, bool& tanhForm) {
  if (const Op* erf = match.maker(id, OpKind::Erf)) {
    tanhForm = false;
    return match.scaledFrom(erf->input(0), 0.7071067811865476);
  }
  const Op* tanh = match.maker(id, OpKind::Tanh);
  const TensorId sum = tanh ? match.scaledFrom(tanh->input(0), 0.7978845608028654) : TensorId();
  const Op* add = match.maker(sum, OpKind::Add);
  if (add == nullptr)
    return {};
  tanhForm = true;
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const TensorId x = add->input(i);
    const TensorId cube = match.scaledFrom(add->input(1 - i), 0.044715);
    if (cube && match.isPower(cube, x, 3))
      return x;
  }
  return {};
}

/// Whether `gate` is 1 + erf(...) of the same x; `half` if it includes the factor 0.5.
bool isGeluGate(const Matcher& match, TensorId gate, TensorId x, bool half, bool& tanhForm) {
  const TensorId whole = half ? match.scaledFrom(gate, 0.5) : gate;
  const TensorId inner = whole ? match.shiftedFrom(whole, 1) : TensorId();
  return inner && geluArgument(match, inner, tanhForm) == x;
}

/// x if `op` is the last op of a GELU.
TensorId geluOperand(const Matcher& match, const Op& op, bool& tanhForm) {
  // 0.5 * (x * gate)
  if (const TensorId product = match.scaledFrom(op.output(), 0.5))
    if (const Op* mul = match.maker(product, OpKind::Mul))
      for (const size_t i : {size_t{0}, size_t{1}})
        if (isGeluGate(match, mul->input(1 - i), mul->input(i), false, tanhForm))
          return mul->input(i);
  if (op.kind != OpKind::Mul)
    return {};
  for (const size_t i : {size_t{0}, size_t{1}}) {
    // x * (0.5 * gate), (0.5 * x) * gate
    const TensorId gate = op.input(1 - i);
    if (isGeluGate(match, gate, op.input(i), true, tanhForm))
      return op.input(i);
    const TensorId x = match.scaledFrom(op.input(i), 0.5);
    if (x && isGeluGate(match, gate, x, false, tanhForm))
      return x;
  }
  return {};
}

/// Whether the tensor is clamp(x + 3, 0, 6).
bool isRelu6OfShifted(const Matcher& match, TensorId id, TensorId x) {
  const Op* clip = match.maker(id, OpKind::Clip);
  if (clip == nullptr)
    clip = match.maker(id, OpKind::Relu6);
  else if (clip->inputs.size() > 1 || clip->attrs.getFloat("min", -1) != 0 ||
           clip->attrs.getFloat("max") != 6)
    return false;
  return clip != nullptr && match.shiftedFrom(clip->input(0), 3) == x;
}

TensorId hardSwishOperand(const Matcher& match, const Op& op) {
  if (const TensorId product = match.scaledFrom(op.output(), 1.0 / 6))
    if (const Op* mul = match.maker(product, OpKind::Mul))
      for (const size_t i : {size_t{0}, size_t{1}})
        if (isRelu6OfShifted(match, mul->input(1 - i), mul->input(i)))
          return mul->input(i);
  if (op.kind != OpKind::Mul)
    return {};
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const TensorId x = op.input(i);
    const Op* gate = match.maker(op.input(1 - i), OpKind::HardSigmoid);
    if (gate != nullptr && gate->input(0) == x &&
        std::abs(gate->attrs.getFloat("alpha", 0.2) - 1.0 / 6) < 1e-5 &&
        gate->attrs.getFloat("beta", 0.5) == 0.5)
      return x;
    const TensorId clipped = match.scaledFrom(op.input(1 - i), 1.0 / 6);
    if (clipped && isRelu6OfShifted(match, clipped, x))
      return x;
  }
  return {};
}

TensorId siluOperand(const Matcher& match, const Op& op) {
  for (const size_t i : {size_t{0}, size_t{1}})
    if (const Op* gate =
            op.kind == OpKind::Mul ? match.maker(op.input(1 - i), OpKind::Sigmoid) : nullptr)
      if (gate->input(0) == op.input(i))
        return op.input(i);
  return {};
}

struct Norm {
  TensorId x;
  int64_t axes = 0;
  double epsilon = 0;
};

/// The number of axes of the reduction if they are the last ones and are kept as 1; 0 otherwise.
int64_t trailingAxes(const Graph& graph, const Op& mean) {
  const size_t rank = graph.tensor(mean.input(0)).shape.rank();
  const std::vector<int64_t> axes = mean.attrs.getInts("axes");
  if (axes.empty() || mean.attrs.getInt("keepdims", 1) == 0)
    return 0;
  for (size_t i = 0; i < axes.size(); ++i)
    if (normalizeAxis(axes[i], rank) != rank - axes.size() + i)
      return 0;
  return static_cast<int64_t>(axes.size());
}

/// Matches the tensor as (x - mean) / sqrt(variance + epsilon).
std::optional<Norm> standardized(const Graph& graph, const Matcher& match, TensorId id) {
  const Op* div = match.maker(id, OpKind::Div);
  const Op* root = div ? match.maker(div->input(1), OpKind::Sqrt) : nullptr;
  const Op* sum = root ? match.maker(root->input(0), OpKind::Add) : nullptr;
  const Op* centered = div ? match.maker(div->input(0), OpKind::Sub) : nullptr;
  if (sum == nullptr || centered == nullptr)
    return std::nullopt;
  const size_t constant = match.scalar(sum->input(1)) ? 1 : 0;
  const auto epsilon = match.scalar(sum->input(constant));
  const Op* variance = match.maker(sum->input(1 - constant), OpKind::ReduceMean);
  const Op* mean = match.maker(centered->input(1), OpKind::ReduceMean);
  if (!epsilon || variance == nullptr || mean == nullptr || mean->input(0) != centered->input(0) ||
      !match.isPower(variance->input(0), div->input(0), 2))
    return std::nullopt;
  const int64_t axes = trailingAxes(graph, *mean);
  if (axes == 0 || axes != trailingAxes(graph, *variance))
    return std::nullopt;
  return Norm{centered->input(0), axes, static_cast<double>(*epsilon)};
}

/// The operand of `op` other than `id`, if it is a constant with one value per normalized element.
TensorId perElement(const Graph& graph, const Op& op, TensorId id, const Norm& norm) {
  const TensorId constant = Matcher::other(op, id);
  if (!constant || !graph.tensor(constant).isConstant() ||
      graph.tensor(constant).type != DType::Float32)
    return {};
  const Shape& x = graph.tensor(norm.x).shape;
  const Shape& own = graph.tensor(constant).shape;
  const auto axes = static_cast<size_t>(norm.axes);
  if (own.rank() < axes || own.elements() != x.elementsFrom(x.rank() - axes))
    return {};
  for (size_t i = 0; i < axes; ++i)
    if (own.fromBack(i) != x.fromBack(i))
      return {};
  return constant;
}

/// The only reader of the result of `id`, if it is of this kind and has no activation.
OpId next(const Graph& graph, OpId id, OpKind kind) {
  const OpId reader = soleReader(graph, graph.op(id).output());
  return reader && graph.op(reader).kind == kind && graph.op(id).act == Activation::None ? reader
                                                                                         : OpId();
}

bool fuseLayerNorm(Graph& graph, OpId id) {
  const Matcher match(graph);
  const auto norm = standardized(graph, match, graph.op(id).output());
  if (!norm)
    return false;
  OpId last = id;
  std::vector<OpId> chain = {id};
  std::vector<TensorId> inputs = {norm->x};
  if (const OpId scaled = next(graph, last, OpKind::Mul))
    if (const TensorId scale =
            perElement(graph, graph.op(scaled), graph.op(last).output(), *norm)) {
      inputs.push_back(scale);
      last = scaled;
      chain.push_back(scaled);
      if (const OpId shifted = next(graph, last, OpKind::Add))
        if (const TensorId bias =
                perElement(graph, graph.op(shifted), graph.op(last).output(), *norm)) {
          inputs.push_back(bias);
          last = shifted;
        }
    }
  if (graph.op(last).act != Activation::None)
    return false;
  for (size_t i = 1; i < inputs.size(); ++i)
    if (graph.tensor(inputs[i]).shape.rank() != static_cast<size_t>(norm->axes)) {
      const Shape& own = graph.tensor(inputs[i]).shape;
      inputs[i] =
          reshapeConstant(graph, inputs[i],
                          Shape(std::vector<int64_t>(
                              own.end() - static_cast<std::ptrdiff_t>(norm->axes), own.end())));
    }
  const auto rank = static_cast<int64_t>(graph.tensor(norm->x).shape.rank());
  rewriteInPlace(graph, last, OpKind::LayerNormalization, inputs,
                 {{"axis", rank - norm->axes}, {"epsilon", norm->epsilon}});
  // The rest of the chain would be matched again.
  for (auto step = chain.rbegin(); step != chain.rend(); ++step)
    if (*step != last && graph.users(graph.op(*step).output()).empty() &&
        !graph.isGraphOutput(graph.op(*step).output()))
      graph.eraseOp(*step);
  return true;
}

PassStatus exporterPatterns(Graph& graph, PassContext&) {
  return forEachOp(graph, [&](OpId id) {
    const Op& op = graph.op(id);
    if ((op.kind != OpKind::Mul && op.kind != OpKind::Div) || op.act != Activation::None ||
        !hasKnownTypes(graph, id))
      return false;
    const Matcher match(graph);
    bool tanhForm = false;
    if (const TensorId x = geluOperand(match, op, tanhForm)) {
      rewriteInPlace(graph, id, OpKind::Gelu, {x},
                     {{"approximate", std::string(tanhForm ? "tanh" : "none")}});
      return true;
    }
    if (const TensorId x = hardSwishOperand(match, op)) {
      rewriteInPlace(graph, id, OpKind::HardSwish, {x}, {});
      return true;
    }
    if (const TensorId x = siluOperand(match, op)) {
      rewriteInPlace(graph, id, OpKind::Silu, {x}, {});
      return true;
    }
    return op.kind == OpKind::Div && fuseLayerNorm(graph, id);
  });
}

} // namespace

PassInfo exporterPatternsPass() {
  return functionPass("exporter-patterns",
                      "GELU, SiLU, HardSwish and LayerNormalization are recognized",
                      ExporterPatternsDoc, exporterPatterns);
}

} // namespace tigris
