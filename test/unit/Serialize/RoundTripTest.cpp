// All contents of a graph survive printing and reading, and print identically again.
#include "ModuleTesting.h"

using namespace tigris;

TEST_CASE("the smallest module is what the documentation shows") {
  CHECK(roundTrip(tinyGraph()) == R"(---
tigris: graph/1
form: imported
inputs:
  - {name: x}
outputs:
  - {name: b}
tensors:
  - {name: x, type: float32, shape: [2, 3]}
  - {name: b, type: float32, shape: [2, 3]}
ops:
  - {op: Relu, name: relu, in: [x], out: [b]}
)");
}

TEST_CASE("an empty graph round-trips") {
  CHECK(roundTrip(Graph()) == "---\ntigris: graph/1\nform: imported\ninputs: []\noutputs: []\n"
                              "tensors: []\nops: []\n");
}

TEST_CASE("header fields") {
  Graph graph = tinyGraph();
  graph.setLayout(Layout::ChannelsLast);
  graph.setModelName("mobile net: v2");
  graph.setOpset(17);
  graph.addHistory("tigris-import 0.1.0");
  graph.addHistory("");
  const std::string text = roundTrip(graph);
  const Expected<Graph> again = parse(text);
  CHECK(again->layout() == Layout::ChannelsLast);
  CHECK(again->modelName() == "mobile net: v2");
  CHECK(again->opset() == 17);
  CHECK(again->history() == std::vector<std::string>{"tigris-import 0.1.0", ""});
}

TEST_CASE("names that YAML would misread stay strings") {
  const std::vector<std::string> names = {"193",
                                          "1.5",
                                          "1e5",
                                          "0x1F",
                                          "yes",
                                          "No",
                                          "on",
                                          "OFF",
                                          "null",
                                          "~",
                                          "true",
                                          "b",
                                          "N",
                                          ".inf",
                                          ".nan",
                                          "nan",
                                          "2001-01-01",
                                          "12:30:45",
                                          " lead",
                                          "trail ",
                                          "a: b",
                                          "a #b",
                                          "#a",
                                          "- a",
                                          "-",
                                          "---",
                                          "...",
                                          "[x]",
                                          "{x}",
                                          "a,b",
                                          "'q'",
                                          "\"q\"",
                                          "back\\slash",
                                          "tab\there",
                                          "line\nbreak",
                                          "cr\rx",
                                          std::string("nul\0x", 5),
                                          "\x01",
                                          "\x7f",
                                          "äöü",
                                          "日本語",
                                          "😀",
                                          "nbsp\xC2\xA0",
                                          "\xE2\x80\xA8",
                                          "&a",
                                          "*a",
                                          "!t",
                                          "%d",
                                          "@at",
                                          "`tick",
                                          "|",
                                          ">",
                                          "?",
                                          "? a",
                                          "=",
                                          "<<",
                                          "/a/b.c-d_e",
                                          "a::b",
                                          "-1",
                                          "+1",
                                          "1_000",
                                          "0o7",
                                          "NaN",
                                          "Infinity",
                                          "\xEF\xBB\xBF"
                                          "bom",
                                          "\xC2\x85",
                                          "a\\x41"};
  Graph graph;
  TensorId previous = addActivation(graph, "start");
  const TensorId first = previous;
  for (const std::string& name : names) {
    const TensorId next = addActivation(graph, name);
    Op op = makeOp(OpKind::Relu, "op " + name, {previous}, {next});
    op.origin = {name};
    graph.addOp(std::move(op));
    previous = next;
  }
  expose(graph, first, previous);
  const Expected<Graph> again = parse(roundTrip(graph));
  std::vector<std::string> found;
  for (const TensorId id : again->tensors())
    found.push_back(again->tensor(id).name);
  REQUIRE(found.size() == names.size() + 1);
  for (size_t i = 0; i < names.size(); ++i) {
    CHECK(found[i + 1] == names[i]);
    CHECK(again->op(again->order()[i]).origin == std::vector<std::string>{names[i]});
  }
}

TEST_CASE("bytes that are no UTF-8 become readable text") {
  Graph graph = tinyGraph();
  graph.setModelName("a\xFF"
                     "b\xC3");
  const std::string text = roundTrip(graph);
  CHECK(text.find("\"a\xC3\xBF"
                  "b\xC3\x83\"") != std::string::npos);
  CHECK(parse(text)->modelName() == "a\xC3\xBF"
                                    "b\xC3\x83");
}

