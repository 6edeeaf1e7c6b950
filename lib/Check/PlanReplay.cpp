// Replays the transfers and ops of a plan in order.
#include "tigris/Check/PlanReplay.h"

#include "tigris/Analysis/InPlace.h"
#include "tigris/Analysis/MacCount.h"
#include "tigris/Check/Locations.h"
#include "tigris/Check/MemoryModel.h"
#include "tigris/Check/StreamReplay.h"
#include "tigris/Check/TileReplay.h"
#include "tigris/Support/StringUtils.h"

#include <algorithm>

namespace tigris {

namespace {

class Replay {
public:
  Replay(const Graph& graph, const Plan& plan, uint64_t mostCalls)
      : graph_(graph), plan_(plan), mostCalls_(mostCalls), locations_(graph, plan) {}

  Status run() {
    for (const Port& port : graph_.inputs()) {
      const Location place = locations_.findPort(port);
      if (place.memory == Memory::None)
        return fail("model input '", port.name, "' has no place");
      if (Status status = write(place, port.tensor, "the caller"); !status)
        return status;
    }
    for (size_t stage = 0; stage < plan_.stages.size(); ++stage) {
      figures_.stages.push_back({endOf(plan_.stages[stage]), {}});
      counted_ = StageStats();
      if (Status status = runStage(stage); !status)
        return status;
      addStage();
    }
    for (const Port& port : graph_.outputs())
      if (Status status = readOutput(port); !status)
        return status;
    for (const Placement& placement : plan_.slow)
      figures_.stats.slowPeakBytes = std::max(
          figures_.stats.slowPeakBytes, placement.offset + graph_.tensor(placement.tensor).bytes());
    return {};
  }

  PlanFigures figures() { return std::move(figures_); }

private:
  template <typename... Args> static Error fail(const Args&... text) {
    return makeError(DiagId::BadPlan, "plan: ", text...);
  }

  /// A constant output is read where the plan's weights are, which must be memory-mapped.
  Status readOutput(const Port& port) {
    const Location place = locations_.findPort(port);
    if (place.memory != Memory::Constant)
      return read(place, port.tensor, "the caller");
    if (plan_.weights == WeightMemory::Copy)
      return fail("model output '", port.name, "' is a constant, but all weights are copied");
    if (!port.state.empty())
      return fail("model output '", port.name, "' is a state and a constant");
    return {};
  }

  std::string quoted(TensorId tensor) const {
    return strCat("tensor '", graph_.tensor(tensor).name, "'");
  }

  /// The tensor whose producer wrote this tensor's bytes: a view has its source's value.
  TensorId value(TensorId tensor) const {
    const auto found = valueOf_.find(tensor);
    return found == valueOf_.end() ? tensor : found->second;
  }

  MemoryModel& memory(const Location& place) {
    switch (place.memory) {
    case Memory::Slow:
      return slow_;
    case Memory::Caller:
      return caller_[place.offset];
    default:
      return fast_;
    }
  }
  static uint64_t start(const Location& place) {
    return place.memory == Memory::Caller ? 0 : place.offset;
  }

  Status read(const Location& place, TensorId tensor, const std::string& reader) {
    if (place.memory == Memory::Constant)
      return {};
    if (place.memory == Memory::None)
      return fail(reader, " reads ", quoted(tensor), ", which has no place");
    const uint64_t bytes = graph_.tensor(tensor).bytes();
    const auto intruder = memory(place).intruder(start(place), bytes, {value(tensor)});
    if (!intruder)
      return {};
    return fail(reader, " reads ", quoted(tensor), " at ", start(place), "..", start(place) + bytes,
                ", which holds ", *intruder ? quoted(*intruder) : std::string("nothing"));
  }

  Status write(const Location& place, TensorId tensor, const std::string& writer) {
    if (place.memory == Memory::None)
      return fail(writer, " writes ", quoted(tensor), ", which has no place");
    memory(place).write(start(place), graph_.tensor(tensor).bytes(), {value(tensor)});
    return {};
  }

