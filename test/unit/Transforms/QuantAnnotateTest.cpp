// Moving quantization parameters from QuantizeLinear and DequantizeLinear to tensors.
#include "PassTesting.h"

#include <doctest/doctest.h>

using namespace tigris;

TEST_CASE("quant-annotate: parameters move onto the tensor") {
  checkPass("quant-annotate", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [2, 3]}
  - {name: s, type: float32, shape: [], const: true}
  - {name: z, type: int8, shape: [], const: true}
  - {name: q, type: int8, shape: [2, 3]}
  - {name: y, type: float32, shape: [2, 3]}
ops:
  - {op: QuantizeLinear, name: o1, in: [x, s, z], out: [q]}
  - {op: DequantizeLinear, name: o2, in: [q, s, z], out: [y]}
blobs:
  - {name: s, values: [0.5]}
  - {name: z, values: [3]}
# CHECK: {name: q, type: int8, shape: [2, 3], quant: {scale: 0.5, zero_point: 3}}
# CHECK: {op: QuantizeLinear, name: o1, in: [x], out: [q]}
# CHECK: {op: DequantizeLinear, name: o2, in: [q], out: ["y"]}
)");
}

TEST_CASE("quant-annotate: uint8 becomes int8, also where the zero point is left out") {
  checkPass("quant-annotate", R"(
inputs: [{name: x}]
outputs: [{name: y}, {name: v}]
tensors:
  - {name: x, type: float32, shape: [4]}
  - {name: s, type: float32, shape: [], const: true}
  - {name: z, type: uint8, shape: [], const: true}
  - {name: q, type: uint8, shape: [4]}
  - {name: y, type: float32, shape: [4]}
  - {name: r, type: uint8, shape: [4]}
  - {name: u, type: float32, shape: [4]}
  - {name: w, type: uint8, shape: [4], const: true}
  - {name: t, type: float32, shape: [4]}
  - {name: v, type: float32, shape: [4]}
ops:
  - {op: QuantizeLinear, name: o1, in: [x, s, z], out: [q]}
  - {op: DequantizeLinear, name: o2, in: [q, s, z], out: [y]}
  - {op: QuantizeLinear, name: o3, in: [x, s], out: [r]}
  - {op: DequantizeLinear, name: o4, in: [r, s], out: [u]}
  - {op: DequantizeLinear, name: o5, in: [w, s, z], out: [t]}
  - {op: Add, name: o6, in: [u, t], out: [v]}
blobs:
  - {name: s, values: [0.5]}
  - {name: z, values: [130]}
  - {name: w, values: [0, 128, 200, 255]}
# CHECK-DAG: {name: w, type: int8, shape: [4], quant: {scale: 0.5, zero_point: 2}, const: true}
# CHECK-DAG: {name: q, type: int8, shape: [4], quant: {scale: 0.5, zero_point: 2}}
# CHECK-DAG: {name: r, type: int8, shape: [4], quant: {scale: 0.5, zero_point: -128}}
# CHECK: {name: w, values: [-128, 0, 72, 127]}
)");
}

TEST_CASE("quant-annotate: an integer Pad fills with what its integer means") {
  checkPass("quant-annotate", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [2]}
  - {name: s, type: float32, shape: [], const: true}
  - {name: z, type: uint8, shape: [], const: true}
  - {name: q, type: uint8, shape: [2]}
  - {name: p, type: uint8, shape: [4]}
  - {name: y, type: float32, shape: [4]}
ops:
  - {op: QuantizeLinear, name: o1, in: [x, s, z], out: [q]}
  - {op: Pad, name: o2, in: [q], out: [p], attrs: {pads: [1, 1], value: 134.0}}
  - {op: DequantizeLinear, name: o3, in: [p, s, z], out: [y]}
blobs:
  - {name: s, values: [0.5]}
  - {name: z, values: [130]}
# CHECK-DAG: {name: p, type: int8, shape: [4], quant: {scale: 0.5, zero_point: 2}}
# CHECK: {op: Pad, name: o2, in: [q], out: [p], attrs: {pads: [1, 1], value: 2.0}}
)");
}

