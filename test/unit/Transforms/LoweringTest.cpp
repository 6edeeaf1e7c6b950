// Passes that lower an operator to others.
#include "PassTesting.h"

#include <doctest/doctest.h>

using namespace tigris;

TEST_CASE("split-to-slices: one Slice per part") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: a}, {name: b}]
tensors:
  - {name: x, type: float32, shape: [2, 5]}
  - {name: a, type: float32, shape: [2, 2]}
  - {name: b, type: float32, shape: [2, 3]}
ops:
  - {op: Split, name: s, in: [x], out: [a, b], attrs: {axis: -1, split: [2, 3]}, origin: [n]}
# CHECK: ops:
# CHECK-NEXT: {op: Slice, name: s_1, in: [x], out: [a], attrs: {axes: [1], ends: [2], starts: [0], steps: [1]}, origin: ["n"]}
# CHECK-NEXT: {op: Slice, name: s_2, in: [x], out: [b], attrs: {axes: [1], ends: [5], starts: [2], steps: [1]}, origin: ["n"]}
)";
  checkSameValues(parseGraph(yaml), checkPass("split-to-slices", yaml));
}

TEST_CASE("gather-to-slice: evenly spaced indices") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: a}, {name: b}, {name: c}]
tensors:
  - {name: x, type: float32, shape: [2, 6]}
  - {name: one, type: int64, shape: [], const: true}
  - {name: odd, type: int64, shape: [3], const: true}
  - {name: mixed, type: int64, shape: [3], const: true}
  - {name: a, type: float32, shape: [2]}
  - {name: b, type: float32, shape: [2, 3]}
  - {name: c, type: float32, shape: [2, 3]}
ops:
  - {op: Gather, name: g1, in: [x, one], out: [a], attrs: {axis: 1}}
  - {op: Gather, name: g2, in: [x, odd], out: [b], attrs: {axis: 1}}
  - {op: Gather, name: g3, in: [x, mixed], out: [c], attrs: {axis: 1}}
blobs:
  - {name: one, values: [-1]}
  - {name: odd, values: [1, 3, 5]}
  - {name: mixed, values: [0, 1, 5]}
# CHECK: {op: Slice, name: g1_1, in: [x], out: [g1_1.out], attrs: {axes: [1], ends: [6], starts: [5], steps: [1]}}
# CHECK-NEXT: {op: Reshape, name: g1, in: [g1_1.out], out: [a], attrs: {shape: [2]}}
# CHECK-NEXT: {op: Slice, name: g2, in: [x], out: [b], attrs: {axes: [1], ends: [6], starts: [1], steps: [2]}}
# CHECK-NEXT: {op: Gather, name: g3,
)";
  checkSameValues(parseGraph(yaml), checkPass("gather-to-slice", yaml));
}

TEST_CASE("sum-to-add: two at a time from the left") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [2, 2]}
  - {name: c, type: float32, shape: [2], const: true}
  - {name: y, type: float32, shape: [2, 2]}
ops:
  - {op: Sum, name: s, in: [x, c, x], out: [y]}
blobs:
  - {name: c, values: [1.0, 2.0]}
# CHECK: {op: Add, name: s_1, in: [x, c], out: [s_1.out]}
# CHECK-NEXT: {op: Add, name: s, in: [s_1.out, x], out: ["y"]}
)";
  checkSameValues(parseGraph(yaml), checkPass("sum-to-add", yaml));
}

TEST_CASE("matmul-to-gemm: weights are transposed and the bias joins") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [2, 3]}
  - {name: w, type: float32, shape: [3, 2], const: true}
  - {name: b, type: float32, shape: [1, 2], const: true}
  - {name: t, type: float32, shape: [2, 2]}
  - {name: y, type: float32, shape: [2, 2]}
ops:
  - {op: MatMul, name: m, in: [x, w], out: [t], origin: [n1]}
  - {op: Add, name: a, in: [b, t], out: [y], origin: [n2]}
