// Boxes of operands, computed by hand.
#include "tigris/Analysis/BoxAccess.h"
#include "PassTesting.h"

#include "tigris/Support/StringUtils.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace tigris;

namespace {

/// A normalized float32 graph with one op from x to y. Tensors are pairs of name and shape; those
/// other than x and y are constants.
Graph oneOp(const std::string& op,
            const std::vector<std::pair<std::string, std::string>>& tensors) {
  std::string text = "form: normalized\nlayout: channels-last\ninputs:\n  - {name: x}\n"
                     "outputs:\n  - {name: y}\ntensors:\n";
  std::string blobs;
  for (const auto& [name, shape] : tensors) {
    const bool isConstant = name != "x" && name != "y";
    text += strCat("  - {name: ", name, ", type: float32, shape: ", shape,
                   isConstant ? ", const: true}\n" : "}\n");
    if (isConstant)
      blobs += strCat("  - {name: ", name, ", fill: {seed: 1, amplitude: 1.0}}\n");
  }
  return parseGraph(strCat(text, "ops:\n  - ", op, "\n", blobs.empty() ? "" : "blobs:\n", blobs));
}

BoxAccess accessOf(const Graph& graph) {
  auto access = BoxAccess::make(graph, graph.op(graph.order().at(0)));
  REQUIRE(access);
  return *access;
}

using Ranges = std::array<Range, Box::MaxRank>;

void checkNeed(const BoxAccess& access, const Ranges& result, const Ranges& expected,
               size_t input = 0) {
  const Box need = access.need(input, Box{result});
  for (size_t axis = 0; axis < Box::MaxRank; ++axis) {
    CAPTURE(axis);
    CHECK(need.axes.at(axis).begin == expected.at(axis).begin);
    CHECK(need.axes.at(axis).end == expected.at(axis).end);
  }
}

} // namespace

TEST_CASE("a window reads its halo, clipped at the borders") {
  const Graph graph =
      oneOp("{op: MaxPool, name: op, in: [x], out: [y], attrs: {kernel_shape: [3, 3], "
            "pads: [1, 1, 1, 1]}}",
            {{"x", "[1, 8, 8, 4]"}, {"y", "[1, 8, 8, 4]"}});
  const BoxAccess access = accessOf(graph);
  checkNeed(access, {{{0, 1}, {0, 2}, {0, 8}, {0, 4}}}, {{{0, 1}, {0, 3}, {0, 8}, {0, 4}}});
  checkNeed(access, {{{0, 1}, {2, 4}, {3, 5}, {1, 3}}}, {{{0, 1}, {1, 5}, {2, 6}, {1, 3}}});
  checkNeed(access, {{{0, 1}, {7, 8}, {7, 8}, {0, 4}}}, {{{0, 1}, {6, 8}, {6, 8}, {0, 4}}});
}

TEST_CASE("asymmetric padding, dilation, and a stride beyond the kernel") {
  // Row i begins at 5i - 2; it has two taps at a distance of three.
  const Graph graph = oneOp("{op: AveragePool, name: op, in: [x], out: [y], attrs: {kernel_shape: "
                            "[2, 1], strides: [5, 2], "
                            "dilations: [3, 1], pads: [2, 0, 1, 0]}}",
                            {{"x", "[1, 16, 5, 1]"}, {"y", "[1, 4, 3, 1]"}});
  const BoxAccess access = accessOf(graph);
  checkNeed(access, {{{0, 1}, {0, 1}, {0, 1}, {0, 1}}}, {{{0, 1}, {0, 2}, {0, 1}, {0, 1}}});
  checkNeed(access, {{{0, 1}, {1, 3}, {1, 3}, {0, 1}}}, {{{0, 1}, {3, 12}, {2, 5}, {0, 1}}});
  checkNeed(access, {{{0, 1}, {3, 4}, {2, 3}, {0, 1}}}, {{{0, 1}, {13, 16}, {4, 5}, {0, 1}}});
}

TEST_CASE("a transposed window reads the inputs that touch the range") {
  // Input i reaches results 2i - 1 .. 2i + 1.
  const Graph graph = oneOp("{op: ConvTranspose, name: op, in: [x, w], out: [y], attrs: {strides: "
                            "[2, 2], pads: [1, 1, 1, 1]}}",
                            {{"x", "[1, 4, 4, 2]"}, {"w", "[2, 3, 3, 3]"}, {"y", "[1, 7, 7, 3]"}});
  const BoxAccess access = accessOf(graph);
  checkNeed(access, {{{0, 1}, {0, 1}, {1, 2}, {0, 3}}}, {{{0, 1}, {0, 1}, {0, 2}, {0, 2}}});
  checkNeed(access, {{{0, 1}, {2, 5}, {6, 7}, {0, 1}}}, {{{0, 1}, {1, 3}, {3, 4}, {0, 2}}});
}