TEST_CASE("quant-annotate: integers that are moved keep their parameters, from inputs to outputs") {
  checkPass("quant-annotate", R"(
inputs: [{name: x}]
outputs: [{name: y}, {name: o}]
tensors:
  - {name: x, type: uint8, shape: [2, 3]}
  - {name: s, type: float32, shape: [], const: true}
  - {name: z, type: uint8, shape: [], const: true}
  - {name: k, type: uint8, shape: [3, 1], const: true}
  - {name: t, type: uint8, shape: [3, 2]}
  - {name: c, type: uint8, shape: [3, 3]}
  - {name: y, type: float32, shape: [3, 3]}
  - {name: o, type: uint8, shape: [9]}
ops:
  - {op: Transpose, name: o1, in: [x], out: [t], attrs: {perm: [1, 0]}}
  - {op: Concat, name: o2, in: [t, k], out: [c], attrs: {axis: 1}}
  - {op: DequantizeLinear, name: o3, in: [c, s, z], out: [y]}
  - {op: Reshape, name: o4, in: [c], out: [o], attrs: {shape: [9]}}
blobs:
  - {name: s, values: [0.5]}
  - {name: z, values: [130]}
  - {name: k, values: [0, 128, 255]}
# CHECK: inputs:
# CHECK-NEXT: {name: x, type: uint8}
# CHECK: outputs:
# CHECK-NEXT: {name: "y"}
# CHECK-NEXT: {name: o, type: uint8}
# CHECK-DAG: {name: x, type: int8, shape: [2, 3], quant: {scale: 0.5, zero_point: 2}}
# CHECK-DAG: {name: t, type: int8, shape: [3, 2], quant: {scale: 0.5, zero_point: 2}}
# CHECK-DAG: {name: o, type: int8, shape: [9], quant: {scale: 0.5, zero_point: 2}}
# CHECK-DAG: {name: k_1, type: int8, shape: [3, 1], quant: {scale: 0.5, zero_point: 2}, const: true}
)");
}

TEST_CASE("quant-annotate: plain integers have scale 1, and casts convert them") {
  checkPass("quant-annotate", R"(
inputs: [{name: x}, {name: f}]
outputs: [{name: y}, {name: n}, {name: u}]
tensors:
  - {name: x, type: uint8, shape: [4]}
  - {name: f, type: float32, shape: [4]}
  - {name: r, type: uint8, shape: [2, 2]}
  - {name: y, type: float32, shape: [2, 2]}
  - {name: n, type: int64, shape: [2, 2]}
  - {name: u, type: uint16, shape: [4]}
ops:
  - {op: Reshape, name: o1, in: [x], out: [r], attrs: {shape: [2, 2]}}
  - {op: Cast, name: o2, in: [r], out: [y], attrs: {to: float32}}
  - {op: Cast, name: o3, in: [r], out: [n], attrs: {to: int64}}
  - {op: Cast, name: o4, in: [f], out: [u], attrs: {to: uint16}}
# CHECK-DAG: {name: x, type: int8, shape: [4], quant: {scale: 1.0, zero_point: -128}}
# CHECK-DAG: {name: u, type: int16, shape: [4], quant: {scale: 1.0, zero_point: -32768}}
# CHECK: {op: DequantizeLinear, name: o2, in: [r], out: ["y"]}
# CHECK: {op: Cast, name: o3, in: [r], out: ["n"], attrs: {to: int64}}
# CHECK: {op: Cast, name: o4, in: [f], out: [u], attrs: {to: int16}}
)");
}

TEST_CASE("quant-annotate: arithmetic on small integers is refused") {
  checkFails("quant-annotate", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: uint8, shape: [4]}
  - {name: y, type: uint8, shape: [4]}
ops:
  - {op: Add, name: o1, in: [x, x], out: [y]}
)",
             DiagId::UnsupportedType, "op 'o1' (Add): computes on the uint8 numbers of tensor 'x'");
}

TEST_CASE("quant-annotate: movement between two scales is refused") {
  checkFails("quant-annotate", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [2, 2]}
  - {name: s1, type: float32, shape: [], const: true}
  - {name: s2, type: float32, shape: [], const: true}
  - {name: z, type: uint8, shape: [], const: true}
  - {name: q, type: uint8, shape: [2, 2]}
  - {name: t, type: uint8, shape: [2, 2]}
  - {name: y, type: float32, shape: [2, 2]}
ops:
  - {op: QuantizeLinear, name: o1, in: [x, s1, z], out: [q]}
  - {op: Transpose, name: o2, in: [q], out: [t], attrs: {perm: [1, 0]}}
  - {op: DequantizeLinear, name: o3, in: [t, s2, z], out: [y]}
blobs:
  - {name: s1, values: [0.5]}
  - {name: s2, values: [0.25]}
  - {name: z, values: [130]}
)",
             DiagId::UnsupportedOp, "op 'o2' (Transpose): moves integers between");
}

