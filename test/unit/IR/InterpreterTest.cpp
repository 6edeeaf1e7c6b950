// The host interpreter: interface order and types, float and quantized operators.
#include "PassTesting.h"

#include "tigris/IR/Interpreter.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

using Values = std::vector<double>;

PortValues run(const Graph& graph, const PortValues& inputs) {
  Expected<PortValues> outputs = interpretGraph(graph, inputs);
  REQUIRE_MESSAGE(static_cast<bool>(outputs),
                  (outputs ? std::string() : outputs.error().message()));
  return std::move(*outputs);
}

} // namespace

TEST_CASE("float operators match the evaluator") {
  const Graph graph = parseGraph(R"(
inputs: [{name: x}]
outputs: [{name: z}]
tensors:
  - {name: x, type: float32, shape: [1, 4]}
  - {name: half, type: float32, shape: [], const: true}
  - {name: t, type: float32, shape: [1, 4]}
  - {name: z, type: float32, shape: [1, 4]}
ops:
  - {op: Mul, name: a, in: [x, half], out: [t]}
  - {op: Relu, name: b, in: [t], out: [z]}
blobs:
  - {name: half, values: [0.5]}
)");
  CHECK(run(graph, {{-1, 2, 3, -4}}) == PortValues{{0, 1, 1.5, 0}});
}

TEST_CASE("a port shows its own axis order and type") {
  const Graph graph = parseGraph(R"(
layout: channels-last
inputs: [{name: x, type: uint8, shape: [1, 2, 1, 3], perm: [0, 2, 3, 1]}]
outputs: [{name: z, tensor: x2, type: float32, shape: [1, 2, 1, 3], perm: [0, 2, 3, 1]}]
tensors:
  - {name: x, type: int8, shape: [1, 1, 3, 2], quant: {scale: 0.5, zero_point: -128}}
  - {name: x2, type: int8, shape: [1, 1, 3, 2], quant: {scale: 0.5, zero_point: -128}}
ops:
  - {op: Reshape, name: copy, in: [x], out: [x2], attrs: {shape: [1, 1, 3, 2]}}
)");
  CHECK(run(graph, {{0, 1, 2, 3, 4, 255}}) == PortValues{{0, 0.5, 1, 1.5, 2, 127.5}});
}

TEST_CASE("casts of integers with scale 1 convert numbers, which wrap around") {
  const Graph graph = parseGraph(R"(
inputs: [{name: x}, {name: p, type: uint16}]
outputs: [{name: u, type: uint8}, {name: n}]
tensors:
  - {name: x, type: float32, shape: [4]}
  - {name: p, type: int16, shape: [2], quant: {scale: 1.0, zero_point: -32768}}
  - {name: u, type: int8, shape: [4], quant: {scale: 1.0, zero_point: -128}}
  - {name: n, type: int32, shape: [2]}
ops:
  - {op: Cast, name: a, in: [x], out: [u], attrs: {to: int8}}
  - {op: Cast, name: b, in: [p], out: ["n"], attrs: {to: int32}}
)");
  CHECK(run(graph, {{0, 1.9, 255, 258}, {3, 65535}}) == PortValues{{0, 1, 255, 2}, {3, 65535}});
}

TEST_CASE("a quantized operator rounds the exact result once, half to even, and saturates") {
  const Graph graph = parseGraph(R"(
inputs: [{name: a}, {name: b}]
outputs: [{name: z}]
tensors:
  - {name: a, type: int8, shape: [4], quant: {scale: 1.0, zero_point: 0}}
  - {name: b, type: int8, shape: [4], quant: {scale: 0.5, zero_point: 10}}
  - {name: z, type: int8, shape: [4], quant: {scale: 1.0, zero_point: -1}}
ops:
  - {op: Add, name: add, in: [a, b], out: [z]}
)");
  // 1 + 0.5 = 1.5 -> 2, 2 + 0.5 = 2.5 -> 2, 100 + 58.5 and -128 - 69 saturate; then the zero point.
  CHECK(run(graph, {{1, 2, 100, -128}, {11, 11, 127, -128}}) == PortValues{{1, 1, 127, -128}});
}

TEST_CASE("Requantize changes the scale and nothing else") {
  const Graph graph = parseGraph(R"(
form: normalized
layout: channels-last
inputs: [{name: a}]
outputs: [{name: z}]
tensors:
  - {name: a, type: int8, shape: [3], quant: {scale: 0.5, zero_point: 0}}
  - {name: z, type: int8, shape: [3], quant: {scale: 0.25, zero_point: 5}}
ops:
  - {op: Requantize, name: r, in: [a], out: [z]}
)");
  CHECK(run(graph, {{1, -3, 100}}) == PortValues{{7, -1, 127}});
}

TEST_CASE("errors name the operator that cannot be computed") {
  const Graph graph = parseGraph(R"(
inputs: [{name: x}]
outputs: [{name: z}]
tensors:
  - {name: x, type: float32, shape: [4]}
  - {name: z, type: float32, shape: [4]}
ops:
  - {op: "com.acme::Odd", name: odd, in: [x], out: [z]}
)");
  const Expected<PortValues> outputs = interpretGraph(graph, {{1, 2, 3, 4}});
  REQUIRE_FALSE(outputs);
  CHECK(outputs.error().message() == "op 'odd' (com.acme::Odd) has no evaluation rule");
}

TEST_CASE("random inputs depend on the seed and the interface only") {
  const Graph graph = parseGraph(R"(
inputs: [{name: x}, {name: b}, {name: i}]
outputs: [{name: z}]
tensors:
  - {name: x, type: float32, shape: [100]}
  - {name: b, type: uint8, shape: [100]}
  - {name: i, type: int64, shape: [100]}
  - {name: z, type: float32, shape: [100]}
ops:
  - {op: Relu, name: r, in: [x], out: [z]}
)");
  const PortValues values = randomInputs(graph, 1);
  CHECK(values == randomInputs(graph, 1));
  CHECK(values != randomInputs(graph, 2));
  const auto within = [&](size_t port, double low, double high) {
    for (const double value : values[port])
      if (value < low || value > high)
        return false;
    return values[port].size() == 100;
  };
  CHECK(within(0, -1, 1));
  CHECK(within(1, 0, 255));
  CHECK(within(2, 0, 1));
}