TEST_CASE("unknown ops keep attributes of every kind") {
  Graph graph = tinyGraph();
  Op op =
      makeOp(OpKind::Unknown, "odd", {*graph.findTensor("b"), TensorId(), *graph.findTensor("x")},
             {TensorId(), addActivation(graph, "z")});
  op.unknownKind = "com.acme::Odd";
  op.attrs = AttrMap{{"int", int64_t{-7}},
                     {"big", std::numeric_limits<int64_t>::min()},
                     {"float", 0.1},
                     {"whole", 3.0},
                     {"tiny", 5e-324},
                     {"huge", 1.7976931348623157e308},
                     {"minus zero", -0.0},
                     {"inf", std::numeric_limits<double>::infinity()},
                     {"ninf", -std::numeric_limits<double>::infinity()},
                     {"string", std::string("12")},
                     {"empty", std::string()},
                     {"yes", std::string("yes")},
                     {"ints", std::vector<int64_t>{1, -2}},
                     {"none", std::vector<int64_t>{}},
                     {"floats", std::vector<double>{1.0, 2.5}},
                     {"strings", std::vector<std::string>{"1", "true", "x y"}}};
  graph.addOp(op);
  const Expected<Graph> again = parse(roundTrip(graph));
  const Op& read = again->op(*again->findOp("odd"));
  CHECK(read.attrs == op.attrs);
  CHECK(std::signbit(read.attrs.getFloat("minus zero")));
  CHECK(read.unknownKind == "com.acme::Odd");
  CHECK(!read.inputs[1]);
  CHECK(!read.outputs[0]);
  Graph nan = tinyGraph();
  op.attrs = AttrMap{{"nan", std::nan("")}};
  op.inputs = {};
  op.outputs = {};
  nan.addOp(op);
  CHECK(std::isnan(parse(roundTrip(nan))->op(OpId(1)).attrs.getFloat("nan")));
}

TEST_CASE("attributes of known ops keep the kind of their schema") {
  Graph graph = tinyGraph();
  const TensorId z = addActivation(graph, "z");
  Op op = makeOp(OpKind::LeakyRelu, "leaky", {*graph.findTensor("b")}, {z});
  op.attrs.set("alpha", 1.0);
  graph.addOp(op);
  CHECK(parse(roundTrip(graph))->op(OpId(1)).attrs == op.attrs);
  // Handwritten without a decimal point, it is still a float.
  std::string text = print(graph);
  text.replace(text.find("alpha: 1.0"), 10, "alpha: 1");
  CHECK(parse(text)->op(OpId(1)).attrs == op.attrs);
}

TEST_CASE("activations and their bounds") {
  Graph graph = tinyGraph();
  const TensorId z = addActivation(graph, "z");
  Op op = makeOp(OpKind::Add, "add", {*graph.findTensor("x"), *graph.findTensor("b")}, {z});
  op.act = Activation::Clip;
  op.attrs = AttrMap{{"act_min", -0.5}, {"act_max", std::numeric_limits<double>::infinity()}};
  graph.addOp(op);
  const std::string text = roundTrip(graph);
  CHECK(
      text.find("{op: Add, name: add, in: [x, b], out: [z], attrs: {act_max: .inf, act_min: -0.5}, "
                "act: Clip}\n") != std::string::npos);
}

TEST_CASE("tensors: scalars, zero dimensions, unknown shapes and types") {
  Graph graph = tinyGraph();
  Tensor unknown;
  unknown.name = "u";
  unknown.hasShape = false;
  const TensorId u = graph.addTensor(unknown);
  Tensor typed = unknown;
  typed.name = "t";
  typed.type = DType::Int64;
  const TensorId t = graph.addTensor(typed);
  const TensorId s = addActivation(graph, "s", {}, DType::Bool);
  const TensorId e = addActivation(graph, "e", {4, 0}, DType::Float16);
  Op op = makeOp(OpKind::Unknown, "odd", {}, {u, t, s, e});
  op.unknownKind = "a::b";
  graph.addOp(std::move(op));
  const std::string text = roundTrip(graph);
  CHECK(
      text.find("  - {name: u}\n  - {name: t, type: int64}\n  - {name: s, type: bool, shape: []}\n"
                "  - {name: e, type: float16, shape: [4, 0]}\n") != std::string::npos);
  const Expected<Graph> again = parse(text);
  CHECK_FALSE(again->tensor(*again->findTensor("u")).hasShape);
  CHECK(again->tensor(*again->findTensor("s")).hasShape);
}

