// The default pipeline on families of small graphs that mix dimension orders: it terminates, values
// do not change, and no Transpose remains that the host, the weights or another order of
// computation can absorb.
#include "PassTesting.h"

#include "tigris/Support/StringUtils.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

using namespace tigris;

namespace {

using Dims = std::vector<int64_t>;

std::string text(const Dims& dims) { return strCat("[", join(dims, ", "), "]"); }

/// Runs the default pipeline; returns the number of remaining operators of the kind.
size_t opsLeft(const std::string& yaml, OpKind kind) {
  CAPTURE(yaml);
  const Graph before = parseGraph(yaml);
  const PassOutcome outcome = runPasses("default", before);
  for (const Diagnostic& diagnostic : outcome.diagnostics)
    CHECK_MESSAGE(diagnostic.severity != Severity::Error, diagnostic.message);
  REQUIRE(outcome.status != PassStatus::Failed);
  if (!evaluateGraph(before).empty()) // ArgMax has no rule
    checkSameValues(before, outcome.graph, 1e-4);
  const std::vector<OpId>& order = outcome.graph.order();
  return static_cast<size_t>(std::count_if(
      order.begin(), order.end(), [&](OpId id) { return outcome.graph.op(id).kind == kind; }));
}

size_t transposesLeft(const std::string& yaml) { return opsLeft(yaml, OpKind::Transpose); }

/// One operator `op(x, {axis: 1}) -> y`, without name and types, which are inferred.
struct Line {
  std::string op;
  std::string operands;
  std::string result;
  std::string attrs = "";
};

struct Weight {
  std::string name;
  Dims shape;
};

/// A graph from x to the given outputs.
std::string graphOf(const Dims& x, const std::vector<Line>& lines,
                    const std::vector<Weight>& weights = {},
                    const std::string& outputs = "{name: y}") {
  std::string tensors = strCat("tensors:\n  - {name: x, type: float32, shape: ", text(x), "}\n");
  std::string ops = "ops:\n";
  std::string blobs = weights.empty() ? "" : "blobs:\n";
  for (const auto& [name, shape] : weights) {
    tensors +=
        strCat("  - {name: ", name, ", type: float32, shape: ", text(shape), ", const: true}\n");
    blobs += strCat("  - {name: ", name, ", fill: {seed: ", name.size() + shape.size(),
                    ", amplitude: 1.0}}\n");
  }
  for (const Line& line : lines) {
    tensors += strCat("  - {name: ", line.result, "}\n");
    ops += strCat("  - {op: ", line.op, ", name: make_", line.result, ", in: [", line.operands,
                  "], out: [", line.result, "], attrs: {", line.attrs, "}}\n");
  }
  return strCat("inputs: [{name: x}]\noutputs: [", outputs, "]\n", tensors, ops, blobs);
}

std::vector<Line> reducedThenPooled(const std::string& first, const std::string& reduce,
                                    const Dims& axes, const std::string& pool, size_t spatial) {
  const bool arg = reduce == "ArgMax";
  std::vector<Line> lines = {
      {first, "x", "t"},
      {reduce, "t", "u",
       strCat(arg ? strCat("axis: ", axes[0]) : strCat("axes: ", text(axes)), ", keepdims: 0")}};
  if (arg)
    lines.push_back({"Cast", "u", "v", "to: float32"});
  lines.push_back({pool, arg ? "v" : "u", "y",
                   pool == "MaxPool" ? strCat("kernel_shape: ", text(Dims(spatial, 2))) : ""});
  return lines;
}

void checkReductions(const Dims& x, const Dims& axes) {
  const size_t left = x.size() - axes.size();
  for (const char* reduce : {"ReduceMean", "ReduceMax", "ReduceL2", "ArgMax"})
    for (const char* pool : {"MaxPool", "GlobalAveragePool"})
      for (const char* first : {"Abs", "GlobalMaxPool"})
        if (axes.size() == 1 || reduce != std::string("ArgMax"))
          if (first == std::string("Abs") || pool == std::string("GlobalAveragePool"))
            CHECK(transposesLeft(
                      graphOf(x, reducedThenPooled(first, reduce, axes, pool, left - 2))) == 0);
}

/// Add, Where or Concat of the operands; nothing if their shapes do not match.
std::vector<Line> mixed(const std::string& op, const std::string& operands, const Dims& x,
                        const Dims& permuted) {
  size_t different = 0;
  size_t axis = 0;
  bool broadcasts = true;
  for (size_t i = 0; i < x.size(); ++i) {
    broadcasts &= permuted[i] == x[i] || permuted[i] == 1 || x[i] == 1;
    if (permuted[i] != x[i]) {
      ++different;
      axis = i;
    }
  }
  if (op == "Concat" ? different > 1 : !broadcasts)
    return {};
  if (op == "Concat")
    return {{op, operands, "z", strCat("axis: ", axis)}};
  if (op == "Where")
    return {{"Less", operands, "v"}, {op, "v, " + operands, "z"}};
  return {{op, operands, "z"}};
}

void checkMixed(const Dims& x, const Dims& perm) {
  Dims permuted;
  for (const int64_t axis : perm)
    permuted.push_back(x[static_cast<size_t>(axis)]);
  const std::vector<std::vector<Line>> tails = {
      {{"Relu", "z", "y"}},
      {{"Transpose", "z", "u"}, {"Concat", "u, u", "y", "axis: 0"}},
      {{"Relu", "z", "u"}, {"Max", "z, u", "y"}}};
  for (const char* op : {"Sub", "Where", "Concat"})
    for (const char* operands : {"t, x", "x, t"})
      for (const std::vector<Line>& tail : tails) {
        std::vector<Line> lines = {{"Transpose", "x", "t", strCat("perm: ", text(perm))}};
        const std::vector<Line> middle = mixed(op, operands, x, permuted);
        lines.insert(lines.end(), middle.begin(), middle.end());
        lines.insert(lines.end(), tail.begin(), tail.end());
        if (!middle.empty())
          (void)transposesLeft(graphOf(x, lines));
      }
}

} // namespace

