// Alias sets, lifetimes and the memory timeline.
#include "PassTesting.h"
#include "tigris/Analysis/InPlace.h"
#include "tigris/Analysis/MacCount.h"
#include "tigris/Analysis/MemoryTimeline.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

/// x -> a -> view of a -> b -> y, where y is a view of b.
const char* const Views = R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
  - {name: unused}
outputs:
  - {name: y}
tensors:
  - {name: x, type: int8, shape: [1, 10], quant: {scale: 1.0}}
  - {name: unused, type: int8, shape: [1, 3], quant: {scale: 1.0}}
  - {name: a, type: int8, shape: [1, 20], quant: {scale: 1.0}}
  - {name: av, type: int8, shape: [4, 5], quant: {scale: 1.0}}
  - {name: b, type: int8, shape: [4, 5], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [20], quant: {scale: 1.0}}
ops:
  - {op: Concat, name: double, in: [x, x], out: [a], attrs: {axis: 1}}
  - {op: Reshape, name: view, in: [a], out: [av], attrs: {shape: [4, 5]}}
  - {op: Relu, name: relu, in: [av], out: [b]}
  - {op: Reshape, name: flat, in: [b], out: [y], attrs: {shape: [20]}}
)";

struct BufferSpec {
  std::vector<std::string> tensors;
  uint32_t birth;
  uint32_t death;
};

void checkBuffers(const Graph& graph, const std::vector<LiveBuffer>& buffers,
                  const std::vector<BufferSpec>& expected) {
  REQUIRE(buffers.size() == expected.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    std::vector<std::string> names;
    for (const TensorId id : buffers[i].tensors)
      names.push_back(graph.tensor(id).name);
    CHECK(names == expected[i].tensors);
    CHECK(buffers[i].birth == expected[i].birth);
    CHECK(buffers[i].death == expected[i].death);
  }
}

void checkBuffers(const Graph& graph, IoMode io, const std::vector<BufferSpec>& expected) {
  const AliasSets aliases(graph, graph.order());
  checkBuffers(graph, computeLifetimes(graph, graph.order(), aliases, io), expected);
}

void checkInPlace(const Graph& graph, IoMode io, const std::vector<BufferSpec>& expected) {
  const AliasSets aliases(graph, graph.order());
  checkBuffers(graph, computeLifetimesInPlace(graph, graph.order(), aliases, io), expected);
}

/// The graph of ops on tensors x, a, b, y of one shape.
Graph elementGraph(const std::string& ops, const std::string& outputs = "  - {name: y}\n") {
  std::string text = "form: normalized\nlayout: channels-last\ninputs:\n  - {name: x}\noutputs:\n" +
                     outputs + "tensors:\n";
  for (const char* name : {"x", "a", "b", "y"})
    text += std::string("  - {name: ") + name + ", type: float32, shape: [1, 4, 8]}\n";
  return parseGraph(text + "ops:\n" + ops);
}

} // namespace

TEST_CASE("results take the place of operands that die") {
  const Graph chain = elementGraph("  - {op: Sigmoid, name: first, in: [x], out: [a]}\n"
                                   "  - {op: Mul, name: second, in: [x, a], out: [b]}\n"
                                   "  - {op: Softmax, name: third, in: [b], out: [y]}\n");
  // x is needed with a, so a has bytes of its own. b takes the place of x, the first of the two.
  checkInPlace(chain, IoMode::Slow, {{{"x", "b", "y"}, 0, 2}, {{"a"}, 0, 1}});
  checkInPlace(chain, IoMode::Caller, {{{"a", "b"}, 0, 2}});
}

TEST_CASE("results do not take the place of model outputs, nor of what is read later") {
  checkInPlace(elementGraph("  - {op: Relu, name: first, in: [x], out: [a]}\n"
                            "  - {op: Exp, name: second, in: [a], out: [b]}\n"
                            "  - {op: Add, name: third, in: [a, b], out: [y]}\n",
                            "  - {name: b}\n  - {name: y}\n"),
               IoMode::Arena, {{{"x", "a", "y"}, 0, 2}, {{"b"}, 1, 2}});
}

TEST_CASE("results take the place of operands of the same elements only") {
  const Graph graph = parseGraph(R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: y}
tensors:
  - {name: x, type: float32, shape: [1, 4, 1]}
  - {name: r, type: float32, shape: [1, 1, 4], const: true}
  - {name: a, type: bool, shape: [1, 4, 4]}
  - {name: b, type: bool, shape: [1, 4, 4]}
  - {name: t, type: bool, shape: [1, 4, 4]}
  - {name: y, type: float32, shape: [1, 4, 4]}
ops:
  - {op: Less, name: less, in: [x, r], out: [a]}
  - {op: Not, name: not, in: [a], out: [b]}
  - {op: Transpose, name: turn, in: [b], out: [t], attrs: {perm: [0, 2, 1]}}
  - {op: Cast, name: cast, in: [t], out: [y], attrs: {to: float32}}
blobs:
  - {name: r, fill: {seed: 1, amplitude: 1.0}}
)");
  // x and a have 16 bytes each, but 4 and 16 elements.
  checkInPlace(graph, IoMode::Arena,
               {{{"x"}, 0, 0}, {{"a", "b"}, 0, 2}, {{"t"}, 2, 3}, {{"y"}, 3, 3}});
}

