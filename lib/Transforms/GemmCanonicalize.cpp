// gemm-canonicalize: every Gemm becomes x * w^T + b with constant w and b.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"

#include <algorithm>
#include <map>

namespace tigris {

namespace {

constexpr const char* GemmCanonicalizeDoc =
    R"(ONNX's Gemm optionally transposes and scales its operands and adds any matrix. A fully
connected kernel supports one form: rows times constant weights stored per output, plus one number
per output.

    y = Gemm(x, w, c) {alpha: 0.5, beta: 2}     # w [8, 4], c [1]
    ->
    y = Gemm(x, w', c') {transB: 1}             # w' [4, 8] = 0.5 * transposed w, c' [4] = 2 * c

A transposed x gets a Transpose. A c that is computed, or that differs from row to row, is added by
an Add. A Gemm of two computed tensors becomes MatMul. Scaled operands of an int8 Gemm are refused,
because the factor would change the integers.)";

class GemmCanonicalize {
public:
  GemmCanonicalize(Graph& graph, PassContext& context) : graph_(graph), context_(context) {}

  PassStatus run() {
    const PassStatus status = forEachOp(graph_, [&](OpId id) {
      return graph_.op(id).kind == OpKind::Gemm && hasKnownTypes(graph_, id) && canonicalize(id);
    });
    return failed_ ? PassStatus::Failed : status;
  }

private:
  bool canonicalize(OpId id) {
    const Op& op = graph_.op(id);
    const double alpha = op.attrs.getFloat("alpha", 1);
    const double beta = op.input(2) ? op.attrs.getFloat("beta", 1) : 1;
    const bool quantized = graph_.tensor(op.output()).quant.has_value();
    if (quantized && (alpha != 1 || beta != 1)) {
      context_.diagnostics.error(DiagId::UnsupportedOp, "op '", op.name, "' (Gemm): alpha ", alpha,
                                 " and beta ", beta, " on int8 operands, expected 1 and 1");
      failed_ = true;
      return false;
    }
    const int64_t width = graph_.tensor(op.output()).shape.fromBack(0);
    if (isCanonical(op, width))
      return false;
    const bool addsLater = op.input(2) && !isBiasLike(op.input(2), width);
    const bool constantWeights = graph_.tensor(op.input(1)).isConstant();
    if (quantized && (addsLater || (!constantWeights && op.input(2)))) {
      context_.diagnostics.error(
          DiagId::UnsupportedOp, "op '", op.name,
          "' (Gemm): an int8 Gemm needs constant weights and one bias per output");
      failed_ = true;
      return false;
    }
    if (constantWeights && (alpha != 1 || beta != 1) && !floatConstant(graph_, op.input(1)))
      return false;
    transposeOperand(id, 0, "transA");
    if (constantWeights)
      constantForm(id, alpha, beta, width, addsLater);
    else
      computedForm(id, alpha, beta);
    return true;
  }

  bool isCanonical(const Op& op, int64_t width) const {
    if (!graph_.tensor(op.input(1)).isConstant() || op.attrs.getInt("transB", 0) != 1)
      return false;
    for (const char* name : {"alpha", "beta", "transA"})
      if (op.attrs.has(name))
        return false;
    return !op.input(2) || (graph_.tensor(op.input(2)).isConstant() &&
                            graph_.tensor(op.input(2)).shape == Shape{width});
  }

  /// Whether the tensor is a constant that is the same for every row.
  bool isBiasLike(TensorId id, int64_t width) const {
    const Tensor& tensor = graph_.tensor(id);
    const int64_t elements = tensor.elements();
    const bool perOutput =
        tensor.shape.rank() > 0 && tensor.shape.fromBack(0) == width && elements == width;
    const bool perTensor = !tensor.quant || !tensor.quant->perChannel();
    return tensor.isConstant() && (perOutput || (elements == 1 && perTensor));
  }

  void transposeOperand(OpId id, size_t index, const char* flag) {
    if (graph_.op(id).attrs.getInt(flag, 0) == 0)
      return;
    const TensorId operand = graph_.op(id).input(index);
    const TensorId moved = insertResult(graph_, id,
                                        makeOpLike(graph_, id, OpKind::Transpose, {operand},
                                                   {{"perm", std::vector<int64_t>{1, 0}}}),
                                        graph_.tensor(operand).quant);
    graph_.setInput(id, index, moved);
    graph_.editOp(id).attrs.erase(flag);
  }