TEST_CASE("moves: a reduction that drops dimensions before an operator with a channel axis") {
  const Dims sizes = {1, 4, 3, 6, 5};
  for (const size_t rank : {4, 5}) {
    const Dims x(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(rank));
    for (int64_t a = 0; a < static_cast<int64_t>(rank); ++a) {
      if (rank == 4)
        checkReductions({1, 4, 3, 6}, {a});
      for (int64_t b = a + 1; rank == 5 && b < 5; ++b)
        CHECK(transposesLeft(
                  graphOf(x, reducedThenPooled("Abs", "ReduceSum", {a, b}, "MaxPool", 1))) == 0);
    }
  }
}

TEST_CASE("moves: an operator that reads a tensor and its Transpose") {
  const std::vector<Dims> shapes = {{1, 4},       {3, 3},         {3, 1},       {1, 1, 4},
                                    {2, 1, 3},    {3, 3, 3},      {1, 1, 3, 4}, {1, 4, 1, 1},
                                    {1, 3, 3, 3}, {2, 1, 1, 3, 1}};
  for (const Dims& x : shapes) {
    std::vector<Dims> perms;
    Dims perm(x.size());
    std::iota(perm.begin(), perm.end(), 0);
    while (std::next_permutation(perm.begin(), perm.end()))
      perms.push_back(perm);
    for (size_t i = 0; i < perms.size(); i += 1 + perms.size() / 6)
      checkMixed(x, perms[i]);
  }
}