TEST_CASE("a view of an operand that is read with it stays as it is") {
  const Graph graph = parseGraph(R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: y}
tensors:
  - {name: x, type: float32, shape: [1, 8]}
  - {name: a, type: float32, shape: [1, 8]}
  - {name: v, type: float32, shape: [8]}
  - {name: y, type: float32, shape: [1, 8]}
ops:
  - {op: Relu, name: first, in: [x], out: [a]}
  - {op: Reshape, name: view, in: [a], out: [v], attrs: {shape: [8]}}
  - {op: BatchNorm, name: last, in: [a, v, v], out: [y]}
)");
  checkInPlace(graph, IoMode::Arena, {{{"x", "a", "v"}, 0, 2}, {{"y"}, 2, 2}});
}

TEST_CASE("a caller's buffers have no place in the arena, nor have their views") {
  checkBuffers(parseGraph(Views), IoMode::Caller, {{{"a", "av"}, 0, 2}});
}

TEST_CASE("loaded inputs live from the first step, outputs to the last") {
  checkBuffers(parseGraph(Views), IoMode::Slow,
               {{{"x"}, 0, 0}, {{"a", "av"}, 0, 2}, {{"b", "y"}, 2, 3}});
}

TEST_CASE("the arena holds inputs without readers") {
  checkBuffers(parseGraph(Views), IoMode::Arena,
               {{{"x"}, 0, 0}, {{"unused"}, 0, 0}, {{"a", "av"}, 0, 2}, {{"b", "y"}, 2, 3}});
}

TEST_CASE("a set holds one model input or output at most") {
  const Graph graph = parseGraph(R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: y}
  - {name: z}
tensors:
  - {name: x, type: float32, shape: [6]}
  - {name: y, type: float32, shape: [2, 3]}
  - {name: a, type: float32, shape: [6]}
  - {name: z, type: float32, shape: [3, 2]}
ops:
  - {op: Reshape, name: in-to-out, in: [x], out: [y], attrs: {shape: [2, 3]}}
  - {op: Reshape, name: in-to-inner, in: [x], out: [a], attrs: {shape: [6]}}
  - {op: Reshape, name: inner-to-out, in: [a], out: [z], attrs: {shape: [3, 2]}}
)");
  const AliasSets aliases(graph, graph.order());
  const auto isView = [&](const char* name) {
    return aliases.isView(graph.op(*graph.findOp(name)));
  };
  CHECK_FALSE(isView("in-to-out"));
  CHECK(isView("in-to-inner"));
  CHECK_FALSE(isView("inner-to-out"));
  CHECK(aliases.interfaceTensor(*graph.findTensor("a")) == *graph.findTensor("x"));
}

TEST_CASE("the sweep frees before the next step allocates") {
  const std::vector<LiveBuffer> buffers = {
      {{}, 10, 0, 1}, {{}, 20, 1, 2}, {{}, 40, 2, 3}, {{}, 5, 0, 3}};
  const MemoryTimeline timeline = computeTimeline(buffers, 4, 1);
  CHECK(timeline.live == std::vector<uint64_t>{15, 35, 65, 45});
  CHECK(timeline.peak == 65);
  CHECK(timeline.peakStep == 2);
  CHECK(timeline.bound == 65);
}

TEST_CASE("the bound rounds every size but the one that may lie on top") {
  const std::vector<LiveBuffer> buffers = {{{}, 9, 0, 0}, {{}, 15, 0, 0}, {{}, 8, 0, 1}};
  const MemoryTimeline timeline = computeTimeline(buffers, 2, 8);
  CHECK(timeline.peak == 32);
  CHECK(timeline.bound == 16 + 16 + 8 - 7);
}

TEST_CASE("no steps, no memory") {
  const MemoryTimeline timeline = computeTimeline({}, 0, 8);
  CHECK(timeline.peak == 0);
  CHECK(timeline.bound == 0);
}

TEST_CASE("multiply-accumulates of layers") {
  const Graph graph = parseGraph(R"(form: normalized
layout: channels-last
inputs:
  - {name: x}
outputs:
  - {name: y}
tensors:
  - {name: x, type: float32, shape: [1, 4, 4, 2]}
  - {name: w, type: float32, shape: [3, 2, 3, 3], const: true}
  - {name: c, type: float32, shape: [1, 2, 2, 3]}
  - {name: d, type: float32, shape: [3, 1, 2, 2], const: true}
  - {name: u, type: float32, shape: [1, 4, 4, 3]}
  - {name: f, type: float32, shape: [1, 48]}
  - {name: g, type: float32, shape: [5, 48], const: true}
  - {name: y, type: float32, shape: [1, 5]}
ops:
  - {op: Conv, name: conv, in: [x, w], out: [c], attrs: {kernel_shape: [3, 3]}}
  - {op: ConvTranspose, name: up, in: [c, d], out: [u], attrs: {group: 3, strides: [2, 2]}}
  - {op: Reshape, name: flat, in: [u], out: [f], attrs: {shape: [1, 48]}}
  - {op: Gemm, name: dense, in: [f, g], out: [y], attrs: {transB: 1}}
blobs:
  - {name: w, fill: {seed: 1, amplitude: 1.0}}
  - {name: d, fill: {seed: 2, amplitude: 1.0}}
  - {name: g, fill: {seed: 3, amplitude: 1.0}}
)");
  const auto macs = [&](const char* name) {
    return macCount(graph, graph.op(*graph.findOp(name)));
  };
  CHECK(macs("conv") == 2 * 2 * 3 * 2 * 9);
  CHECK(macs("up") == 2 * 2 * 3 * 4);
  CHECK(macs("flat") == 0);
  CHECK(macs("dense") == 48 * 5);
}
