// wide-quant-to-float: pairs of 16-bit Q and DQ become clamps; other uses of 16-bit integers are refused.
#include "PassTesting.h"

#include <doctest/doctest.h>

using namespace tigris;

TEST_CASE("wide-quant-to-float: the saturation stays, the rounding goes") {
  checkPass("wide-quant-to-float", R"(
inputs: [{name: x}]
outputs: [{name: y}, {name: z}]
tensors:
  - {name: x, type: float32, shape: [2, 3]}
  - {name: q, type: int16, shape: [2, 3], quant: {scale: 0.5, zero_point: 0}}
  - {name: d, type: float32, shape: [2, 3]}
  - {name: e, type: float32, shape: [2, 3]}
  - {name: "y", type: float32, shape: [2, 3]}
  - {name: u, type: uint16, shape: [2, 3], quant: {scale: 0.25, zero_point: 32768}}
  - {name: z, type: float32, shape: [2, 3]}
ops:
  - {op: QuantizeLinear, name: o1, in: [x], out: [q]}
  - {op: DequantizeLinear, name: o2, in: [q], out: [d]}
  - {op: DequantizeLinear, name: o3, in: [q], out: [e]}
  - {op: Add, name: o4, in: [d, e], out: ["y"]}
  - {op: QuantizeLinear, name: o5, in: ["y"], out: [u]}
  - {op: DequantizeLinear, name: o6, in: [u], out: [z]}
# CHECK-NOT: Linear
# CHECK: {op: Clip, {{.*}}in: [x], {{.*}}attrs: {max: 16383.5, min: -16384.0}
# CHECK: {op: Add, name: o4, in: {{.*}}, out: ["y"]}
# CHECK: {op: Clip, {{.*}}in: ["y"], {{.*}}attrs: {max: 8191.75, min: -8192.0}
# CHECK-NOT: Linear
)");
}

TEST_CASE("wide-quant-to-float: constants and eight bits are left alone") {
  checkUnchanged("wide-quant-to-float", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [4]}
  - {name: w, type: int16, shape: [4], quant: {scale: 0.5, zero_point: 0}, const: true}
  - {name: v, type: float32, shape: [4]}
  - {name: q, type: int8, shape: [4], quant: {scale: 0.5, zero_point: 0}}
  - {name: d, type: float32, shape: [4]}
  - {name: "y", type: float32, shape: [4]}
ops:
  - {op: DequantizeLinear, name: o1, in: [w], out: [v]}
  - {op: QuantizeLinear, name: o2, in: [x], out: [q]}
  - {op: DequantizeLinear, name: o3, in: [q], out: [d]}
  - {op: Add, name: o4, in: [d, v], out: ["y"]}
blobs:
  - {name: w, values: [1, 2, 3, 4]}
)");
}

TEST_CASE("wide-quant-to-float: integers that leave or enter the model are refused") {
  checkFails("wide-quant-to-float", R"(
inputs: [{name: x}]
outputs: [{name: q}]
tensors:
  - {name: x, type: float32, shape: [4]}
  - {name: q, type: int16, shape: [4], quant: {scale: 0.5, zero_point: 0}}
ops:
  - {op: QuantizeLinear, name: o1, in: [x], out: [q]}
)",
             DiagId::UnsupportedType,
             "op 'o1' (QuantizeLinear): tensor 'q' is int16 and leaves the model as an integer");
  checkFails("wide-quant-to-float", R"(
inputs: [{name: q}]
outputs: [{name: x}]
tensors:
  - {name: q, type: int16, shape: [4], quant: {scale: 0.5, zero_point: 0}}
  - {name: x, type: float32, shape: [4]}
ops:
  - {op: DequantizeLinear, name: o1, in: [q], out: [x]}
)",
             DiagId::UnsupportedType, "tensor 'q' is int16 and is no result of a QuantizeLinear");
}