TEST_CASE("moves: several readers want one order of what is computed from an input") {
  const Dims x = {1, 3, 6, 6};
  const std::vector<Weight> weights = {{"w", {4, 3, 3, 3}}, {"c", {1, 3, 1, 1}}};
  const std::string conv = "kernel_shape: [3, 3]";
  CHECK(transposesLeft(graphOf(x,
                               {{"Abs", "x", "a"},
                                {"Conv", "a, w", "p", conv},
                                {"Conv", "a, w", "q", conv},
                                {"Add", "p, q", "y"}},
                               weights)) == 0);
  // Also after another element-wise operator, and beside model outputs.
  CHECK(transposesLeft(graphOf(x,
                               {{"Sub", "x, c", "a"},
                                {"Conv", "a, w", "p", conv},
                                {"Sigmoid", "a", "s"},
                                {"Conv", "s, w", "q", conv},
                                {"Add", "p, q", "y"}},
                               weights, "{name: y}, {name: a}")) == 0);
  CHECK(transposesLeft(graphOf(x,
                               {{"Abs", "x", "a"},
                                {"Conv", "x, w", "p", conv},
                                {"Conv", "a, w", "q", conv},
                                {"Exp", "a", "s"},
                                {"Add", "p, q", "y"}},
                               weights, "{name: y}, {name: s}")) == 0);
  // A reader that needs the original order keeps one Transpose.
  CHECK(transposesLeft(graphOf(x,
                               {{"Abs", "x", "a"},
                                {"Conv", "a, w", "p", conv},
                                {"Conv", "a, w", "q", conv},
                                {"Add", "p, q", "s"},
                                {"GlobalMaxPool", "s", "y"},
                                {"Reshape", "a", "r", "shape: [6, 18]"}},
                               weights, "{name: y}, {name: r}")) == 1);
}

TEST_CASE("moves: the order of a flattened image goes into the weights behind it") {
  const Dims x = {2, 3, 4, 5};
  const Line conv = {"Conv", "x, w", "a", "kernel_shape: [1, 1]"};
  const Line flat = {"Flatten", "a", "f", "axis: 1"};
  const std::vector<Weight> weights = {{"w", {4, 3, 1, 1}}, {"g", {7, 80}},  {"m", {80, 7}},
                                       {"row", {80}},       {"h", {7, 160}}, {"scalar", {}}};
  const auto left = [&](std::vector<Line> lines, const std::string& outputs = "{name: y}") {
    lines.insert(lines.begin(), conv);
    return transposesLeft(graphOf(x, lines, weights, outputs));
  };
  CHECK(left({flat, {"Gemm", "f, g", "y", "transB: 1"}}) == 0);
  CHECK(left({flat, {"Gemm", "f, m", "y"}}) == 0);
  CHECK(left({{"Relu", "a", "r"},
              {"Reshape", "r", "f", "shape: [2, -1]"},
              {"MatMul", "f, m", "y"}}) == 0);
  CHECK(left({{"Reshape", "a", "r", "shape: [2, 4, 20]"},
              {"Reshape", "r", "f", "shape: [0, -1]"},
              {"Gemm", "f, m", "y"}}) == 0);
  CHECK(left({flat, {"Mul", "f, row", "b"}, {"Add", "b, scalar", "s"}, {"MatMul", "s, m", "y"}}) ==
        0);
  // Two readers, a function of itself, and other features beside it.
  CHECK(left({flat,
              {"Gemm", "f, m", "y"},
              {"Sigmoid", "f", "s"},
              {"Mul", "f, s", "p"},
              {"MatMul", "p, m", "z"}},
             "{name: y}, {name: z}") == 0);
  CHECK(left({flat,
              {"MaxPool", "a", "b", "kernel_shape: [1, 1]"},
              {"Flatten", "b", "e", "axis: 1"},
              {"Neg", "e", "n"},
              {"Concat", "n, f", "j", "axis: 1"},
              {"Gemm", "j, h", "y", "transB: 1"}}) == 0);
  // A model output has the order of the model.
  CHECK(left({flat, {"Gemm", "f, m", "y"}, {"Neg", "f", "z"}}, "{name: y}, {name: z}") == 1);
  CHECK(left({flat, {"Softmax", "f", "s", "axis: 1"}, {"Gemm", "s, m", "y"}}) == 1);
}