  Status runStage(size_t index) {
    const Stage& stage = plan_.stages[index];
    if (worksOnParts(stage.mode()))
      return runParts(index);
    const auto isCopied = [&](TensorId tensor) {
      return locations_.find(index, tensor).memory == Memory::Fast;
    };
    for (const TensorId tensor : stage.loads) {
      if (!isCopied(tensor))
        continue;
      const std::string what = strCat("the load of stage ", index);
      if (Status status = read(locations_.findSlow(tensor), tensor, what); !status)
        return status;
      if (Status status = write(locations_.find(index, tensor), tensor, what); !status)
        return status;
      counted_.slowReadBytes += graph_.tensor(tensor).bytes();
    }
    for (const OpId id : stage.ops)
      if (Status status = runOp(index, graph_.op(id)); !status)
        return status;
    for (const TensorId tensor : stage.spills) {
      if (!isCopied(tensor))
        continue;
      const std::string what = strCat("the spill of stage ", index);
      if (Status status = read(locations_.find(index, tensor), tensor, what); !status)
        return status;
      if (Status status = write(locations_.findSlow(tensor), tensor, what); !status)
        return status;
      counted_.slowWriteBytes += graph_.tensor(tensor).bytes();
    }
    return {};
  }

  Status runOp(size_t stage, const Op& op) {
    const std::string who = strCat("op '", op.name, "'");
    for (const TensorId input : op.inputs)
      if (input)
        if (Status status = read(locations_.find(stage, input), input, who); !status)
          return status;
    if (locations_.isView(stage, op)) {
      valueOf_[op.output()] = value(op.input(0));
      return {};
    }
    for (const TensorId output : op.outputs) {
      if (!output)
        continue;
      const Location place = locations_.find(stage, output);
      if (place.memory == Memory::Caller && place.offset < graph_.inputs().size())
        return fail(who, " writes ", quoted(output), " over the caller's input");
      for (size_t i = 0; i < op.inputs.size(); ++i)
        if (overlap(stage, output, op.input(i)) && !worksInPlace(stage, op, i))
          return fail(who, " writes ", quoted(output), " over its own ", quoted(op.input(i)));
      for (const TensorId other : op.outputs)
        if (other != output && overlap(stage, output, other))
          return fail(who, " writes ", quoted(output), " over its own ", quoted(other));
      if (Status status = write(place, output, who); !status)
        return status;
    }
    ++counted_.kernelCalls;
    countSlow(stage, op.inputs, counted_.slowReadBytes);
    countSlow(stage, op.outputs, counted_.slowWriteBytes);
    return {};
  }

  /// Whether the result begins exactly where the operand does, in fast or slow memory, and the op
  /// reads each element before it writes there.
  bool worksInPlace(size_t stage, const Op& op, size_t index) const {
    const Location place = locations_.find(stage, op.output());
    return place.memory != Memory::Caller && place == locations_.find(stage, op.input(index)) &&
           mayOverwrite(graph_, op, index);
  }

  /// Adds the bytes of the operands that an op uses in slow memory.
  void countSlow(size_t stage, std::span<const TensorId> operands, uint64_t& bytes) const {
    for (const TensorId id : operands)
      if (id && locations_.find(stage, id).memory == Memory::Slow)
        bytes += graph_.tensor(id).bytes();
  }

  /// Calls `visit` with the offset and size of each contiguous run of the part in the whole tensor.
  template <typename Visit>
  Status eachRun(TensorId tensor, const Box& part, const Visit& visit) const {
    const Box whole = wholeBox(graph_.tensor(tensor).shape);
    size_t axis = Box::MaxRank - 1;
    uint64_t unit = dtypeSize(graph_.tensor(tensor).type);
    for (; axis > 0 && part.axes.at(axis) == whole.axes.at(axis); --axis)
      unit *= static_cast<uint64_t>(whole.axes.at(axis).size());
    const uint64_t bytes = unit * static_cast<uint64_t>(part.axes.at(axis).size());
    Box at = part;
    for (bool more = true; more;) {
      uint64_t first = 0;
      for (size_t k = 0; k <= axis; ++k)
        first = first * static_cast<uint64_t>(whole.axes.at(k).size()) +
                static_cast<uint64_t>(at.axes.at(k).begin);
      if (Status status = visit(first * unit, bytes); !status)
        return status;
      more = false;
      for (size_t k = axis; k-- > 0 && !more;) {
        more = ++at.axes.at(k).begin < part.axes.at(k).end;
        if (!more)
          at.axes.at(k).begin = part.axes.at(k).begin;
      }
    }
    return {};
  }

