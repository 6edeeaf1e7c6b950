// shuffle-to-gather: shuffles become index tables, and slices of them parts of the tables.
#include "PassTesting.h"

#include <doctest/doctest.h>

using namespace tigris;

TEST_CASE("shuffle-to-gather: a channel shuffle and its halves") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: p}, {name: q}]
tensors:
  - {name: x, type: float32, shape: [1, 2, 2, 6]}
  - {name: a, type: float32, shape: [1, 2, 2, 2, 3]}
  - {name: b, type: float32, shape: [1, 2, 2, 3, 2]}
  - {name: c, type: float32, shape: [1, 2, 2, 6]}
  - {name: p, type: float32, shape: [1, 2, 2, 3]}
  - {name: q, type: float32, shape: [1, 2, 2, 3]}
ops:
  - {op: Reshape, name: split, in: [x], out: [a], attrs: {shape: [1, 2, 2, 2, 3]}}
  - {op: Transpose, name: swap, in: [a], out: [b], attrs: {perm: [0, 1, 2, 4, 3]}}
  - {op: Reshape, name: merge, in: [b], out: [c], attrs: {shape: [1, 2, 2, 6]}}
  - {op: Slice, name: s1, in: [c], out: [p], attrs: {axes: [3], ends: [3], starts: [0], steps: [1]}}
  - {op: Slice, name: s2, in: [c], out: [q], attrs: {axes: [3], ends: [-7], starts: [-1], steps: [-2]}}
# CHECK: ops:
# CHECK-NEXT: {op: Gather, name: s1, in: [x, s1.indices], out: [p], attrs: {axis: 3}
# CHECK-NEXT: {op: Gather, name: s2, in: [x, s2.indices], out: [q], attrs: {axis: 3}
# CHECK-NOT: op:
# CHECK: {name: s1.indices, values: [0, 3, 1]}
# CHECK: {name: s2.indices, values: [5, 4, 3]}
)";
  checkSameValues(parseGraph(yaml), checkPass("shuffle-to-gather,dead-code", yaml));
}

TEST_CASE("shuffle-to-gather: three parts of the first dimension, in any order") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [12, 2]}
  - {name: a, type: float32, shape: [2, 3, 2, 2]}
  - {name: b, type: float32, shape: [2, 2, 3, 2]}
  - {name: y, type: float32, shape: [12, 2]}
ops:
  - {op: Reshape, name: split, in: [x], out: [a], attrs: {shape: [2, 3, 2, 2]}}
  - {op: Transpose, name: swap, in: [a], out: [b], attrs: {perm: [2, 0, 1, 3]}}
  - {op: Reshape, name: merge, in: [b], out: [y], attrs: {shape: [12, 2]}}
# CHECK: {op: Gather, name: merge, in: [x, merge.indices], out: ["y"], attrs: {axis: 0}
# CHECK: {name: merge.indices, values: [0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11]}
)";
  checkSameValues(parseGraph(yaml), checkPass("shuffle-to-gather", yaml));
}

TEST_CASE("shuffle-to-gather: keeps moves between dimensions, and shuffles with other readers") {
  checkUnchanged("shuffle-to-gather", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [4, 6]}
  - {name: a, type: float32, shape: [2, 2, 6]}
  - {name: b, type: float32, shape: [2, 6, 2]}
  - {name: y, type: float32, shape: [4, 6]}
ops:
  - {op: Reshape, name: split, in: [x], out: [a], attrs: {shape: [2, 2, 6]}}
  - {op: Transpose, name: swap, in: [a], out: [b], attrs: {perm: [0, 2, 1]}}
  - {op: Reshape, name: merge, in: [b], out: [y], attrs: {shape: [4, 6]}}
)");
  checkUnchanged("shuffle-to-gather", R"(
inputs: [{name: x}]
outputs: [{name: y}, {name: b}]
tensors:
  - {name: x, type: float32, shape: [1, 6]}
  - {name: a, type: float32, shape: [1, 2, 3]}
  - {name: b, type: float32, shape: [1, 3, 2]}
  - {name: y, type: float32, shape: [1, 6]}
ops:
  - {op: Reshape, name: split, in: [x], out: [a], attrs: {shape: [1, 2, 3]}}
  - {op: Transpose, name: swap, in: [a], out: [b], attrs: {perm: [0, 2, 1]}}
  - {op: Reshape, name: merge, in: [b], out: [y], attrs: {shape: [1, 6]}}
)");
}
