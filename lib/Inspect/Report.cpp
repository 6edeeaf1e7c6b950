// Collects the figures under the key names that scripts use (docs/tools).
#include "tigris/IR/Repeats.h"
#include "tigris/Inspect/Figures.h"

namespace tigris {

namespace {

std::vector<int64_t> widen(std::span<const int32_t> dims) { return {dims.begin(), dims.end()}; }

std::optional<uint64_t> unlessNone(uint32_t value) {
  return value == TIGRIS_NONE ? std::nullopt : std::optional<uint64_t>(value);
}

std::optional<std::string> unlessNone(const PlanFile& file, uint32_t text) {
  return text == TIGRIS_NONE ? std::nullopt : std::optional<std::string>(file.string(text));
}

std::vector<PortReport> portsOf(const PlanFile& file, std::span<const tigris_port> ports) {
  std::vector<PortReport> result;
  for (const tigris_port& port : ports) {
    const tigris_tensor& tensor = file.tensor(port.tensor);
    PortReport& out = result.emplace_back();
    out.name = file.string(port.name);
    out.type = planDType(port.dtype);
    out.shape = widen(file.dims(port));
    out.storedType = planDType(tensor.dtype);
    out.storedShape = widen(file.dims(tensor));
    if (const tigris_quant* quant = file.quant(tensor)) {
      out.scale = quant->scale;
      out.zeroPoint = quant->zero_point;
    }
  }
  return result;
}

std::vector<PortReport> portsOf(const Graph& graph, const std::vector<Port>& ports) {
  std::vector<PortReport> result;
  for (const Port& port : ports) {
    const Tensor& tensor = graph.tensor(port.tensor);
    PortReport& out = result.emplace_back();
    out.name = port.name;
    out.type = port.type;
    out.shape = port.shape.dims();
    out.storedType = tensor.type;
    out.storedShape = tensor.shape.dims();
    if (tensor.quant && !tensor.quant->perChannel() && !tensor.quant->scale.empty()) {
      out.scale = tensor.quant->scale[0];
      out.zeroPoint = tensor.quant->zeroPoint[0];
    }
  }
  return result;
}

void writePorts(JsonWriter& json, const char* key, const std::vector<PortReport>& ports) {
  json.key(key).beginArray();
  for (const PortReport& port : ports) {
    json.beginObject(JsonWriter::Inline)
        .field("name", port.name)
        .field("dtype", dtypeName(port.type))
        .field("shape", port.shape)
        .field("stored_dtype", dtypeName(port.storedType))
        .field("stored_shape", port.storedShape)
        .field("scale", port.scale)
        .field("zero_point", port.zeroPoint)
        .endObject();
  }
  json.endArray();
}

const char* ioName(uint32_t mode) {
  return mode == TIGRIS_IO_SLOW ? "slow" : mode == TIGRIS_IO_CALLER ? "caller" : "arena";
}

/// SUMMARY has the figures of the plan, except for the op of the unscheduled peak.
PlanStats statsOf(const tigris_figures& summary) {
  PlanStats stats;
  stats.fastPeakBytes = summary.fast_peak;
  stats.slowPeakBytes = summary.slow_peak;
  stats.slowReadBytes = summary.slow_read;
  stats.slowWriteBytes = summary.slow_write;
  stats.compulsoryBytes = summary.compulsory;
  stats.ioBytes = summary.io_bytes;
  stats.macs = summary.macs;
  stats.recomputeMacs = summary.recompute_macs;
  stats.kernelCalls = summary.kernel_calls;
  stats.unscheduledPeakBytes = summary.unscheduled_peak;
  return stats;
}

std::vector<StageReport> stagesOf(const PlanFile& file) {
  std::vector<StageReport> stages;
  for (const tigris_stage& stage : file.stages()) {
    StageReport& out = stages.emplace_back();
    out.mode = planModeName(stage.mode);
    if (stage.mode != TIGRIS_STAGE_WHOLE)
      out.tiles = join(std::span(file.plan().tilings[stage.detail].tiles), "x");
    out.first = stage.first_op;
    out.ops = file.opCount(stage);
    if (out.ops != 0)
      out.firstOp = file.opName(out.first);
    if (!file.stageStats().empty()) {
      const tigris_stage_stats& stats = file.stageStats()[stages.size() - 1];
      out.stats = {stats.slow_read, stats.slow_write, stats.kernel_calls, stats.recompute_macs,
                   stats.halo_rows};
      out.peak = stats.peak;
    }
  }
  return stages;
}

std::vector<StageReport> stagesOf(const Graph& graph, const Plan& plan) {
  std::vector<StageReport> stages;
  size_t first = 0;
  for (const Stage& stage : plan.stages) {
    StageReport& out = stages.emplace_back();
    out.mode = stageModeName(stage.mode());
    if (stage.parts() != nullptr)
      out.tiles = join(stage.counts(), "x");
    out.first = first;
    out.ops = stage.ops.size();
    if (out.ops != 0)
      out.firstOp = graph.op(stage.ops[0]).name;
    out.peak = stage.peak;
    out.stats = stage.stats;
    first += out.ops;
  }
  return stages;
}

void addFigures(Report& report, const PlanFile& file, const tigris_figures& figures) {
  report.budgetFast = unlessNone(figures.budget_fast);
  report.budgetSlow = unlessNone(figures.budget_slow);
  report.budgetFlash = unlessNone(figures.budget_flash);
  report.planner = unlessNone(file, figures.planner);
  report.optimize = unlessNone(file, figures.optimize);
  report.stats = statsOf(figures);
  report.counts = {file.plan().stage_count, figures.tiled_stages, figures.streamed_stages,
                   figures.chains};
  report.weightBytes = figures.weight_bytes;
  report.bounds = {figures.bound_fast_peak, figures.bound_slow_traffic,
                   std::string(file.string(figures.bound_class))};
}

} // namespace

Report reportOf(const PlanFile& file) {
  const tigris_summary& summary = file.summary();
  Report report;
  report.model = file.string(summary.model);
  report.formatVersion = file.formatVersion();
  report.form = "emitted";
  report.inputs = portsOf(file, file.inputs());
  report.outputs = portsOf(file, file.outputs());
  report.target = file.target();
  report.io = ioName(summary.io_mode);
  const bool copies = (summary.flags & TIGRIS_SUMMARY_COPY) != 0;
  report.weightMemory = weightMemoryName(copies ? WeightMemory::Copy : WeightMemory::Map);
  report.kernelScratch = summary.scratch_bytes;
  report.ram = ramUse(file);
  report.stages = stagesOf(file);
  report.planBytes = file.fileBytes();
  report.weightBytes = file.plan().weight_bytes;
  report.metadataBytes = file.metadataBytes();
  report.weightBlocks = file.weightBlocks().size();
  report.packedBytes = report.unpackedBytes = 0;
  for (const tigris_weight_block& block : file.weightBlocks()) {
    *report.packedBytes += block.packed_bytes;
    *report.unpackedBytes += block.bytes;
  }
  report.fastReserved = summary.fast_reserved;
  report.provenOptimal = (summary.flags & TIGRIS_SUMMARY_PROVEN_OPTIMAL) != 0;
  if (const tigris_figures* figures = file.figures())
    addFigures(report, file, *figures);
  return report;
}

void Report::setStats(const Graph& graph, const PlanStats& known) {
  stats = known;
  stats->peakOp = {};
  if (known.peakOp)
    peakOp = {graph.op(known.peakOp).name, std::string(graph.op(known.peakOp).kindName())};
}

Report reportOf(const Graph& graph) {
  Report report;
  report.model = graph.modelName();
  report.formatVersion = 1;
  report.form = graphFormName(graph.form());
  report.inputs = portsOf(graph, graph.inputs());
  report.outputs = portsOf(graph, graph.outputs());
  uint64_t weights = 0;
  for (const TensorId id : graph.tensors())
    if (const Tensor& tensor = graph.tensor(id); tensor.isConstant())
      weights += tensor.bytes();
  report.weightBytes = weights;
  if (!graph.plan())
    return report;
  const Plan& plan = *graph.plan();
  report.budgetFast = plan.budget.fast;
  report.budgetSlow = plan.budget.slow;
  report.budgetFlash = plan.budget.flash;
  report.planner = plan.planner;
  report.optimize = plan.optimize;
  report.target = plan.target;
  report.io = std::string(ioModeName(plan.io));
  report.weightMemory = weightMemoryName(plan.weights);
  report.kernelScratch = plan.scratch;
  report.ram = ramUse(graph, plan);
  report.setStats(graph, plan.stats);
  for (const OpId id : graph.order())
    if (const Op& op = graph.op(id); isRepeat(op))
      report.repeatedOps.push_back(op.attrs.getString(RepeatKey));
  report.counts = countStages(plan);
  report.stages = stagesOf(graph, plan);
  report.bounds = plan.bounds;
  report.provenOptimal = plan.provenOptimal;
  return report;
}

Report reportOf(const PlanFile& file, const Graph& graph) {
  Report report = reportOf(file);
  Report ofModule = reportOf(graph);
  TIGRIS_CHECK(report.stages.size() == ofModule.stages.size());
  report.stages = std::move(ofModule.stages);
  if (!report.stats) {
    report.stats = ofModule.stats;
    report.counts = ofModule.counts;
    report.bounds = std::move(ofModule.bounds);
  }
  report.peakOp = std::move(ofModule.peakOp);
  report.repeatedOps = std::move(ofModule.repeatedOps);
  return report;
}

void writeReport(JsonWriter& json, const Report& report) {
  json.field("model", report.model);
  json.field("format_version", report.formatVersion);
  json.field("form", report.form);
  writePorts(json, "inputs", report.inputs);
  writePorts(json, "outputs", report.outputs);
  json.key("budget")
      .beginObject(JsonWriter::Inline)
      .field("fast", report.budgetFast)
      .field("slow", report.budgetSlow)
      .field("flash", report.budgetFlash)
      .endObject();
  json.field("planner", report.planner);
  json.field("optimize", report.optimize);
  json.field("target", report.target);
  json.field("io", report.io);
  json.field("weight_memory", report.weightMemory);
  writeStats(json, report.stats ? &*report.stats : nullptr, report.modelOnly);
  if (!report.repeatedOps.empty())
    json.field("repeated_ops", report.repeatedOps);
  json.field("kernel_scratch_bytes", report.kernelScratch);
  json.key("ram_bytes").beginObject(JsonWriter::Inline);
  for (const RamPart& part : RamParts)
    json.field(part.key, report.ram ? std::optional((*report.ram).*part.bytes) : std::nullopt);
  json.field("total", report.ram ? std::optional(report.ram->total()) : std::nullopt).endObject();
  writeCounts(json, report.counts ? &*report.counts : nullptr);
  json.field("plan_bytes", report.planBytes);
  json.field("weight_bytes", report.weightBytes);
  json.field("metadata_bytes", report.metadataBytes);
  json.key("compression")
      .beginObject(JsonWriter::Inline)
      .field("blocks", report.weightBlocks)
      .field("packed_bytes", report.packedBytes)
      .field("unpacked_bytes", report.unpackedBytes)
      .field("fast_reserved_bytes", report.fastReserved)
      .endObject();
  json.key("bounds").beginObject(JsonWriter::Inline);
  for (const StatField<PlanBounds>& field : PlanBoundFields)
    json.field(field.key,
               report.bounds ? std::optional((*report.bounds).*field.member) : std::nullopt);
  json.field("class", report.bounds ? std::optional(report.bounds->planClass) : std::nullopt)
      .endObject();
  json.field("proven_optimal", report.provenOptimal);
  writeStages(json, report);
}

} // namespace tigris