TEST_CASE("quantization: per tensor, short and long per-channel arrays") {
  Graph graph = tinyGraph();
  std::vector<TensorId> results;
  const auto add = [&](const std::string& name, Shape shape, QuantParam quant) {
    Tensor tensor;
    tensor.name = name;
    tensor.type = DType::Int8;
    tensor.shape = std::move(shape);
    tensor.quant = std::move(quant);
    results.push_back(graph.addTensor(std::move(tensor)));
  };
  add("a", {2}, {{0.1F}, {0}, -1});
  add("q", {2}, {{1e-30F}, {-128}, -1});
  add("c", {1, 2}, {{0.25F}, {3}, 0});
  add("d", {2, 3}, {{1.0F, 2.0F, 3.0F}, {0, 0, 0}, 1});
  std::vector<float> scales(20);
  std::vector<int32_t> zeros(20, 1);
  std::iota(scales.begin(), scales.end(), 1.0F);
  add("e", {20, 3}, {scales, zeros, 0});
  add("f.scale", {6}, {{1e-45F, 2, 3, 4, 5, 6}, {0, 0, 0, 0, 0, 0}, 0});
  add("f", {6}, {{1, 2, 3, 4, 5, 6}, {0, 0, 0, 0, 0, 1}, 0});
  Op op = makeOp(OpKind::Unknown, "odd", {}, results);
  op.unknownKind = "a::b";
  graph.addOp(std::move(op));
  const std::string text = roundTrip(graph);
  CHECK(
      text.find(
          "  - {name: a, type: int8, shape: [2], quant: {scale: 0.1}}\n"
          "  - {name: q, type: int8, shape: [2], quant: {scale: 1.0e-30, zero_point: -128}}\n"
          "  - {name: c, type: int8, shape: [1, 2], quant: {axis: 0, scale: [0.25], zero_point: "
          "[3]}}\n"
          "  - {name: d, type: int8, shape: [2, 3], quant: {axis: 1, scale: [1.0, 2.0, 3.0]}}\n"
          "  - {name: e, type: int8, shape: [20, 3], quant: {axis: 0, scale: e.scale, zero_point: "
          "e.zero_point}}\n") != std::string::npos);
  // A tensor already has the derived name, so the array gets another one.
  CHECK(text.find("scale: f.scale_1, zero_point: f.zero_point") != std::string::npos);
  CHECK(text.find("  - {name: f.scale.scale, values: [1.0e-45, 2.0, 3.0, 4.0, 5.0, 6.0]}\n") !=
        std::string::npos);
  const Expected<Graph> again = parse(text);
  for (const TensorId id : graph.tensors())
    CHECK(again->tensor(*again->findTensor(graph.tensor(id).name)).quant == graph.tensor(id).quant);
}

TEST_CASE("ports: name, type, order of axes") {
  Graph graph;
  Tensor stored;
  stored.name = "x.nhwc";
  stored.type = DType::Int8;
  stored.shape = {1, 4, 5, 3};
  stored.quant = QuantParam{{0.5F}, {-1}, -1};
  const TensorId x = graph.addTensor(stored);
  stored.name = "b";
  const TensorId y = graph.addTensor(stored);
  Op op = makeOp(OpKind::Unknown, "odd", {x}, {y});
  op.unknownKind = "a::b";
  graph.addOp(std::move(op));
  graph.addInput({"x", x, DType::Float32, {1, 3, 4, 5}, {0, 2, 3, 1}});
  graph.addOutput({"b", y, DType::Int8, {1, 4, 5, 3}, {}});
  const std::string text = roundTrip(graph);
  CHECK(
      text.find(
          "  - {name: x, tensor: x.nhwc, type: float32, shape: [1, 3, 4, 5], perm: [0, 2, 3, 1]}\n"
          "outputs:\n  - {name: b}\n") != std::string::npos);
  const Port port = parse(text)->inputs()[0];
  CHECK(port.perm == std::vector<int64_t>{0, 2, 3, 1});
  CHECK(port.shape == Shape{1, 3, 4, 5});
}

