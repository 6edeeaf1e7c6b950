// Violates every rule of the verifier once; the message must name the culprit.
#include "tigris/IR/Verifier.h"

#include "IRTesting.h"
#include "tigris/IR/FormatLimits.h"

#include <functional>

using namespace tigris;
using namespace tigris::test;

namespace {

/// input [1, 8, 8, 3] -> Conv -> Relu -> output; legal in stage `normalized`.
struct Model : GraphBuilder {
  TensorId x;
  OpId conv;
  OpId relu;
  TensorId y;

  Model() {
    graph.setForm(GraphForm::Normalized);
    graph.setLayout(Layout::ChannelsLast);
    x = input({1, 8, 8, 3});
    const TensorId mid = inferred(OpKind::Conv, {x, weights({4, 3, 3, 3}), weights({4})});
    y = inferred(OpKind::Relu, {mid});
    output(y);
    conv = graph.order()[0];
    relu = graph.order()[1];
  }
  TensorId middle() const { return graph.op(conv).output(); }
};

/// The same with a plan: a single stage, and caller buffers for the interface.
struct PlannedModel : Model {
  PlannedModel() {
    graph.setForm(GraphForm::Planned);
    Plan plan;
    plan.budget.fast = 4096;
    plan.align = 16;
    Stage stage;
    stage.ops = graph.order();
    stage.execution = WholeStage{{{middle(), 32}}};
    stage.peak = 32 + 6 * 6 * 4 * 4;
    plan.stages.push_back(stage);
    graph.setPlan(plan);
  }
  void change(const std::function<void(Plan&)>& edit) {
    Plan plan = *graph.plan();
    edit(plan);
    graph.setPlan(plan);
  }
};

std::vector<Placement>& placements(Plan& plan) {
  return std::get<WholeStage>(plan.stages[0].execution).placements;
}

void checkBroken(const Graph& graph, DiagId id, const std::string& part) {
  DiagnosticEngine diagnostics;
  CHECK(!verifyGraph(graph, diagnostics));
  bool found = false;
  std::string all;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    found |= diagnostic.id == id && diagnostic.message.find(part) != std::string::npos;
    all += diagnostic.message + "\n";
  }
  INFO(all);
  CHECK_MESSAGE(found, "no diagnostic '", diagSpelling(id), "' with '", part, "'");
}

void checkLegal(const Graph& graph) {
  DiagnosticEngine diagnostics;
  const bool legal = verifyGraph(graph, diagnostics);
  CHECK_MESSAGE(legal, (diagnostics.all().empty() ? "" : diagnostics.all().front().message));
}

} // namespace

TEST_CASE("verify: legal graphs of every stage") {
  checkLegal(Graph());
  Model model;
  checkLegal(model.graph);
  model.graph.setForm(GraphForm::Imported);
  checkLegal(model.graph);
  checkLegal(PlannedModel().graph);
}

TEST_CASE("verify: operand and result counts") {
  Model m;
  m.graph.setInputs(m.conv, {m.x});
  checkBroken(m.graph, DiagId::BadArity, "has 1 operands, expected at least 2");
  Model n;
  n.graph.setInputs(n.relu, {n.x, n.x});
  checkBroken(n.graph, DiagId::BadArity, "has 2 operands, expected at most 1");
  Model o;
  o.graph.setInputs(o.conv, {TensorId(), o.graph.op(o.conv).input(1)});
  checkBroken(o.graph, DiagId::BadArity, "operand 'X' is missing");
  Model p;
  p.graph.setOutputs(p.relu, {p.y, p.tensor("extra", DType::Float32, {1})});
  checkBroken(p.graph, DiagId::BadArity, "has 2 results, expected at most 1");
}

TEST_CASE("verify: attributes") {
  Model m;
  m.graph.editOp(m.conv).attrs.set("stride", Ints{1, 1});
  checkBroken(m.graph, DiagId::BadAttr, "has no attribute 'stride'; did you mean 'strides'?");
  Model n;
  n.graph.editOp(n.conv).attrs.set("strides", int64_t{1});
  checkBroken(n.graph, DiagId::BadAttr, "attribute 'strides' is int, expected ints");
  Model o;
  o.graph.editOp(o.relu).act = Activation::Relu6;
  checkBroken(o.graph, DiagId::BadAttr, "cannot have the activation Relu6");
  Model p;
  p.graph.editOp(p.conv).attrs.set("act_min", 0.0);
  checkBroken(p.graph, DiagId::BadAttr, "has activation bounds, but its activation is None");
  p.graph.editOp(p.conv).act = Activation::Clip;
  checkLegal(p.graph);
  p.graph.editOp(p.conv).attrs.set("act_max", -1.0);
  checkBroken(p.graph, DiagId::BadAttr, "'act_min' is 0.0, above 'act_max', which is -1.0");
}

