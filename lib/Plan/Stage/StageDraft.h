// A stage before its final addresses: the tensors it touches, how it executes, and what that costs.
#pragma once

#include "tigris/Plan/Layout/ArenaLayout.h"
#include "tigris/Plan/Stage/OrderView.h"

#include <map>
#include <set>
#include <variant>

namespace tigris {

/// Tensors that cross a cut and stay in fast memory.
using Residents = std::set<TensorId>;

/// A resident tensor that a stage produces (`to`) takes the bytes of one that the stage reads for
/// the last time (`from`): it begins at least `distance` bytes, a multiple of the alignment, below
/// the other.
struct Overlap {
  TensorId from;
  TensorId to;
  uint64_t distance = 0;

  /// Fast bytes that this saves.
  uint64_t saved(const Graph& graph, uint64_t align) const;
};

/// A stage on whole tensors: what lies in the arena, and where; and what shares the bytes of a
/// resident tensor.
struct WholeDraft {
  std::vector<LiveBuffer> buffers;
  std::vector<LiveBuffer> pinned;
  ArenaLayout layout;
};

/// One op on tensors outside the fast arena.
struct DirectDraft {};

/// A stage on boxes.
struct TiledDraft {
  Tiling tiling;
};

/// A stage on rows.
struct StreamedDraft {
  Tiling tiling;
  /// What may overlap if both stay in fast memory, and what does.
  std::vector<Overlap> overlaps;
  std::optional<Overlap> overlap;
};

/// A run of consecutive ops with the arena to itself.
struct StageDraft {
  std::vector<OpId> ops;
  /// In order of first use: produced by an earlier stage, or model inputs. Model inputs in the
  /// caller's buffers count for tiled and streamed stages only, which copy parts of them.
  std::vector<TensorId> loads;
  /// In order of production: read by a later stage, or model outputs; likewise.
  std::vector<TensorId> spills;
  /// Tensors that stay in fast memory across cuts. Whole: instead of loads and spills; otherwise
  /// some of these.
  std::vector<TensorId> residents;
  /// One alternative per StageMode, in the same order.
  std::variant<WholeDraft, DirectDraft, TiledDraft, StreamedDraft> execution;
  /// Highest fast byte, counted from where the stage's own memory begins.
  uint64_t height = 0;
  StageStats stats;

  StageMode mode() const { return static_cast<StageMode>(execution.index()); }
  const StreamedDraft* streamed() const { return std::get_if<StreamedDraft>(&execution); }
  /// Null unless the stage is tiled or streamed.
  const Tiling* tiling() const;
  /// What resident tensors share bytes in the stage, if any.
  std::optional<Overlap> overlap() const {
    return streamed() != nullptr ? streamed()->overlap : std::nullopt;
  }
};

/// Ops, loads and spills of ops [begin, end) as a stage that works on tensors outside the arena,
/// the caller's included. A result nobody reads is spilled, too: it has to go somewhere.
StageDraft draftInterface(const OrderView& view, size_t begin, size_t end);

/// Ops [begin, end) on whole tensors beside the residents, not laid out: the lower bound is cheap
/// and decides most questions.
StageDraft draftWhole(const OrderView& view, size_t begin, size_t end, const Residents& residents);
/// Fast bytes that a whole draft needs at least.
uint64_t wholeBound(const OrderView& view, const StageDraft& whole);
/// Gives a whole draft its addresses and height.
void layOutWhole(const OrderView& view, StageDraft& whole);

/// The op alone, working on its tensors outside the fast arena; nullopt when it does not only move
/// bytes. Without kernel calls its result is a view of its source in slow memory.
std::optional<StageDraft> draftDirect(const OrderView& view, size_t step);

/// Slow bytes in slowReadBytes for each load.
using LoadedBytes = std::map<TensorId, uint64_t>;

/// Adds the traffic of a tiled or streamed stage without residents. `loadBytes(id)`: bytes loaded
/// of a tensor.
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

/// Makes loads and spills of a tiled or streamed stage resident, which takes their traffic away.
void makeResident(const OrderView& view, const LoadedBytes& loaded, const Residents& residents,
                  StageDraft& stage);

} // namespace tigris
