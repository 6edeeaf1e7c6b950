// Schedule, lifetimes and timeline as text.
#include "tigris/Inspect/PlanContent.h"

#include "tigris/Inspect/Overview.h"
#include "tigris/Support/Printable.h"

#include <algorithm>
#include <tuple>

namespace tigris {

namespace {

/// Indices of the tensors with lifetimes, by birth, then by death.
std::vector<size_t> byBirth(const std::vector<TensorContent>& tensors) {
  std::vector<size_t> order;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].birth)
      order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::tie(*tensors[a].birth, *tensors[a].death) <
           std::tie(*tensors[b].birth, *tensors[b].death);
  });
  return order;
}

std::string scheduleText(const PlanContent& content) {
  const std::vector<OpContent>& ops = content.ops;
  return strCat(ops.size(), ops.size() == 1 ? " step in " : " steps in ", content.stages.size(),
                content.stages.size() == 1 ? " stage, from op '" : " stages, from op '",
                printableName(ops.front().name), "' to op '", printableName(ops.back().name), "'");
}

std::string lifetimeText(const std::vector<TensorContent>& tensors) {
  const std::vector<size_t> order = byBirth(tensors);
  if (order.empty())
    return "no activations";
  const auto length = [&](size_t i) { return *tensors[i].death - *tensors[i].birth; };
  const size_t longest = *std::max_element(
      order.begin(), order.end(), [&](size_t a, size_t b) { return length(a) < length(b); });
  return strCat(order.size(), order.size() == 1 ? " activation" : " activations", ", longest '",
                printableName(tensors[longest].name), "' from step ", *tensors[longest].birth,
                " to step ", *tensors[longest].death);
}

std::string timelineText(const PlanContent& content) {
  const std::vector<uint64_t>& live = content.live;
  const auto peak = std::max_element(live.begin(), live.end());
  const auto step = static_cast<size_t>(peak - live.begin());
  return strCat("whole tensors take ", describeBytes(*std::min_element(live.begin(), live.end())),
                " to ", describeBytes(*peak), ", the most at step ", step, " (op '",
                printableName(content.ops[step].name), "')");
}

} // namespace

std::vector<FigureLine> contentLines(const PlanContent& content) {
  if (content.ops.empty())
    return {{"schedule", "no ops"}};
  return {{"schedule", scheduleText(content)},
          {"lifetimes", lifetimeText(content.tensors)},
          {"timeline", timelineText(content)}};
}

TextTable lifetimeTable(const PlanContent& content) {
  TextTable table({">birth", ">death", ">bytes", "type", "tensor", "remark"});
  for (const size_t i : byBirth(content.tensors)) {
    const TensorContent& tensor = content.tensors[i];
    const std::string type =
        strCat(dtypeName(tensor.type), " ", tensor.shape ? shapeText(*tensor.shape) : "[?]");
    std::string remark = tensor.role == "activation" ? "" : tensor.role;
    if (tensor.viewOf)
      remark += strCat(remark.empty() ? "" : ", ", "view of '",
                       printableName(content.tensors[*tensor.viewOf].name), "'");
    table.addRow({strCat(*tensor.birth), strCat(*tensor.death), strCat(tensor.bytes), type,
                  printableName(tensor.name), remark});
  }
  return table;
}

TextTable timelineTable(const PlanContent& content) {
  TextTable table({">step", ">stage", "kind", "op", ">live bytes", ">fast bytes", ">fast top"});
  for (size_t step = 0; step < content.ops.size(); ++step) {
    const OpContent& op = content.ops[step];
    const PictureStep* const planned = content.picture ? &content.picture->steps[step] : nullptr;
    table.addRow({strCat(step), op.stage ? strCat(*op.stage) : "-", printableName(op.kind),
                  printableName(op.name), strCat(content.live[step]),
                  planned != nullptr ? strCat(planned->live) : "-",
                  planned != nullptr ? strCat(planned->top) : "-"});
  }
  return table;
}

} // namespace tigris
