// merge-axes: fewer axes for operators on more than four.
#include "PassTesting.h"

#include "tigris/Support/StringUtils.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

/// One op from tensors 'x' and, if `b` is not empty, 'b' to 'y'.
std::string oneOp(const std::string& x, const std::string& b, const std::string& y,
                  const std::string& op) {
  const bool two = !b.empty();
  std::string text = "form: normalized\nlayout: channels-last\ninputs:\n  - {name: x}\n";
  text += two ? "  - {name: b}\n" : "";
  text += "outputs:\n  - {name: y}\ntensors:\n";
  text += strCat("  - {name: x, type: float32, shape: [", x, "]}\n");
  text += two ? strCat("  - {name: b, type: float32, shape: [", b, "]}\n") : "";
  text += strCat("  - {name: y, type: float32, shape: [", y, "]}\nops:\n");
  return strCat(text, "  - {", op, ", in: [x", two ? ", b" : "", "], out: [y]}\n");
}

/// The shapes of the operator's operands and result after the pass; empty if it changes nothing.
std::string mergedShapes(const std::string& yaml) {
  const Graph before = parseGraph(yaml);
  const PassOutcome outcome = runPasses("merge-axes,dead-code", before);
  REQUIRE(outcome.status != PassStatus::Failed);
  if (outcome.status == PassStatus::Unchanged)
    return "";
  checkSameValues(before, outcome.graph);
  CHECK(runPasses("merge-axes,dead-code", outcome.graph).status == PassStatus::Unchanged);
  std::vector<std::string> shapes;
  for (const OpId id : outcome.graph.order()) {
    const Op& op = outcome.graph.op(id);
    if (op.kind == OpKind::Reshape)
      continue;
    for (const auto* operands : {&op.inputs, &op.outputs})
      for (const TensorId operand : *operands)
        shapes.push_back(outcome.graph.tensor(operand).shape.str());
  }
  return join(shapes, " ");
}

} // namespace

TEST_CASE("element-wise operators merge axes along which they broadcast alike") {
  const std::string add = "op: Add, name: add";
  CHECK(mergedShapes(oneOp("2, 3, 4, 5, 6", "2, 3, 4, 5, 6", "2, 3, 4, 5, 6", add)) ==
        "[720] [720] [720]");
  CHECK(mergedShapes(oneOp("2, 3, 4, 5, 6", "1, 3, 1, 1, 6", "2, 3, 4, 5, 6", add)) ==
        "[2, 3, 20, 6] [1, 3, 1, 6] [2, 3, 20, 6]");
  CHECK(mergedShapes(oneOp("2, 3, 4, 5, 6", "6", "2, 3, 4, 5, 6", add)) ==
        "[120, 6] [1, 6] [120, 6]");
  CHECK(mergedShapes(oneOp("1, 3, 1, 5, 6", "1, 3, 4, 1, 1", "1, 3, 4, 5, 6", add)) ==
        "[3, 1, 30] [3, 4, 1] [3, 4, 30]");
  CHECK(mergedShapes(oneOp("1, 1, 1, 5, 1, 6", "1, 1, 1, 5, 1, 1", "1, 1, 1, 5, 1, 6", add)) ==
        "[5, 6] [5, 1] [5, 6]");
  CHECK(mergedShapes(oneOp("2, 3, 4, 5, 6", "", "2, 3, 4, 5, 6", "op: Tanh, name: f")) ==
        "[720] [720]");
  CHECK(mergedShapes(oneOp("3, 4, 5, 6", "6", "3, 4, 5, 6", add)).empty());
}