  void constantForm(OpId id, double alpha, double beta, int64_t width, bool addsLater) {
    TensorId weights = graph_.op(id).input(1);
    if (graph_.op(id).attrs.getInt("transB", 0) == 0)
      weights = transposed(weights);
    weights = scaled(weights, alpha);
    std::vector<TensorId> operands = {graph_.op(id).input(0), weights};
    const TensorId c = graph_.op(id).input(2);
    if (c && !addsLater)
      operands.push_back(biasVector(c, beta, width));
    if (!addsLater) {
      rewriteInPlace(graph_, id, OpKind::Gemm, operands, {{"transB", int64_t{1}}});
      return;
    }
    const TensorId product = insertResult(
        graph_, id, makeOpLike(graph_, id, OpKind::Gemm, operands, {{"transB", int64_t{1}}}));
    addTo(id, product, c, beta);
  }

  void computedForm(OpId id, double alpha, double beta) {
    transposeOperand(id, 1, "transB");
    const std::vector<TensorId> factors = {graph_.op(id).input(0), graph_.op(id).input(1)};
    const TensorId c = graph_.op(id).input(2);
    if (!c && alpha == 1) {
      rewriteInPlace(graph_, id, OpKind::MatMul, factors, {});
      return;
    }
    TensorId product = insertResult(graph_, id, makeOpLike(graph_, id, OpKind::MatMul, factors));
    if (!c) {
      rewriteInPlace(graph_, id, OpKind::Mul, {product, factor(id, alpha)}, {});
      return;
    }
    product = times(id, product, alpha);
    addTo(id, product, c, beta);
  }

  void addTo(OpId id, TensorId product, TensorId c, double beta) {
    const TensorId term = times(id, c, beta);
    rewriteInPlace(graph_, id, OpKind::Add, {product, term}, {});
  }

  TensorId times(OpId id, TensorId value, double by) {
    if (by == 1)
      return value;
    if (floatConstant(graph_, value))
      return scaled(value, by);
    return insertResult(graph_, id, makeOpLike(graph_, id, OpKind::Mul, {value, factor(id, by)}));
  }

  TensorId factor(OpId id, double by) {
    return addFloatConstant(graph_, strCat(graph_.op(id).name, ".factor"), Shape(),
                            {static_cast<float>(by)});
  }

  TensorId scaled(TensorId id, double by) {
    if (by == 1)
      return id;
    std::vector<float> values = *floatConstant(graph_, id);
    for (float& value : values)
      value = static_cast<float>(double{value} * by);
    return addFloatConstant(graph_, graph_.tensor(id).name, graph_.tensor(id).shape, values);
  }

  TensorId biasVector(TensorId c, double beta, int64_t width) {
    c = scaled(c, beta);
    const Tensor tensor = graph_.tensor(c);
    if (tensor.shape == Shape{width})
      return c;
    const auto one = tensor.data->bytes();
    std::vector<uint8_t> all;
    for (int64_t i = 0; i < width / std::max<int64_t>(tensor.elements(), 1); ++i)
      all.insert(all.end(), one.begin(), one.end());
    const TensorId bias =
        graph_.addConstant(tensor.name, tensor.type, Shape{width}, makeBlob(std::move(all)));
    std::optional<QuantParam> quant = tensor.quant;
    if (quant && quant->perChannel())
      quant->axis = 0;
    graph_.editTensor(bias).quant = std::move(quant);
    return bias;
  }

  /// Transposes shared weights only once.
  TensorId transposed(TensorId weights) {
    const auto [entry, inserted] = transposed_.try_emplace(weights);
    if (inserted)
      entry->second = transposeConstant(graph_, weights, {1, 0});
    return entry->second;
  }

  Graph& graph_;
  PassContext& context_;
  bool failed_ = false;
  std::map<TensorId, TensorId> transposed_;
};

PassStatus gemmCanonicalize(Graph& graph, PassContext& context) {
  return GemmCanonicalize(graph, context).run();
}

} // namespace

PassInfo gemmCanonicalizePass() {
  return functionPass("gemm-canonicalize", "Gemm becomes rows times constant weights plus a bias",
                      GemmCanonicalizeDoc, gemmCanonicalize);
}

} // namespace tigris