TEST_CASE("verify: a compile-time argument has one form") {
  GraphBuilder b;
  const TensorId x = b.input({4});
  b.inferred(OpKind::Reshape, {x, b.ints({2, 2})});
  checkLegal(b.graph);
  b.graph.editOp(b.graph.order()[0]).attrs.set("shape", Ints{2, 2});
  checkBroken(b.graph, DiagId::BadAttr, "'shape' is given as operand and as attribute");
  b.graph.editOp(b.graph.order()[0]).attrs.erase("shape");
  b.graph.setForm(GraphForm::Normalized);
  b.graph.setLayout(Layout::ChannelsLast);
  checkBroken(b.graph, DiagId::BadGraph, "operand 'shape' must have become an attribute");
}

TEST_CASE("verify: order and definitions") {
  Model m;
  m.graph.setOrder({m.relu, m.conv});
  checkBroken(m.graph, DiagId::BadGraph, "reads tensor 'y' before it is written");
  Model n;
  n.graph.setInput(n.conv, 0, n.tensor("nobody", DType::Float32, {1, 8, 8, 3}));
  checkBroken(n.graph, DiagId::BadGraph, "reads tensor 'nobody', which nothing writes");
  Model o;
  o.output(o.tensor("nobody", DType::Float32, {1}));
  checkBroken(o.graph, DiagId::BadGraph, "model output 'nobody': nothing writes tensor 'nobody'");
}

TEST_CASE("verify: constants hold exactly their shape's bytes and have no producer") {
  Model m;
  m.graph.editTensor(m.graph.op(m.conv).input(2)).data = makeBlob(std::vector<uint8_t>(15));
  checkBroken(m.graph, DiagId::BadWeights, "has 15 bytes of data, expected 16 for float32 [4]");
  Model n;
  n.graph.editTensor(n.y).data = makeBlob(std::vector<uint8_t>(6 * 6 * 4 * 4));
  checkBroken(n.graph, DiagId::BadGraph, "is a constant, but op 'Relu' writes it");
}

TEST_CASE("verify: tensors") {
  Model m;
  m.graph.editTensor(m.y).hasShape = false;
  checkBroken(m.graph, DiagId::DynamicShape, "tensor 'y_1': has no shape");
  Model n;
  n.graph.editTensor(n.y).type = DType::Undefined;
  checkBroken(n.graph, DiagId::BadType, "has no element type");
  Model o;
  o.graph.editTensor(o.y).shape = {0, int64_t{1} << 30, int64_t{1} << 30};
  checkBroken(o.graph, DiagId::BadShape, "is impossible");
  Model p;
  p.graph.editTensor(p.y).shape = {1, -1};
  checkBroken(p.graph, DiagId::BadShape, "is impossible");
}

TEST_CASE("verify: quantization") {
  const auto broken = [](const QuantParam& quant, DType type, DiagId id, const std::string& part) {
    GraphBuilder b;
    b.graph.editTensor(b.input({2, 3}, type)).quant = quant;
    checkBroken(b.graph, id, part);
  };
  broken({{1}, {0}, -1}, DType::Float32, DiagId::BadType, "only integers are quantized");
  broken({{1, 2}, {0}, -1}, DType::Int8, DiagId::BadValue, "has 2 scales and 1 zero points");
  broken({{1, 2}, {0, 0}, -1}, DType::Int8, DiagId::BadValue, "has 2 scales, expected 1");
  broken({{1, 2}, {0, 0}, 1}, DType::Int8, DiagId::BadValue, "has 2 scales, expected 3");
  broken({{1, 2}, {0, 0}, 2}, DType::Int8, DiagId::BadValue, "axis 2, outside a tensor of rank 2");
  broken({{0}, {0}, -1}, DType::Int8, DiagId::BadValue, "a scale of 0.0");
  broken({{HUGE_VALF}, {0}, -1}, DType::Int8, DiagId::BadValue, "a scale of .inf");
  broken({{1}, {128}, -1}, DType::Int8, DiagId::BadValue, "the zero point 128, outside int8");
  GraphBuilder b;
  b.graph.setForm(GraphForm::Normalized);
  b.graph.setLayout(Layout::ChannelsLast);
  const TensorId x = b.input({2, 3}, DType::Int8);
  checkBroken(b.graph, DiagId::BadType, "is int8, but has no scale and zero point");
  b.graph.editTensor(x).quant = QuantParam{{0.5F, 1, 2}, {0, -128, 127}, 1};
  checkLegal(b.graph);
}

