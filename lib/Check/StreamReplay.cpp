// Gives every row a number in the memory model, so that moved, lost or overwritten rows are
// detected.
//
// Example: a window of three rows over x, one row per step, with a buffer of three rows:
//   step 0   load x0       buffer: x0          -
//   step 1   load x1       buffer: x0 x1       window 0 reads x0 x1
//   step 2   load x2       buffer: x0 x1 x2    window 1 reads x0 x1 x2
//   step 3   drop x0       buffer: x1 x2       x1, x2 move to the start
//            load x3       buffer: x1 x2 x3    window 2 reads x1 x2 x3
// With a buffer of two rows, loading x2 in step 2 would exceed the buffer, and the plan is
// rejected.
#include "tigris/Check/StreamReplay.h"

#include "tigris/Analysis/MacCount.h"
#include "tigris/Analysis/RowSums.h"
#include "tigris/Check/MemoryModel.h"
#include "tigris/Check/PartRules.h"
#include "tigris/Support/MathUtils.h"
#include "tigris/Support/StringUtils.h"

#include <algorithm>

namespace tigris {

namespace {

class StreamRun {
public:
  StreamRun(const Graph& graph, const Stage& stage, uint64_t mostCalls,
            const BackingAccess& backing)
      : graph_(graph), stage_(stage), stream_(std::get<StreamedStage>(stage.execution)),
        mostCalls_(mostCalls), backing_(backing) {}

  Status prepare() {
    if (Status status = checkPartRules(graph_, stage_); !status)
      return status;
    for (size_t i = 0; i < stream_.buffers.size(); ++i) {
      const StreamBuffer& buffer = stream_.buffers[i];
      const Tensor& tensor = graph_.tensor(buffer.tensor);
      index_.emplace(buffer.tensor, i);
      Progress progress;
      progress.isLoad = contains(stage_.loads, buffer.tensor);
      progress.isStore = contains(stage_.spills, buffer.tensor);
      progress.isWhole = progress.isLoad && !reloads(i, RowAxis);
      progress.whole = wholeBox(tensor.shape);
      progress.elementSize = dtypeSize(tensor.type);
      progress.inBacking = buffer.inPlace;
      progress.isElsewhere = buffer.inPlace && buffer.bytes == 0;
      progress_.push_back(progress);
    }
    for (const OpId id : stage_.ops) {
      const Op& op = graph_.op(id);
      std::optional<BoxAccess> access = BoxAccess::make(graph_, op);
      if (!access || access->runsAlone())
        return fail("op '", op.name, "' (", op.kindName(), ") cannot run in parts");
      Step step = {&op, std::move(*access), {}, 0};
      for (size_t i = 0; i < op.inputs.size(); ++i)
        if (op.inputs[i] && !graph_.tensor(op.inputs[i]).isConstant())
          step.inputs.push_back({i, index_.at(op.inputs[i])});
      step.output = index_.at(op.output());
      if (stream_.buffers[step.output].sink)
        if (Status status = prepareSink(step); !status)
          return status;
      steps_.push_back(std::move(step));
    }
    return {};
  }

  Status run() {
    for (outer_ = 0; outer_ < stream_.outer; ++outer_)
      for (stripe_ = 0; stripe_ < stream_.stripes; ++stripe_)
        if (Status status = runStripe(); !status)
          return status;
    for (const TensorId store : stage_.spills)
      if (counts_.stored[store] != graph_.tensor(store).bytes())
        return fail("stores ", counts_.stored[store], " bytes of tensor '",
                    graph_.tensor(store).name, "', which has ", graph_.tensor(store).bytes());
    return {};
  }

