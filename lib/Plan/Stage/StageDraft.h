// A stage before its final addresses: the tensors that it uses, how it executes, and its cost.
#pragma once

#include "tigris/Plan/Layout/ArenaLayout.h"
#include "tigris/Plan/Stage/KernelChoice.h"
#include "tigris/Plan/Stage/OrderView.h"

#include <map>
#include <set>
#include <variant>

namespace tigris {

/// Tensors that cross a cut and stay in fast memory.
using Residents = std::set<TensorId>;

/// Two resident tensors that share bytes in a stage. The stage reads `from` for the last time and
/// produces `to`, which begins at least `distance` bytes, a multiple of the alignment, below
/// `from`.
struct Overlap {
  TensorId from;
  TensorId to;
  uint64_t distance = 0;

  /// Fast bytes that this saves.
  uint64_t saved(const Graph& graph, uint64_t align) const;
};

/// A stage on whole tensors: its buffers with their layout, and the buffers that share the bytes of
/// a resident tensor (`pinned`).
struct WholeDraft {
  std::vector<LiveBuffer> buffers;
  std::vector<LiveBuffer> pinned;
  ArenaLayout layout;
};

/// One op on tensors outside the fast arena.
struct DirectDraft {};

/// A stage on boxes.
struct TiledDraft {
  /// With offsets from the start of the stage's own memory, and without residents.
  TiledStage stage;
};

/// A stage on rows.
struct StreamedDraft {
  /// Likewise.
  StreamedStage stage;
  /// The pairs that may overlap if both stay in fast memory, and the one that does.
  std::vector<Overlap> overlaps;
  std::optional<Overlap> overlap;
};

/// A run of consecutive ops with the arena to itself.
struct StageDraft {
  std::vector<OpId> ops;
  /// In order of first use: tensors produced by an earlier stage, and model inputs. Model inputs in
  /// the caller's buffers are included for tiled and streamed stages only, which copy parts of
  /// them.
  std::vector<TensorId> loads;
  /// In order of production: tensors read by a later stage, and model outputs. Those in the
  /// caller's buffers are included for the same stages only.
  std::vector<TensorId> spills;
  /// Tensors that stay in fast memory across cuts. In whole stages they are not among the loads and
  /// spills; in other stages they are.
  std::vector<TensorId> residents;
  /// One alternative per StageMode, in the same order.
  std::variant<WholeDraft, DirectDraft, TiledDraft, StreamedDraft> execution;
  /// The highest fast byte, counted from the start of the stage's own memory.
  uint64_t height = 0;
  /// Whether it is the last resort for ops that do not fit (draftOverflow).
  bool overflows = false;
  StageStats stats;

  StageMode mode() const { return static_cast<StageMode>(execution.index()); }
  const StreamedDraft* streamed() const { return std::get_if<StreamedDraft>(&execution); }
  /// The resident tensors that share bytes in the stage, if any.
  std::optional<Overlap> overlap() const {
    return streamed() != nullptr ? streamed()->overlap : std::nullopt;
  }
};

/// The cut of a draft, which must outlive it.
StageCut cutOf(const StageDraft& stage);

/// Ops, loads and spills of ops [begin, end) as a stage that works on tensors outside the arena,
/// including the caller's. A result that nothing reads is spilled, too, because it needs a place.
StageDraft draftInterface(const OrderView& view, size_t begin, size_t end);

/// Ops [begin, end) on whole tensors beside the residents, without a layout. The lower bound is
/// cheap and often shows that no layout is needed.
StageDraft draftWhole(const OrderView& view, size_t begin, size_t end, const Residents& residents);
/// A lower bound for the fast bytes of a whole draft.
uint64_t wholeBound(const OrderView& view, const StageDraft& whole);
/// Sets the addresses and the height of a whole draft.
void layOutWhole(const OrderView& view, StageDraft& whole);

/// The op alone, working on its tensors outside the fast arena; nullopt unless it only moves bytes.
/// If it has no kernel calls, its result is a view of its source in slow memory.
std::optional<StageDraft> draftDirect(const OrderView& view, size_t step);

/// The share of each load in slowReadBytes.
using LoadedBytes = std::map<TensorId, uint64_t>;

/// Adds the traffic of a tiled or streamed stage without residents. `loadBytes(id)` returns the
/// bytes loaded from a tensor.
template <typename LoadBytes>
LoadedBytes addPartTraffic(const OrderView& view, StageDraft& stage, LoadBytes loadBytes) {
  LoadedBytes loaded;
  for (const TensorId id : stage.loads)
    if (view.isSlow(id)) {
      loaded[id] = loadBytes(id);
      stage.stats.slowReadBytes += loaded[id];
    }
  for (const TensorId id : stage.spills)
    stage.stats.slowWriteBytes += view.isSlow(id) ? view.bytes(id) : 0;
  return loaded;
}

/// Makes loads and spills of a tiled or streamed stage resident and subtracts their traffic.
void makeResident(const OrderView& view, const LoadedBytes& loaded, const Residents& residents,
                  StageDraft& stage);

} // namespace tigris