TEST_CASE("where broadcasts alternate, the smaller operand is repeated along an axis") {
  const std::string add = "op: Add, name: add";
  CHECK(mergedShapes(oneOp("2, 3, 4, 5, 6", "2, 1, 4, 1, 6", "2, 3, 4, 5, 6", add)) ==
        "[2, 1, 24] [3] [2, 3, 24] [24, 5, 6] [24, 1, 6] [24, 5, 6]");
  CHECK(mergedShapes(oneOp("2, 1, 4, 1, 6", "2, 3, 4, 5, 6", "2, 3, 4, 5, 6", add)) ==
        "[2, 1, 24] [3] [2, 3, 24] [24, 1, 6] [24, 5, 6] [24, 5, 6]");
  CHECK(mergedShapes(oneOp("4, 3, 4, 2, 6", "4, 1, 4, 1, 6", "4, 3, 4, 2, 6", add)) ==
        "[16, 1, 6] [2] [16, 2, 6] [4, 3, 48] [4, 1, 48] [4, 3, 48]");
  // Two repeats.
  CHECK(
      mergedShapes(oneOp("2, 1, 3, 1, 5", "1, 3, 1, 4, 1", "2, 3, 3, 4, 5", add)) ==
      "[2, 1, 15] [3] [2, 3, 15] [1, 1, 12] [2] [1, 2, 12] [6, 3, 1, 5] [6, 1, 4, 1] [6, 3, 4, 5]");
  const std::string product = "op: MatMul, name: product";
  CHECK(mergedShapes(oneOp("1, 3, 1, 5, 2", "2, 3, 4, 2, 7", "2, 3, 4, 5, 7", product)) ==
        "[1, 1, 30] [2] [1, 2, 30] [6, 1, 5, 2] [6, 4, 2, 7] [6, 4, 5, 7]");
}

TEST_CASE("a constant is repeated before it is stored") {
  checkPass("merge-axes,dead-code", R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: y}
tensors:
  - {name: x, type: float32, shape: [2, 3, 4, 5, 6]}
  - {name: b, type: float32, shape: [2, 1, 4, 1, 6], const: true}
  - {name: y, type: float32, shape: [2, 3, 4, 5, 6]}
ops:
  - {op: Add, name: add, in: [x, b], out: [y]}
blobs:
  - {name: b, fill: {seed: 1, amplitude: 1.0}}
# CHECK: shape: [24, 1, 6], const: true
# CHECK: ops:
# CHECK-NEXT: {op: Reshape
# CHECK-NEXT: {op: Add, name: add
# CHECK-NEXT: {op: Reshape
# CHECK-NOT: {op:
)");
}

TEST_CASE("products, softmax and reductions merge the axes that they treat alike") {
  const std::string product = "op: MatMul, name: product";
  CHECK(mergedShapes(oneOp("2, 3, 4, 5, 6", "2, 3, 4, 6, 7", "2, 3, 4, 5, 7", product)) ==
        "[24, 5, 6] [24, 6, 7] [24, 5, 7]");
  CHECK(mergedShapes(oneOp("2, 3, 4, 5, 6", "4, 6, 7", "2, 3, 4, 5, 7", product)) ==
        "[6, 4, 5, 6] [1, 4, 6, 7] [6, 4, 5, 7]");
  CHECK(mergedShapes(oneOp("2, 3, 4, 5, 6", "6, 7", "2, 3, 4, 5, 7", product)) ==
        "[24, 5, 6] [6, 7] [24, 5, 7]");
  CHECK(mergedShapes(oneOp("2, 3, 4, 5, 6", "1, 3, 1, 6, 7", "2, 3, 4, 5, 7", product)) ==
        "[2, 3, 20, 6] [1, 3, 6, 7] [2, 3, 20, 7]");
  const std::string softmax = "op: Softmax, name: softmax, attrs: {axis: ";
  CHECK(mergedShapes(oneOp("2, 3, 4, 5, 6", "", "2, 3, 4, 5, 6", softmax + "-1}")) ==
        "[120, 6] [120, 6]");
  CHECK(mergedShapes(oneOp("2, 3, 4, 5, 6", "", "2, 3, 4, 5, 6", softmax + "2}")) ==
        "[6, 4, 30] [6, 4, 30]");
  const std::string mean = "op: ReduceMean, name: mean, attrs: {axes: ";
  CHECK(mergedShapes(oneOp("2, 3, 4, 5, 6", "", "2, 3, 1, 1, 1",
                           mean + "[2, 3, 4], keepdims: 1}")) == "[6, 120] [6, 1]");
  CHECK(mergedShapes(oneOp("2, 3, 4, 5, 6", "", "2, 3, 6", mean + "[2, 3], keepdims: 0}")) ==
        "[6, 20, 6] [6, 1, 6]");
}

TEST_CASE("consecutive operators need no Reshape between them, constants none at all") {
  checkPass("merge-axes,dead-code", R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: y}
tensors:
  - {name: x, type: float32, shape: [2, 3, 4, 5, 6]}
  - {name: b, type: float32, shape: [1, 3, 1, 1, 6], const: true}
  - {name: a, type: float32, shape: [2, 3, 4, 5, 6]}
  - {name: y, type: float32, shape: [2, 3, 4, 5, 6]}
ops:
  - {op: Add, name: add, in: [x, b], out: [a]}
  - {op: Mul, name: mul, in: [a, b], out: [y]}
blobs:
  - {name: b, fill: {seed: 1, amplitude: 1.0}}
# CHECK: ops:
# CHECK-NEXT: {op: Reshape
# CHECK-NEXT: {op: Add, name: add
# CHECK-NEXT: {op: Mul, name: mul
# CHECK-NEXT: {op: Reshape
# CHECK-NOT: {op:
)");
}