  TileReplay::Counts counts() {
    for (const Step& step : steps_) {
      const auto columns = wholeBox(graph_.tensor(step.op->output()).shape).axes[ColumnAxis].size();
      const int64_t twice = step.columns - columns;
      if (twice > 0)
        counts_.recomputeMacs += macCount(graph_, *step.op) * static_cast<uint64_t>(twice) /
                                 static_cast<uint64_t>(columns);
    }
    return std::move(counts_);
  }

private:
  struct Progress {
    bool isLoad = false;
    bool isStore = false;
    bool isWhole = false;
    /// In place: all rows of all outermost indices, each at its position in the whole tensor.
    bool inBacking = false;
    /// In place, outside the arena.
    bool isElsewhere = false;
    uint64_t elementSize = 1;
    /// The whole tensor; in the current stripe only the columns in the buffer.
    Box whole;
    /// The columns to store.
    Range part;
    /// The box of the last load, if it stays, and the round in which it was loaded.
    Box loadedBox;
    uint64_t round = 0;
    /// Rows [first, end) are in the buffer; those from `fresh` on are new in this step.
    int64_t first = 0;
    int64_t fresh = 0;
    int64_t end = 0;
    /// For a sink's result: bytes of the sums, and number of rows added.
    uint64_t sumBytes = 0;
    int64_t added = 0;
    int64_t rows() const { return whole.axes[RowAxis].size(); }
    uint64_t bytes(const Box& box) const {
      return static_cast<uint64_t>(box.elements()) * elementSize;
    }
  };
  struct Step {
    const Op* op;
    BoxAccess access;
    /// Index of the operand, index of its buffer.
    std::vector<std::pair<size_t, size_t>> inputs;
    size_t output;
    /// Of its result in all stripes.
    int64_t columns = 0;
  };

  template <typename... Args> static Error fail(const Args&... text) {
    return makeError(DiagId::BadPlan, text...);
  }
  static bool contains(const std::vector<TensorId>& list, TensorId id) {
    return std::find(list.begin(), list.end(), id) != list.end();
  }
  std::string quoted(size_t buffer) const {
    return strCat("tensor '", graph_.tensor(stream_.buffers[buffer].tensor).name, "'");
  }

  /// Sums belong to one image: the current index of the outermost axis.
  Status prepareSink(const Step& step) {
    Progress& result = progress_[step.output];
    result.sumBytes = rowSumBytes(graph_, *step.op);
    if (result.sumBytes == 0 || step.inputs.size() != 1 ||
        graph_.tensor(step.op->output()).shape[0] != stream_.outer)
      return fail("op '", step.op->name, "' cannot add rows as they arrive");
    if (stream_.buffers[step.output].inPlace)
      return fail("the sums of op '", step.op->name, "' cannot be in place");
    if (stream_.buffers[step.output].bytes < result.sumBytes)
      return fail("the sums of op '", step.op->name, "' need ", result.sumBytes,
                  " bytes, their buffer has ", stream_.buffers[step.output].bytes);
    return {};
  }

  /// Rows [begin, end) of a tensor at the current index of the outermost axis.
  Box strip(Box whole, int64_t begin, int64_t end) const {
    if (whole.axes[0].size() == stream_.outer)
      whole.axes[0] = {outer_, outer_ + 1};
    whole.axes[RowAxis] = {begin, end};
    return whole;
  }

  Status countCall() {
    return ++counts_.kernelCalls <= mostCalls_ ? Status() : tooManyCalls(mostCalls_);
  }

  bool hasCome(const Step& step, int64_t row) const {
    const Box result = strip(progress_[step.output].whole, row, row + 1);
    const int64_t wait = stream_.buffers[step.output].wait;
    return std::all_of(step.inputs.begin(), step.inputs.end(), [&](const auto& input) {
      const Progress& progress = progress_[input.second];
      const int64_t end = step.access.need(input.first, result).axes[RowAxis].end;
      return std::min(end + wait, progress.rows()) <= progress.end;
    });
  }

  Status runStripe() {
    ++round_;
    if (Status status = findColumns(); !status)
      return status;
    for (Progress& progress : progress_)
      progress.first = progress.fresh = progress.end = progress.added = 0;
    for (int64_t step = 0; step < stream_.steps || hasProgressed(); ++step)
      if (Status status = runStep(step); !status)
        return status;
    for (size_t i = 0; i < progress_.size(); ++i)
      if (progress_[i].end != progress_[i].rows())
        return fail("only ", progress_[i].end, " of ", progress_[i].rows(), " rows of ", quoted(i),
                    " are made");
    return {};
  }

