// Collects the figures under the key names that scripts use (docs/tools).
#include "tigris/Inspect/Report.h"

namespace tigris {

namespace {

std::vector<int64_t> widen(std::span<const int32_t> dims) { return {dims.begin(), dims.end()}; }

std::optional<uint64_t> unlessNone(uint32_t value) {
  return value == TIGRIS_NONE ? std::nullopt : std::optional<uint64_t>(value);
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

} // namespace

Report reportOf(const PlanFile& file) {
  const tigris_summary& summary = file.summary();
  Report report;
  report.model = file.string(summary.model);
  report.formatVersion = file.formatVersion();
  report.stage = "emitted";
  report.inputs = portsOf(file, file.inputs());
  report.outputs = portsOf(file, file.outputs());
  report.budgetFast = unlessNone(summary.budget_fast);
  report.budgetSlow = unlessNone(summary.budget_slow);
  report.budgetFlash = unlessNone(summary.budget_flash);
  report.planner = file.string(summary.planner);
  report.optimize = file.string(summary.optimize);
  report.target = file.string(summary.target);
  report.io = ioName(summary.io_mode);
  report.fastPeak = summary.fast_peak;
  report.kernelScratch = summary.scratch_bytes;
  report.slowPeak = summary.slow_peak;
  report.slowRead = summary.slow_read;
  report.slowWrite = summary.slow_write;
  report.compulsory = summary.compulsory;
  report.recomputeMacs = summary.recompute_macs;
  report.macs = summary.macs;
  report.kernelCalls = summary.kernel_calls;
  report.ioBytes = summary.io_bytes;
  report.stages = summary.stages;
  report.tiledStages = summary.tiled_stages;
  report.streamedStages = summary.streamed_stages;
  report.chains = summary.chains;
  report.unscheduledPeak = summary.unscheduled_peak;
  report.planBytes = file.fileBytes();
  report.weightBytes = summary.weight_bytes;
  report.metadataBytes = file.metadataBytes();
  report.boundFast = summary.bound_fast_peak;
  report.boundTraffic = summary.bound_slow_traffic;
  report.boundClass = file.string(summary.bound_class);
  report.weightBlocks = file.weightBlocks().size();
  report.packedBytes = report.unpackedBytes = 0;
  for (const tigris_weight_block& block : file.weightBlocks()) {
    *report.packedBytes += block.packed_bytes;
    *report.unpackedBytes += block.bytes;
  }
  report.fastReserved = summary.fast_reserved;
  report.provenOptimal = (summary.flags & TIGRIS_SUMMARY_PROVEN_OPTIMAL) != 0;
  return report;
}

Report reportOf(const Graph& graph) {
  Report report;
  report.model = graph.modelName();
  report.formatVersion = 1;
  report.stage = graphFormName(graph.form());
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
  const PlanStats& stats = plan.stats;
  report.fastPeak = stats.fastPeakBytes;
  report.kernelScratch = plan.scratch;
  report.slowPeak = stats.slowPeakBytes;
  report.slowRead = stats.slowReadBytes;
  report.slowWrite = stats.slowWriteBytes;
  report.compulsory = stats.compulsoryBytes;
  report.recomputeMacs = stats.recomputeMacs;
  report.macs = stats.macs;
  report.kernelCalls = stats.kernelCalls;
  report.ioBytes = stats.ioBytes;
  report.stages = plan.stages.size();
  report.tiledStages = 0;
  report.streamedStages = 0;
  report.chains = 0;
  for (const Stage& stage : plan.stages)
    if (hasTiles(stage.mode)) {
      ++*(stage.mode == StageMode::Tiled ? report.tiledStages : report.streamedStages);
      *report.chains += stage.ops.size() > 1 ? 1 : 0;
    }
  report.unscheduledPeak = stats.unscheduledPeakBytes;
  report.boundFast = plan.bounds.fastPeakBytes;
  report.boundTraffic = plan.bounds.slowTrafficBytes;
  report.boundClass = plan.bounds.planClass;
  report.provenOptimal = plan.provenOptimal;
  return report;
}

void writeReport(JsonWriter& json, const Report& report) {
  json.field("model", report.model);
  json.field("format_version", report.formatVersion);
  json.field("form", report.stage);
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
  json.field("fast_peak_bytes", report.fastPeak);
  json.field("kernel_scratch_bytes", report.kernelScratch);
  json.field("slow_peak_bytes", report.slowPeak);
  json.field("slow_read_bytes", report.slowRead);
  json.field("slow_write_bytes", report.slowWrite);
  json.field("compulsory_bytes", report.compulsory);
  json.field("recompute_macs", report.recomputeMacs);
  json.field("macs", report.macs);
  json.field("kernel_calls", report.kernelCalls);
  json.field("io_bytes", report.ioBytes);
  json.field("stages", report.stages);
  json.field("tiled_stages", report.tiledStages);
  json.field("streamed_stages", report.streamedStages);
  json.field("chains", report.chains);
  json.field("unscheduled_peak_bytes", report.unscheduledPeak);
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
  json.key("bounds")
      .beginObject(JsonWriter::Inline)
      .field("fast_peak_bytes", report.boundFast)
      .field("slow_traffic_bytes", report.boundTraffic)
      .field("class", report.boundClass)
      .endObject();
  json.field("proven_optimal", report.provenOptimal);
}

} // namespace tigris
