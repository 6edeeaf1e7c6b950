// common-subexpression: merges duplicate quantization nodes.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Transforms/Passes.h"

#include <algorithm>
#include <map>

namespace tigris {

namespace {

constexpr const char* CommonSubexpressionDoc =
    R"(Quantizing exporters write one QuantizeLinear or DequantizeLinear per reader, often with
copies of the same scale. Equal nodes of the same tensor become one, so that quantization folding
sees one tensor with all its readers:

    a = DequantizeLinear(q, s, z)
    b = DequantizeLinear(q, s, z)
    y = Add(f(a), b)                   ->   y = Add(f(a), a)

Only these two operators are merged. Sharing the result of other operators could keep a large tensor
alive for longer, which can cost more than computing it twice.)";

/// Small constants are compared by content, because exporters give every node its own copy.
std::string operandKey(const Graph& graph, TensorId id) {
  if (!id)
    return "-";
  const Tensor& tensor = graph.tensor(id);
  if (!tensor.isConstant() || tensor.bytes() > 4096)
    return strCat('#', id.index());
  const auto bytes = tensor.data->bytes();
  return strCat(dtypeName(tensor.type), tensor.shape.str(),
                std::string(bytes.begin(), bytes.end()));
}

bool isSameWork(const Graph& graph, OpId a, OpId b) {
  // Constants with equal bytes but different scales represent different numbers.
  return graph.op(a).attrs == graph.op(b).attrs &&
         sameQuant(graph, graph.op(a).input(0), graph.op(b).input(0)) &&
         sameQuant(graph, graph.op(a).output(), graph.op(b).output()) &&
         graph.tensor(graph.op(a).output()).type == graph.tensor(graph.op(b).output()).type;
}

PassStatus commonSubexpression(Graph& graph, PassContext&) {
  std::map<std::string, std::vector<OpId>> seen;
  return forEachOp(graph, [&](OpId id) {
    const Op& op = graph.op(id);
    if (op.kind != OpKind::QuantizeLinear && op.kind != OpKind::DequantizeLinear)
      return false;
    if (graph.isGraphOutput(op.output()))
      return false;
    std::string key(op.kindName());
    for (const TensorId input : op.inputs)
      key += strCat('\0', operandKey(graph, input));
    std::vector<OpId>& earlier = seen[key];
    const auto same = std::find_if(earlier.begin(), earlier.end(),
                                   [&](OpId other) { return isSameWork(graph, other, id); });
    if (same == earlier.end()) {
      earlier.push_back(id);
      return false;
    }
    const TensorId result = op.output();
    addOrigin(graph.editOp(*same), op);
    graph.eraseOp(id);
    graph.replaceAllUses(result, graph.op(*same).output());
    return true;
  });
}

} // namespace

PassInfo commonSubexpressionPass() {
  return functionPass("common-subexpression", "repeated quantization nodes are merged",
                      CommonSubexpressionDoc, commonSubexpression);
}

} // namespace tigris
