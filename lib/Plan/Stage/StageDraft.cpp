// Drafts whole and direct stages, and contains what all drafts share.
#include "tigris/Plan/Stage/StageDraft.h"

#include "tigris/Analysis/BoxAccess.h"
#include "tigris/Analysis/InPlace.h"
#include "tigris/Analysis/MemoryTimeline.h"
#include "tigris/Support/MathUtils.h"

#include <algorithm>
#include <iterator>

namespace tigris {

namespace {

bool contains(const std::vector<TensorId>& list, TensorId id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

/// Drafts one run of ops on whole tensors.
class WholeDrafting {
public:
  WholeDrafting(const OrderView& view, size_t begin, size_t end)
      : view_(view), begin_(begin), end_(end) {}

  StageDraft run(const Residents& residents) {
    const auto first = view_.order().begin() + static_cast<std::ptrdiff_t>(begin_);
    stage_.ops.assign(first, first + static_cast<std::ptrdiff_t>(end_ - begin_));
    for (size_t step = begin_; step < end_; ++step) {
      for (const TensorId input : view_.op(step).inputs)
        if (view_.livesInArena(input))
          read(input, step);
      for (const TensorId output : view_.op(step).outputs)
        if (view_.livesInArena(output))
          write(output, step);
      stage_.stats.kernelCalls += view_.aliases().isView(view_.op(step)) ? 0 : 1;
    }
    shareBuffers(residents);
    keep(residents);
    for (const TensorId id : stage_.loads)
      stage_.stats.slowReadBytes += view_.bytes(id);
    for (const TensorId id : stage_.spills)
      stage_.stats.slowWriteBytes += view_.bytes(id);
    stage_.execution = std::move(whole_);
    return std::move(stage_);
  }

private:
  void read(TensorId input, size_t step) {
    const size_t produced = view_.producedAt(input);
    const bool comesFromOutside = produced == OrderView::Never || produced < begin_;
    if (comesFromOutside && !contains(stage_.loads, input))
      stage_.loads.push_back(input);
    touch(input, comesFromOutside ? 0 : step - begin_, step - begin_);
  }

  void write(TensorId output, size_t step) {
    const size_t lastRead = view_.lastReadAt(output);
    const bool leaves = lastRead >= end_ && lastRead != step;
    if (leaves)
      stage_.spills.push_back(output);
    touch(output, step - begin_, leaves ? end_ - 1 - begin_ : step - begin_);
  }

  /// Views share the buffer of their source if both are in the stage.
  void touch(TensorId id, size_t birth, size_t death) {
    const auto [entry, isNew] = bufferOf_.emplace(view_.aliases().root(id), whole_.buffers.size());
    if (isNew)
      whole_.buffers.push_back(
          {{}, view_.bytes(id), static_cast<uint32_t>(birth), static_cast<uint32_t>(death)});
    LiveBuffer& buffer = whole_.buffers[entry->second];
    buffer.birth = std::min(buffer.birth, static_cast<uint32_t>(birth));
    buffer.death = std::max(buffer.death, static_cast<uint32_t>(death));
    if (!contains(buffer.tensors, id))
      buffer.tensors.push_back(id);
  }

  /// Results take the place of operands that the stage does not need afterward. Two residents keep
  /// their own places.
  void shareBuffers(const Residents& residents) {
    const auto isResident = [&](TensorId id) { return residents.count(id) != 0; };
    const auto isNeededLater = [&](TensorId id) {
      const size_t produced = view_.producedAt(id);
      if (isResident(id))
        return view_.neededUntil(id) >= end_;
      const bool isCopy = produced == OrderView::Never || produced < begin_;
      return !isCopy && view_.lastReadAt(id) >= end_;
    };
    const auto any = [](const LiveBuffer& buffer, const auto& condition) {
      return std::any_of(buffer.tensors.begin(), buffer.tensors.end(), condition);
    };
    const auto mayJoin = [&](const LiveBuffer& operand, const LiveBuffer& result) {
      return !any(operand, isNeededLater) && !(any(operand, isResident) && any(result, isResident));
    };
    joinInPlace(view_.graph(), stage_.ops, view_.aliases(), bufferOf_, mayJoin, whole_.buffers);
  }

  /// Removes residents from loads and spills, and their buffers from the stage's own memory.
  void keep(const Residents& residents) {
    const auto isResident = [&](TensorId id) { return residents.count(id) != 0; };
    for (auto* moved : {&stage_.loads, &stage_.spills}) {
      std::copy_if(moved->begin(), moved->end(), std::back_inserter(stage_.residents), isResident);
      moved->erase(std::remove_if(moved->begin(), moved->end(), isResident), moved->end());
    }
    if (stage_.residents.empty())
      return;
    const auto own = std::stable_partition(
        whole_.buffers.begin(), whole_.buffers.end(), [&](const LiveBuffer& buffer) {
          return std::none_of(buffer.tensors.begin(), buffer.tensors.end(), isResident);
        });
    whole_.pinned.assign(own, whole_.buffers.end());
    whole_.buffers.erase(own, whole_.buffers.end());
  }

  const OrderView& view_;
  size_t begin_;
  size_t end_;
  StageDraft stage_;
  WholeDraft whole_;
  std::map<TensorId, size_t> bufferOf_;
};

} // namespace

uint64_t Overlap::saved(const Graph& graph, uint64_t align) const {
  const uint64_t under = alignUp(graph.tensor(from).bytes(), align);
  const uint64_t over = alignUp(graph.tensor(to).bytes(), align);
  return under + over - std::min(under + over, std::max(under + distance, over));
}

StageCut cutOf(const StageDraft& stage) {
  StageCut cut;
  cut.mode = stage.mode();
  if (const auto* tiled = std::get_if<TiledDraft>(&stage.execution)) {
    cut.counts = tiled->stage.counts();
    cut.bytes = [tiled](TensorId id) {
      const auto& buffers = tiled->stage.buffers;
      const auto found =
          std::find_if(buffers.begin(), buffers.end(),
                       [&](const PartBuffer& buffer) { return buffer.tensor == id; });
      return found == buffers.end() ? 0 : found->bytes;
    };
  }
  if (const StreamedDraft* streamed = stage.streamed())
    cut.counts = streamed->stage.counts();
  return cut;
}

StageDraft draftInterface(const OrderView& view, size_t begin, size_t end) {
  StageDraft stage;
  for (size_t step = begin; step < end; ++step) {
    const Op& op = view.op(step);
    stage.ops.push_back(view.order()[step]);
    for (const TensorId input : op.inputs)
      if (input && !view.graph().tensor(input).isConstant() && !contains(stage.loads, input) &&
          (view.producedAt(input) == OrderView::Never || view.producedAt(input) < begin))
        stage.loads.push_back(input);
    for (const TensorId output : op.outputs)
      if (output && (view.lastReadAt(output) >= end || !view.isRead(output)))
        stage.spills.push_back(output);
  }
  return stage;
}

StageDraft draftWhole(const OrderView& view, size_t begin, size_t end, const Residents& residents) {
  return WholeDrafting(view, begin, end).run(residents);
}

uint64_t wholeBound(const OrderView& view, const StageDraft& whole) {
  return computeTimeline(std::get<WholeDraft>(whole.execution).buffers, whole.ops.size(),
                         view.align())
      .bound;
}

void layOutWhole(const OrderView& view, StageDraft& whole) {
  auto& draft = std::get<WholeDraft>(whole.execution);
  draft.layout = layoutArena(draft.buffers, view.align(), wholeBound(view, whole));
  whole.height = draft.layout.height;
}

std::optional<StageDraft> draftDirect(const OrderView& view, size_t step) {
  const Graph& graph = view.graph();
  const Op& op = view.op(step);
  if (!onlyMovesBytes(op.kind))
    return std::nullopt;
  StageDraft stage = draftInterface(view, step, step + 1);
  stage.execution = DirectDraft();
  // A model output in slow memory has its own place there.
  if (view.aliases().isView(op) &&
      (view.callerHoldsInterface() || !graph.isGraphOutput(op.output())))
    return stage;
  stage.stats.kernelCalls = 1;
  for (const TensorId input : op.inputs)
    if (input && !graph.tensor(input).isConstant() && view.isSlow(input))
      stage.stats.slowReadBytes += view.bytes(input);
  for (const TensorId output : op.outputs)
    if (output && view.isSlow(output))
      stage.stats.slowWriteBytes += view.bytes(output);
  return stage;
}

void makeResident(const OrderView& view, const LoadedBytes& loaded, const Residents& residents,
                  StageDraft& stage) {
  for (const TensorId id : stage.loads)
    if (residents.count(id) != 0) {
      stage.residents.push_back(id);
      stage.stats.slowReadBytes -= loaded.at(id);
    }
  for (const TensorId id : stage.spills)
    if (residents.count(id) != 0) {
      stage.residents.push_back(id);
      stage.stats.slowWriteBytes -= view.bytes(id);
    }
}

} // namespace tigris
