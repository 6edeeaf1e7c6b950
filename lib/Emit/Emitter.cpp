// Emits ports, ops, stages and the summary, in that order.
#include "tigris/Emit/Emitter.h"

#include "tigris/Check/PlanChecker.h"
#include "tigris/Emit/OpLowering.h"
#include "tigris/Emit/WeightPacking.h"
#include "tigris/IR/FormatLimits.h"
#include "tigris/IR/PlanStats.h"
#include "tigris/Support/MathUtils.h"
#include "tigris/Support/StringUtils.h"
#include "tigris/Target/Target.h"

#include <algorithm>
#include <limits>

namespace tigris {

namespace {

class Emitter {
public:
  Emitter(const Graph& graph, const Plan& plan, const EmitOptions& options)
      : graph_(graph), plan_(plan), options_(options),
        context_(graph, plan, image_, !options.strip) {}

  Expected<std::string> run() {
    if (Status status = lower(); !status)
      return status.takeError();
    Expected<PlanSummary> summary = this->summary();
    if (!summary)
      return summary.takeError();
    if (compress() == Compression::Lz4 || plan_.weights == WeightMemory::Copy)
      if (Status status = pack(*summary); !status)
        return status.takeError();
    return image_.finish(*summary, options_.strip, options_.weightsFile);
  }

  Expected<std::map<OpId, uint64_t>> weightBytes() {
    if (Status status = lower(); !status)
      return status.takeError();
    std::map<OpId, uint64_t> result;
    const std::vector<uint64_t> bytes = copiedBytes(image_, plan_.align);
    for (size_t i = 0; i < bytes.size(); ++i)
      result[opOf_[i]] += alignUp(bytes[i], plan_.align);
    return result;
  }

  const PackedWeights& packed() const { return packed_; }

private:
  Compression compress() const { return options_.compress.value_or(plan_.compress); }

  /// Adds everything but the summary to the image.
  Status lower() {
    for (const Port& port : graph_.inputs())
      if (Status status = addPort(port, TIGRIS_INPUT); !status)
        return status.takeError();
    for (const Port& port : graph_.outputs())
      if (Status status = addPort(port, TIGRIS_OUTPUT); !status)
        return status.takeError();
    for (size_t i = 0; i < plan_.stages.size(); ++i)
      if (Status status = addStage(i); !status)
        return status.takeError();
    return {};
  }

  static uint32_t budget(const std::optional<uint64_t>& bytes) {
    return bytes && *bytes < TIGRIS_NONE ? static_cast<uint32_t>(*bytes) : TIGRIS_NONE;
  }

  Status addPort(const Port& port, tigris_direction direction) {
    const Location place = context_.locations().findPort(port);
    const Expected<tigris_operand> stored = context_.port(port.tensor);
    if (!stored)
      return stored.error();
    tigris_port record = {};
    record.tensor = stored->tensor;
    record.direction = static_cast<uint8_t>(direction);
    record.dtype = fileDType(port.type);
    if (record.dtype == 0)
      return makeError(DiagId::UnsupportedType, "model ",
                       direction == TIGRIS_INPUT ? "input '" : "output '", port.name, "' is ",
                       dtypeName(port.type), ", which no interface can have");
    record.rank = static_cast<uint8_t>(port.shape.rank());
    record.dims = image_.shortInts(fileDims(port.shape));
    record.perm = TIGRIS_NO_PERM;
    if (!port.perm.empty())
      record.perm = image_.shortInts(std::vector<int32_t>(port.perm.begin(), port.perm.end()));
    if (place.memory == Memory::Constant)
      record.offset = stored->offset;
    else if (place.memory != Memory::Caller)
      record.offset = static_cast<uint32_t>(place.offset);
    record.name = image_.string(port.name);
    const Expected<uint16_t> state = stateOf(port, direction);
    if (!state)
      return state.error();
    record.state = *state;
    image_.port(record);
    return {};
  }

