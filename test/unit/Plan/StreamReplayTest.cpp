// Streamed stages: the replay confirms the figures of the model, and rejects stages that violate
// the rules of streaming.
#include "tigris/Check/StreamReplay.h"
#include "PassTesting.h"
#include "StreamTesting.h"
#include "tigris/Check/MemoryModel.h"

using namespace tigris;

namespace {

std::string relu(const char* in, const char* out) {
  return strCat("op: Relu, name: to_", out, ", in: [", in, "], out: [", out, "]");
}

/// Three windows, each preceded by an op on single rows.
const std::string StreamChain = graphOf({"x", "a", "b", "c", "d", "e", "y"},
                                        {relu("x", "a"), window("a", "b"), relu("b", "c"),
                                         window("c", "d"), relu("d", "e"), window("e", "y")});

/// Strides, dilation, padding, upsampling, a concatenation of channels, and an outermost axis of
/// size two.
const char* const StreamWindows = R"(form: normalized
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [2, 11, 13, 2]}
  - {name: a, type: float32, shape: [2, 6, 7, 2]}
  - {name: b, type: float32, shape: [2, 6, 7, 2]}
  - {name: c, type: float32, shape: [2, 12, 14, 2]}
  - {name: d, type: float32, shape: [2, 14, 17, 2]}
  - {name: e, type: float32, shape: [2, 12, 14, 2]}
  - {name: y, type: float32, shape: [2, 12, 14, 4]}
ops:
  - {op: MaxPool, name: stride, in: [x], out: [a], attrs: {kernel_shape: [3, 3], strides: [2, 2], pads: [1, 1, 1, 1]}}
  - {op: AveragePool, name: dilation, in: [a], out: [b], attrs: {kernel_shape: [3, 3], dilations: [2, 2], pads: [2, 2, 2, 2]}}
  - {op: Resize, name: enlarge, in: [b], out: [c], attrs: {mode: nearest, coordinate_transformation_mode: asymmetric, nearest_mode: floor, scales: [1.0, 2.0, 2.0, 1.0]}}
  - {op: Pad, name: pad, in: [c], out: [d], attrs: {pads: [0, 1, 2, 0, 0, 1, 1, 0]}}
  - {op: MaxPool, name: window, in: [d], out: [e], attrs: {kernel_shape: [3, 4], strides: [1, 1]}}
  - {op: Concat, name: join, in: [c, e], out: [y], attrs: {axis: 3}}
)";

/// Ops that do not use all columns, or all channels, of the rows they need.
const char* const Parts = R"(form: normalized
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 9, 8, 4]}
  - {name: i, type: int64, shape: [4], const: true}
  - {name: a, type: float32, shape: [1, 5, 4, 4]}
  - {name: b, type: float32, shape: [1, 5, 4, 4]}
  - {name: c, type: float32, shape: [1, 5, 4, 2]}
  - {name: d, type: float32, shape: [1, 5, 4, 2]}
  - {name: y, type: float32, shape: [1, 5, 4, 4]}
ops:
  - {op: MaxPool, name: shortcut, in: [x], out: [a], attrs: {kernel_shape: [1, 1], strides: [2, 2]}}
  - {op: Gather, name: shuffle, in: [a, i], out: [b], attrs: {axis: 3}}
  - {op: Slice, name: half, in: [b], out: [c], attrs: {axes: [3], ends: [4], starts: [2], steps: [1]}}
  - {op: MaxPool, name: window, in: [c], out: [d], attrs: {kernel_shape: [3, 3], strides: [1, 1], pads: [1, 1, 1, 1]}}
  - {op: Concat, name: join, in: [c, d], out: [y], attrs: {axis: 3}}
blobs: [{name: i, values: [0, 2, 1, 3]}]
)";

/// The second operand is the same for every row and outermost index.
const char* const Broadcast = R"(form: normalized
layout: channels-last
inputs: [{name: x}, {name: z}]
outputs: [{name: y}]
tensors:
  - {name: x, type: int8, shape: [2, 4, 6, 1], quant: {scale: 1.0}}
  - {name: z, type: int8, shape: [1, 1, 6, 1], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [2, 4, 6, 1], quant: {scale: 1.0}}