  Status readPart(const Location& place, TensorId tensor, const Box& part) {
    return eachRun(tensor, part, [&](uint64_t offset, uint64_t bytes) -> Status {
      const auto intruder = memory(place).intruder(start(place) + offset, bytes, {value(tensor)});
      if (!intruder)
        return {};
      return makeError(DiagId::BadPlan, "reads ", quoted(tensor), " at ", start(place) + offset,
                       "..", start(place) + offset + bytes, ", which holds ",
                       *intruder ? quoted(*intruder) : std::string("nothing"));
    });
  }

  Status writePart(const Location& place, TensorId tensor, const Box& part) {
    return eachRun(tensor, part, [&](uint64_t offset, uint64_t bytes) -> Status {
      memory(place).write(start(place) + offset, bytes, {value(tensor)});
      return {};
    });
  }

  /// Buffers and bookkeeping are the working memory of the stage. Results are complete in their
  /// backing memory after the last tile or, in a streamed stage, row by row.
  Status runParts(size_t index) {
    const Stage& stage = plan_.stages[index];
    const std::string what = strCat("stage ", index);
    const bool streams = stage.streamed() != nullptr;
    const auto homeOf = [&](TensorId tensor) { return locations_.findBacking(index, tensor); };
    for (const TensorId tensor : stage.loads)
      if (Status status = read(homeOf(tensor), tensor, what); !status)
        return status;
    if (Status status = checkBacking(index); !status)
      return status;
    if (Status status = clobber(index); !status)
      return status;
    const BackingAccess backing = {
        [&](TensorId tensor, const Box& part) { return readPart(homeOf(tensor), tensor, part); },
        [&](TensorId tensor, const Box& part) { return writePart(homeOf(tensor), tensor, part); }};
    const uint64_t mostCalls = mostCalls_ - std::min(mostCalls_, figures_.stats.kernelCalls);
    const Expected<TileReplay::Counts> counts =
        streams ? StreamReplay(graph_, stage, mostCalls).run(backing)
                : TileReplay(graph_, stage, mostCalls).run();
    if (!counts)
      return fail(what, ": ", counts.error().message());
    for (const auto& [tensor, bytes] : counts->loaded)
      counted_.slowReadBytes += homeOf(tensor).memory == Memory::Slow ? bytes : 0;
    for (const auto& [tensor, bytes] : counts->stored) {
      const Location place = homeOf(tensor);
      counted_.slowWriteBytes += place.memory == Memory::Slow ? bytes : 0;
      if (streams)
        continue;
      if (Status status = write(place, tensor, what); !status)
        return status;
    }
    counted_.kernelCalls += counts->kernelCalls;
    counted_.recomputeMacs += counts->recomputeMacs;
    counted_.haloRows = counts->haloRows;
    return {};
  }

  /// The results of a tiled or streamed stage must not overlap its working memory, and resident
  /// tensors must not overlap each other. Exception: results of a streamed stage may overwrite rows
  /// that it has read.
  Status checkBacking(size_t index) const {
    const Stage& stage = plan_.stages[index];
    const std::string what = strCat("stage ", index);
    const bool streams = stage.streamed() != nullptr;
    const auto homeOf = [&](TensorId tensor) { return locations_.findBacking(index, tensor); };
    const auto shares = [&](TensorId a, TensorId b) {
      return a != b && overlap(homeOf(a), a, homeOf(b), b);
    };
    for (const TensorId store : stage.spills) {
      const Location place = homeOf(store);
      if (place.memory == Memory::Caller && place.offset < graph_.inputs().size())
        return fail(what, " writes ", quoted(store), " over the caller's input");
      for (const auto* moved : {&stage.loads, &stage.spills})
        for (const TensorId other : *moved)
          if ((moved == &stage.spills || !streams) && shares(store, other))
            return fail(what, " writes ", quoted(store), " over ", quoted(other),
                        ", which it works on");
    }
    for (const TensorId load : stage.loads)
      for (const TensorId other : stage.loads)
        if (homeOf(load).memory == Memory::Fast && shares(load, other))
          return fail(what, " has both ", quoted(load), " and ", quoted(other), " resident at ",
                      homeOf(load).offset);
    return stage.streamed() != nullptr ? checkInPlace(index, *stage.streamed()) : Status();
  }

