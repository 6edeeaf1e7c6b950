// The overview is derived from the report, so that the dump and the JSON output agree.
#include "tigris/Inspect/Overview.h"

#include "tigris/Inspect/Dump.h"
#include "tigris/Inspect/Figures.h"
#include "tigris/Support/Printable.h"

namespace tigris {

namespace {

std::string limit(const std::optional<uint64_t>& bytes) {
  return bytes ? formatBytes(*bytes) : "none";
}

std::string quantText(const PortReport& port) {
  return port.scale ? strCat("scale ", formatFloat(static_cast<float>(*port.scale)),
                             ", zero point ", port.zeroPoint.value_or(0))
                    : "";
}

void addPorts(TextTable& table, const char* direction, const std::vector<PortReport>& ports) {
  for (size_t i = 0; i < ports.size(); ++i) {
    const PortReport& port = ports[i];
    table.addRow(
        {strCat(direction, " ", i), port.name.empty() ? "(no name)" : printableName(port.name),
         std::string(dtypeName(port.type)), shapeText(port.shape),
         std::string(dtypeName(port.storedType)), shapeText(port.storedShape), quantText(port)});
  }
}

} // namespace

std::string describeBytes(uint64_t bytes) {
  return bytes < 1024 ? strCat(bytes, " bytes")
                      : strCat(formatBytes(bytes), " (", bytes, " bytes)");
}

std::string shapeText(const std::vector<int64_t>& dims) { return "[" + join(dims, ", ") + "]"; }

std::string overviewText(const Report& report) {
  std::string text;
  if (report.target)
    text += labeledLine("target", *report.target);
  if (report.planner)
    text +=
        labeledLine("planner", strCat(*report.planner, ", optimizes ", report.optimize.value_or(""),
                                      ", model inputs and outputs in ",
                                      *report.io == "caller"  ? "caller buffers"
                                      : *report.io == "arena" ? "the fast arena"
                                                              : "slow memory"));
  if (report.budgetFast || report.planStats() != nullptr)
    text += labeledLine("budget",
                        strCat("fast ", limit(report.budgetFast), ", slow ",
                               limit(report.budgetSlow), ", flash ", limit(report.budgetFlash)));
  text += figureText(report);
  TextTable ports({"interface", "name", "type", "shape", "stored", "as", "quantization"});
  addPorts(ports, "input", report.inputs);
  addPorts(ports, "output", report.outputs);
  return text + "\n" + ports.text();
}

} // namespace tigris