blobs:
  - {name: w, values: [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}
  - {name: b, values: [0.5, -0.5]}
# CHECK: ops:
# CHECK-NEXT: {op: Gemm, name: m, in: [x, w_1, b_1], out: ["y"], attrs: {transB: 1}, origin: [n1, n2]}
# CHECK: {name: w_1, values: [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]}
)";
  checkSameValues(parseGraph(yaml), checkPass("matmul-to-gemm", yaml));
}

TEST_CASE(
    "matmul-to-gemm: higher ranks are matrices of vectors; shared weights are transposed once") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}, {name: z}]
tensors:
  - {name: x, type: float32, shape: [2, 3, 2]}
  - {name: w, type: float32, shape: [2, 4], const: true}
  - {name: b, type: float32, shape: [3, 4], const: true}
  - {name: t, type: float32, shape: [2, 3, 4]}
  - {name: y, type: float32, shape: [2, 3, 4]}
  - {name: z, type: float32, shape: [2, 3, 4]}
ops:
  - {op: MatMul, name: m1, in: [x, w], out: [t]}
  - {op: Add, name: a, in: [t, b], out: [y]}
  - {op: MatMul, name: m2, in: [x, w], out: [z]}
blobs:
  - {name: w, values: [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]}
  - {name: b, values: [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0]}
# CHECK: {op: Reshape, name: m1_1, in: [x], out: [m1_1.out], attrs: {shape: [6, 2]}}
# CHECK-NEXT: {op: Gemm, name: m1_2, in: [m1_1.out, w_1], out: [m1_2.out], attrs: {transB: 1}}
# CHECK-NEXT: {op: Reshape, name: m1, in: [m1_2.out], out: [t], attrs: {shape: [2, 3, 4]}}
# CHECK-NEXT: {op: Add, name: a, in: [t, b], out: ["y"]}
# CHECK: {op: Gemm, name: m2_2, in: [m2_1.out, w_1],
# CHECK-NOT: w_2
)";
  checkSameValues(parseGraph(yaml), checkPass("matmul-to-gemm", yaml));
}

TEST_CASE("matmul-to-gemm: the quantization axis of the weights moves along") {
  checkPass("matmul-to-gemm", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: int8, shape: [1, 2], quant: {scale: 0.5}}
  - {name: w, type: int8, shape: [2, 3], quant: {axis: 1, scale: [1.0, 2.0, 3.0]}, const: true}
  - {name: y, type: int8, shape: [1, 3], quant: {scale: 0.5, zero_point: 4}}
ops:
  - {op: MatMul, name: m, in: [x, w], out: [y]}
blobs:
  - {name: w, values: [1, 2, 3, 4, 5, 6]}
# CHECK: {name: w_1, type: int8, shape: [3, 2], quant: {axis: 0, scale: [1.0, 2.0, 3.0]}, const: true}
# CHECK: {op: Gemm, name: m, in: [x, w_1], out: ["y"], attrs: {transB: 1}}
# CHECK: {name: w_1, values: [1, 4, 2, 5, 3, 6]}
)");
}

TEST_CASE("gemm-canonicalize: flags, factors and broadcasts go into the constants") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [2, 3]}
  - {name: w, type: float32, shape: [2, 4], const: true}
  - {name: c, type: float32, shape: [], const: true}
  - {name: y, type: float32, shape: [3, 4]}
ops:
  - {op: Gemm, name: g, in: [x, w, c], out: [y], attrs: {alpha: 0.5, beta: 2.0, transA: 1}}
blobs:
  - {name: w, values: [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]}
  - {name: c, values: [1.5]}
# CHECK: {op: Transpose, name: g_1, in: [x], out: [g_1.out], attrs: {perm: [1, 0]}}
# CHECK-NEXT: {op: Gemm, name: g, in: [g_1.out, {{w_[0-9_]*}}, {{c_[0-9_]*}}], out: ["y"], attrs: {transB: 1}}
# CHECK-DAG: values: [0.5, 2.5, 1.0, 3.0, 1.5, 3.5, 2.0, 4.0]
# CHECK-DAG: values: [3.0, 3.0, 3.0, 3.0]
)";
  checkSameValues(parseGraph(yaml), checkPass("gemm-canonicalize", yaml));
}

