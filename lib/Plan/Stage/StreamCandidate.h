// A run of ops as a streamed stage, judged for many budgets and sets of residents.
#pragma once

#include "tigris/Plan/Stage/StageDraft.h"
#include "tigris/Plan/Stage/StreamModel.h"

namespace tigris {

/// Fast bytes that a streamed stage may take for itself, given what may overlap in it.
using StreamCapacity = std::function<uint64_t(const std::vector<Overlap>&)>;

/// What a streamed stage finds in fast memory.
struct StreamResidents {
  const Residents& tensors;
  /// Whether the stage works on them in place, or on copies of their rows.
  bool inPlace = true;
};

/// Remembers what it has found. Refers to the view and the table.
class StreamCandidate {
public:
  /// `callers`: tensors that lie whole in the caller's buffers and are worked on there. nullopt
  /// when the ops cannot run row by row.
  static std::optional<StreamCandidate> make(const OrderView& view, RowTable& table,
                                             const std::vector<TensorId>& callers, size_t begin,
                                             size_t end);

  /// The stage in a number of stripes, in as many steps as make anything smaller.
  struct Variant {
    int64_t stripes = 1;
    /// With the traffic of no residents.
    StageStats stats;
    /// Slow bytes of each load in that.
    std::vector<uint64_t> loadedBytes;
  };
  /// What a variant needs beside residents.
  struct Need {
    std::vector<Overlap> overlaps;
    /// Fast bytes at least, and the lowest height once it has been asked for.
    uint64_t lowerBound = 0;
    std::optional<uint64_t> height;
  };

  /// Ops, loads and spills of all variants.
  const StageDraft& stage() const { return stage_; }
  /// Variants from one stripe on: more stripes take less memory and cost more. Null after the last
  /// one.
  const Variant* variant(size_t index);
  /// Of a variant that has been asked for, as below.
  const Need& need(size_t index, const StreamResidents& residents);
  /// Fast bytes of the variant, at most `available`; the lowest that are found, or any. nullopt
  /// when it takes more.
  std::optional<uint64_t> heightWithin(uint64_t available, size_t index,
                                       const StreamResidents& residents, bool lowest);

  /// The stage in as few steps per stripe as fit its capacity; without one, in as many as make
  /// anything smaller. nullopt when it does not fit.
  std::optional<StageDraft> draft(int64_t stripes, const StreamCapacity& capacity,
                                  const StreamResidents& residents) const;
  /// Kernel calls of that stage.
  std::optional<uint64_t> kernelCalls(int64_t stripes, const StreamCapacity& capacity,
                                      const StreamResidents& residents) const;

private:
  StreamCandidate(const OrderView& view, const std::vector<TensorId>& callers, StageDraft stage,
                  StreamModel model);

  std::vector<bool> inPlace(size_t index, const StreamResidents& residents) const;
  std::set<TensorId> wholeTensors(const StreamResidents& residents) const;
  std::optional<TileCost> search(int64_t stripes, const StreamCapacity& capacity,
                                 const StreamResidents& residents) const;
  TileCost cost(size_t index, const StreamResidents& residents) const;
  std::vector<Overlap> overlapsOf(const TileCost& cost) const;
  Need needOf(const TileCost& cost) const;

  const OrderView& view_;
  const std::vector<TensorId>& callers_;
  StageDraft stage_;
  StreamModel model_;
  std::vector<int64_t> counts_;
  size_t tried_ = 0;
  std::vector<Variant> variants_;
  /// By the variant and by what of the loads and spills it works on in place.
  std::map<std::pair<size_t, std::vector<bool>>, Need> needs_;
};

} // namespace tigris
