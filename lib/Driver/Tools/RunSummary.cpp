// Formats the figures of a run as text and as JSON.
#include "tigris/Driver/Tools/RunSummary.h"

#include "tigris/Inspect/Dump.h"
#include "tigris/Support/Printable.h"

#include <algorithm>
#include <numeric>

namespace tigris {

namespace {

std::string against(uint64_t used, const std::optional<uint64_t>& predicted,
                    const std::optional<uint64_t>& budget) {
  std::string text = describeBytes(used);
  if (budget)
    text += " of " + formatBytes(*budget);
  if (predicted && *predicted != used)
    text += strCat(", predicted ", describeBytes(*predicted));
  return text;
}

std::string dynamicNote(const tigris_statistics& counted) {
  if (counted.dynamic == 0)
    return {};
  return strCat(", less than planned: placed while running, ",
                describeBytes(counted.overflow_bytes), " overflowed to slow memory");
}

std::string fallbackNote(const PlanRunner& runner) {
  const uint32_t calls = runner.statistics().fallback_calls;
  return calls == 0 ? std::string()
                    : strCat(", ", calls, " by reference kernels for lack of scratch");
}

void writeMeasured(JsonWriter& json, const PlanRunner& runner, double seconds) {
  const tigris_statistics& counted = runner.statistics();
  json.field("fast_peak_bytes", counted.fast_peak)
      .field("slow_peak_bytes", counted.slow_peak)
      .field("slow_read_bytes", counted.slow_read)
      .field("slow_write_bytes", counted.slow_write)
      .field("kernel_calls", counted.kernel_calls)
      .field("copied_weight_bytes", counted.weight_bytes)
      .field("dynamic", counted.dynamic != 0)
      .field("overflow_bytes", counted.overflow_bytes)
      .field("table_bytes", counted.table_bytes)
      .field("seconds", seconds)
      .field("executor_bytes", PlanRunner::executorBytes())
      .field("scratch_bytes", runner.scratchBytes())
      .field("fallback_ops", runner.fallbackOps())
      .field("fallback_calls", counted.fallback_calls);
}

} // namespace

std::string describeOutput(const PortView& port, const NpyArray& array) {
  const auto count = static_cast<size_t>(array.shape.elements());
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  const size_t shown = std::min<size_t>(count, 5);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    [&](size_t a, size_t b) {
                      const double x = elementAt(array, a);
                      const double y = elementAt(array, b);
                      return x != y ? x > y : a < b;
                    });
  std::vector<std::string> values;
  for (size_t i = 0; i < shown; ++i)
    values.push_back(strCat("[", order[i], "] ", elementAt(array, order[i])));
  return strCat("output '", printableName(port.name), "' ", dtypeName(array.type), " ",
                array.shape.str(), ", largest ", join(values, ", "), "\n");
}

std::string textSummary(const Report& report, const PlanRunner& runner, double seconds) {
  const tigris_statistics& counted = runner.statistics();
  const auto predicted = [&](uint64_t PlanStats::*member) {
    return report.stats ? std::optional((*report.stats).*member) : std::nullopt;
  };
  return strCat(
      "fast memory   ",
      against(counted.fast_peak, predicted(&PlanStats::fastPeakBytes), report.budgetFast),
      dynamicNote(counted), "\nslow memory   ",
      against(counted.slow_peak, predicted(&PlanStats::slowPeakBytes), report.budgetSlow),
      ", read ", describeBytes(counted.slow_read), ", written ", describeBytes(counted.slow_write),
      "\nflash         ", against(*report.planBytes, {}, report.budgetFlash),
      counted.weight_bytes == 0 ? std::string()
                                : strCat("\nweights       ", describeBytes(counted.weight_bytes),
                                         " brought to fast memory"),
      "\nwork          ", report.stats ? strCat(report.stats->macs, " MACs in ") : std::string(),
      counted.kernel_calls, " kernel calls", fallbackNote(runner), ", ",
      formatSignificant(seconds * 1e3, 3), " ms\n");
}

std::string jsonSummary(const Report& report, const PlanRunner& runner, double seconds,
                        const std::vector<ExpectedResult>& results, const Profile* profile) {
  JsonWriter json;
  json.beginObject();
  writeReport(json, report);
  json.key("measured").beginObject();
  writeMeasured(json, runner, seconds);
  json.endObject();
  json.key("compared").beginArray();
  for (const ExpectedResult& result : results)
    json.beginObject(JsonWriter::Inline)
        .field("name", result.name)
        .field("elements", result.comparison.elements)
        .field("max_abs_error", result.comparison.maxAbs)
        .field("max_rel_error", result.comparison.maxRel)
        .field("atol", result.comparison.atol)
        .endObject();
  json.endArray();
  if (profile) {
    json.key("profile");
    profile->write(json);
  }
  json.field("seconds", seconds);
  json.field("executor_bytes", PlanRunner::executorBytes());
  json.endObject();
  return json.text();
}

} // namespace tigris
