// matmul-to-gemm: a product with constant weights becomes a fully connected layer.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"

#include <map>

namespace tigris {

namespace {

constexpr const char* MatmulToGemmDoc =
    R"(Keras and transformers write fully connected layers as MatMul with a constant, followed by
Add. Gemm stores the weights row by row per output and includes the bias:

    t = MatMul(x, w)     # x [4, 8], w [8, 2]
    y = Add(t, b)        # b [2]                 ->   y = Gemm(x, transposed w, b) {transB: 1}

An operand of higher rank, for example [1, 17, 32], is a matrix with one row per vector. A Reshape
before and one after express this, and neither moves data. Products of two computed tensors stay
MatMul.)";

class MatmulToGemm {
public:
  explicit MatmulToGemm(Graph& graph) : graph_(graph) {}

  PassStatus run() {
    return forEachOp(graph_, [&](OpId id) { return convert(id); });
  }

private:
  bool convert(OpId id) {
    if (graph_.op(id).kind != OpKind::MatMul || !hasKnownTypes(graph_, id))
      return false;
    const TensorId x = graph_.op(id).input(0);
    const TensorId w = graph_.op(id).input(1);
    const Shape shape = graph_.tensor(x).shape;
    const Tensor& weights = graph_.tensor(w);
    if (!weights.isConstant() || weights.shape.rank() != 2 || shape.rank() < 2 ||
        graph_.tensor(x).isConstant() || (shape.rank() > 2 && shape.elements() == 0))
      return false;
    const int64_t depth = weights.shape[0];
    const int64_t width = weights.shape[1];
    const OpId add = biasAdd(id, width);
    if (add)
      fuseAdd(id, add);
    TensorId rows = x;
    if (shape.rank() > 2) {
      const std::vector<int64_t> matrix = {shape.elements() / depth, depth};
      rows = insertResult(graph_, id,
                          makeOpLike(graph_, id, OpKind::Reshape, {x}, {{"shape", matrix}}),
                          graph_.tensor(x).quant);
    }
    std::vector<TensorId> operands = {rows, transposed(w)};
    if (add)
      operands.push_back(bias_);
    if (shape.rank() == 2) {
      rewriteInPlace(graph_, id, OpKind::Gemm, operands, {{"transB", int64_t{1}}});
      return true;
    }
    const Tensor& result = graph_.tensor(graph_.op(id).output());
    const std::vector<int64_t> target = result.shape.dims();
    const TensorId product = insertResult(
        graph_, id, makeOpLike(graph_, id, OpKind::Gemm, operands, {{"transB", int64_t{1}}}),
        result.quant);
    rewriteInPlace(graph_, id, OpKind::Reshape, {product}, {{"shape", target}});
    return true;
  }

  /// The Add that is the product's only reader and adds one constant per column; sets bias_. Float
  /// only: a quantized bias would need the scale of the accumulator.
  OpId biasAdd(OpId id, int64_t width) {
    const TensorId product = graph_.op(id).output();
    const OpId reader = soleReader(graph_, product);
    if (!reader || graph_.op(reader).kind != OpKind::Add ||
        graph_.op(reader).act != Activation::None)
      return {};
    const Op& add = graph_.op(reader);
    const TensorId other = add.input(0) == product ? add.input(1) : add.input(0);
    if (!floatConstant(graph_, other) || graph_.tensor(product).type != DType::Float32 ||
        graph_.tensor(add.output()).shape != graph_.tensor(product).shape)
      return {};
    const Shape& shape = graph_.tensor(other).shape;
    if (shape.rank() == 0 || shape.fromBack(0) != width || shape.elements() != width)
      return {};
    bias_ = reshapeConstant(graph_, other, Shape{width});
    return reader;
  }

  void fuseAdd(OpId id, OpId add) { takeOverResults(graph_, id, add); }

  /// Transposes shared weights only once.
  TensorId transposed(TensorId weights) {
    const auto [entry, inserted] = transposed_.try_emplace(weights);
    if (inserted)
      entry->second = transposeConstant(graph_, weights, {1, 0});
    return entry->second;
  }

  Graph& graph_;
  TensorId bias_;
  std::map<TensorId, TensorId> transposed_;
};

PassStatus matmulToGemm(Graph& graph, PassContext&) { return MatmulToGemm(graph).run(); }

} // namespace

PassInfo matmulToGemmPass() {
  return functionPass("matmul-to-gemm", "MatMul with constant weights becomes Gemm",
                      MatmulToGemmDoc, matmulToGemm);
}

} // namespace tigris