ops:
  - {op: Add, name: join, in: [x, z], out: [y]}
)";

/// Averages of two images, followed by an op.
const char* const Averages = R"(form: normalized
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [2, 11, 3, 2]}
  - {name: a, type: float32, shape: [2, 1, 1, 2]}
  - {name: y, type: float32, shape: [2, 1, 1, 2]}
ops:
  - {op: GlobalAveragePool, name: average, in: [x], out: [a]}
  - {op: Relu, name: cut, in: [a], out: [y]}
)";

StreamedStage& streamOf(Stage& stage) { return std::get<StreamedStage>(stage.execution); }

Stage stageOf(const Graph& graph, const StreamModel& model, const StreamCost& cost) {
  Stage stage;
  stage.ops = graph.order();
  stage.loads = loadsOf(graph);
  stage.spills = {*graph.findTensor("y")};
  stage.execution = model.stage(cost, model.layOut(cost, 4));
  return stage;
}

/// The home of a tensor at address `base`: the rows that are read there must be present.
class Home {
public:
  Home(const Graph& graph, TensorId tensor, uint64_t base)
      : graph_(graph), tensor_(tensor), base_(base) {}
  uint64_t base() const { return base_; }
  /// The first address of rows, all of one image, and the one past them.
  Range of(const Box& part) const {
    const Tensor& tensor = graph_.tensor(tensor_);
    const int64_t rows = tensor.shape[1];
    const auto rowBytes = static_cast<int64_t>(tensor.bytes()) / (tensor.shape[0] * rows);
    const int64_t first = part.axes[0].begin * rows;
    const auto base = static_cast<int64_t>(base_);
    return {base + (first + part.axes[1].begin) * rowBytes,
            base + (first + part.axes[1].end) * rowBytes};
  }

private:
  const Graph& graph_;
  TensorId tensor_;
  uint64_t base_;
};

/// Whether the replay accepts x and y in place, with y `distance` bytes below x.
bool replaysInPlace(const Graph& graph, const StreamModel& model, const StreamCost& cost,
                    uint64_t distance) {
  const TensorId x = *graph.findTensor("x");
  const TensorId y = *graph.findTensor("y");
  constexpr uint64_t Far = 1 << 16;
  const Home from(graph, x, Far + distance);
  const Home to(graph, y, Far);
  Stage stage = stageOf(graph, model, cost);
  for (StreamBuffer& buffer : streamOf(stage).buffers)
    if (buffer.inPlace)
      buffer.offset = buffer.tensor == x ? from.base() : to.base();
  MemoryModel memory;
  memory.write(from.base(), graph.tensor(x).bytes(), {x});
  const BackingAccess backing = {[&](TensorId id, const Box& part) -> Status {
                                   const Range at = (id == x ? from : to).of(part);
                                   if (memory.intruder(static_cast<uint64_t>(at.begin),
                                                       static_cast<uint64_t>(at.size()), {id}))
                                     return makeError(DiagId::BadPlan, "not there");
                                   return {};
                                 },
                                 [&](TensorId id, const Box& part) -> Status {
                                   const Range at = to.of(part);
                                   memory.write(static_cast<uint64_t>(at.begin),
                                                static_cast<uint64_t>(at.size()), {id});
                                   return {};
                                 }};
  const auto counts = StreamReplay(graph, stage).run(backing);
  if (counts)
    CHECK(counts->kernelCalls == cost.kernelCalls);
  return bool(counts);
}

