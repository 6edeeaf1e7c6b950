// One stage on the drawing board: which tensors it touches, how it would run, and what that costs.
#pragma once

#include "tigris/Analysis/Lifetime.h"
#include "tigris/Plan/Layout/ArenaLayout.h"
#include "tigris/Plan/Stage/Objective.h"
#include "tigris/Plan/Stage/RunTable.h"
#include "tigris/Plan/Stage/StreamModel.h"
#include "tigris/Plan/Stage/TileSearch.h"

#include <set>

namespace tigris {

/// A resident tensor that a stage makes (`to`) takes the bytes of one that it reads for the last time (`from`): it
/// begins `lead` bytes, a multiple of the alignment, below the other, or still lower.
struct Overlap {
  TensorId from;
  TensorId to;
  uint64_t lead = 0;

  /// Fast bytes that this saves.
  uint64_t saved(const Graph& graph, uint64_t align) const;
};

/// A run of consecutive ops with the arena to itself.
struct StageDraft {
  StageMode mode = StageMode::Whole;
  std::vector<OpId> ops;
  /// In order of first use: produced by an earlier stage, or model inputs. Model inputs in the caller's
  /// buffers count for tiled stages only, which copy parts of them.
  std::vector<TensorId> loads;
  /// In order of production: read by a later stage, or model outputs; likewise.
  std::vector<TensorId> spills;
  /// Tensors that stay in fast memory across cuts. Whole: instead of loads and spills; otherwise some of these.
  std::vector<TensorId> residents;
  /// Whole: what lies in the arena, and where; and what shares the bytes of a resident tensor.
  std::vector<LiveBuffer> buffers;
  std::vector<LiveBuffer> pinned;
  ArenaLayout layout;
  /// Tiled and streamed.
  std::optional<Tiling> tiling;
  /// Slow bytes in slowReadBytes for each load.
  std::map<TensorId, uint64_t> loadedBytes;
  /// Streamed: what may overlap if both stay in fast memory, and what does.
  std::vector<Overlap> overlaps;
  std::optional<Overlap> overlap;
  /// Highest fast byte, counted from where the stage's own memory begins.
  uint64_t height = 0;

  StageStats stats;
};

/// Tensors that cross a cut and stay in fast memory.
using Residents = std::set<TensorId>;

class StageDrafter;

/// The ways to stream a run of ops, from one stripe on: more stripes take less memory and cost more. Each is found
/// when it is first asked for.
class StreamWays {
public:
  struct Way {
    int64_t stripes = 1;
    /// With the traffic of no residents.
    StageStats stats;
    /// Slow bytes of each load in that.
    std::vector<uint64_t> loadedBytes;
  };
  /// Ops, loads and spills of all of them.
  const StageDraft& stage() const { return stage_; }
  /// Null after the last one.
  const Way* at(size_t index);
  /// What a way there is needs beside residents.
  struct Room {
    std::vector<Overlap> overlaps;
    /// Fast bytes at least, and the lowest height once it has been asked for.
    uint64_t lowerBound = 0;
    std::optional<uint64_t> height;
  };
  const Room& room(size_t index, const Residents& residents);
  /// Fast bytes, at most `room`; the lowest that are found, or any. nullopt when it takes more.
  std::optional<uint64_t> heightWithin(uint64_t room, size_t index, const Residents& residents,
                                       bool lowest);

private:
  friend class StageDrafter;
  StreamWays(const StageDrafter& drafter, StageDraft stage, StreamModel model)
      : drafter_(&drafter), stage_(std::move(stage)), model_(std::move(model)),
        counts_(model_.stripeCounts()) {}

  std::vector<bool> inPlace(size_t index, const Residents& residents) const;
  TileCost cost(size_t index, const Residents& residents) const;
  Room roomOf(const TileCost& cost) const;

  const StageDrafter* drafter_;
  StageDraft stage_;
  StreamModel model_;
  std::vector<int64_t> counts_;
  size_t tried_ = 0;
  std::vector<Way> ways_;
  /// By the way and by what of the loads and spills it finds in fast memory.
  std::map<std::pair<size_t, std::vector<bool>>, Room> rooms_;
};

/// A run of ops on whole tensors, kept for those who ask again.
class WholeRun {
public:
  /// Without residents and without buffers.
  const StageDraft& stage() const { return stage_; }
  /// Fast bytes it needs at least, without residents.
  uint64_t bound() const { return bound_; }
  /// The fast bytes it takes if that is no more than `room`, beside residents. A view and its source cannot both be resident: they are one buffer.
  std::optional<uint64_t> heightWithin(uint64_t room, const Residents& residents);

private:
  friend class StageDrafter;
  WholeRun(const StageDrafter& drafter, size_t begin, size_t end);
  struct Need {
    bool fits = true;
    uint64_t bound = 0;
    std::optional<uint64_t> height;
  };

  const StageDrafter* drafter_;
  size_t begin_;
  StageDraft stage_;
  uint64_t bound_;
  /// By what of the loads and spills is in fast memory.
  std::map<std::vector<bool>, Need> needs_;
};

/// Drafts stages of runs of one order. What `residents` names needs no memory of the stage's own and causes no
/// slow traffic.
class StageDrafter {
public:
  /// Streamed stages work on what lies in the caller's buffers in place, but for what is moved by `rows`.
  StageDrafter(const Graph& graph, std::span<const OpId> order, const AliasSets& aliases, IoMode io,
               uint64_t align, Objective objective = {}, const std::vector<TensorId>& rows = {});