TEST_CASE("a convolution reads all channels, a depthwise one its own, a grouped one its groups") {
  const auto channels = [](const std::string& group, const std::string& weights, Range range) {
    const Graph graph =
        oneOp(strCat("{op: Conv, name: op, in: [x, w], out: [y], attrs: {group: ", group, "}}"),
              {{"x", "[1, 2, 2, 6]"}, {"w", weights}, {"y", "[1, 2, 2, 12]"}});
    const Box need = accessOf(graph).need(0, Box{{{{0, 1}, {0, 2}, {0, 2}, range}}});
    return need.axes[3];
  };
  CHECK(channels("1", "[12, 6, 1, 1]", {3, 4}) == Range{0, 6});
  CHECK(channels("6", "[12, 1, 1, 1]", {4, 8}) == Range{2, 4});
  CHECK(channels("3", "[12, 2, 1, 1]", {4, 8}) == Range{2, 4});
  CHECK(channels("3", "[12, 2, 1, 1]", {5, 6}) == Range{2, 4});
  CHECK(channels("3", "[12, 2, 1, 1]", {4, 12}) == Range{2, 6});
}

TEST_CASE("channels are cut between groups or evenly inside them") {
  const Graph depthwise =
      oneOp("{op: Conv, name: op, in: [x, w], out: [y], attrs: {group: 6}}",
            {{"x", "[1, 2, 2, 6]"}, {"w", "[12, 1, 1, 1]"}, {"y", "[1, 2, 2, 12]"}});
  const BoxAccess multiplier = accessOf(depthwise);
  CHECK(multiplier.canCut(3, 2));
  CHECK(multiplier.canCut(3, 6));
  CHECK_FALSE(multiplier.canCut(3, 4));
  CHECK_FALSE(multiplier.canCut(3, 12));
  const Graph grouped =
      oneOp("{op: Conv, name: op, in: [x, w], out: [y], attrs: {group: 3}}",
            {{"x", "[1, 2, 2, 6]"}, {"w", "[12, 2, 1, 1]"}, {"y", "[1, 2, 2, 12]"}});
  const BoxAccess groups = accessOf(grouped);
  CHECK(groups.canCut(3, 3));
  CHECK(groups.canCut(3, 6));
  CHECK(groups.canCut(3, 12));
  CHECK_FALSE(groups.canCut(3, 2));
  CHECK_FALSE(groups.canCut(3, 5));
  const auto channels = [](Range range) { return Box{{{{0, 1}, {0, 2}, {0, 2}, range}}}; };
  CHECK(groups.allows(channels({5, 7})));
  CHECK(groups.allows(channels({4, 12})));
  CHECK_FALSE(groups.allows(channels({3, 5})));
  CHECK(multiplier.allows(channels({1, 2})));
  CHECK_FALSE(multiplier.allows(channels({1, 3})));
}

TEST_CASE("resizing reads the rows its table names") {
  const Graph graph =
      oneOp("{op: Resize, name: op, in: [x], out: [y], attrs: {sizes: [1, 8, 4, 1], mode: "
            "linear, coordinate_transformation_mode: half_pixel}}",
            {{"x", "[1, 4, 4, 1]"}, {"y", "[1, 8, 4, 1]"}});
  // Row i is at i / 2 - 1/4.
  const BoxAccess access = accessOf(graph);
  checkNeed(access, {{{0, 1}, {3, 5}, {1, 2}, {0, 1}}}, {{{0, 1}, {1, 3}, {1, 2}, {0, 1}}});
}