void checkReplay(const Graph& graph, const StreamModel& model, const StreamCost& cost) {
  const Stage stage = stageOf(graph, model, cost);
  const auto counts = StreamReplay(graph, stage).run();
  REQUIRE_MESSAGE(counts, (counts ? "" : counts.error().message()));
  CHECK(counts->kernelCalls == cost.kernelCalls);
  uint64_t loaded = 0;
  for (const TensorId load : stage.loads)
    loaded += counts->loaded.at(load);
  CHECK(loaded == cost.loadBytes);
  CHECK(counts->stored.at(stage.spills[0]) == cost.storeBytes);
  // One byte less in any buffer is detected.
  for (size_t i = 0; i < stage.streamed()->buffers.size(); ++i) {
    Stage broken = stage;
    --streamOf(broken).buffers[i].bytes;
    CHECK_FALSE(bool(StreamReplay(graph, broken).run()));
  }
}

} // namespace

TEST_CASE("streams: rolling buffers overlap where only one of them keeps rows") {
  const Graph graph = parseGraph(StreamChain);
  AccessTable access(graph);
  RowTable rows(access);
  const StreamModel model = modelOf(rows);
  const StreamCost cost = *model.cost(8, 1);
  const uint64_t row = 4;
  const uint64_t bookkeeping = 7 * StreamedStage::BookkeepingBytes;
  // Two kept rows each of a, c and e, one new row of one of them, and one row before or after it.
  const ArenaLayout layout = model.layOut(cost, 4);
  CHECK(layout.height == (3 * 2 + 1 + 1) * row + bookkeeping);
  CHECK(model.lowerBound(cost) == layout.height);
  const uint64_t a = layout.offsets[1];
  const uint64_t c = layout.offsets[3];
  const uint64_t e = layout.offsets[5];
  CHECK(a >= c + 2 * row);
  CHECK(c >= e + 2 * row);
  checkReplay(graph, model, cost);

  // In reverse order new rows would overwrite old ones of the next buffer.
  Stage upsideDown = stageOf(graph, model, cost);
  streamOf(upsideDown).buffers[1].offset = e;
  streamOf(upsideDown).buffers[5].offset = a;
  CHECK_FALSE(bool(StreamReplay(graph, upsideDown).run()));
  // Here new rows would overwrite kept rows of the previous buffer.
  Stage tooClose = stageOf(graph, model, cost);
  streamOf(tooClose).buffers[5].offset += row;
  CHECK_FALSE(bool(StreamReplay(graph, tooClose).run()));
}

TEST_CASE("streams: a short branch waits for the longer one that it joins") {
  const Graph graph = parseGraph(graphOf({"x", "short", "a", "long", "y"},
                                         {relu("x", "short"), window("x", "a"), window("a", "long"),
                                          "op: Add, name: join, in: [short, long], out: [y]"}));
  AccessTable access(graph);
  RowTable rows(access);
  const StreamModel model = modelOf(rows);
  const StreamCost cost = *model.cost(8, 1);
  // Rows of x are kept for the first pooling. The shortcut reads them there when the second pooling
  // is ready, two rows later.
  CHECK(cost.buffers[0].bytes == 3 * 4);
  CHECK(cost.buffers[1].bytes == 1 * 4);
  const Stage stage = stageOf(graph, model, cost);
  CHECK(stage.streamed()->buffers[1].wait == 2);
  for (const size_t other : {0, 2, 3, 4})
    CHECK(stage.streamed()->buffers[other].wait == 0);
  checkReplay(graph, model, cost);

  // Without waiting, rows of `short` would be kept; with a longer wait, rows of x.
  for (const uint32_t wait : {0, 1, 3}) {
    Stage other = stage;
    streamOf(other).buffers[1].wait = wait;
    CHECK_FALSE(bool(StreamReplay(graph, other).run()));
  }
  Stage loaded = stage;
  streamOf(loaded).buffers[0].wait = 1;
  CHECK_FALSE(bool(StreamReplay(graph, loaded).run()));
}

