// Text output for a module: overview, operator counts, and the plan if there is one.
#include "tigris/Inspect/Dump.h"

#include "tigris/Analysis/Overflow.h"
#include "tigris/Inspect/Figures.h"
#include "tigris/Inspect/Overview.h"
#include "tigris/Support/Printable.h"

#include <algorithm>
#include <iterator>
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
    texts.push_back(
        id ? strCat(printableName(graph.tensor(id).name), ":", typeText(graph.tensor(id))) : "-");
  return join(texts, " ");
}

std::string names(const Graph& graph, const std::vector<TensorId>& ids) {
  std::vector<std::string> texts;
  for (const TensorId id : ids)
    texts.push_back(printableName(graph.tensor(id).name));
  return texts.empty() ? "-" : join(texts, " ");
}

std::string opCounts(const Graph& graph) {
  std::map<std::string, size_t> counts;
  for (const OpId id : graph.order())
    ++counts[printableName(graph.op(id).kindName())];
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
    table.addRow({strCat(index++), printableName(op.kindName()), printableName(op.name),
                  op.act == Activation::None ? "" : std::string(activationName(op.act)),
                  operandList(graph, op.inputs), operandList(graph, op.outputs)});
  }
  return table.text();
}

/// The operands of an op that are among the tensors used in slow memory.
std::string slowText(const Graph& graph, const Op& op, const std::vector<TensorId>& slow) {
  std::vector<TensorId> used;
  for (const auto* operands : {&op.inputs, &op.outputs})
    std::copy_if(operands->begin(), operands->end(), std::back_inserter(used), [&](TensorId id) {
      return std::find(slow.begin(), slow.end(), id) != slow.end();
    });
  return used.empty() ? "" : strCat(", in slow memory: ", names(graph, used));
}

std::string stageDetails(const Graph& graph, const Plan& plan) {
  std::string text;
  for (size_t i = 0; i < plan.stages.size(); ++i) {
    const Stage& stage = plan.stages[i];
    text += strCat("\nstage ", i, ", ", stageModeName(stage.mode()), "\n");
    std::vector<TensorId> inPlace;
    stage.eachBuffer([&](const auto& buffer) {
      if (isInPlace(buffer))
        inPlace.push_back(buffer.tensor);
    });
    if (!inPlace.empty())
      text += strCat("  in place ", names(graph, inPlace), "\n");
    const std::vector<TensorId> slow = usedInSlow(plan, stage);
    text += strCat("  load  ", names(graph, stage.loads), "\n");
    for (const OpId id : stage.ops)
      text += strCat("  run   ", printableName(graph.op(id).kindName()), " ",
                     printableName(graph.op(id).name), slowText(graph, graph.op(id), slow), "\n");
    text += strCat("  spill ", names(graph, stage.spills), "\n");
  }
  return text;
}

std::string memoryText(const Graph& graph, const Plan& plan) {
  TextTable table({"memory", ">stage", ">offset", ">bytes", "tensor"});
  const auto add = [&](const char* memory, const std::string& stage, const Placement& placement,
                       uint64_t bytes) {
    table.addRow({memory, stage, strCat(placement.offset), strCat(bytes),
                  printableName(graph.tensor(placement.tensor).name)});
  };
  for (size_t i = 0; i < plan.stages.size(); ++i) {
    for (const Placement& placement : plan.stages[i].wholeTensors())
      add("fast", strCat(i), placement, graph.tensor(placement.tensor).bytes());
    plan.stages[i].eachBuffer([&](const auto& buffer) {
      if (!isInPlace(buffer)) // it has a line already
        add("fast", strCat(i), {buffer.tensor, buffer.offset}, buffer.bytes);
    });
  }
  for (const Placement& placement : plan.slow)
    add("slow", "", placement, graph.tensor(placement.tensor).bytes());
  return table.empty() ? "  nothing in planned memory\n" : table.text();
}

} // namespace

std::string dumpGraph(const Graph& graph, const DumpOptions& options) {
  size_t constants = 0;
  const std::vector<TensorId> tensors = graph.tensors();
  for (const TensorId id : tensors)
    constants += graph.tensor(id).isConstant() ? 1 : 0;
  std::string text = strCat(
      "graph         ", graph.modelName().empty() ? "(no name)" : printableName(graph.modelName()),
      ", ", graphFormName(graph.form()), ", opset ", graph.opset(), ", ",
      graph.layout() == Layout::ChannelsLast ? "channels last" : "channels first", "\n");
  for (const std::string& entry : graph.history())
    text += strCat("made by       ", printable(entry), "\n");
  text += strCat("tensors       ", tensors.size() - constants, " activations, ", constants,
                 " constants\n");
  text += strCat("ops           ", graph.order().size(), ": ", opCounts(graph), "\n");
  const Report report = reportOf(graph);
  text += overviewText(report);
  if (graph.plan()) {
    text += "\n" + stageTable(report).text();
    if (options.stages)
      text += stageDetails(graph, *graph.plan());
    if (options.memory)
      text += "\n" + memoryText(graph, *graph.plan());
  }
  if (options.ops)
    text += "\n" + opTable(graph);
  return text;
}

} // namespace tigris