TEST_CASE("padding: what lies outside comes from the border") {
  const auto graph = [](const char* mode) {
    return oneOp(
        strCat(
            "{op: Pad, name: op, in: [x], out: [y], attrs: {pads: [0, 3, 0, 0, 0, 2, 0, 0], mode: ",
            mode, "}}"),
        {{"x", "[1, 5, 2, 1]"}, {"y", "[1, 10, 2, 1]"}});
  };
  const auto rows = [&](const char* mode, Range range) {
    const Graph padded = graph(mode);
    return accessOf(padded).need(0, Box{{{{0, 1}, range, {0, 2}, {0, 1}}}}).axes[1];
  };
  CHECK(rows("edge", {0, 2}) == Range{0, 1});
  CHECK(rows("edge", {2, 5}) == Range{0, 2});
  CHECK(rows("constant", {8, 10}) == Range{4, 5});
  CHECK(rows("reflect", {0, 1}) == Range{0, 4});
  CHECK(rows("reflect", {4, 6}) == Range{1, 3});
  CHECK(rows("reflect", {9, 10}) == Range{2, 5});
}

TEST_CASE("slices step forward and backward") {
  const Graph graph = oneOp("{op: Slice, name: op, in: [x], out: [y], attrs: {starts: [9, 1], "
                            "ends: [0, 6], axes: [1, 2], "
                            "steps: [-2, 3]}}",
                            {{"x", "[1, 10, 6, 1]"}, {"y", "[1, 5, 2, 1]"}});
  checkNeed(accessOf(graph), {{{0, 1}, {1, 3}, {1, 2}, {0, 1}}},
            {{{0, 1}, {5, 8}, {4, 5}, {0, 1}}});
}

TEST_CASE("a gather with a table of indices cuts along all axes but that of the table") {
  const Graph graph =
      parseGraph("layout: channels-last\ninputs: [{name: x}]\noutputs: [{name: y}]\n"
                 "tensors:\n  - {name: x, type: float32, shape: [1, 4, 5, 6]}\n"
                 "  - {name: i, type: int64, shape: [3], const: true}\n  - {name: y, type: "
                 "float32, shape: [1, 4, 5, 3]}\nops:\n"
                 "  - {op: Gather, name: op, in: [x, i], out: [y], attrs: {axis: 3}}\n"
                 "blobs: [{name: i, values: [5, 0, 2]}]\n");
  const BoxAccess access = accessOf(graph);
  checkNeed(access, {{{0, 1}, {1, 3}, {2, 5}, {0, 3}}}, {{{0, 1}, {1, 3}, {2, 5}, {0, 6}}});
  CHECK(access.canCut(1, 4));
  CHECK_FALSE(access.canCut(3, 3));
}

TEST_CASE("the axis of a softmax is never cut, nor are those of a normalization") {
  const Graph softmax = oneOp("{op: Softmax, name: op, in: [x], out: [y], attrs: {axis: 1}}",
                              {{"x", "[2, 3, 4]"}, {"y", "[2, 3, 4]"}});
  const BoxAccess access = accessOf(softmax);
  CHECK(access.canCut(0, 2));
  CHECK_FALSE(access.canCut(1, 3));
  CHECK(access.canCut(2, 4));
  CHECK_FALSE(access.allows(Box{{{{0, 2}, {0, 2}, {0, 4}, {0, 1}}}}));
  CHECK(access.allows(Box{{{{0, 1}, {0, 3}, {2, 3}, {0, 1}}}}));
  const Graph norm =
      oneOp("{op: LayerNormalization, name: op, in: [x, s], out: [y], attrs: {axis: 1}}",
            {{"x", "[2, 3, 4]"}, {"s", "[3, 4]"}, {"y", "[2, 3, 4]"}});
  CHECK(accessOf(norm).canCut(0, 2));
  CHECK_FALSE(accessOf(norm).canCut(2, 2));
}

TEST_CASE("only the outermost axis of a broadcast constant is contiguous") {
  const auto access = [](const std::string& shape) {
    const Graph graph = oneOp("{op: Add, name: op, in: [x, c], out: [y]}",
                              {{"x", "[2, 3, 4, 5]"}, {"c", shape}, {"y", "[2, 3, 4, 5]"}});
    return accessOf(graph);
  };
  CHECK(access("[5]").canCut(3, 5));
  CHECK(access("[1, 1, 4, 5]").canCut(2, 4));
  CHECK_FALSE(access("[1, 1, 4, 5]").canCut(3, 5));
  CHECK(access("[1, 3, 1, 1]").canCut(3, 5));
  CHECK_FALSE(access("[2, 3, 1, 1]").canCut(1, 3));
}

