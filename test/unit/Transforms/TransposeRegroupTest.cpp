// transpose-regroup: splits, merges, dimensions gathered first, and cases left unchanged.
#include "PassTesting.h"

#include <doctest/doctest.h>

using namespace tigris;

TEST_CASE("transpose-regroup: a channel shuffle is one Transpose of two dimensions") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: z}]
tensors:
  - {name: x, type: float32, shape: [1, 2, 3, 6]}
  - {name: a, type: float32, shape: [1, 6, 2, 3]}
  - {name: b, type: float32, shape: [1, 2, 3, 2, 3]}
  - {name: c, type: float32, shape: [1, 3, 2, 2, 3]}
  - {name: d, type: float32, shape: [1, 6, 2, 3]}
  - {name: z, type: float32, shape: [1, 2, 3, 6]}
ops:
  - {op: Transpose, name: o1, in: [x], out: [a], attrs: {perm: [0, 3, 1, 2]}}
  - {op: Reshape, name: o2, in: [a], out: [b], attrs: {shape: [1, 2, 3, 2, 3]}}
  - {op: Transpose, name: o3, in: [b], out: [c], attrs: {perm: [0, 2, 1, 3, 4]}}
  - {op: Reshape, name: o4, in: [c], out: [d], attrs: {shape: [1, 6, 2, 3]}}
  - {op: Transpose, name: o5, in: [d], out: [z], attrs: {perm: [0, 2, 3, 1]}}
# CHECK: ops:
# CHECK-NEXT: {op: Reshape, {{.*}} in: [x], {{.*}} attrs: {shape: [1, 2, 3, 2, 3]}}
# CHECK-NEXT: {op: Transpose, {{.*}} attrs: {perm: [0, 1, 2, 4, 3]}}
# CHECK-NEXT: {op: Reshape, {{.*}} attrs: {shape: [1, 2, 3, 6]}}
# CHECK-NOT: Transpose
)";
  const Graph graph = checkPass("fixpoint(transpose-regroup,transpose-cancel),shape-fold", yaml);
  checkSameValues(parseGraph(yaml), graph);
}

TEST_CASE("transpose-regroup: positions become tokens without moving channels") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: z}]
tensors:
  - {name: x, type: float32, shape: [1, 2, 3, 4]}
  - {name: a, type: float32, shape: [1, 4, 2, 3]}
  - {name: z, type: float32, shape: [1, 4, 6]}
ops:
  - {op: Transpose, name: o1, in: [x], out: [a], attrs: {perm: [0, 3, 1, 2]}}
  - {op: Reshape, name: o2, in: [a], out: [z], attrs: {shape: [1, 4, 6]}}
# CHECK: {op: Reshape, name: o2_1, in: [x], out: [o2_1.out], attrs: {shape: [1, 6, 4]}}
# CHECK-NEXT: {op: Transpose, name: o2, in: [o2_1.out], out: [z], attrs: {perm: [0, 2, 1]}}
)";
  checkSameValues(parseGraph(yaml), checkPass("transpose-regroup", yaml));
}

TEST_CASE("transpose-regroup: dimensions of size 1 go with their neighbors") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: z}]
tensors:
  - {name: x, type: float32, shape: [2, 3, 4, 5]}
  - {name: a, type: float32, shape: [2, 5, 3, 4]}
  - {name: z, type: float32, shape: [1, 2, 5, 1, 3, 4, 1, 1]}
ops:
  - {op: Transpose, name: o1, in: [x], out: [a], attrs: {perm: [0, 3, 1, 2]}}
  - {op: Reshape, name: o2, in: [a], out: [z], attrs: {shape: [1, 2, 5, 1, 3, 4, 1, 1]}}
# CHECK: {op: Reshape, name: o2_1, in: [x],
# CHECK-NEXT: {op: Transpose, name: o2,
)";
  checkSameValues(parseGraph(yaml), checkPass("transpose-regroup", yaml));
}

TEST_CASE("transpose-regroup: what flattens channels and positions together stays") {
  checkUnchanged("transpose-regroup", R"(
inputs: [{name: x}]
outputs: [{name: u}, {name: v}, {name: w}, {name: c}]
tensors:
  - {name: x, type: float32, shape: [1, 2, 3, 4]}
  - {name: a, type: float32, shape: [1, 4, 2, 3]}
  - {name: u, type: float32, shape: [1, 24]}
  - {name: b, type: float32, shape: [1, 4, 2, 3]}
  - {name: v, type: float32, shape: [1, 3, 8]}
  - {name: c, type: float32, shape: [1, 4, 2, 3]}
  - {name: w, type: float32, shape: [1, 4, 6]}
ops:
  - {op: Transpose, name: o1, in: [x], out: [a], attrs: {perm: [0, 3, 1, 2]}}
  - {op: Reshape, name: o2, in: [a], out: [u], attrs: {shape: [1, 24]}}
  - {op: Transpose, name: o3, in: [x], out: [b], attrs: {perm: [0, 3, 1, 2]}}
  - {op: Reshape, name: o4, in: [b], out: [v], attrs: {shape: [1, 3, 8]}}
  - {op: Transpose, name: o5, in: [x], out: [c], attrs: {perm: [0, 3, 1, 2]}}
  - {op: Reshape, name: o6, in: [c], out: [w], attrs: {shape: [1, 4, 6]}}
)");
}