TEST_CASE("verify: quantizing operators know their parameters") {
  GraphBuilder b;
  const TensorId q = b.inferred(OpKind::QuantizeLinear, {b.input({2})});
  checkBroken(b.graph, DiagId::BadGraph, "neither an operand 'scale' nor tensor 'y' specifies");
  b.graph.editTensor(q).quant = QuantParam{{0.5F}, {0}, -1};
  checkLegal(b.graph);
  b.inferred(OpKind::DequantizeLinear, {q});
  checkLegal(b.graph);
  const TensorId raw = b.input({2}, DType::Int8);
  b.inferred(OpKind::DequantizeLinear, {raw});
  checkBroken(b.graph, DiagId::BadGraph, "nor tensor 'x_1' specifies its quantization");
}

TEST_CASE("verify: a normalized graph is no larger than a plan can be") {
  for (const bool normalized : {true, false}) {
    GraphBuilder b;
    b.graph.setLayout(Layout::ChannelsLast);
    b.graph.setForm(normalized ? GraphForm::Normalized : GraphForm::Imported);
    TensorId last = b.input({int64_t{1} << 30});
    for (size_t i = 0; i < MaxPlanTensors; ++i)
      last = b.inferred(OpKind::Relu, {last});
    if (!normalized) {
      checkLegal(b.graph);
      continue;
    }
    checkBroken(b.graph, DiagId::UnsupportedOp,
                "the model has 65535 tensors, a plan supports at most 65534");
    checkBroken(b.graph, DiagId::UnsupportedOp,
                "has 4294967296 bytes, a plan supports at most 4294967295");
  }
}

TEST_CASE("verify: moved bytes keep their quantization") {
  GraphBuilder b;
  b.graph.setForm(GraphForm::Normalized);
  b.graph.setLayout(Layout::ChannelsLast);
  const TensorId x = b.input({2, 3}, DType::Int8);
  b.graph.editTensor(x).quant = QuantParam{{0.5F}, {0}, -1};
  const TensorId y = b.inferred(OpKind::Reshape, {x}, {{"shape", Ints{6}}});
  b.graph.editTensor(y).quant = QuantParam{{0.25F}, {0}, -1};
  checkBroken(b.graph, DiagId::BadType, "tensors 'x' and 'y' must have the same quantization");
  b.graph.editTensor(y).quant = QuantParam{{0.5F}, {0}, -1};
  checkLegal(b.graph);
}