  /// Computes the columns of each buffer in this stripe, backward from those to store.
  Status findColumns() {
    for (size_t i = 0; i < progress_.size(); ++i) {
      Progress& progress = progress_[i];
      const Box all = wholeBox(graph_.tensor(stream_.buffers[i].tensor).shape);
      const int64_t stripes = stream_.stripes;
      progress.part = partOf(all.axes[ColumnAxis].size(), stripes, stripe_);
      const bool keepsAll = stripes == 1 || (progress.isLoad && !reloads(i, ColumnAxis));
      if (keepsAll)
        progress.whole = all;
      else
        progress.whole.axes[ColumnAxis] = progress.isStore ? progress.part : Range{0, 0};
    }
    for (size_t k = steps_.size(); k-- > 0;) {
      Step& step = steps_[k];
      const Box result = strip(progress_[step.output].whole, 0, 1);
      step.columns += outer_ == 0 ? result.axes[ColumnAxis].size() : 0;
      if (result.empty() || !step.access.allows(result))
        return fail("op '", step.op->name, "' cannot compute columns ",
                    result.axes[ColumnAxis].begin, "..", result.axes[ColumnAxis].end,
                    " of its result");
      for (const auto& [operand, buffer] : step.inputs) {
        Range& columns = progress_[buffer].whole.axes[ColumnAxis];
        columns = hull(columns, step.access.need(operand, result).axes[ColumnAxis]);
      }
    }
    return {};
  }

  bool reloads(size_t buffer, size_t axis) const {
    return (stream_.buffers[buffer].reloadAxes >> axis & 1U) != 0;
  }

  bool hasProgressed() const {
    return std::any_of(progress_.begin(), progress_.end(),
                       [](const Progress& progress) { return progress.end != progress.fresh; });
  }

  Status runStep(int64_t index) {
    const int64_t steps = stream_.steps;
    for (Progress& progress : progress_) {
      progress.fresh = progress.end;
      if (progress.isWhole)
        progress.end = progress.rows();
      else if (progress.isLoad)
        progress.end = partOf(progress.rows(), steps, std::min(index, steps - 1)).end;
    }
    for (const Step& step : steps_) {
      Progress& result = progress_[step.output];
      const int64_t most = std::min(result.rows(), result.fresh + ceilDiv(result.rows(), steps));
      while (result.end < most && hasCome(step, result.end))
        ++result.end;
    }
    // A buffer that is used later may be at a lower address: moving it first frees the space to
    // which an earlier one moves.
    for (size_t i = progress_.size(); i-- > 0;)
      if (Status status = hold(i); !status)
        return status;
    std::vector<bool> loaded(progress_.size(), false);
    for (const Step& step : steps_) {
      for (const auto& [operand, buffer] : step.inputs)
        if (progress_[buffer].isLoad && !loaded[buffer]) {
          loaded[buffer] = true;
          if (Status status = load(buffer); !status)
            return status;
        }
      if (Status status = progress_[step.output].sumBytes != 0 ? addRows(step) : runOp(step);
          !status)
        return status;
    }
    return {};
  }

  /// The contents of a sink's buffer: sums of the rows added so far.
  Value sums(size_t buffer) const {
    constexpr uint64_t Sums = uint64_t{1} << 63;
    return {stream_.buffers[buffer].tensor,
            Sums | (round_ << 31U) | static_cast<uint64_t>(progress_[buffer].added)};
  }

  /// Adds the new rows of the operand to the sums of a sink.
  Status addRows(const Step& step) {
    const auto [operand, from] = step.inputs[0];
    const Progress& x = progress_[from];
    Progress& result = progress_[step.output];
    if (x.fresh == x.end)
      return {};
    const Box need = step.access.need(operand, strip(result.whole, 0, 1));
    if (need != strip(x.whole, 0, x.rows()))
      return fail("op '", step.op->name, "' does not find whole rows of ", quoted(from));
    if (x.fresh != result.added)
      return fail("op '", step.op->name, "' adds row ", x.fresh, " of ", quoted(from), " after ",
                  result.added, " rows");
    if (Status status = findRows(step, from, strip(x.whole, x.fresh, x.end)); !status)
      return status;
    const StreamBuffer& to = stream_.buffers[step.output];
    if (result.added > 0 && memory_.intruder(to.offset, result.sumBytes, sums(step.output)))
      return fail("op '", step.op->name, "' does not find its sums after ", result.added, " rows");
    result.added = x.end;
    memory_.write(to.offset, result.sumBytes, sums(step.output));
    if (Status status = countCall(); !status)
      return status;
    return result.fresh == result.end ? Status() : finish(step);
  }

