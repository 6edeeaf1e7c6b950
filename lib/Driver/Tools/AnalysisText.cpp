// Formats an analysis as text and as JSON.
#include "tigris/Driver/Tools/Analysis.h"

#include "tigris/Driver/Tools/PlanReport.h"
#include "tigris/Inspect/Dump.h"
#include "tigris/Support/Printable.h"

namespace tigris {

namespace {

std::string line(std::string_view label, const std::string& text) {
  constexpr size_t TextColumn = 15;
  std::string padded(label);
  padded.resize(TextColumn, ' ');
  return padded + printable(text) + "\n";
}

std::string ofBudget(uint64_t bytes, const std::optional<uint64_t>& budget) {
  return budget ? strCat(describeBytes(bytes), " of ", formatBytes(*budget)) : describeBytes(bytes);
}

std::string opText(const NamedBytes& op) {
  return strCat("op '", printableName(op.name), "' (", printableName(op.what), ")");
}

std::string percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? "0.0 %"
                    : oneDigit(100 * static_cast<double>(part) / static_cast<double>(whole)) + " %";
}

std::string modelLine(const Analysis& analysis) {
  const Report& report = analysis.report;
  std::string text = strCat(report.model.empty() ? "(no name)" : printableName(report.model), ": ",
                            analysis.ops, analysis.ops == 1 ? " op, " : " ops, ");
  if (report.macs)
    text += strCat(*report.macs, " MACs, ");
  return line("model", strCat(text, describeBytes(report.weightBytes.value_or(0)), " of weights"));
}

std::string verdictLines(const Analysis& analysis) {
  if (!analysis.misfit)
    return line("verdict", "fits");
  std::string text = line("verdict", "does not fit: " + printableMessage(analysis.misfit->message));
  for (const std::string& note : analysis.misfit->notes)
    text += line("", printableMessage(note));
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

std::string peakLines(const Analysis& analysis) {
  const Report& report = analysis.report;
  std::string text;
  if (report.fastPeak) {
    text = line(
        "fast memory",
        strCat(ofBudget(*report.fastPeak, report.budgetFast), "; at least ",
               describeBytes(report.boundFast.value_or(0)), " (", report.boundClass.value_or(""),
               ")", report.provenOptimal.value_or(false) ? ", proven optimal in that class" : ""));
    if (analysis.peak)
      text += line("", strCat("peak at ", opText(*analysis.peak), ": ", peakParts(analysis)));
  }
  if (analysis.unscheduledPeak)
    text += line("unscheduled", strCat("peak ", describeBytes(analysis.unscheduledPeak->bytes),
                                       " at ", opText(*analysis.unscheduledPeak),
                                       ", in the model's order, nothing spilled or tiled"));
  if (const auto& largest = analysis.largestTensor)
    text += line("largest", strCat("tensor '", printableName(largest->name), "' ", largest->what,
                                   ", ", describeBytes(largest->bytes)));
  if (analysis.needs)
    text += line("needs",
                 strCat(describeBytes(analysis.needs->oneStage), " of fast memory for one stage, ",
                        describeBytes(analysis.needs->smallest), " for any plan"));
  return text;
}

std::string costLines(const Analysis& analysis) {
  const Report& report = analysis.report;
  if (!report.fastPeak)
    return {};
  const uint64_t chains = report.chains.value_or(0);
  const uint64_t traffic = *report.slowRead + *report.slowWrite;
  std::vector<std::string> kinds;
  const auto kind = [&](uint64_t count, const std::string& name) {
    if (count != 0)
      kinds.push_back(strCat(count, " ", name));
  };
  kind(analysis.wholeStages, "whole");
  kind(analysis.directStages, "direct");
  kind(report.tiledStages.value_or(0), "tiled");
  kind(report.streamedStages.value_or(0), "streamed");
  kind(chains, chains == 1 ? "chain" : "chains");
  std::string text = line("stages", strCat(report.stages.value_or(0), ": ", join(kinds, ", "), "; ",
                                           report.kernelCalls.value_or(0), " kernel calls"));
  text += line("interface", strCat(describeBytes(report.ioBytes.value_or(0)), " (",
                                   report.io.value_or(""), ")"));
  if (report.budgetSlow) {
    text += line("slow memory", ofBudget(report.slowPeak.value_or(0), report.budgetSlow));
    const uint64_t compulsory = report.compulsory.value_or(0);
    text += line("traffic",
                 strCat(describeBytes(traffic), " per inference: ", formatBytes(*report.slowRead),
                        " read, ", formatBytes(*report.slowWrite), " written; compulsory ",
                        describeBytes(compulsory),
                        compulsory == 0 ? std::string()
                                        : strCat(" (",
                                                 oneDigit(static_cast<double>(traffic) /
                                                          static_cast<double>(compulsory)),
                                                 "x)")));
  }
  text += line("recompute",
               strCat(report.recomputeMacs.value_or(0), " MACs (",
                      percent(report.recomputeMacs.value_or(0), report.macs.value_or(0)), ")"));
  const uint64_t flash = report.planBytes.value_or(0);
  std::string left;
  if (report.budgetFlash)
    left = flash <= *report.budgetFlash
               ? strCat(", ", formatBytes(*report.budgetFlash - flash), " left")
               : strCat(", ", formatBytes(flash - *report.budgetFlash), " too much");
  text += line("flash", strCat(ofBudget(flash, report.budgetFlash), left, ": weights ",
                               formatBytes(report.weightBytes.value_or(0)), ", metadata ",
                               formatBytes(report.metadataBytes.value_or(0))));
  return text;
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

void writeBudgets(JsonWriter& json, const std::vector<SizingRow>& rows) {
  json.key("budgets").beginArray();
  for (const SizingRow& row : rows) {
    json.beginObject(JsonWriter::Inline)
        .field("fast", row.fastBudget)
        .field("remark", row.remark)
        .field("fits", row.stats.has_value());
    if (row.stats)
      json.field("fast_peak_bytes", row.stats->fastPeakBytes)
          .field("slow_peak_bytes", row.stats->slowPeakBytes)
          .field("slow_read_bytes", row.stats->slowReadBytes)
          .field("slow_write_bytes", row.stats->slowWriteBytes)
          .field("recompute_macs", row.stats->recomputeMacs)
          .field("kernel_calls", row.stats->kernelCalls)
          .field("stages", row.stages)
          .field("tiled_stages", row.tiledStages)
          .field("streamed_stages", row.streamedStages);
    json.endObject();
  }
  json.endArray();
}

} // namespace

std::string analysisText(const Analysis& analysis, bool verbose) {
  std::string warnings;
  for (const Diagnostic& warning : analysis.warnings)
    warnings += line("warning", printableMessage(warning.message));
  std::string text;
  if (!analysis.refused.empty()) {
    text = line("verdict", strCat("refused for ", analysis.refused.size(),
                                  analysis.refused.size() == 1 ? " reason" : " reasons"));
    for (const Diagnostic& diagnostic : analysis.refused) {
      text += strCat("  ", printableMessage(diagnostic.message), " [", diagSpelling(diagnostic.id),
                     "]\n");
      for (const std::string& note : diagnostic.notes)
        text += strCat("    ", printableMessage(note), "\n");
    }
    return text + warnings;
  }
  text = modelLine(analysis) + verdictLines(analysis) + peakLines(analysis) + costLines(analysis) +
         warnings;
  if (verbose && !analysis.stages.empty())
    text += "\n" + analysis.stages;
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
    writeNamed(json, "unscheduled_peak", analysis.unscheduledPeak);
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
    writeBudgets(json, analysis.budgets);
  }
  json.endObject();
  return json.text();
}

} // namespace tigris
