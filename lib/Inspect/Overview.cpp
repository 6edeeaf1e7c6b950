// The overview is derived from the report, so that the dump and the JSON output agree.
#include "tigris/Inspect/Overview.h"

#include "tigris/Inspect/Dump.h"
#include "tigris/Inspect/TextTable.h"
#include "tigris/Support/Printable.h"

namespace tigris {

namespace {

std::string line(std::string_view label, const std::string& text) {
  constexpr size_t TextColumn = 14;
  std::string padded(label);
  padded.resize(TextColumn, ' ');
  return padded + printable(text) + "\n";
}

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
    text += line("target", *report.target);
  if (report.planner)
    text += line("planner", strCat(*report.planner, ", optimizes ", report.optimize.value_or(""),
                                   ", model inputs and outputs in ",
                                   *report.io == "caller"  ? "caller buffers"
                                   : *report.io == "arena" ? "the fast arena"
                                                           : "slow memory"));
  if (report.budgetFast || report.fastPeak)
    text += line("budget", strCat("fast ", limit(report.budgetFast), ", slow ",
                                  limit(report.budgetSlow), ", flash ", limit(report.budgetFlash)));
  if (report.fastPeak) {
    text += line("fast memory", strCat("peak ", describeBytes(*report.fastPeak)));
    text += line("slow memory", strCat("peak ", describeBytes(*report.slowPeak), ", reads ",
                                       describeBytes(*report.slowRead), ", writes ",
                                       describeBytes(*report.slowWrite), ", compulsory ",
                                       describeBytes(*report.compulsory)));
  }
  if (report.planBytes)
    text += line("flash", strCat(describeBytes(*report.planBytes), ": weights ",
                                 describeBytes(*report.weightBytes), ", metadata ",
                                 describeBytes(*report.metadataBytes)));
  else
    text += line("weights", describeBytes(*report.weightBytes));
  if (report.macs)
    text += line("work", strCat(*report.macs, " MACs, ", *report.recomputeMacs, " recomputed, ",
                                *report.kernelCalls, " kernel calls, ", *report.stages,
                                *report.stages == 1 ? " stage" : " stages"));
  if (report.boundClass && !report.boundClass->empty())
    text += line("bounds", strCat("fast peak >= ", describeBytes(*report.boundFast),
                                  ", slow traffic >= ", describeBytes(*report.boundTraffic), " (",
                                  *report.boundClass, ")",
                                  *report.provenOptimal ? "; proven optimal in that class" : ""));
  TextTable ports({"interface", "name", "type", "shape", "stored", "as", "quantization"});
  addPorts(ports, "input", report.inputs);
  addPorts(ports, "output", report.outputs);
  return text + "\n" + ports.text();
}

} // namespace tigris