  /// Whether streamed stages work on residents in place, as they do unless told otherwise, or on copies of their rows.
  /// In place takes no more memory in a stage; but what is written over copies need not lie lower and lower.
  void workInPlace(bool inPlace) { worksInPlace_ = inPlace; }
  /// What a draft costs beyond its ops' own work.
  uint64_t cost(const StageDraft& stage) const;
  /// What its figures are worth.
  CostWeights weights(const StageDraft& stage) const {
    return objective_.weights(graph_, stage.ops, !hasTiles(stage.mode));
  }
  const Objective& objective() const { return objective_; }
  /// From now on that is what costs; what has been drafted for another objective serves this one, too.
  void weighBy(const Objective& objective);
  std::span<const OpId> order() const { return order_; }
  uint64_t align() const { return align_; }
  uint64_t bytes(TensorId id) const { return use(id).bytes; }
  uint64_t saved(const Overlap& overlap) const { return overlap.saved(graph_, align_); }
  const Op& op(size_t step) const { return graph_.op(order_[step]); }
  /// Activations the op at `step` reads and writes.
  std::vector<TensorId> touched(size_t step) const;

  /// Ops [begin, end) on whole tensors, not laid out: the lower bound is cheap and decides most questions.
  StageDraft whole(size_t begin, size_t end, const Residents& residents = {}) const;
  WholeRun& wholeRun(size_t begin, size_t end);
  uint64_t bound(const StageDraft& whole) const;
  void layOut(StageDraft& whole) const;

  /// The op alone, working on its tensors outside the fast arena; nullopt when it does not only move bytes.
  /// No kernel calls: its result is a view of its source in slow memory.
  std::optional<StageDraft> direct(size_t step) const;

  /// Ops [begin, end) as a tiled stage in `budget` bytes, cut so that it costs least. nullopt when they
  /// cannot run in tiles or do not fit.
  std::optional<StageDraft> tiled(size_t begin, size_t end, uint64_t budget,
                                  const Residents& residents = {});
  /// Ops [begin, end) as a streamed stage in as few steps per stripe as fit the bytes that `room` gives to it, which
  /// depend on the overlaps it finds. nullopt when they cannot run so or do not fit.
  std::optional<StageDraft>
  streamed(size_t begin, size_t end, int64_t stripes,
           const std::function<uint64_t(const std::vector<Overlap>&)>& room,
           const Residents& residents = {});
  /// Kernel calls of that stage.
  std::optional<uint64_t>
  streamedCalls(size_t begin, size_t end, int64_t stripes,
                const std::function<uint64_t(const std::vector<Overlap>&)>& room,
                const Residents& residents);
  /// A streamed stage, residents and overlap included, in as few steps as fit the bytes `room` gives to it, as above;
  /// without `room`, in as many as make anything smaller.
  StageDraft refit(const StageDraft& streamed,
                   const std::function<uint64_t(const std::vector<Overlap>&)>& room);
  /// All ways to stream ops [begin, end) in as many steps as make anything smaller, kept for those who ask again. Null
  /// when they cannot run row by row.
  StreamWays* streamWays(size_t begin, size_t end);
  /// Moves the traffic of tensors of a tiled or streamed stage into fast memory.
  void makeResident(StageDraft& stage, const Residents& residents) const;
  /// The first tensors that cross the cut before op `step` and may stay in fast memory: results of ops, read later
  /// on, that are no model outputs and no views.
  std::vector<TensorId> crossing(size_t step) const;
  /// Fast memory of the finest cut of one op; nullopt when it cannot run in tiles.
  std::optional<uint64_t> finestNeed(size_t step);

private:
  bool livesInArena(TensorId id) const;
  bool isSlow(TensorId id) const;
  size_t producedAt(TensorId id) const;
  size_t lastReadAt(TensorId id) const;
  void touch(StageDraft& stage, std::map<TensorId, size_t>& bufferOf, TensorId id, size_t birth,
             size_t death) const;
  void addTraffic(StageDraft& stage) const;
  StageDraft interface(size_t begin, size_t end) const;
  template <typename Model>
  void addTiledTraffic(StageDraft& stage, const Model& model, const TileCost& cost) const;
  std::set<TensorId> wholeFor(const Residents& residents) const;
  std::optional<TileCost>
  searchStream(const StreamModel& model, int64_t stripes,
               const std::function<uint64_t(const std::vector<Overlap>&)>& room,
               const Residents& residents) const;
  StageDraft streamDraft(StageDraft stage, const StreamModel& model, const TileCost& cost) const;
  std::vector<Overlap> overlapsOf(const TileCost& cost) const;
  friend class StreamWays;

  struct TensorUse {
    /// Steps; none for what comes from outside, and for what nobody reads.
    std::optional<size_t> produced;
    std::optional<size_t> lastRead;
    bool isConstant = false;
    bool isInterface = false;
    uint64_t bytes = 0;
  };
  const TensorUse& use(TensorId id) const { return uses_[id.index()]; }
  struct TiledRun {
    StageDraft interface;
    std::optional<TileSearch> search;
    /// Without residents, by the budget they were searched for; with the objective that weighings_ counts so.
    std::map<uint64_t, std::optional<StageDraft>> found;
    size_t weighing = 0;
  };
  std::optional<StageDraft> searchTiled(TiledRun& run, uint64_t budget) const;

  const Graph& graph_;
  std::span<const OpId> order_;
  const AliasSets& aliases_;
  IoMode io_;
  uint64_t align_;
  Objective objective_;
  size_t weighings_ = 0;
  bool worksInPlace_ = true;
  /// In the caller's buffers, as a whole.
  std::vector<TensorId> callers_;
  AccessTable access_;
  RowTable rows_;
  RunTable<WholeRun> whole_;
  RunTable<std::optional<StreamWays>> streams_;
  RunTable<TiledRun> tiled_;
  std::vector<TensorUse> uses_;
};

} // namespace tigris