TEST_CASE("quant-annotate: a constant read with two scales is copied") {
  checkPass("quant-annotate", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [2]}
  - {name: s1, type: float32, shape: [], const: true}
  - {name: s2, type: float32, shape: [], const: true}
  - {name: z, type: int8, shape: [], const: true}
  - {name: w, type: int8, shape: [2], const: true}
  - {name: a, type: float32, shape: [2]}
  - {name: b, type: float32, shape: [2]}
  - {name: c, type: float32, shape: [2]}
  - {name: y, type: float32, shape: [2]}
ops:
  - {op: DequantizeLinear, name: o1, in: [w, s1, z], out: [a]}
  - {op: DequantizeLinear, name: o2, in: [w, s2, z], out: [b]}
  - {op: Add, name: o3, in: [x, a], out: [c]}
  - {op: Add, name: o4, in: [c, b], out: [y]}
blobs:
  - {name: s1, values: [0.5]}
  - {name: s2, values: [0.25]}
  - {name: z, values: [0]}
  - {name: w, values: [1, 2]}
# CHECK-DAG: {name: w, type: int8, shape: [2], quant: {scale: 0.5}, const: true}
# CHECK-DAG: {name: w_1, type: int8, shape: [2], quant: {scale: 0.25}, const: true}
# CHECK: {op: DequantizeLinear, name: o2, in: [w_1], out: [b]}
)");
}

TEST_CASE("quant-annotate: refuses what it cannot express") {
  checkFails("quant-annotate", R"(
inputs: [{name: x}, {name: s}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [2]}
  - {name: s, type: float32, shape: []}
  - {name: z, type: int8, shape: [], const: true}
  - {name: y, type: int8, shape: [2]}
ops:
  - {op: QuantizeLinear, name: o1, in: [x, s, z], out: [y]}
blobs:
  - {name: z, values: [0]}
)",
             DiagId::UnsupportedOp, "scale 's' is not a float32 constant");
  checkFails("quant-annotate", R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [2]}
  - {name: s1, type: float32, shape: [], const: true}
  - {name: s2, type: float32, shape: [], const: true}
  - {name: z, type: int8, shape: [], const: true}
  - {name: q, type: int8, shape: [2]}
  - {name: y, type: float32, shape: [2]}
ops:
  - {op: QuantizeLinear, name: o1, in: [x, s1, z], out: [q]}
  - {op: DequantizeLinear, name: o2, in: [q, s2, z], out: [y]}
blobs:
  - {name: s1, values: [0.5]}
  - {name: s2, values: [0.25]}
  - {name: z, values: [0]}
)",
             DiagId::UnsupportedOp, "read with scale 0.25 but has scale 0.5");
}

TEST_CASE("quant-annotate: a table of integers takes the parameters of what is read of it") {
  checkPass("quant-annotate", R"(
inputs: [{name: i}]
outputs: [{name: "y"}]
tensors:
  - {name: i, type: int64, shape: [2]}
  - {name: table, type: uint8, shape: [2, 2], const: true}
  - {name: rows, type: uint8, shape: [2, 2]}
  - {name: flat, type: uint8, shape: [4]}
  - {name: s, type: float32, shape: [], const: true}
  - {name: z, type: uint8, shape: [], const: true}
  - {name: "y", type: float32, shape: [4]}
ops:
  - {op: Gather, name: o1, in: [table, i], out: [rows]}
  - {op: Reshape, name: o2, in: [rows], out: [flat], attrs: {shape: [4]}}
  - {op: DequantizeLinear, name: o3, in: [flat, s, z], out: ["y"]}
blobs:
  - {name: table, values: [0, 128, 129, 255]}
  - {name: s, values: [0.5]}
  - {name: z, values: [130]}
# CHECK: {name: rows, type: int8, {{.*}}quant: {scale: 0.5, zero_point: 2}
# CHECK: {name: {{.*}}, type: int8, {{.*}}quant: {scale: 0.5, zero_point: 2}, const: true
# CHECK: {op: Gather, name: o1
# CHECK: values: [-128, 0, 1, 127]
)");
}