  Status checkInPlace(size_t index, const StreamedStage& stage) const {
    for (const StreamBuffer& buffer : stage.buffers) {
      const Location place = locations_.findBacking(index, buffer.tensor);
      const bool isCallers =
          place.memory == Memory::Caller && buffer.offset == 0 && buffer.bytes == 0;
      const bool isResident = place == Location{Memory::Fast, buffer.offset} && buffer.bytes != 0;
      if (buffer.inPlace && !(isCallers || isResident))
        return fail("stage ", index, " works in place on ", quoted(buffer.tensor), " at ",
                    buffer.offset, "..", buffer.offset + buffer.bytes,
                    ", where it is not resident");
    }
    return {};
  }

  /// The interval of buffers and executor bookkeeping of a tiled or streamed stage. It holds no
  /// usable data afterward and must not overlap tensors that the stage keeps whole.
  Status clobber(size_t index) {
    const Stage& stage = plan_.stages[index];
    uint64_t begin = stage.parts()->bookkeeping;
    uint64_t end = begin + stage.bookkeepingBytes();
    stage.eachBuffer([&](const auto& buffer) {
      if (isInPlace(buffer))
        return;
      begin = std::min(begin, buffer.offset);
      end = std::max(end, buffer.offset + buffer.bytes);
    });
    for (const Placement& resident : stage.parts()->residents)
      if (resident.offset < end && begin < resident.offset + graph_.tensor(resident.tensor).bytes())
        return fail("stage ", index, " works over ", quoted(resident.tensor),
                    ", which is resident");
    fast_.write(begin, end - begin, {TensorId()});
    return {};
  }

  bool overlap(size_t stage, TensorId a, TensorId b) const {
    return overlap(locations_.find(stage, a), a, locations_.find(stage, b), b);
  }

  bool overlap(const Location& first, TensorId a, const Location& second, TensorId b) const {
    if (first.memory != second.memory || first.memory == Memory::None)
      return false;
    if (first.memory == Memory::Caller)
      return first.offset == second.offset;
    return first.offset < second.offset + graph_.tensor(b).bytes() &&
           second.offset < first.offset + graph_.tensor(a).bytes();
  }

  uint64_t endOf(const Stage& stage) const {
    uint64_t end = 0;
    for (const Placement& placement : stage.wholeTensors())
      end = std::max(end, placement.offset + graph_.tensor(placement.tensor).bytes());
    if (stage.parts() != nullptr)
      end = std::max(end, stage.parts()->bookkeeping + stage.bookkeepingBytes());
    stage.eachBuffer(
        [&](const PartBuffer& buffer) { end = std::max(end, buffer.offset + buffer.bytes); });
    return end;
  }

  void addStage() {
    counted_.recomputeMacs += repeatedMacs(graph_, plan_.stages[figures_.stages.size() - 1].ops);
    PlanFigures::OfStage& stage = figures_.stages.back();
    stage.stats = counted_;
    PlanStats& stats = figures_.stats;
    stats.fastPeakBytes = std::max(stats.fastPeakBytes, stage.peak);
    stats.slowReadBytes += counted_.slowReadBytes;
    stats.slowWriteBytes += counted_.slowWriteBytes;
    stats.kernelCalls += counted_.kernelCalls;
    stats.recomputeMacs += counted_.recomputeMacs;
  }

  const Graph& graph_;
  const Plan& plan_;
  uint64_t mostCalls_;
  Locations locations_;
  MemoryModel fast_;
  MemoryModel slow_;
  std::map<uint64_t, MemoryModel> caller_;
  std::map<TensorId, TensorId> valueOf_;
  /// Of the stages so far, and of the current one.
  PlanFigures figures_;
  StageStats counted_;
};

} // namespace

Expected<PlanFigures> replayPlan(const Graph& graph, const Plan& plan, uint64_t mostCalls) {
  Replay replay(graph, plan, mostCalls);
  if (Status status = replay.run(); !status)
    return status.takeError();
  return replay.figures();
}

} // namespace tigris