  /// The other port of a state.
  Expected<uint16_t> stateOf(const Port& port, tigris_direction direction) const {
    const std::vector<Port>& inputs = graph_.inputs();
    const std::vector<Port>& outputs = graph_.outputs();
    for (size_t out = 0; out < outputs.size(); ++out)
      for (size_t in = 0; in < inputs.size() && !outputs[out].state.empty(); ++in) {
        if (outputs[out].state != inputs[in].name)
          continue;
        const Tensor& a = graph_.tensor(inputs[in].tensor);
        const Tensor& b = graph_.tensor(outputs[out].tensor);
        if (a.type != b.type || a.quant != b.quant || inputs[in].perm != outputs[out].perm)
          return makeError(DiagId::BadPlan, "the state '", inputs[in].name, "' is stored as ",
                           dtypeName(a.type), " ", a.shape.str(), " and written back as ",
                           dtypeName(b.type), " ", b.shape.str(),
                           " or with another scale; run the pass state-align");
        if (direction == TIGRIS_INPUT && inputs[in].name == port.name)
          return static_cast<uint16_t>(inputs.size() + out);
        if (direction == TIGRIS_OUTPUT && outputs[out].name == port.name)
          return static_cast<uint16_t>(in);
      }
    return static_cast<uint16_t>(TIGRIS_NO_PORT);
  }

  /// Loads or spills: those that are copied from or to whole tensors in the fast arena.
  Status addTransfers(size_t stage, std::span<const TensorId> moved) {
    for (const TensorId id : moved) {
      const Location place = context_.locations().find(stage, id);
      if (place.memory != Memory::Fast)
        continue;
      const Expected<uint16_t> tensor = context_.tensor(id);
      if (!tensor)
        return tensor.error();
      tigris_transfer record = {};
      record.tensor = *tensor;
      record.fast = static_cast<uint32_t>(place.offset);
      record.slow = static_cast<uint32_t>(context_.locations().findSlow(id).offset);
      image_.transfer(record);
    }
    return {};
  }

  /// Appends the record of a tiled or streamed stage; returns its index in TILINGS.
  Expected<uint16_t> addParts(size_t index) {
    const Stage& stage = plan_.stages[index];
    tigris_tiling record = {};
    record.bookkeeping = static_cast<uint32_t>(stage.parts()->bookkeeping);
    const TileCounts counts = stage.counts();
    for (size_t axis = 0; axis < counts.size(); ++axis)
      record.tiles[axis] = static_cast<uint32_t>(counts.at(axis));
    std::vector<tigris_tile_buffer> buffers;
    Status status;
    stage.eachBuffer([&](const auto& buffer) {
      const Expected<uint16_t> tensor = context_.tensor(buffer.tensor);
      if (!tensor)
        status = tensor.error();
      else
        buffers.push_back(recordOf(index, buffer, *tensor));
    });
    if (!status)
      return status.takeError();
    return image_.tiling(record, buffers);
  }

  tigris_tile_buffer recordOf(size_t index, const PartBuffer& buffer, uint16_t tensor) const {
    const Stage& stage = plan_.stages[index];
    tigris_tile_buffer record = {};
    record.tensor = tensor;
    record.fast = static_cast<uint32_t>(buffer.offset);
    record.bytes = static_cast<uint32_t>(buffer.bytes);
    if (contains(stage.loads, buffer.tensor)) {
      record.flags = TIGRIS_TILE_LOAD;
      record.start = static_cast<uint16_t>(firstReader(stage, buffer.tensor));
      record.reload_axes = static_cast<uint16_t>(buffer.reloadAxes);
    } else if (contains(stage.spills, buffer.tensor)) {
      record.flags = TIGRIS_TILE_STORE;
    }
    if (record.flags != 0) {
      const Location backing = context_.locations().findBacking(index, buffer.tensor);
      record.backing = backing.memory == Memory::Slow   ? TIGRIS_POOL_SLOW
                       : backing.memory == Memory::Fast ? TIGRIS_POOL_FAST
                                                        : TIGRIS_POOL_CALLER;
      record.backing_offset = static_cast<uint32_t>(backing.offset);
    }
    return record;
  }