TEST_CASE("gemm-canonicalize: what differs from row to row is added") {
  const char* yaml = R"(
inputs: [{name: x}, {name: v}]
outputs: [{name: y}, {name: z}]
tensors:
  - {name: x, type: float32, shape: [2, 2]}
  - {name: v, type: float32, shape: [2, 2]}
  - {name: w, type: float32, shape: [2, 2], const: true}
  - {name: c, type: float32, shape: [2, 1], const: true}
  - {name: y, type: float32, shape: [2, 2]}
  - {name: z, type: float32, shape: [2, 2]}
ops:
  - {op: Gemm, name: g1, in: [x, w, c], out: [y], attrs: {transB: 1, beta: 3.0}}
  - {op: Gemm, name: g2, in: [x, v, c], out: [z], attrs: {transB: 1, alpha: 0.25}}
blobs:
  - {name: w, values: [1.0, 2.0, 3.0, 4.0]}
  - {name: c, values: [1.0, -1.0]}
# CHECK: {op: Gemm, name: g1_1, in: [x, w], out: [g1_1.out], attrs: {transB: 1}}
# CHECK-NEXT: {op: Add, name: g1, in: [g1_1.out, c_1], out: ["y"]}
# CHECK-NEXT: {op: Transpose, name: g2_1, in: [v]
# CHECK-NEXT: {op: MatMul, name: g2_2, in: [x, g2_1.out]
# CHECK-NEXT: {op: Mul,
# CHECK-NEXT: {op: Add, name: g2,
)";
  checkSameValues(parseGraph(yaml), checkPass("gemm-canonicalize", yaml));
}

TEST_CASE("gemm-canonicalize: factors on int8 operands are refused") {
  checkFails("gemm-canonicalize", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: int8, shape: [1, 2], quant: {scale: 0.5}}
  - {name: w, type: int8, shape: [3, 2], quant: {scale: 0.5}, const: true}
  - {name: y, type: int8, shape: [1, 3], quant: {scale: 0.5}}
ops:
  - {op: Gemm, name: g, in: [x, w], out: [y], attrs: {alpha: 2.0, transB: 1}}
blobs:
  - {name: w, values: [1, 2, 3, 4, 5, 6]}
)",
             DiagId::UnsupportedOp, "op 'g' (Gemm): alpha 2 and beta 1 on int8 operands");
}

TEST_CASE("depth-to-space-lower: both operators in both modes") {
  for (const char* op :
       {"DepthToSpace, name: d, in: [x], out: [y], attrs: {blocksize: 2}",
        "DepthToSpace, name: d, in: [x], out: [y], attrs: {blocksize: 2, mode: CRD}"}) {
    const std::string yaml = strCat(R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 8, 2, 3]}
  - {name: y, type: float32, shape: [1, 2, 4, 6]}
ops:
  - {op: )",
                                    op, R"(}
# CHECK: {op: Reshape, name: d_1,
# CHECK-NEXT: {op: Transpose, name: d_2,
# CHECK-NEXT: {op: Reshape, name: d, {{.*}} attrs: {shape: [1, 2, 4, 6]}}
)");
    checkSameValues(parseGraph(yaml), checkPass("depth-to-space-lower", yaml));
  }
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 2, 4, 6]}
  - {name: y, type: float32, shape: [1, 8, 2, 3]}
ops:
  - {op: SpaceToDepth, name: d, in: [x], out: [y], attrs: {blocksize: 2}}
# CHECK: {op: Transpose, name: d_2, {{.*}} attrs: {perm: [0, 3, 5, 1, 2, 4]}}
)";
  checkSameValues(parseGraph(yaml), checkPass("depth-to-space-lower", yaml));
}

TEST_CASE("repeat-to-gather: Tile and Expand through index tables") {
  const char* tile = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [2, 3]}
  - {name: y, type: float32, shape: [4, 6]}
