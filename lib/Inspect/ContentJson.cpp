// Writes the content of a module or plan file as JSON.
#include "tigris/Inspect/PlanContent.h"

#include <variant>

namespace tigris {

namespace {

void writeOperand(JsonWriter& json, const OperandContent& operand) {
  json.beginObject(JsonWriter::Inline)
      .field("tensor", operand.tensor)
      .field("memory", operand.memory)
      .field("offset", operand.offset)
      .endObject();
}

void writeOperands(JsonWriter& json, const char* key, const std::vector<OperandContent>& operands) {
  json.key(key).beginArray(JsonWriter::Inline);
  for (const OperandContent& operand : operands)
    writeOperand(json, operand);
  json.endArray();
}

void writeTensors(JsonWriter& json, const std::vector<TensorContent>& tensors) {
  json.key("tensors").beginArray();
  for (const TensorContent& tensor : tensors)
    json.beginObject(JsonWriter::Inline)
        .field("name", tensor.name)
        .field("role", tensor.role)
        .field("dtype", dtypeName(tensor.type))
        .field("shape", tensor.shape)
        .field("bytes", tensor.bytes)
        .field("scales", tensor.scales)
        .field("zero_points", tensor.zeroPoints)
        .field("axis", tensor.axis)
        .field("birth_step", tensor.birth)
        .field("death_step", tensor.death)
        .field("view_of", tensor.viewOf)
        .endObject();
  json.endArray();
}

void writeOps(JsonWriter& json, const std::vector<OpContent>& ops) {
  json.key("operators").beginArray();
  for (const OpContent& op : ops) {
    json.beginObject(JsonWriter::Inline)
        .field("name", op.name)
        .field("kind", op.kind)
        .field("stage", op.stage)
        .field("activation", op.activation);
    json.key("attributes").beginObject(JsonWriter::Inline);
    for (const auto& [name, value] : op.attrs)
      std::visit([&, &key = name](const auto& known) { json.field(key, known); }, value);
    json.endObject();
    writeOperands(json, "inputs", op.inputs);
    writeOperands(json, "outputs", op.outputs);
    json.field("origin", op.origin).endObject();
  }
  json.endArray();
}

void writeTransfers(JsonWriter& json, const char* key, const std::vector<TransferContent>& list) {
  json.key(key).beginArray(JsonWriter::Inline);
  for (const TransferContent& transfer : list)
    json.beginObject(JsonWriter::Inline)
        .field("tensor", transfer.tensor)
        .field("fast", transfer.fast)
        .field("slow", transfer.slow)
        .field("bytes", transfer.bytes)
        .endObject();
  json.endArray();
}

void writeBuffers(JsonWriter& json, const std::vector<BufferContent>& buffers) {
  json.key("buffers").beginArray();
  for (const BufferContent& buffer : buffers) {
    json.beginObject(JsonWriter::Inline)
        .field("tensor", buffer.tensor)
        .field("offset", buffer.offset)
        .field("bytes", buffer.bytes)
        .field("load", buffer.load)
        .field("store", buffer.store)
        .field("in_place", buffer.inPlace)
        .field("sink", buffer.sink)
        .field("reload_axes", buffer.reloadAxes)
        .field("wait", buffer.wait)
        .key("backing");
    writeOperand(json, buffer.backing);
    json.endObject();
  }
  json.endArray();
}

void writeTiling(JsonWriter& json, const StageContent& stage) {
  json.key("tiling");
  if (!stage.parts) {
    json.value(std::optional<uint64_t>());
    return;
  }
  json.beginObject().key("parts").beginArray(JsonWriter::Inline);
  for (const int64_t count : *stage.parts)
    json.value(count);
  json.endArray()
      .field("bookkeeping_offset", stage.bookkeepingOffset)
      .field("bookkeeping_bytes", stage.bookkeepingBytes);
  writeBuffers(json, stage.buffers);
  json.endObject();
}

void writeStageDetails(JsonWriter& json, const std::vector<StageContent>& stages) {
  json.key("stage_details").beginArray();
  for (const StageContent& stage : stages) {
    json.beginObject()
        .field("mode", stage.mode)
        .field("first_op", stage.first)
        .field("ops", stage.count);
    writeTransfers(json, "loads", stage.loads);
    writeTransfers(json, "spills", stage.spills);
    json.key("weight_blocks").beginArray(JsonWriter::Inline);
    for (const size_t block : stage.weightBlocks)
      json.value(block);
    json.endArray();
    writeTiling(json, stage);
    json.endObject();
  }
  json.endArray();
}

void writeMemoryBlocks(JsonWriter& json, const char* key, const std::vector<PictureBlock>& blocks) {
  json.key(key).beginArray();
  for (const PictureBlock& block : blocks)
    json.beginObject(JsonWriter::Inline)
        .field("tensor", block.name)
        .field("type", block.type)
        .field("offset", block.offset)
        .field("bytes", block.bytes)
        .field("first_step", block.first)
        .field("last_step", block.last)
        .field("role", block.role)
        .endObject();
  json.endArray();
}

/// The step of the plan's fast peak, and what it consists of.
void writePeak(JsonWriter& json, const PlanPicture& picture) {
  const PictureStep& step = picture.steps[picture.peakStep];
  json.key("peak")
      .beginObject()
      .field("step", picture.peakStep)
      .field("op", step.name)
      .field("bytes", step.top)
      .field("live_bytes", step.live)
      .field("gap_bytes", picture.peakGaps());
  json.key("blocks").beginArray();
  for (const PeakPart& part : picture.peakParts)
    json.beginObject(JsonWriter::Inline)
        .field("tensor", picture.fast[part.block].name)
        .field("bytes", part.bytes)
        .endObject();
  json.endArray().endObject();
}

void writeTimeline(JsonWriter& json, const PlanContent& content) {
  json.key("timeline").beginArray();
  for (size_t step = 0; step < content.live.size(); ++step) {
    json.beginObject(JsonWriter::Inline)
        .field("op", content.ops[step].name)
        .field("live_bytes", content.live[step]);
    const PictureStep* const planned = content.picture ? &content.picture->steps[step] : nullptr;
    json.field("fast_live_bytes", planned != nullptr ? std::optional(planned->live) : std::nullopt)
        .field("fast_top_bytes", planned != nullptr ? std::optional(planned->top) : std::nullopt)
        .endObject();
  }
  json.endArray();
}

void writeMemory(JsonWriter& json, const PlanContent& content) {
  json.key("memory").beginObject();
  writeTimeline(json, content);
  if (content.picture) {
    const PlanPicture& picture = *content.picture;
    writeMemoryBlocks(json, "fast", picture.fast);
    writeMemoryBlocks(json, "slow", picture.slow);
    if (!picture.steps.empty())
      writePeak(json, picture);
  }
  json.key("weight_blocks").beginArray();
  for (const WeightBlockContent& block : content.weightBlocks)
    json.beginObject(JsonWriter::Inline)
        .field("first_op", block.firstOp)
        .field("fast", block.fast)
        .field("packed_bytes", block.packedBytes)
        .field("bytes", block.bytes)
        .endObject();
  json.endArray().endObject();
}

} // namespace

void writeContent(JsonWriter& json, const PlanContent& content, const DumpOptions& parts) {
  const bool all = !parts.stages && !parts.memory && !parts.ops;
  writeTensors(json, content.tensors);
  if (all || parts.ops)
    writeOps(json, content.ops);
  if (all || parts.stages)
    writeStageDetails(json, content.stages);
  if (all || parts.memory)
    writeMemory(json, content);
}

} // namespace tigris