  tigris_tile_buffer recordOf(size_t index, const StreamBuffer& buffer, uint16_t tensor) const {
    tigris_tile_buffer record = recordOf(index, static_cast<const PartBuffer&>(buffer), tensor);
    if ((record.flags & TIGRIS_TILE_LOAD) == 0)
      record.start = static_cast<uint16_t>(buffer.wait);
    if (buffer.sink)
      record.flags |= TIGRIS_TILE_SINK;
    if (buffer.inPlace)
      record.flags |= TIGRIS_TILE_IN_PLACE;
    return record;
  }

  static bool contains(const std::vector<TensorId>& list, TensorId id) {
    return std::find(list.begin(), list.end(), id) != list.end();
  }

  size_t firstReader(const Stage& stage, TensorId tensor) const {
    for (size_t i = 0; i < stage.ops.size(); ++i)
      if (contains(graph_.op(stage.ops[i]).inputs, tensor))
        return i;
    TIGRIS_UNREACHABLE("the plan checker accepted a load without readers");
  }

  Status addStage(size_t index) {
    const Stage& stage = plan_.stages[index];
    context_.enterStage(index);
    tigris_stage record = {};
    record.first_op = static_cast<uint16_t>(image_.opCount());
    for (const OpId id : stage.ops) {
      const Op& op = graph_.op(id);
      if (context_.locations().isView(index, op))
        continue;
      if (Status status = lowerOp(context_, op); !status)
        return status;
      opOf_.resize(image_.opCount(), id);
    }
    record.first_transfer = image_.transferCount();
    if (Status status = addTransfers(index, stage.loads); !status)
      return status;
    record.detail = static_cast<uint16_t>(image_.transferCount() - record.first_transfer);
    if (Status status = addTransfers(index, stage.spills); !status)
      return status;
    // A direct stage is a whole stage with operands outside the fast arena.
    record.mode = TIGRIS_STAGE_WHOLE;
    if (stage.parts() != nullptr) {
      const Expected<uint16_t> detail = addParts(index);
      if (!detail)
        return detail.error();
      record.detail = *detail;
      record.mode = stage.streamed() != nullptr ? TIGRIS_STAGE_STREAMED : TIGRIS_STAGE_TILED;
    }
    image_.stage(record,
                 {stage.stats.slowReadBytes, stage.stats.slowWriteBytes, stage.stats.kernelCalls,
                  stage.stats.recomputeMacs, stage.stats.haloRows, stage.peak});
    return {};
  }

  uint32_t forTools(std::string_view text) {
    return options_.strip ? TIGRIS_NONE : image_.string(text);
  }