  /// The contents of a row: the round in which it was written.
  Value value(size_t buffer, int64_t row) const {
    const Progress& progress = progress_[buffer];
    const uint64_t round = progress.isWhole ? progress.round : round_;
    const auto number = round * static_cast<uint64_t>(progress.rows()) + static_cast<uint64_t>(row);
    return {stream_.buffers[buffer].tensor, number + 1};
  }
  uint64_t rowBytes(size_t buffer) const {
    return progress_[buffer].bytes(strip(progress_[buffer].whole, 0, 1));
  }
  uint64_t place(size_t buffer, int64_t row) const {
    const Progress& progress = progress_[buffer];
    int64_t before = row - progress.first;
    if (progress.inBacking)
      before = strip(progress.whole, 0, 1).axes[0].begin * progress.rows() + row;
    return stream_.buffers[buffer].offset + static_cast<uint64_t>(before) * rowBytes(buffer);
  }

  /// Moves the kept rows to the start of the buffer.
  Status hold(size_t buffer) {
    Progress& progress = progress_[buffer];
    if (progress.inBacking)
      return {};
    int64_t lowest = progress.isWhole ? 0 : progress.fresh;
    for (const Step& step : steps_) {
      const Progress& result = progress_[step.output];
      if (result.fresh == result.rows() || progress.isWhole || result.sumBytes != 0)
        continue;
      for (const auto& [operand, input] : step.inputs)
        if (input == buffer) {
          const Box next = strip(result.whole, result.fresh, result.fresh + 1);
          lowest = std::min(lowest, step.access.need(operand, next).axes[RowAxis].begin);
        }
    }
    if (lowest < progress.first)
      return fail(quoted(buffer), " needs row ", lowest, " again, which has been released");
    for (int64_t row = lowest; row < progress.fresh; ++row)
      if (memory_.intruder(place(buffer, row), rowBytes(buffer), value(buffer, row)))
        return fail(quoted(buffer), " has lost row ", row);
    const int64_t kept = progress.first;
    progress.first = lowest;
    if (kept != lowest)
      for (int64_t row = lowest; row < progress.fresh; ++row)
        memory_.write(place(buffer, row), rowBytes(buffer), value(buffer, row));
    const uint64_t bytes = static_cast<uint64_t>(progress.end - lowest) * rowBytes(buffer);
    if (bytes > stream_.buffers[buffer].bytes)
      return fail(quoted(buffer), " needs ", bytes, " bytes in a step, its buffer has ",
                  stream_.buffers[buffer].bytes);
    return {};
  }

  void writeFresh(size_t buffer) {
    if (progress_[buffer].inBacking)
      return;
    for (int64_t row = progress_[buffer].fresh; row < progress_[buffer].end; ++row)
      memory_.write(place(buffer, row), rowBytes(buffer), value(buffer, row));
  }

  Status load(size_t buffer) {
    Progress& progress = progress_[buffer];
    if (progress.fresh == progress.end || progress.inBacking)
      return {};
    // A kept load is repeated when the outermost index or the stripe changes.
    const Box box = strip(progress.whole, 0, progress.rows());
    const bool isFirst = round_ == 1;
    const bool changed = (stream_.outer > 1 && stripe_ == 0 && reloads(buffer, 0)) ||
                         (stream_.stripes > 1 && reloads(buffer, ColumnAxis));
    if (progress.isWhole && !isFirst && !changed) {
      if (progress.loadedBox == box)
        return {};
      return fail(quoted(buffer), " is not loaded again although it needs another part");
    }
    progress.loadedBox = box;
    progress.round = round_;
    const TensorId tensor = stream_.buffers[buffer].tensor;
    const Box fresh = strip(progress.whole, progress.fresh, progress.end);
    if (backing_.read)
      if (Status status = backing_.read(tensor, fresh); !status)
        return status;
    writeFresh(buffer);
    counts_.loaded[tensor] += progress.bytes(fresh);
    return {};
  }

  /// Runs the op on all new rows of the result: at once, or row by row if an operand has more
  /// columns than needed.
  Status runOp(const Step& step) {
    const Progress& result = progress_[step.output];
    if (result.fresh == result.end)
      return {};
    const Box made = strip(result.whole, result.fresh, result.end);
    const bool isWide = std::any_of(step.inputs.begin(), step.inputs.end(), [&](const auto& input) {
      return stream_.stripes > 1 && step.access.need(input.first, made).axes[ColumnAxis] !=
                                        progress_[input.second].whole.axes[ColumnAxis];
    });
    for (int64_t row = result.fresh; row < result.end; row = isWide ? row + 1 : result.end)
      if (Status status = make(step, strip(result.whole, row, isWide ? row + 1 : result.end));
          !status)
        return status;
    return finish(step);
  }