TEST_CASE("a reduction along the rows keeps their axis") {
  const std::string mean = "op: ReduceMean, name: mean, attrs: {axes: ";
  CHECK(mergedShapes(oneOp("1, 8, 4, 3", "", "1, 4, 3", mean + "[1], keepdims: 0}")) ==
        "[1, 8, 4, 3] [1, 1, 4, 3]");
  CHECK(mergedShapes(oneOp("2, 8, 3", "", "2, 3", mean + "[-2], keepdims: 0}")) ==
        "[2, 8, 3] [2, 1, 3]");
  CHECK(mergedShapes(oneOp("1, 8, 4, 3", "", "1, 8, 3", mean + "[2], keepdims: 0}")).empty());
  CHECK(mergedShapes(oneOp("1, 1, 4, 3", "", "1, 4, 3", mean + "[1], keepdims: 0}")).empty());
}

TEST_CASE("the rows of a product of activations become the second axis") {
  const std::string product = "op: MatMul, name: product";
  CHECK(mergedShapes(oneOp("1, 4, 6, 3", "1, 4, 3, 6", "1, 4, 6, 6", product)) ==
        "[4, 6, 3] [4, 3, 6] [4, 6, 6]");
  CHECK(mergedShapes(oneOp("1, 4, 6, 3", "1, 1, 3, 6", "1, 4, 6, 6", product)) ==
        "[4, 6, 3] [1, 3, 6] [4, 6, 6]");
  CHECK(mergedShapes(oneOp("1, 4, 6, 3", "4, 3, 6", "1, 4, 6, 6", product)) ==
        "[4, 6, 3] [4, 3, 6] [4, 6, 6]");
  // Several indices, or a matrix for all rows of a map.
  CHECK(mergedShapes(oneOp("2, 4, 6, 3", "2, 4, 3, 6", "2, 4, 6, 6", product)).empty());
  CHECK(mergedShapes(oneOp("1, 4, 6, 3", "3, 6", "1, 4, 6, 6", product)).empty());
}

TEST_CASE("what follows a product of activations continues with its rows") {
  // Attention with a mask, on tokens of two heads.
  CHECK(mergedShapes(R"(form: normalized
layout: channels-last
inputs: [{name: x}, {name: m}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 5, 2, 3]}
  - {name: m, type: float32, shape: [1, 1, 5, 5]}
  - {name: q, type: float32, shape: [1, 2, 5, 3]}
  - {name: k, type: float32, shape: [1, 2, 3, 5]}
  - {name: s, type: float32, shape: [1, 2, 5, 5]}
  - {name: t, type: float32, shape: [1, 2, 5, 5]}
  - {name: p, type: float32, shape: [1, 2, 5, 5]}
  - {name: o, type: float32, shape: [1, 2, 5, 3]}
  - {name: y, type: float32, shape: [1, 5, 2, 3]}
ops:
  - {op: Transpose, name: queries, in: [x], out: [q], attrs: {perm: [0, 2, 1, 3]}}
  - {op: Transpose, name: keys, in: [x], out: [k], attrs: {perm: [0, 2, 3, 1]}}
  - {op: MatMul, name: scores, in: [q, k], out: [s]}
  - {op: Add, name: mask, in: [s, m], out: [t]}
  - {op: Softmax, name: weights, in: [t], out: [p], attrs: {axis: 3}}
  - {op: MatMul, name: sums, in: [p, q], out: [o]}
  - {op: Transpose, name: tokens, in: [o], out: [y], attrs: {perm: [0, 2, 1, 3]}}
)") == "[1, 5, 2, 3] [1, 2, 5, 3] [5, 2, 3] [2, 3, 5] [2, 5, 3] [2, 3, 5] [2, 5, 5] "
       "[2, 5, 5] [1, 5, 5] [2, 5, 5] [2, 5, 5] [2, 5, 5] [2, 5, 5] [2, 5, 3] [2, 5, 3] "
       "[2, 5, 3] [5, 2, 3]");
}