  Expected<PlanSummary> summary() {
    const PlanStats& stats = plan_.stats;
    constexpr uint64_t Limit = std::numeric_limits<int32_t>::max();
    if (stats.fastPeakBytes > Limit || stats.slowPeakBytes > Limit || stats.kernelCalls > Limit ||
        plan_.scratch > Limit)
      return makeError(DiagId::UnsupportedOp, "the plan needs ",
                       std::max(stats.fastPeakBytes, stats.slowPeakBytes),
                       " bytes of memory, the format can address ", Limit);
    static_assert(MinPlanAlign == TIGRIS_MIN_ALIGN && MaxPlanAlign == TIGRIS_MAX_ALIGN);
    if (plan_.align < TIGRIS_MIN_ALIGN || plan_.align > TIGRIS_MAX_ALIGN)
      return makeError(DiagId::BadPlan, "the plan aligns to ", plan_.align, " bytes, expected ",
                       TIGRIS_MIN_ALIGN, " to ", TIGRIS_MAX_ALIGN);
    PlanSummary summary = {};
    tigris_summary& s = summary.needs;
    tigris_figures& f = summary.figures;
    s.fast_bytes = f.fast_peak = static_cast<uint32_t>(stats.fastPeakBytes);
    s.slow_bytes = f.slow_peak = static_cast<uint32_t>(stats.slowPeakBytes);
    s.align = static_cast<uint16_t>(plan_.align);
    s.io_mode = plan_.io == IoMode::Slow     ? TIGRIS_IO_SLOW
                : plan_.io == IoMode::Caller ? TIGRIS_IO_CALLER
                                             : TIGRIS_IO_ARENA;
    f.budget_fast = budget(plan_.budget.fast);
    f.budget_slow = budget(plan_.budget.slow);
    f.budget_flash = budget(plan_.budget.flash);
    s.model = image_.string(graph_.modelName());
    s.target = plan_.target == TIGRIS_DEFAULT_TARGET ? TIGRIS_NONE : image_.string(plan_.target);
    f.planner = forTools(plan_.planner);
    f.optimize = forTools(plan_.optimize);
    f.producer = forTools(options_.producer);
    f.bound_class = forTools(plan_.bounds.planClass);
    s.flags = static_cast<uint8_t>((plan_.provenOptimal ? TIGRIS_SUMMARY_PROVEN_OPTIMAL : 0) |
                                   (options_.xip ? TIGRIS_SUMMARY_XIP : 0) |
                                   (plan_.weights == WeightMemory::Copy ? TIGRIS_SUMMARY_COPY : 0));
    f.kernel_calls = static_cast<uint32_t>(stats.kernelCalls);
    const StageCounts counts = countStages(plan_);
    f.tiled_stages = static_cast<uint32_t>(counts.tiled);
    f.streamed_stages = static_cast<uint32_t>(counts.streamed);
    f.chains = static_cast<uint32_t>(counts.chains);
    f.slow_read = stats.slowReadBytes;
    f.slow_write = stats.slowWriteBytes;
    f.compulsory = stats.compulsoryBytes;
    f.io_bytes = stats.ioBytes;
    f.macs = stats.macs;
    f.recompute_macs = stats.recomputeMacs;
    f.unscheduled_peak = stats.unscheduledPeakBytes;
    f.bound_fast_peak = plan_.bounds.fastPeakBytes;
    f.bound_slow_traffic = plan_.bounds.slowTrafficBytes;
    s.scratch_bytes = static_cast<uint32_t>(plan_.scratch);
    return summary;
  }

  /// Uses the remaining fast memory for weight blocks, and updates the figures of fast memory.
  Status pack(PlanSummary& summary) {
    tigris_summary& s = summary.needs;
    tigris_figures& f = summary.figures;
    PackingSpace space;
    space.bytes = std::min<uint64_t>(plan_.freeFastBytes(), std::numeric_limits<int32_t>::max() -
                                                                plan_.stats.fastPeakBytes);
    space.bytes -= space.bytes % plan_.align;
    space.align = plan_.align;
    space.portsInArena = plan_.io == IoMode::Arena;
    space.weights = plan_.weights;
    space.compress = compress();
    packed_ = packWeights(image_, space);
    if (packed_.misfit)
      return misfitError(*packed_.misfit, space.bytes);
    if (packed_.reserved == 0)
      return {};
    s.fast_reserved = packed_.reserved;
    s.fast_bytes = f.fast_peak = static_cast<uint32_t>(packed_.peak(plan_.stats.fastPeakBytes));
    f.bound_fast_peak = packed_.peak(f.bound_fast_peak);
    return {};
  }

  Error misfitError(const WeightMisfit& misfit, uint64_t space) const {
    const Op& op = graph_.op(opOf_[misfit.op]);
    return makeError(DiagId::OverBudget, "op '", op.name, "' (", op.kindName(),
                     "): copying its weights, or those of its stage, takes ",
                     formatExactBytes(misfit.bytes), " of fast memory, the plan leaves ",
                     formatExactBytes(space), "; plan again with --weight-memory=copy");
  }