TEST_CASE("streams: rows that the executor cannot count are not streamed") {
  const auto chain = [](const char* rows) {
    return parseGraph(strCat(R"(form: normalized
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: int8, shape: [1, )",
                             rows, R"(, 1, 1], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [1, )",
                             rows, R"(, 1, 1], quant: {scale: 1.0}}
ops:
  - {op: Relu, name: cut, in: [x], out: [y]}
)"));
  };
  const Graph longest = chain("65535");
  AccessTable access(longest);
  RowTable rows(access);
  const StreamModel model = modelOf(rows);
  Stage stage = stageOf(longest, model, *model.cost(100, 1));
  CHECK(bool(StreamReplay(longest, stage).run()));

  const Graph longer = chain("65536");
  AccessTable longerAccess(longer);
  RowTable longerRows(longerAccess);
  CHECK(longerRows.find(longer.order()[0]) == nullptr);
  stage.ops = longer.order();
  CHECK_FALSE(bool(StreamReplay(longer, stage).run()));
}

TEST_CASE("streams: the replay counts what the model says, in all steps and stripes") {
  for (const std::string& text : std::initializer_list<std::string>{
           Residual, StreamChain, StreamWindows, Parts, Broadcast, Average, Averages}) {
    const Graph graph = parseGraph(text);
    AccessTable access(graph);
    RowTable rows(access);
    const StreamModel model = modelOf(rows);
    int64_t cuts = 0;
    for (int64_t steps = 1; steps <= model.mostSteps(); ++steps)
      for (const int64_t stripes : model.stripeCounts())
        if (const std::optional<StreamCost> cost = model.cost(steps, stripes)) {
          CAPTURE(steps);
          CAPTURE(stripes);
          ++cuts;
          checkReplay(graph, model, *cost);
        }
    CHECK(cuts == model.mostSteps() * static_cast<int64_t>(model.stripeCounts().size()));
  }
}

TEST_CASE("streams: an average of rows that others read, too, waits for all of them") {
  const Graph graph = parseGraph(R"(form: normalized
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: int8, shape: [1, 8, 4, 1], quant: {scale: 1.0}}
  - {name: a, type: int8, shape: [1, 1, 1, 1], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [1, 8, 4, 1], quant: {scale: 1.0}}
ops:
  - {op: GlobalAveragePool, name: average, in: [x], out: [a]}
  - {op: Mul, name: scale, in: [x, a], out: [y]}
)");
  AccessTable access(graph);
  RowTable rows(access);
  const StreamModel model = modelOf(rows);
  const StreamCost cost = *model.cost(8, 1);
  CHECK_FALSE(model.stage(cost, model.layOut(cost, 4)).buffers[1].sink);
  checkReplay(graph, model, cost);
}

TEST_CASE("streams: several reductions of the same rows are sinks of one stage") {
  // The rows of x are read by one reduction and, squared, by another.
  const Graph graph = parseGraph(R"(form: normalized
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [2, 8, 4, 3]}
  - {name: a, type: float32, shape: [2, 1, 4, 3]}
  - {name: b, type: float32, shape: [2, 8, 4, 3]}
  - {name: c, type: float32, shape: [2, 1, 4, 3]}
  - {name: y, type: float32, shape: [2, 1, 4, 3]}
ops:
  - {op: ReduceMean, name: mean, in: [x], out: [a], attrs: {axes: [1]}}
  - {op: Mul, name: square, in: [x, x], out: [b]}
  - {op: ReduceMax, name: most, in: [b], out: [c], attrs: {axes: [1]}}
  - {op: Add, name: join, in: [a, c], out: [y]}
)");
  AccessTable access(graph);
  RowTable rows(access);
  const StreamModel model = modelOf(rows);
  const StreamCost cost = *model.cost(8, 1);
  const StreamedStage stage = model.stage(cost, model.layOut(cost, 4));
  constexpr uint64_t Row = 4 * 3 * 4;
  for (size_t i = 0; i < stage.buffers.size(); ++i) {
    CHECK(stage.buffers[i].sink == (i == 1 || i == 3));
    CHECK(stage.buffers[i].bytes == Row);
  }
  checkReplay(graph, model, cost);
}

