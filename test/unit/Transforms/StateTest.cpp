// state-align: the conversions it adds, and the states it must not change.
#include "PassTesting.h"

#include <doctest/doctest.h>

using namespace tigris;

TEST_CASE("state-align: another scale, another type, another axis order") {
  checkPass("state-align", R"(
inputs: [{name: h}]
outputs: [{name: y, state: h}]
tensors:
  - {name: h, type: int8, shape: [4], quant: {scale: 0.5}}
  - {name: y, type: int8, shape: [4], quant: {scale: 0.25}}
ops:
  - {op: Neg, name: o1, in: [h], out: [y]}
# CHECK: {name: "y", tensor: y_state, state: h}
# CHECK: {name: y_state, type: int8, shape: [4], quant: {scale: 0.5}}
# CHECK: {op: Requantize, name: y_state, in: ["y"], out: [y_state]}
)");
  checkPass("state-align", R"(
inputs: [{name: h, type: float32}]
outputs: [{name: y, state: h}]
tensors:
  - {name: h, type: int8, shape: [4], quant: {scale: 0.5}}
  - {name: hd, type: float32, shape: [4]}
  - {name: y, type: float32, shape: [4]}
ops:
  - {op: DequantizeLinear, name: o1, in: [h], out: [hd]}
  - {op: Exp, name: o2, in: [hd], out: [y]}
# CHECK: {name: "y", tensor: y_state, type: float32, state: h}
# CHECK: {op: QuantizeLinear, name: y_state, in: ["y"], out: [y_state]}
)");
  checkPass("state-align", R"(
inputs: [{name: h, shape: [1, 2, 3, 4], perm: [0, 2, 3, 1]}]
outputs: [{name: y, state: h}]
tensors:
  - {name: h, type: float32, shape: [1, 3, 4, 2]}
  - {name: t, type: float32, shape: [1, 2, 3, 4]}
  - {name: y, type: float32, shape: [1, 2, 3, 4]}
ops:
  - {op: Transpose, name: o1, in: [h], out: [t], attrs: {perm: [0, 3, 1, 2]}}
  - {op: Exp, name: o2, in: [t], out: [y]}
# CHECK: {name: "y", tensor: y_state, shape: [1, 2, 3, 4], perm: [0, 2, 3, 1], state: h}
# CHECK: {op: Transpose, name: y_state, in: ["y"], out: [y_state], attrs: {perm: [0, 2, 3, 1]}}
)");
}

TEST_CASE("state-align: leaves alone what is stored alike, and outputs without a state") {
  checkUnchanged("state-align", R"(
inputs: [{name: h}, {name: x}]
outputs: [{name: y, state: h}, {name: z}]
tensors:
  - {name: h, type: int8, shape: [4], quant: {scale: 0.5}}
  - {name: x, type: int8, shape: [4], quant: {scale: 0.5}}
  - {name: y, type: int8, shape: [4], quant: {scale: 0.5}}
  - {name: z, type: int8, shape: [4], quant: {scale: 0.25}}
ops:
  - {op: Add, name: o1, in: [h, x], out: [y]}
  - {op: Requantize, name: o2, in: [y], out: [z]}
)");
}