  const Graph& graph_;
  const Plan& plan_;
  const EmitOptions& options_;
  PlanImage image_;
  LoweringContext context_;
  /// Per op of the file: the op of the graph that it comes from.
  std::vector<OpId> opOf_;
  PackedWeights packed_;
};

/// Describes the effect of --compress=lz4 on a file of `bytes`, which exceeds `budget`.
std::string compressionAdvice(const Graph& graph, const Plan& plan, EmitOptions options,
                              size_t bytes, uint64_t budget) {
  options.compress = Compression::Lz4;
  Plan roomy = plan;
  roomy.budget.fast = std::numeric_limits<int32_t>::max();
  Emitter most(graph, roomy, options);
  const Expected<std::string> now = Emitter(graph, plan, options).run();
  const Expected<std::string> least = most.run();
  if (!now || !least)
    return "--compress=lz4 is not possible";
  const auto judge = [&](size_t size) {
    return strCat(formatExactBytes(size),
                  size <= budget ? std::string(", which fits")
                                 : strCat(", ", formatExactBytes(size - budget), " over budget"));
  };
  std::string text = now->size() < bytes ? strCat("with --compress=lz4 it is ", judge(now->size()))
                                         : std::string("--compress=lz4 does not make it smaller");
  if (now->size() > budget && least->size() < now->size())
    text += strCat("; with tigris-plan --reserve=", most.packed().shift, " it would be ",
                   judge(least->size()));
  return text;
}

Status checkWeightOptions(const Plan& plan, const EmitOptions& options) {
  const bool copies = plan.weights == WeightMemory::Copy;
  if (options.xip && copies)
    return makeError(DiagId::Usage, "--xip promises that no weight is copied, but this plan was "
                                    "made with --weight-memory=copy");
  if (options.xip && options.compress.value_or(plan.compress) == Compression::Lz4)
    return makeError(DiagId::Usage, "--xip promises that no weight is copied, but --compress=lz4 "
                                    "unpacks weights into fast memory");
  if (options.weightsFile != nullptr && !copies)
    return makeError(DiagId::Usage, "--weights-file needs a plan that copies its weights; plan "
                                    "with --weight-memory=copy");
  return {};
}

} // namespace

Expected<std::map<OpId, uint64_t>> opWeightBytes(const Graph& graph) {
  return Emitter(graph, *graph.plan(), {}).weightBytes();
}

Expected<std::string> emitPlan(const Graph& graph, const EmitOptions& options) {
  if (graph.form() != GraphForm::Planned || !graph.plan())
    return makeError(DiagId::BadPlan, "the graph is ", graphFormName(graph.form()),
                     ", not planned; run tigris-plan first");
  if (Status status = checkPlan(graph); !status)
    return status.takeError();
  const Plan& plan = *graph.plan();
  if (const Expected<Target> target = findTarget(plan.target); !plan.target.empty() && !target)
    return makeError(DiagId::BadPlan, "plan: ", target.error().message());
  if (Status status = checkWeightOptions(plan, options); !status)
    return status.takeError();
  Expected<std::string> file = Emitter(graph, plan, options).run();
  if (!file || !plan.budget.flash || file->size() <= *plan.budget.flash)
    return file;
  const uint64_t budget = *plan.budget.flash;
  Error error = makeError(DiagId::OverBudget, "needs ", formatExactBytes(file->size()),
                          " of flash, budget is ", formatExactBytes(budget), "; that is ",
                          formatExactBytes(file->size() - budget), " over budget");
  if (options.compress.value_or(plan.compress) == Compression::Lz4)
    return error;
  return std::move(error).note(compressionAdvice(graph, plan, options, file->size(), budget));
}

} // namespace tigris