TEST_CASE("verify: ports agree with their tensors") {
  const auto withPort = [](const Port& port, DType type, bool quantized) {
    GraphBuilder b;
    const TensorId id = b.tensor("t", type, {1, 4, 5, 2});
    if (quantized)
      b.graph.editTensor(id).quant = QuantParam{{1}, {0}, -1};
    Port linked = port;
    linked.tensor = id;
    b.graph.addInput(linked);
    return b.graph;
  };
  const Shape stored = {1, 4, 5, 2};
  const Shape outside = {1, 2, 4, 5};
  checkLegal(withPort({"p", {}, DType::Float32, stored, {}}, DType::Float32, false));
  checkLegal(withPort({"p", {}, DType::Float32, outside, {0, 2, 3, 1}}, DType::Int8, true));
  checkLegal(withPort({"p", {}, DType::UInt8, stored, {}}, DType::Int8, true));
  checkLegal(withPort({"p", {}, DType::Float16, stored, {}}, DType::Float32, false));
  checkLegal(withPort({"p", {}, DType::Float16, stored, {}}, DType::Int16, true));
  checkBroken(withPort({"p", {}, DType::Float16, stored, {}}, DType::Int32, false), DiagId::BadType,
              "is float16, but tensor 't' is int32");
  checkBroken(withPort({"p", {}, DType::Float32, stored, {}}, DType::Int8, false), DiagId::BadType,
              "model input 'p': is float32, but tensor 't' is int8");
  checkBroken(withPort({"p", {}, DType::Int8, stored, {}}, DType::Float32, false), DiagId::BadType,
              "is int8, but tensor 't' is float32");
  checkBroken(withPort({"p", {}, DType::Float32, outside, {}}, DType::Float32, false),
              DiagId::BadShape, "has shape [1, 2, 4, 5], but tensor 't' has [1, 4, 5, 2]");
  checkBroken(withPort({"p", {}, DType::Float32, outside, {0, 1, 2, 3}}, DType::Float32, false),
              DiagId::BadShape, "perm [0, 1, 2, 3], but tensor 't' has [1, 4, 5, 2]");
  checkBroken(withPort({"p", {}, DType::Float32, outside, {0, 2, 2, 1}}, DType::Float32, false),
              DiagId::BadShape, "'perm' is [0, 2, 2, 1]");
  checkBroken(withPort({"", {}, DType::Float32, stored, {}}, DType::Float32, false),
              DiagId::BadGraph, "has no name");
}

TEST_CASE("verify: a state is a model input like the output") {
  Model m;
  m.graph.editOutput(0).state = "nobody";
  checkBroken(m.graph, DiagId::BadGraph, "its state 'nobody' is not a model input");
  Model n;
  n.graph.editInput(0).state = "x";
  checkBroken(n.graph, DiagId::BadGraph, "model input 'x': only outputs have a state");
}

TEST_CASE("verify: model inputs are real and distinct") {
  Model m;
  m.graph.addInput(m.graph.inputs()[0]);
  checkBroken(m.graph, DiagId::DuplicateName, "two model inputs are named 'x'");
  checkBroken(m.graph, DiagId::BadGraph, "tensor 'x' is another input already");
  Model n;
  n.graph.setInputTensor(0, n.y);
  checkBroken(n.graph, DiagId::BadGraph, "op 'Relu' writes tensor 'y_1'");
  Model o;
  o.graph.setInputTensor(0, o.graph.op(o.conv).input(2));
  checkBroken(o.graph, DiagId::BadGraph, "is a constant");
}

TEST_CASE("verify: declared types and shapes equal the derived ones") {
  Model m;
  m.graph.editTensor(m.middle()).shape = {1, 6, 6, 5};
  checkBroken(m.graph, DiagId::BadShape,
              "op 'Conv' (Conv): result 'y' is declared [1, 6, 6, 5], but shape inference derives "
              "[1, 6, 6, 4]");
  Model n;
  n.graph.editTensor(n.middle()).type = DType::Int8;
  n.graph.editTensor(n.middle()).quant = QuantParam{{1}, {0}, -1};
  checkBroken(n.graph, DiagId::BadType, "is declared int8, but shape inference derives float32");
  Model o;
  o.graph.editOp(o.conv).attrs.set("group", 2);
  checkBroken(o.graph, DiagId::BadShape, "but the weights expect 3 in each of 2 groups");
  o.graph.editOp(o.conv).origin = {"/features/conv1"};
  DiagnosticEngine diagnostics;
  verifyGraph(o.graph, diagnostics);
  CHECK(diagnostics.all().front().notes.front() == "imported from ONNX node '/features/conv1'");
}

TEST_CASE("verify: imported graphs may hang on values that are not folded yet") {
  GraphBuilder b;
  const TensorId x = b.input({4});
  const TensorId shape = b.inferred(OpKind::Shape, {x});
  const OpId reshape = b.op(OpKind::Reshape, {x, shape});
  checkLegal(b.graph);
  Tensor& y = b.graph.editTensor(b.graph.op(reshape).output());
  y.hasShape = true;
  y.type = DType::Float32;
  y.shape = {4};
  checkLegal(b.graph);
}

