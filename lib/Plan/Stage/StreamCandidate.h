// A run of ops as a streamed stage, evaluated for many budgets and sets of residents.
#pragma once

#include "tigris/Plan/Stage/CostModel.h"
#include "tigris/Plan/Stage/StageDraft.h"
#include "tigris/Plan/Stage/StreamModel.h"

namespace tigris {

/// Fast bytes that a streamed stage may use for itself, given the tensors that may overlap in it.
using StreamCapacity = std::function<uint64_t(const std::vector<Overlap>&)>;

/// The tensors that a streamed stage finds in fast memory.
struct StreamResidents {
  const Residents& tensors;
  /// Whether the stage works on them in place, or on copies of their rows.
  bool inPlace = true;
  /// Whether the lowest layout decides what fits, or the first that is found within the capacity.
  bool lowest = false;
  /// A limited scratch, which can require more steps. May be null.
  const CostModel* costs = nullptr;
};

/// Stores its results. Refers to the view and the table.
class StreamCandidate {
public:
  /// `callers`: tensors that are whole in the caller's buffers; the stage works on them in place.
  /// `stage`: the ops, loads and spills, of the mode Streamed. nullopt if the ops cannot run row by
  /// row.
  static std::optional<StreamCandidate> make(const OrderView& view, RowTable& table,
                                             std::vector<TensorId> callers, StageDraft stage);

  /// The stage in a number of stripes, in as many steps as make anything smaller.
  struct Variant {
    int64_t stripes = 1;
    /// Figures without residents.
    StageStats stats;
    /// The share of each load in stats.slowReadBytes.
    std::vector<uint64_t> loadedBytes;
  };
  /// The memory that a variant needs beside residents.
  struct Need {
    std::vector<Overlap> overlaps;
    /// A lower bound for the fast bytes, and the lowest height found, once it has been computed.
    uint64_t lowerBound = 0;
    std::optional<uint64_t> height;
  };

  /// The cut of the stage in a number of stripes, in as many steps as make anything smaller.
  StageCut finestCut(int64_t stripes) const;

  /// Ops, loads and spills of all variants.
  const StageDraft& stage() const { return stage_; }
  /// Variants in ascending order of stripes, from one on. More stripes take less memory and cost
  /// more.
  size_t variants() const { return counts_.size(); }
  int64_t stripes(size_t index) const { return counts_[index]; }
  /// Null if the ops cannot run in these stripes.
  const Variant* variant(size_t index);
  /// A lower bound for the fast bytes of a variant, whatever the residents are.
  uint64_t leastBytes(size_t index);
  /// The same for all variants in more than one stripe.
  uint64_t leastBytesInStripes();
  /// The need of a variant that variant() has returned.
  const Need& need(size_t index, const StreamResidents& residents);
  /// Fast bytes of such a variant. nullopt if it takes more than `available`.
  std::optional<uint64_t> heightWithin(uint64_t available, size_t index,
                                       const StreamResidents& residents);

  /// The stage in as few steps per stripe as fit the capacity; without a capacity, in as many as
  /// make anything smaller. nullopt if it does not fit.
  std::optional<StageDraft> draft(int64_t stripes, const StreamCapacity& capacity,
                                  const StreamResidents& residents) const;
  /// Kernel calls of that stage.
  std::optional<uint64_t> kernelCalls(int64_t stripes, const StreamCapacity& capacity,
                                      const StreamResidents& residents) const;
  /// A lower bound for these, without layouts.
  uint64_t leastCalls(int64_t stripes, const StreamCapacity& capacity,
                      const StreamResidents& residents) const;

private:
  StreamCandidate(const OrderView& view, std::vector<TensorId> callers, StageDraft stage,
                  StreamModel model);

  /// What a number of steps needs and costs.
  struct StepsNeed {
    std::vector<Overlap> overlaps;
    uint64_t lowerBound = 0;
    uint64_t calls = 0;
  };

  std::vector<bool> inPlace(int64_t stripes, const StreamResidents& residents) const;
  /// The fewest steps in which no more calls lack scratch than in the most.
  int64_t stepsForScratch(int64_t stripes, const StreamResidents& residents) const;
  /// The fewest steps whose lower bound fits the capacity; the most if none does.
  int64_t leastSteps(int64_t stripes, const StreamCapacity& capacity,
                     const StreamResidents& residents) const;
  const StepsNeed& needOf(int64_t steps, int64_t stripes, const StreamResidents& residents) const;
  std::set<TensorId> wholeTensors(const StreamResidents& residents) const;
  std::optional<StreamCost> search(int64_t stripes, const StreamCapacity& capacity,
                                   const StreamResidents& residents) const;
  StreamCost cost(size_t index, const StreamResidents& residents) const;
  std::vector<Overlap> overlapsOf(const StreamCost& cost) const;
  Need needOf(const StreamCost& cost) const;

  const OrderView& view_;
  std::vector<TensorId> callers_;
  StageDraft stage_;
  StreamModel model_;
  std::vector<int64_t> counts_;
  struct Trial {
    bool isMade = false;
    std::optional<Variant> variant;
    std::optional<uint64_t> leastBytes;
  };
  std::vector<Trial> trials_;
  std::optional<uint64_t> leastBytesInStripes_;
  /// By the variant, and by the loads and spills on which it works in place.
  std::map<std::pair<size_t, std::vector<bool>>, Need> needs_;
  /// By the stripes, the loads and spills on which it works in place, and the steps.
  mutable std::map<std::tuple<int64_t, std::vector<bool>, int64_t>, StepsNeed> stepsNeeds_;
};

} // namespace tigris