TEST_CASE("a window over a constant takes whole rows of it") {
  const auto access = [](const std::string& batch) {
    const std::string shape = "[" + batch + ", 8, 8, 4]";
    const Graph graph =
        oneOp("{op: MaxPool, name: op, in: [c], out: [y], attrs: {kernel_shape: [3, 3], "
              "pads: [1, 1, 1, 1]}}",
              {{"x", shape}, {"c", shape}, {"y", shape}});
    return accessOf(graph);
  };
  CHECK(access("1").canCut(1, 4));
  CHECK_FALSE(access("1").canCut(2, 2));
  CHECK_FALSE(access("1").canCut(3, 2));
  CHECK(access("2").canCut(0, 2));
  CHECK_FALSE(access("2").canCut(1, 4));
}

TEST_CASE("ops without rules run on whole tensors only") {
  const Graph reshape = oneOp("{op: Reshape, name: op, in: [x], out: [y], attrs: {shape: [6]}}",
                              {{"x", "[2, 3]"}, {"y", "[6]"}});
  CHECK_FALSE(BoxAccess::make(reshape, reshape.op(reshape.order()[0])));
}

namespace {

/// Indices of an axis that some result needs, marked one by one.
int64_t markedBy(const AxisAccess& access, int64_t results) {
  std::vector<bool> marks(static_cast<size_t>(access.size));
  for (int64_t i = 0; i < results; ++i) {
    const Range range = access.need({i, i + 1});
    for (int64_t at = range.begin; at < range.end; ++at)
      marks.at(static_cast<size_t>(at)) = true;
  }
  return std::count(marks.begin(), marks.end(), true);
}

} // namespace

TEST_CASE("elements needed by all results are those needed by each") {
  using Kind = AxisAccess::Kind;
  const auto check = [](AxisAccess access, int64_t results) {
    REQUIRE(access.neededBy(results) == markedBy(access, results));
  };
  AxisAccess axis;
  for (axis.size = 1; axis.size <= 9; ++axis.size)
    for (axis.stride = 1; axis.stride <= 4; ++axis.stride)
      for (axis.reach = 1; axis.reach <= 5; ++axis.reach)
        for (axis.pad = 0; axis.pad < axis.reach; ++axis.pad)
          for (axis.results = 1; (axis.results - 1) * axis.stride - axis.pad < axis.size;
               ++axis.results)
            for (const Kind kind : {Kind::Window, Kind::Clamp, Kind::Transposed}) {
              axis.kind = kind;
              check(axis, axis.results);
            }
  AxisAccess table;
  table.kind = Kind::Table;
  table.size = 9;
  table.table = {{6, 8}, {0, 2}, {1, 3}};
  CHECK(table.neededBy(3) == 5);
  AxisAccess steps;
  steps.kind = Kind::Affine;
  steps.size = 9;
  steps.pad = 8;
  steps.stride = -3;
  check(steps, 3);
}

TEST_CASE("transposed windows with gaps leave a result without input anywhere") {
  const auto access = [](int64_t stride, int64_t length) {
    const Graph graph =
        oneOp(strCat("{op: ConvTranspose, name: op, in: [x, w], out: [y], attrs: {strides: [",
                     stride, "]}}"),
              {{"x", "[1, 4, 1]"}, {"y", strCat("[1, ", length, ", 1]")}, {"w", "[1, 1, 2]"}});
    return BoxAccess::make(graph, graph.op(graph.order().at(0))).has_value();
  };
  CHECK(access(2, 8));
  CHECK(!access(3, 11));
}

namespace {

/// A recurrent layer over 7 steps of 3 sequences, with 4 values per step and 5 hidden units.
BoxAccess layerAccess(const std::string& kind, const std::string& attributes, int64_t directions,
                      int64_t rows) {
  const int64_t gates = kind == "LSTM" ? 4 : kind == "GRU" ? 3 : 1;
  const std::string extra = kind == "LSTM"  ? strCat("[", directions, ", 3, 5]")
                            : kind == "GRU" ? "[5]"
                                            : "";
  const std::string second = extra.empty() ? "" : ", extra";
  std::string text =
      strCat("form: normalized\nlayout: channels-last\ninputs: [{name: x}, {name: h}]\n",
             "outputs: [{name: y}]\ntensors:\n  - {name: x, type: float32, shape: [7, 3, 4]}\n",
             "  - {name: h, type: float32, shape: [", directions, ", 3, 5]}\n",
             "  - {name: y, type: float32, shape: [", rows, ", ", directions, ", 3, 5]}\n");
  if (!extra.empty())
    text += strCat("  - {name: extra, type: float32, shape: ", extra, "}\n");
  std::string blobs = "blobs:\n";
  const auto weights = [&](const char* name, int64_t count, int64_t width) {
    text += strCat("  - {name: ", name, ", type: float32, shape: [", directions, ", ", count,
                   width == 0 ? "" : strCat(", ", width), "], const: true}\n");
    blobs += strCat("  - {name: ", name, ", fill: {seed: 1, amplitude: 1.0}}\n");
  };
  weights("w", gates * 5, 4);
  weights("r", gates * 5, 5);
  weights("b", 2 * gates * 5, 0);
  text += strCat("ops:\n  - {op: ", kind, ", name: op, in: [x, w, r, b, h], out: [y", second,
                 "], attrs: {", attributes, "}}\n", blobs);
  return accessOf(parseGraph(text));
}

} // namespace

