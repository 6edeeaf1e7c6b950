// Text of a stream: overview, operator counts, and the plan where there is one.
#include "tigris/Object/Dump.h"

#include "tigris/Object/Overview.h"
#include "tigris/Object/TextTable.h"

#include <map>

namespace tigris {

namespace {

std::string typeText(const Tensor& tensor) {
  std::string text = strCat(dtypeName(tensor.type), "[", join(tensor.shape.dims(), ","), "]");
  return tensor.hasShape ? text : strCat(dtypeName(tensor.type), "[?]");
}

std::string operandList(const Graph& graph, const std::vector<TensorId>& ids) {
  std::vector<std::string> texts;
  for (const TensorId id : ids)
    texts.push_back(id ? strCat(graph.tensor(id).name, ":", typeText(graph.tensor(id))) : "-");
  return join(texts, " ");
}

std::string names(const Graph& graph, const std::vector<TensorId>& ids) {
  std::vector<std::string> texts;
  for (const TensorId id : ids)
    texts.push_back(graph.tensor(id).name);
  return texts.empty() ? "-" : join(texts, " ");
}

std::string opCounts(const Graph& graph) {
  std::map<std::string, size_t> counts;
  for (const OpId id : graph.order())
    ++counts[std::string(graph.op(id).kindName())];
  std::vector<std::string> texts;
  for (const auto& [kind, count] : counts)
    texts.push_back(strCat(count, " ", kind));
  return texts.empty() ? "none" : join(texts, ", ");
}

std::string opTable(const Graph& graph) {
  TextTable table({">op", "kind", "name", "act", "inputs", "outputs"});
  size_t index = 0;
  for (const OpId id : graph.order()) {
    const Op& op = graph.op(id);
    table.addRow({strCat(index++), std::string(op.kindName()), op.name,
                  op.act == Activation::None ? "" : std::string(activationName(op.act)),
                  operandList(graph, op.inputs), operandList(graph, op.outputs)});
  }
  return table.text();
}

std::string stageText(const Graph& graph, const Plan& plan, bool details) {
  TextTable table({">stage", "mode", ">ops", "loads", "spills", ">peak bytes"});
  for (size_t i = 0; i < plan.stages.size(); ++i) {
    const Stage& stage = plan.stages[i];
    table.addRow({strCat(i), std::string(stageModeName(stage.mode)), strCat(stage.ops.size()),
                  names(graph, stage.loads), names(graph, stage.spills), strCat(stage.peak)});
  }
  std::string text = table.text();
  if (!details)
    return text;
  for (size_t i = 0; i < plan.stages.size(); ++i) {
    text += strCat("\nstage ", i, "\n");
    for (const OpId id : plan.stages[i].ops)
      text += strCat("  run   ", graph.op(id).kindName(), " ", graph.op(id).name, "\n");
  }
  return text;
}

std::string memoryText(const Graph& graph, const Plan& plan) {
  TextTable table({"memory", ">stage", ">offset", ">bytes", "tensor"});
  const auto add = [&](const char* memory, const std::string& stage, const Placement& placement) {
    const Tensor& tensor = graph.tensor(placement.tensor);
    table.addRow({memory, stage, strCat(placement.offset), strCat(tensor.bytes()), tensor.name});
  };
  for (size_t i = 0; i < plan.stages.size(); ++i)
    for (const Placement& placement : plan.stages[i].fast)
      add("fast", strCat(i), placement);
  for (const Placement& placement : plan.slow)
    add("slow", "", placement);
  return table.empty() ? "  nothing in planned memory\n" : table.text();
}

} // namespace

std::string dumpGraph(const Graph& graph, const DumpOptions& options) {
  size_t constants = 0;
  const std::vector<TensorId> tensors = graph.tensors();
  for (const TensorId id : tensors)
    constants += graph.tensor(id).isConstant() ? 1 : 0;
  std::string text =
      strCat("graph         ", graph.modelName().empty() ? "(no name)" : graph.modelName(), ", ",
             graphStageName(graph.stage()), ", opset ", graph.opset(), ", ",
             graph.layout() == Layout::ChannelsLast ? "channels last" : "channels first", "\n");
  for (const std::string& entry : graph.history())
    text += strCat("made by       ", entry, "\n");
  text += strCat("tensors       ", tensors.size() - constants, " activations, ", constants,
                 " constants\n");
  text += strCat("ops           ", graph.order().size(), ": ", opCounts(graph), "\n");
  text += overviewText(reportOf(graph));
  if (graph.plan()) {
    text += "\n" + stageText(graph, *graph.plan(), options.stages);
    if (options.memory)
      text += "\n" + memoryText(graph, *graph.plan());
  }
  if (options.ops)
    text += "\n" + opTable(graph);
  return text;
}

} // namespace tigris