ops:
  - {op: Tile, name: tile, in: [x], out: [y], attrs: {repeats: [2, 2]}}
# CHECK: ops:
# CHECK-NEXT: {op: Gather, {{.*}}axis: 0
# CHECK-NEXT: {op: Gather, name: tile, {{.*}}axis: 1
# CHECK-NOT: Tile
)";
  checkSameValues(parseGraph(tile), checkPass("repeat-to-gather", tile));
  const char* expand = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 3]}
  - {name: y, type: float32, shape: [4, 1, 3]}
ops:
  - {op: Expand, name: expand, in: [x], out: [y], attrs: {shape: [4, 1, 3]}}
# CHECK: ops:
# CHECK-NEXT: {op: Reshape, {{.*}}shape: [1, 1, 3]
# CHECK-NEXT: {op: Gather, name: expand, {{.*}}axis: 0
)";
  checkSameValues(parseGraph(expand), checkPass("repeat-to-gather", expand));
}

TEST_CASE("sum-to-add: Max of three") {
  const char* yaml = R"(
inputs: [{name: a}, {name: b}, {name: c}]
outputs: [{name: y}]
tensors:
  - {name: a, type: float32, shape: [2, 3]}
  - {name: b, type: float32, shape: [2, 3]}
  - {name: c, type: float32, shape: [3]}
  - {name: y, type: float32, shape: [2, 3]}
ops:
  - {op: Max, name: max, in: [a, b, c], out: [y]}
# CHECK: ops:
# CHECK-NEXT: {op: Max, {{.*}}in: [a, b]
# CHECK-NEXT: {op: Max, name: max, in: [{{[^,]*}}, c]
)";
  checkSameValues(parseGraph(yaml), checkPass("sum-to-add", yaml));
}

TEST_CASE("reduce-mean-to-gap: an average pool with one window") {
  const auto graph = [](const char* attrs, const char* result, const char* quant) {
    return strCat("inputs: [{name: x}]\noutputs: [{name: y}]\ntensors:\n"
                  "  - {name: x, type: int8, shape: [1, 2, 3, 4], quant: {scale: 0.5}}\n"
                  "  - {name: y, type: int8, shape: ",
                  result, ", quant: {scale: ", quant,
                  "}}\nops:\n  - {op: AveragePool, name: pool, in: [x], out: [y], attrs: {", attrs,
                  "}}\n");
  };
  checkPass("reduce-mean-to-gap",
            graph("kernel_shape: [3, 4], strides: [2, 2]", "[1, 2, 1, 1]", "0.5") +
                "# CHECK: {op: GlobalAveragePool, name: pool, in: [x], out: {{.*}}");
  checkUnchanged("reduce-mean-to-gap",
                 graph("kernel_shape: [3, 4], strides: [2, 2]", "[1, 2, 1, 1]", "0.25"));
  checkUnchanged("reduce-mean-to-gap",
                 graph("kernel_shape: [3, 3], strides: [2, 2]", "[1, 2, 1, 1]", "0.5"));
  checkUnchanged(
      "reduce-mean-to-gap",
      graph("kernel_shape: [3, 4], strides: [1, 1], pads: [1, 0, 1, 0]", "[1, 2, 3, 1]", "0.5"));
}

TEST_CASE("concat-split: at most 31 operands, in groups of nearly equal size") {
  std::string in = "x";
  for (int i = 1; i < 1000; ++i)
    in += ", x";
  const std::string yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 2]}
  - {name: y, type: float32, shape: [1000, 2]}
ops:
  - {op: Concat, name: c, in: [)" +
                           in + R"(], out: [y], attrs: {axis: 0}}
# CHECK: {op: Concat, name: c, in: [
)";
  const Graph graph = checkPass("concat-split", yaml);
  for (const OpId id : graph.order())
    CHECK(graph.op(id).inputs.size() <= 31);
  CHECK(graph.op(graph.order().back()).inputs.size() == 2);
  checkSameValues(parseGraph(yaml), graph);
}