TEST_CASE("a part of a recurrent layer needs its steps and sequences") {
  const BoxAccess access = layerAccess("LSTM", "direction: bidirectional", 2, 7);
  CHECK(access.carriesState());
  CHECK(access.order() == std::array<size_t, 4>{1, 2, 3, 0});
  CHECK(access.space() == Box{{{{0, 7}, {0, 2}, {0, 3}, {0, 5}}}});
  const Ranges part = {{{2, 4}, {1, 2}, {1, 3}, {0, 5}}};
  checkNeed(access, part, {{{2, 4}, {1, 3}, {0, 4}, {0, 1}}});
  checkNeed(access, part, {{{1, 2}, {0, 20}, {0, 4}, {0, 1}}}, 1);
  checkNeed(access, part, {{{1, 2}, {1, 3}, {0, 5}, {0, 1}}}, 4);
  CHECK(access.made(0, Box{part}) == Box{part});
  CHECK(access.made(1, Box{part}) == Box{{{{1, 2}, {1, 3}, {0, 5}, {0, 1}}}});
  CHECK(access.isCutAlong(0, 0));
  CHECK_FALSE(access.isCutAlong(1, 0));
  CHECK(access.isCutAlong(1, 1));
  CHECK(access.allows(Box{part}));
  // A single step would have to be computed in place of the state.
  CHECK_FALSE(access.allows(Box{{{{2, 3}, {1, 2}, {0, 3}, {0, 5}}}}));
  CHECK_FALSE(access.allows(Box{{{{0, 7}, {0, 2}, {0, 3}, {0, 4}}}}));
  CHECK(access.canCut(0, 3));
  CHECK_FALSE(access.canCut(0, 4));
  CHECK(access.canCut(2, 3));
  CHECK_FALSE(access.canCut(3, 5));
}

TEST_CASE("directions have opposite orders of steps") {
  const BoxAccess both = layerAccess("GRU", "direction: bidirectional", 2, 7);
  CHECK(both.canCutTogether({1, 1, 3, 1}));
  CHECK_FALSE(both.canCutTogether({2, 1, 1, 1}));
  CHECK(both.canCutTogether({2, 2, 1, 1}));
  CHECK(both.part({3, 2, 1, 1}, {0, 0, 0, 0}).axes[0] == Range{0, 2});
  CHECK(both.part({3, 2, 1, 1}, {0, 1, 0, 0}).axes[0] == Range{4, 7});
  CHECK(both.part({3, 2, 1, 1}, {2, 1, 0, 0}).axes[0] == Range{0, 2});
  CHECK_FALSE(both.isCutAlong(1, 1));
  const BoxAccess reverse = layerAccess("RNN", "direction: reverse", 1, 7);
  CHECK(reverse.canCutTogether({2, 1, 1, 1}));
  CHECK(reverse.part({2, 1, 1, 1}, {0, 0, 0, 0}).axes[0] == Range{3, 7});
}

TEST_CASE("a layer that keeps only its last state can be cut into single steps") {
  const BoxAccess access = layerAccess("RNN", "rows: 2", 1, 2);
  const Box part{{{{6, 7}, {0, 1}, {0, 3}, {0, 5}}}};
  CHECK(access.space().axes[0] == Range{0, 7});
  CHECK(access.canCut(0, 7));
  CHECK(access.allows(part));
  CHECK(access.need(0, part).axes[0] == Range{6, 7});
  CHECK(access.made(0, part).axes[0] == Range{0, 2});
  CHECK_FALSE(access.isCutAlong(0, 0));
  CHECK(access.neededElements(0, access.space()) == 7 * 3 * 4);
}