TEST_CASE("moves: rows and columns change places around windows") {
  const Dims x = {1, 3, 4, 6};
  const std::vector<Weight> weights = {
      {"w", {5, 3, 3, 1}}, {"d", {3, 1, 1, 2}}, {"t", {3, 2, 2, 3}}};
  const auto left = [&](Line window, const std::string& relu) {
    return transposesLeft(graphOf(x,
                                  {{"Abs", "x", "a"},
                                   {"Transpose", "a", "s", "perm: [0, 1, 3, 2]"},
                                   std::move(window),
                                   {relu, "y", "r"},
                                   {"Transpose", "r", "z", "perm: [0, 1, 3, 2]"},
                                   {"GlobalMaxPool", "z", "q"}},
                                  weights, "{name: q}, {name: z}"));
  };
  CHECK(left({"Conv", "s, w", "y",
              "kernel_shape: [3, 1], strides: [2, 1], pads: [1, 0, 2, 0], dilations: [1, 2]"},
             "Relu") == 0);
  CHECK(left({"Conv", "s, d", "y", "kernel_shape: [1, 2], group: 3, pads: [0, 1, 0, 0]"}, "Relu") ==
        0);
  CHECK(left({"MaxPool", "s", "y", "kernel_shape: [2, 3], strides: [2, 1]"}, "Sigmoid") == 0);
  CHECK(left({"AveragePool", "s", "y", "kernel_shape: [3, 2], pads: [1, 0, 0, 1]"}, "Relu") == 0);
  CHECK(left({"ConvTranspose", "s, t", "y",
              "kernel_shape: [2, 3], strides: [2, 1], output_padding: [1, 0]"},
             "Relu") == 0);
}

TEST_CASE("moves: an input of one channel that is also read in its own order") {
  const std::vector<Weight> weights = {{"w", {1, 1, 3, 3}}};
  CHECK(transposesLeft(graphOf({1, 1, 5, 6},
                               {{"Conv", "x, w", "a", "kernel_shape: [3, 3], pads: [1, 1, 1, 1]"},
                                {"Reshape", "x", "f", "shape: [1, 30]"},
                                {"Reshape", "a", "g", "shape: [1, 30]"},
                                {"Add", "f, g", "y"}},
                               weights)) == 0);
}

TEST_CASE("moves: squeeze and excitation leaves no Reshape between [N,C,1,1] and [N,1,1,C]") {
  const std::vector<Weight> weights = {
      {"w", {4, 4, 3, 3}}, {"r", {2, 4, 1, 1}}, {"e", {4, 2, 1, 1}}};
  for (const char* gate : {"HardSigmoid", "Sigmoid", "Abs"})
    CHECK(opsLeft(graphOf({1, 4, 5, 6},
                          {{"Conv", "x, w", "a", "kernel_shape: [3, 3], pads: [1, 1, 1, 1]"},
                           {"GlobalAveragePool", "a", "g"},
                           {"Conv", "g, r", "b", "kernel_shape: [1, 1]"},
                           {"Tanh", "b", "t"},
                           {"Conv", "t, e", "c", "kernel_shape: [1, 1]"},
                           {gate, "c", "s"},
                           {"Mul", "s, a", "y"}},
                          weights),
                  OpKind::Reshape) == 0);
}

TEST_CASE("transpose-sink: arguments that are operands keep the dimension order") {
  // Only static-args makes them attributes, which can be permuted.
  checkUnchanged("transpose-sink", R"(
inputs: [{name: x}]
outputs: [{name: y}, {name: z}]
tensors:
  - {name: x, type: float32, shape: [1, 4, 6, 8]}
  - {name: t, type: float32, shape: [1, 8, 4, 6]}
  - {name: p, type: int64, shape: [8], const: true}
  - {name: a, type: int64, shape: [1], const: true}
  - {name: y, type: float32, shape: [1, 10, 4, 6]}
  - {name: z, type: float32, shape: [1, 8, 4, 1]}
ops:
  - {op: Transpose, name: o1, in: [x], out: [t], attrs: {perm: [0, 3, 1, 2]}}
  - {op: Pad, name: o2, in: [t, p], out: [y], attrs: {mode: constant}}
  - {op: ReduceMean, name: o3, in: [t, a], out: [z], attrs: {keepdims: 1}}
blobs:
  - {name: p, values: [0, 1, 0, 0, 0, 1, 0, 0]}
  - {name: a, values: [3]}
)");
}