TEST_CASE("streams: attention holds only some rows of its scores, and all keys of one head") {
  const Graph graph = parseGraph(R"(form: normalized
layout: channels-last
inputs: [{name: q}, {name: k}, {name: v}]
outputs: [{name: y}]
tensors:
  - {name: q, type: float32, shape: [2, 6, 4]}
  - {name: k, type: float32, shape: [2, 4, 6]}
  - {name: v, type: float32, shape: [2, 6, 4]}
  - {name: s, type: float32, shape: [2, 6, 6]}
  - {name: p, type: float32, shape: [2, 6, 6]}
  - {name: y, type: float32, shape: [2, 6, 4]}
ops:
  - {op: MatMul, name: scores, in: [q, k], out: [s]}
  - {op: Softmax, name: weights, in: [s], out: [p], attrs: {axis: 2}}
  - {op: MatMul, name: sums, in: [p, v], out: [y]}
)");
  AccessTable access(graph);
  RowTable rows(access);
  const StreamModel model = modelOf(rows);
  const StreamCost cost = *model.cost(6, 1);
  const StreamedStage stage = model.stage(cost, model.layOut(cost, 4));
  // In order of first use: q, k, s, p, v, y.
  const uint64_t bytes[] = {4 * 4, 4 * 6 * 4, 6 * 4, 6 * 4, 6 * 4 * 4, 4 * 4};
  for (size_t i = 0; i < std::size(bytes); ++i)
    CHECK(stage.buffers[i].bytes == bytes[i]);
  CHECK(cost.loadBytes == 3 * 2 * 6 * 4 * 4);
  CHECK(cost.kernelCalls == 2 * 6 * 3);
  checkReplay(graph, model, cost);
}

TEST_CASE("streams: the replay refuses sums that are lost, or that no op can make") {
  const Graph graph = parseGraph(Average);
  AccessTable access(graph);
  RowTable rows(access);
  const StreamModel model = modelOf(rows);
  const Stage stage = stageOf(graph, model, *model.cost(8, 1));
  const auto refusal = [&](const Stage& broken) {
    const auto counts = StreamReplay(graph, broken).run();
    return counts ? std::string() : counts.error().message();
  };
  REQUIRE(refusal(stage).empty());
  Stage broken = stage;
  // The position to which the third step loads a row of x.
  streamOf(broken).buffers[2].offset = streamOf(broken).buffers[0].offset + 8;
  CHECK(refusal(broken) == "op 'average' does not find its sums after 1 rows");
  broken = stage;
  streamOf(broken).buffers[2].offset = streamOf(broken).buffers[1].offset;
  CHECK(refusal(broken).find("op 'average' writes over its operand tensor 'a'") == 0);
  broken = stage;
  streamOf(broken).buffers[2].bytes = 3;
  CHECK(refusal(broken) == "the sums of op 'average' need 4 bytes, their buffer has 3");
  broken = stage;
  streamOf(broken).buffers[2].inPlace = true;
  streamOf(broken).buffers[2].bytes = 1;
  CHECK(refusal(broken) == "the sums of op 'average' cannot be in place");
  broken = stage;
  streamOf(broken).buffers[2].sink = false;
  CHECK(refusal(broken) == "tensor 'a' needs 8 bytes in a step, its buffer has 4");
  broken = stage;
  streamOf(broken).buffers[1].sink = true;
  CHECK(refusal(broken) == "op 'window' cannot add rows as they arrive");
  broken = stage;
  streamOf(broken).buffers[0].sink = true;
  CHECK(refusal(broken) == "tensor 'x' is a sum of rows, which only results do");
}

TEST_CASE("streams: an op whose rows are columns of its operand is no part of one") {
  const Graph graph = parseGraph(
      "form: normalized\nlayout: channels-last\ninputs: [{name: x}]\noutputs: [{name: y}]\n"
      "tensors:\n  - {name: x, type: float32, shape: [1, 3, 5, 2]}\n"
      "  - {name: y, type: float32, shape: [1, 5, 2]}\nops:\n"
      "  - {op: ReduceMax, name: top, in: [x], out: [y], attrs: {axes: [1], keepdims: 0}}\n");
  AccessTable access(graph);
  RowTable rows(access);
  CHECK(rows.find(graph.order()[0]) == nullptr);
  Stage stage;
  stage.ops = graph.order();
  stage.loads = loadsOf(graph);
  stage.spills = {*graph.findTensor("y")};
  StreamedStage stream;
  stream.steps = 3;
  stream.buffers = {{{stage.loads[0], 0, 120, 15}}, {{stage.spills[0], 120, 40, 0}}};
  stream.bookkeeping = 160;
  stage.execution = stream;
  const auto counts = StreamReplay(graph, stage).run();
  REQUIRE_FALSE(bool(counts));
  CHECK(counts.error().message().find("does not find what it needs") != std::string::npos);
}

