// Writes the data of the HTML page; the page itself is a resource (PlanPage.html).
#include "tigris/Inspect/Figures.h"
#include "tigris/Inspect/PictureParts.h"
#include "tigris/Support/Printable.h"

namespace tigris {

/// lib/Inspect/PlanPage.html.
extern const char PlanPage[];

namespace {

void writeBlocks(JsonWriter& json, const char* key, const std::vector<PictureBlock>& blocks) {
  json.key(key).beginArray();
  for (const PictureBlock& block : blocks)
    json.beginArray(JsonWriter::Inline)
        .value(block.name)
        .value(block.type)
        .value(block.offset)
        .value(block.bytes)
        .value(block.first)
        .value(block.last)
        .value(block.role)
        .endArray();
  json.endArray();
}

void writeStages(JsonWriter& json, const std::vector<PictureStage>& stages) {
  json.key("stages").beginArray();
  for (const PictureStage& stage : stages)
    json.beginObject(JsonWriter::Inline)
        .field("mode", stage.mode)
        .field("first", stage.first)
        .field("count", stage.count)
        .field("loads", stage.loads)
        .field("spills", stage.spills)
        .endObject();
  json.endArray();
}

void writePlan(JsonWriter& json, const PlanPicture& plan) {
  json.beginObject();
  json.key("report").beginObject();
  writeReport(json, plan.report);
  json.endObject();
  json.key("figures").beginArray();
  for (const FigureLine& line : figureLines(plan.report))
    json.beginArray(JsonWriter::Inline).value(line.label).value(line.text).endArray();
  json.endArray();
  json.key("stage_table");
  stageTable(plan.report).write(json);
  json.field("stage_note", missingStatsNote(plan.report));
  json.field("peak_step", plan.peakStep);
  json.key("peak_parts").beginArray();
  for (const PeakPart& part : plan.peakParts)
    json.beginArray(JsonWriter::Inline).value(part.block).value(part.bytes).endArray();
  json.endArray();
  json.field("peak_gaps", plan.peakGaps());
  json.key("steps").beginArray();
  for (const PictureStep& step : plan.steps)
    json.beginArray(JsonWriter::Inline)
        .value(step.name)
        .value(step.kind)
        .value(step.stage)
        .value(step.live)
        .value(step.top)
        .endArray();
  json.endArray();
  writeBlocks(json, "fast", plan.fast);
  writeBlocks(json, "slow", plan.slow);
  writeStages(json, plan.stages);
  json.key("ops").beginArray();
  for (const PictureOp& op : plan.ops)
    json.beginArray(JsonWriter::Inline)
        .value(op.name)
        .value(op.kind)
        .value(op.activation)
        .value(op.inputs)
        .value(op.outputs)
        .value(op.origin)
        .endArray();
  json.endArray();
  json.key("quants").beginArray();
  for (const PictureQuant& quant : plan.quants)
    json.beginArray(JsonWriter::Inline)
        .value(quant.tensor)
        .value(quant.type)
        .value(quant.scale)
        .value(quant.zeroPoint)
        .endArray();
  json.endArray();
  json.endObject();
}

/// Escapes '<', which occurs in JSON strings only, so that no text can end the script element.
std::string forScript(const std::string& json) {
  std::string result;
  for (const char c : json)
    if (c == '<')
      result += "\\u003c";
    else
      result += c;
  return result;
}

void replace(std::string& text, std::string_view mark, const std::string& by) {
  const size_t at = text.find(mark);
  TIGRIS_CHECK(at != std::string::npos);
  text.replace(at, mark.size(), by);
}

} // namespace

std::string htmlOf(const PlanPicture& plan, const PlanPicture* other) {
  JsonWriter json;
  json.beginArray();
  writePlan(json, withPrintableNames(plan));
  if (other != nullptr)
    writePlan(json, withPrintableNames(*other));
  json.endArray();
  std::string page = PlanPage;
  replace(page, "{{title}}",
          escapeMarkup(plan.report.model.empty() ? "plan" : printable(plan.report.model)));
  replace(page, "{{data}}", forScript(json.text()));
  return page;
}

} // namespace tigris