TEST_CASE("verify: what normalization must have removed") {
  Model m;
  m.graph.setLayout(Layout::ChannelsFirst);
  checkBroken(m.graph, DiagId::BadGraph, "must be channels-last");
  Model n;
  n.output(n.inferred(OpKind::Identity, {n.y}));
  checkBroken(n.graph, DiagId::BadGraph, "is allowed only before normalization");
  Model o;
  Op op;
  op.kind = OpKind::Unknown;
  op.name = "magic";
  op.inputs = {o.y};
  op.outputs = {o.tensor("m", DType::Float32, {1})};
  const OpId id = o.graph.addOp(op);
  checkBroken(o.graph, DiagId::BadGraph, "an operator outside the list has no name");
  o.graph.editOp(id).unknownKind = "com.example::Magic";
  checkBroken(o.graph, DiagId::UnsupportedOp, "op 'magic' (com.example::Magic)");
  o.graph.setForm(GraphForm::Imported);
  checkLegal(o.graph);
}

TEST_CASE("verify: plans belong to planned graphs") {
  Model m;
  m.graph.setForm(GraphForm::Planned);
  checkBroken(m.graph, DiagId::BadPlan, "a graph of form 'planned' has no plan");
  PlannedModel n;
  n.graph.setForm(GraphForm::Normalized);
  checkBroken(n.graph, DiagId::BadPlan, "a graph of form 'normalized' has a plan");
}

TEST_CASE("verify: stages cover the execution order exactly once") {
  PlannedModel m;
  m.change([](Plan& plan) { plan.stages[0].ops.pop_back(); });
  checkBroken(m.graph, DiagId::BadPlan, "at position 1 they have nothing, the order has 'Relu'");
  PlannedModel n;
  n.change([](Plan& plan) { std::swap(plan.stages[0].ops[0], plan.stages[0].ops[1]); });
  checkBroken(n.graph, DiagId::BadPlan, "at position 0 they have 'Relu', the order has 'Conv'");
  PlannedModel o;
  o.change([](Plan& plan) { plan.stages.push_back(plan.stages[0]); });
  checkBroken(o.graph, DiagId::BadPlan, "at position 2 they have 'Conv', the order has nothing");
}

TEST_CASE("verify: placements are aligned, inside the budget and name activations once") {
  const auto broken = [](const std::function<void(PlannedModel&, Plan&)>& edit,
                         const std::string& part) {
    PlannedModel m;
    m.change([&](Plan& plan) { edit(m, plan); });
    checkBroken(m.graph, DiagId::BadPlan, part);
  };
  broken([](PlannedModel&, Plan& plan) { plan.align = 12; },
         "the alignment 12 is not a power of two");
  broken([](PlannedModel&, Plan& plan) { placements(plan)[0].offset = 8; },
         "tensor 'y' is at offset 8, not a multiple of 16");
  broken([](PlannedModel&, Plan& plan) { plan.budget.fast = 600; },
         "tensor 'y' ends at byte 608, the budget is 600");
  broken([](PlannedModel&, Plan& plan) { placements(plan).push_back(placements(plan)[0]); },
         "places tensor 'y' twice");
  broken([](PlannedModel&, Plan& plan) { placements(plan)[0].tensor = TensorId(99); },
         "names a tensor the graph does not have");
  broken(
      [](PlannedModel& m, Plan& plan) { placements(plan)[0].tensor = m.graph.op(m.conv).input(1); },
      "which is a constant");
  broken([](PlannedModel&, Plan& plan) { placements(plan).clear(); },
         "tensor 'y' of op 'Conv' has no place in fast memory");
  broken([](PlannedModel&, Plan& plan) { plan.io = IoMode::Arena; },
         "tensor 'x' of op 'Conv' has no place in fast memory");
  broken([](PlannedModel& m, Plan& plan) { plan.stages[0].loads = {m.x}; },
         "load of tensor 'x', which has no place in slow memory");
  broken(
      [](PlannedModel& m, Plan& plan) {
        plan.slow = {{m.x, 0}};
      },
      "tensors have places in slow memory, but there is none");
  broken(
      [](PlannedModel& m, Plan& plan) {
        plan.slow = {{m.x, 0}};
        plan.budget.slow = 700;
      },
      "slow memory: tensor 'x' ends at byte 768, the budget is 700");
  broken([](PlannedModel&, Plan& plan) { plan.scratch = 4096 - 600; },
         "tensor 'y' ends at byte 608, the budget is 4096, of which kernels need 3496");
  broken([](PlannedModel&, Plan& plan) { plan.scratch = 5000; },
         "kernels need 5000 bytes of scratch, the budget is 4096");
}