TEST_CASE("streams: the replay refuses stripes that are not what the plan says") {
  const Graph graph = parseGraph(Residual);
  AccessTable access(graph);
  RowTable rows(access);
  const StreamModel model = modelOf(rows);
  const std::optional<StreamCost> cost = model.cost(8, 2);
  REQUIRE(cost);
  const Stage stage = stageOf(graph, model, *cost);
  Stage more = stage;
  streamOf(more).stripes = 5;
  CHECK_FALSE(bool(StreamReplay(graph, more).run()));
  Stage never = stage;
  streamOf(never).buffers[0].reloadAxes = 2;
  CHECK_FALSE(bool(StreamReplay(graph, never).run()));
}

TEST_CASE(
    "streams: in place the replay finds every row at the distance that the model gives, and not "
    "below it") {
  // Windows of three rows, also at a distance of two rows, and results with half and double the
  // rows and channels.
  const struct {
    const char* shape;
    const char* op;
  } cases[] = {
      {"9, 4, 2", "{op: MaxPool, name: op, in: [x], out: [y], attrs: {kernel_shape: [3, 3], "
                  "strides: [1, 1], pads: [1, 1, 1, 1]}}"},
      {"5, 2, 2", "{op: MaxPool, name: op, in: [x], out: [y], attrs: {kernel_shape: [3, 3], "
                  "strides: [2, 2], pads: [1, 1, 1, 1]}}"},
      {"9, 4, 2", "{op: MaxPool, name: op, in: [x], out: [y], attrs: {kernel_shape: [3, 3], "
                  "dilations: [2, 2], strides: [1, 1], pads: [2, 2, 2, 2]}}"},
      {"9, 4, 4", "{op: Concat, name: op, in: [x, x], out: [y], attrs: {axis: 3}}"},
      {"18, 8, 2",
       "{op: Resize, name: op, in: [x], out: [y], attrs: {mode: nearest, "
       "coordinate_transformation_mode: asymmetric, nearest_mode: floor, scales: [1.0, 2.0, 2.0, "
       "1.0]}}"},
  };
  for (size_t i = 0; i < 2 * std::size(cases); ++i) {
    const auto& entry = cases[i / 2];
    const size_t images = 1 + i % 2;
    CAPTURE(entry.op);
    CAPTURE(images);
    const bool halves = std::string(entry.shape) == "5, 2, 2";
    const Graph graph = parseGraph(
        strCat("form: normalized\nlayout: channels-last\ninputs: [{name: x}]\noutputs: [{name: "
               "y}]\ntensors:\n  - {name: x, type: float32, shape: [",
               images, ", 9, ", halves ? 3 : 4, ", 2]}\n  - {name: y, type: float32, shape: [",
               images, ", ", entry.shape, "]}\nops:\n  - ", entry.op, "\n")
            .c_str());
    AccessTable access(graph);
    RowTable rows(access);
    const StreamModel model = modelOf(rows);
    const std::set<TensorId> both = {*graph.findTensor("x"), *graph.findTensor("y")};
    for (int64_t steps = 1; steps <= model.mostSteps(); ++steps) {
      CAPTURE(steps);
      const StreamCost cost = *model.cost(steps, 1, both);
      REQUIRE(cost.displacements.size() == 1);
      const uint64_t distance = cost.displacements[0].bytes;
      CHECK(replaysInPlace(graph, model, cost, distance));
      if (distance >= 4)
        CHECK_FALSE(replaysInPlace(graph, model, cost, distance - 4));
    }
  }
}