TEST_CASE("tiled stages keep every field") {
  Graph graph = tinyGraph();
  graph.setLayout(Layout::ChannelsLast);
  graph.setForm(GraphForm::Planned);
  const TensorId x = *graph.findTensor("x");
  const TensorId y = *graph.findTensor("b");
  Plan plan;
  plan.budget = {1024, 4096, {}};
  plan.io = IoMode::Slow;
  Stage stage;
  stage.ops = {*graph.findOp("relu")};
  stage.loads = {x};
  stage.spills = {y};
  TiledStage tiled;
  tiled.tiles = {1, 2, 1, 3};
  tiled.bookkeeping = 80;
  tiled.buffers = {{x, 0, 40, 2}, {y, 40, 16, 0}};
  stage.execution = tiled;
  stage.peak = 144;
  stage.stats = {1, 2, 3, 4, 5};
  plan.stages = {stage};
  plan.slow = {{x, 0}, {y, 64}};
  graph.setPlan(plan);
  const std::string text = roundTrip(graph);
  CHECK(text.find(R"(
    - ops: [relu]
      mode: tiled
      load: [x]
      spill: [b]
      tiles: [1, 2, 1, 3]
      bookkeeping: 80
      buffers:
        - {tensor: x, offset: 0, bytes: 40, reload_axes: 2}
        - {tensor: b, offset: 40, bytes: 16}
      peak: 144
      stats: {slow_read_bytes: 1, slow_write_bytes: 2, kernel_calls: 3, recompute_macs: 4, halo_rows: 5}
)") != std::string::npos);
  std::string old = text;
  old.replace(old.find("bookkeeping"), std::string_view("bookkeeping").size(), "state");
  CHECK(print(*parse(old)) == text);
}

TEST_CASE("streamed stages keep every field") {
  Graph graph = tinyGraph();
  graph.setLayout(Layout::ChannelsLast);
  graph.setForm(GraphForm::Planned);
  const TensorId x = *graph.findTensor("x");
  const TensorId y = *graph.findTensor("b");
  Plan plan;
  plan.budget = {1024, 4096, {}};
  Stage stage;
  stage.ops = {*graph.findOp("relu")};
  stage.loads = {x};
  stage.spills = {y};
  StreamedStage streamed;
  streamed.residents = {{x, 128}};
  streamed.outer = 2;
  streamed.steps = 5;
  streamed.stripes = 3;
  streamed.bookkeeping = 80;
  streamed.buffers = {{{x, 128, 40, 2}, true}, {{y, 40, 16, 0}, false, true, 7}};
  stage.execution = streamed;
  stage.peak = 168;
  plan.stages = {stage};
  graph.setPlan(plan);
  const std::string text = roundTrip(graph);
  CHECK(text.find(R"(
      mode: streamed
      load: [x]
      spill: [b]
      fast:
        - {tensor: x, offset: 128}
      tiles: [2, 5, 3, 1]
      bookkeeping: 80
      buffers:
        - {tensor: x, offset: 128, bytes: 40, reload_axes: 2, in_place: true}
        - {tensor: b, offset: 40, bytes: 16, sink: true, wait: 7}
      peak: 168
)") != std::string::npos);
}

TEST_CASE("plans keep every field") {
  Graph graph = tinyGraph();
  graph.setLayout(Layout::ChannelsLast);
  graph.setForm(GraphForm::Planned);
  const TensorId x = *graph.findTensor("x");
  const TensorId y = *graph.findTensor("b");
  const OpId relu = *graph.findOp("relu");
  Plan plan;
  plan.budget = {1024, 4096, 0};
  plan.target = "cortex-m";
  plan.planner = "greedy";
  plan.optimize = "latency";
  plan.io = IoMode::Slow;
  plan.align = 16;
  Stage stage;
  stage.ops = {relu};
  stage.loads = {x};
  stage.spills = {y};
  stage.execution = WholeStage{{{x, 0}, {y, 32}}};
  stage.peak = 56;
  plan.stages = {stage};
  plan.slow = {{x, 0}, {y, 64}};
  plan.stats = {64, 88, 24, 24, 48, 1, 2, 3, 1, 56, relu};
  plan.bounds = {48, 48, "any order, untiled"};
  plan.provenOptimal = true;
  graph.setPlan(plan);
  const std::string text = roundTrip(graph);
  CHECK(text.substr(text.find("plan:")) == R"(plan:
  budget: {fast: 1024, slow: 4096, flash: 0}
  target: cortex-m
  planner: greedy
  optimize: latency
  io: slow
  align: 16
  stages:
    - ops: [relu]
      load: [x]
      spill: [b]
      fast:
        - {tensor: x, offset: 0}
        - {tensor: b, offset: 32}
      peak: 56
  slow:
    - {tensor: x, offset: 0}
    - {tensor: b, offset: 64}
  stats: {fast_peak_bytes: 64, slow_peak_bytes: 88, slow_read_bytes: 24, slow_write_bytes: 24, compulsory_bytes: 48, io_bytes: 1, macs: 2, recompute_macs: 3, kernel_calls: 1, unscheduled_peak_bytes: 56, peak_op: relu}
  bounds: {fast_peak_bytes: 48, slow_traffic_bytes: 48, class: "any order, untiled"}
  proven_optimal: true
)");

  plan = Plan();
  plan.budget.fast = 48;
  stage = Stage();
  stage.ops = {relu};
  plan.stages = {stage};
  graph.setPlan(plan);
  const Expected<Graph> again = parse(roundTrip(graph));
  CHECK_FALSE(again->plan()->budget.slow);
  CHECK_FALSE(again->plan()->stats.peakOp);
}