  /// Marks the new rows of the result as written.
  Status finish(const Step& step) {
    const Progress& result = progress_[step.output];
    writeFresh(step.output);
    if (!result.isStore)
      return {};
    const TensorId tensor = stream_.buffers[step.output].tensor;
    Box part = strip(result.whole, result.fresh, result.end);
    part.axes[ColumnAxis] = result.part;
    counts_.stored[tensor] += result.bytes(part);
    return backing_.write ? backing_.write(tensor, part) : Status();
  }

  /// One kernel call.
  Status make(const Step& step, const Box& made) {
    const Progress& result = progress_[step.output];
    if (!step.access.allows(made))
      return fail("op '", step.op->name, "' cannot compute a part of its result");
    for (const auto& [operand, buffer] : step.inputs) {
      const Progress& progress = progress_[buffer];
      Box need = step.access.need(operand, made);
      const Box held = strip(progress.whole, progress.first, progress.end);
      // Kernels see all channels and, without stripes, all columns of the rows they need; these
      // must be the same for all rows.
      const Box all = step.access.need(operand, strip(result.whole, 0, result.rows()));
      for (size_t axis = stream_.stripes > 1 ? ColumnAxis + 1 : ColumnAxis; axis < Box::MaxRank;
           ++axis) {
        if (need.axes[axis] != all.axes[axis] ||
            hull(held.axes[axis], need.axes[axis]) != held.axes[axis])
          return fail("op '", step.op->name, "' does not find what it needs of ", quoted(buffer));
        need.axes[axis] = held.axes[axis];
      }
      const Range columns = need.axes[ColumnAxis];
      const bool isWhole = columns == held.axes[ColumnAxis];
      const bool isInside = need.axes[RowAxis].size() == 1 &&
                            held.axes[ColumnAxis].begin <= columns.begin &&
                            columns.end <= held.axes[ColumnAxis].end;
      if (need.empty() || need.axes[0] != held.axes[0] || need.axes[3] != held.axes[3] ||
          !(isWhole || isInside))
        return fail("what op '", step.op->name, "' needs of ", quoted(buffer),
                    " is not contiguous");
      if (Status status = findRows(step, buffer, need); !status)
        return status;
      if (progress.inBacking && result.inBacking)
        if (Status status = checkApart(step, buffer, need.axes[RowAxis], made.axes[RowAxis]);
            !status)
          return status;
    }
    return countCall();
  }

  /// Checks that the rows of an operand are in its buffer or its backing memory.
  Status findRows(const Step& step, size_t buffer, const Box& need) const {
    const Progress& progress = progress_[buffer];
    for (int64_t row = need.axes[RowAxis].begin; row < need.axes[RowAxis].end; ++row)
      if (row < progress.first || row >= progress.end ||
          (!progress.inBacking &&
           memory_.intruder(place(buffer, row), rowBytes(buffer), value(buffer, row))))
        return fail("op '", step.op->name, "' does not find row ", row, " of ", quoted(buffer));
    return progress.inBacking && backing_.read ? backing_.read(stream_.buffers[buffer].tensor, need)
                                               : Status();
  }

  /// In place: the rows that the op writes must not overlap those that it reads of an operand.
  Status checkApart(const Step& step, size_t operand, Range read, Range written) const {
    const bool isFar = progress_[operand].isElsewhere || progress_[step.output].isElsewhere;
    if (!isFar && place(operand, read.begin) < place(step.output, written.end) &&
        place(step.output, written.begin) < place(operand, read.end))
      return fail("op '", step.op->name, "' writes over its operand ", quoted(operand));
    return {};
  }

  const Graph& graph_;
  const Stage& stage_;
  const StreamedStage& stream_;
  uint64_t mostCalls_;
  const BackingAccess& backing_;
  int64_t outer_ = 0;
  int64_t stripe_ = 0;
  /// Number of stripes of all outermost indices so far.
  uint64_t round_ = 0;
  std::map<TensorId, size_t> index_;
  std::vector<Progress> progress_;
  std::vector<Step> steps_;
  MemoryModel memory_;
  TileReplay::Counts counts_;
};

} // namespace

Expected<TileReplay::Counts> StreamReplay::run(const BackingAccess& backing) const {
  StreamRun run(graph_, stage_, mostCalls_, backing);
  if (Status status = run.prepare(); !status)
    return status.takeError();
  if (Status status = run.run(); !status)
    return status.takeError();
  return run.counts();
}

} // namespace tigris
