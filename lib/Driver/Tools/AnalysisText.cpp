// Formats an analysis as text and as JSON.
#include "tigris/Driver/Tools/Analysis.h"

#include "tigris/Driver/Tools/PlanReport.h"
#include "tigris/Inspect/Dump.h"
#include "tigris/Inspect/Figures.h"
#include "tigris/Support/Printable.h"

namespace tigris {

namespace {

std::string opText(const NamedBytes& op) {
  return strCat("op '", printableName(op.name), "' (", printableName(op.what), ")");
}

std::string modelLine(const Analysis& analysis) {
  const Report& report = analysis.report;
  std::string text = strCat(report.model.empty() ? "(no name)" : printableName(report.model), ": ",
                            analysis.ops, analysis.ops == 1 ? " op, " : " ops, ");
  if (report.stats)
    text += strCat(report.stats->macs, " MACs, ");
  return labeledLine("model",
                     strCat(text, describeBytes(report.weightBytes.value_or(0)), " of weights"));
}

std::string verdictLines(const Analysis& analysis) {
  if (!analysis.misfit)
    return labeledLine("verdict", "fits");
  std::string text =
      labeledLine("verdict", "does not fit: " + printableMessage(analysis.misfit->message));
  for (const std::string& note : analysis.misfit->notes)
    text += labeledLine("", printableMessage(note));
  return text;
}

/// The parts of the peak, with the names of the largest tensors.
std::string peakParts(const Analysis& analysis) {
  constexpr size_t Shown = 4;
  std::vector<std::string> names;
  uint64_t others = 0;
  for (const NamedBytes& tensor : analysis.peakTensors)
    if (names.size() < Shown)
      names.push_back(strCat("'", printableName(tensor.name), "' ", formatBytes(tensor.bytes)));
    else
      others += tensor.bytes;
  std::string text = join(names, ", ");
  if (others != 0)
    text +=
        strCat(" and ", analysis.peakTensors.size() - Shown, " more with ", formatBytes(others));
  if (analysis.peakGaps != 0)
    text += strCat("; ", formatBytes(analysis.peakGaps), " in gaps between them");
  return text;
}

std::string withoutSlowText(const std::optional<MemoryAnswer>& answer) {
  return answer ? strCat(answer->fits ? "possible" : "impossible", ": needs at least ",
                         describeBytes(answer->smallestFast), " of fast memory")
                : "excluded by the options";
}

/// "possible: needs 648 KiB of slow memory (PSRAM); ...".
std::string withSlowText(const std::optional<MemoryAnswer>& answer) {
  if (!answer)
    return "excluded by the options";
  const std::string need =
      !answer->fits ? "impossible"
      : *answer->slowBytes == 0
          ? "possible: needs none"
          : strCat("possible: needs ", formatBytes(*answer->slowBytes), " of slow memory (PSRAM)");
  return strCat(need, "; from ", describeBytes(answer->smallestFast),
                " of fast memory on, all ops run in fast memory");
}

std::string memoryLines(const Analysis& analysis) {
  std::string text;
  for (const FigureLine& line : contentLines(analysis.content))
    text += labeledLine(line.label, line.text);
  if (analysis.peak)
    text += labeledLine("peak", strCat("at ", opText(*analysis.peak), ": ", peakParts(analysis)));
  if (const auto& largest = analysis.largestTensor)
    text += labeledLine("largest", strCat("tensor '", printableName(largest->name), "' ",
                                          largest->what, ", ", describeBytes(largest->bytes)));
  if (analysis.needs)
    text += labeledLine(
        "one stage", strCat("needs ", describeBytes(analysis.needs->oneStage), " of fast memory"));
  return text + labeledLine("without slow", withoutSlowText(analysis.withoutSlow)) +
         labeledLine("with slow", withSlowText(analysis.withSlow));
}

/// The stages, under the memory of their plan unless it is the plan that was asked for.
std::string stageLines(const Analysis& analysis) {
  const Report& report = analysis.nearest ? *analysis.nearest : analysis.report;
  if (report.stages.empty())
    return "";
  std::string title;
  if (analysis.nearest) {
    title = strCat("nearest plan, with ", formatBytes(*report.budgetFast), " of fast memory");
    if (const uint64_t slow = report.stats->slowPeakBytes; slow != 0)
      title += strCat(" and ", formatBytes(slow), " of slow memory (PSRAM)");
    title += "\n";
  }
  return "\n" + title + stageTable(report).text();
}

/// The op at which live bytes peak in the model's own order, nothing tiled.
std::optional<NamedBytes> unscheduledPeak(const Report& report) {
  if (!report.peakOp)
    return std::nullopt;
  return NamedBytes{report.peakOp->name, report.peakOp->kind, report.stats->unscheduledPeakBytes};
}

void writeNamed(JsonWriter& json, const char* key, const std::optional<NamedBytes>& named) {
  json.key(key);
  if (!named) {
    json.value(std::optional<uint64_t>());
    return;
  }
  json.beginObject(JsonWriter::Inline)
      .field("name", named->name)
      .field("what", named->what)
      .field("bytes", named->bytes)
      .endObject();
}

void writeAnswer(JsonWriter& json, const char* key, const std::optional<MemoryAnswer>& answer) {
  json.key(key);
  if (!answer) {
    json.value(std::optional<uint64_t>());
    return;
  }
  json.beginObject(JsonWriter::Inline)
      .field("fits", answer->fits)
      .field("smallest_fast_bytes", answer->smallestFast)
      .field("slow_bytes", answer->slowBytes)
      .endObject();
}

void writeDiagnostics(JsonWriter& json, const char* key, const std::vector<Diagnostic>& list) {
  json.key(key).beginArray();
  for (const Diagnostic& diagnostic : list)
    json.beginObject(JsonWriter::Inline)
        .field("id", diagSpelling(diagnostic.id))
        .field("message", diagnostic.message)
        .field("notes", diagnostic.notes)
        .endObject();
  json.endArray();
}

} // namespace

std::string analysisText(const Analysis& analysis, bool verbose) {
  std::string warnings;
  for (const Diagnostic& warning : analysis.warnings)
    warnings += labeledLine("warning", printableMessage(warning.message));
  std::string text;
  if (!analysis.refused.empty()) {
    text = labeledLine("verdict", strCat("refused for ", analysis.refused.size(),
                                         analysis.refused.size() == 1 ? " reason" : " reasons"));
    for (const Diagnostic& diagnostic : analysis.refused) {
      text += strCat("  ", printableMessage(diagnostic.message), " [", diagSpelling(diagnostic.id),
                     "]\n");
      for (const std::string& note : diagnostic.notes)
        text += strCat("    ", printableMessage(note), "\n");
    }
    return text + warnings;
  }
  text = modelLine(analysis) + verdictLines(analysis) + figureText(analysis.report) +
         memoryLines(analysis) + warnings;
  text += stageLines(analysis);
  if (verbose)
    text += strCat("\nlifetimes in steps\n", lifetimeTable(analysis.content).text(), "\ntimeline\n",
                   timelineTable(analysis.content).text());
  return text + "\nother budgets\n" + sizingText(analysis.budgets);
}

std::string analysisJson(const Analysis& analysis) {
  JsonWriter json;
  json.beginObject();
  json.field("fits", analysis.fits());
  writeDiagnostics(json, "refused", analysis.refused);
  writeDiagnostics(json, "blocked_by",
                   analysis.misfit ? std::vector<Diagnostic>{*analysis.misfit}
                                   : std::vector<Diagnostic>());
  writeDiagnostics(json, "warnings", analysis.warnings);
  if (analysis.refused.empty()) {
    writeReport(json, analysis.report);
    json.field("ops", analysis.ops);
    json.key("needs")
        .beginObject(JsonWriter::Inline)
        .field("one_stage", analysis.needs ? std::optional(analysis.needs->oneStage) : std::nullopt)
        .field("smallest", analysis.needs ? std::optional(analysis.needs->smallest) : std::nullopt)
        .endObject();
    writeAnswer(json, "without_slow_memory", analysis.withoutSlow);
    writeAnswer(json, "with_slow_memory", analysis.withSlow);
    json.key("nearest_plan");
    if (analysis.nearest) {
      json.beginObject();
      writeReport(json, *analysis.nearest);
      json.endObject();
    } else {
      json.value(std::optional<uint64_t>());
    }
    writeNamed(json, "unscheduled_peak", unscheduledPeak(analysis.report));
    writeNamed(json, "largest_tensor", analysis.largestTensor);
    writeNamed(json, "peak", analysis.peak);
    json.key("peak_tensors").beginArray();
    for (const NamedBytes& tensor : analysis.peakTensors)
      json.beginObject(JsonWriter::Inline)
          .field("name", tensor.name)
          .field("what", tensor.what)
          .field("bytes", tensor.bytes)
          .endObject();
    json.endArray();
    json.field("peak_gap_bytes", analysis.peak ? std::optional(analysis.peakGaps) : std::nullopt);
    json.field("compressed_bytes", analysis.compressedBytes);
    writeSizing(json, analysis.budgets);
    writeContent(json, analysis.content, {});
  }
  json.endObject();
  return json.text();
}

} // namespace tigris
