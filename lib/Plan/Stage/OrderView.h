// One execution order as stages see it: where each tensor is produced and read last, and which
// memory holds it.
#pragma once

#include "tigris/Analysis/Lifetime.h"

namespace tigris {

/// A graph, an order of its ops, and what follows from both for a run of consecutive ops. Steps are
/// indices into the order. Refers to the graph, the order and the aliases, which must not change.
class OrderView {
public:
  /// Stands for the producer of tensors from outside the order, and for the last reader of model
  /// outputs.
  static constexpr size_t Never = SIZE_MAX;

  OrderView(const Graph& graph, std::span<const OpId> order, const AliasSets& aliases, IoMode io,
            uint64_t align);

  const Graph& graph() const { return graph_; }
  std::span<const OpId> order() const { return order_; }
  const AliasSets& aliases() const { return aliases_; }
  IoMode io() const { return io_; }
  uint64_t align() const { return align_; }
  const Op& op(size_t step) const { return graph_.op(order_[step]); }
  uint64_t bytes(TensorId id) const { return use(id).bytes; }
  bool callerHoldsInterface() const { return io_ == IoMode::Caller; }

  /// Whether whole stages keep the tensor in the fast arena: any activation that is not in the
  /// caller's buffers.
  bool livesInArena(TensorId id) const;
  /// Whether the tensor is in slow memory between stages, unless it is resident.
  bool isSlow(TensorId id) const;
  /// The step that produces the tensor; Never if none does.
  size_t producedAt(TensorId id) const { return use(id).produced.value_or(Never); }
  /// The step that reads the tensor last; Never for model outputs, 0 if nothing reads it.
  size_t lastReadAt(TensorId id) const { return use(id).lastRead.value_or(0); }
  bool isRead(TensorId id) const { return use(id).lastRead.has_value(); }
  /// Activations that the op at `step` reads and writes.
  std::vector<TensorId> touched(size_t step) const;

  /// The resident that has the tensor's bytes in fast memory while they stay there: a tensor and
  /// its views are one resident, named by the first of them. Invalid if the tensor never stays: a
  /// constant, or, unless with IoMode::Arena, a model input or output or a view that joins one.
  TensorId resident(TensorId id) const;
  /// The tensors of a resident.
  const std::vector<TensorId>& views(TensorId resident) const;
  /// The step that reads a resident tensor or one of its views last; Never for model outputs.
  size_t neededUntil(TensorId resident) const;
  /// The residents that may stay at the cut before `step`: results of earlier ops that later ones
  /// read. With IoMode::Arena also model inputs, from the first cut to their last read, and model
  /// outputs, which stay to the last cut. An input that nothing reads crosses the first cut.
  std::vector<TensorId> crossing(size_t step) const;

private:
  struct TensorUse {
    /// Steps. No value: the tensor comes from outside, or nothing reads it.
    std::optional<size_t> produced;
    std::optional<size_t> lastRead;
    bool isConstant = false;
    bool isInterface = false;
    uint64_t bytes = 0;
    /// Index of its resident; no value if it never stays.
    std::optional<size_t> resident;
  };
  /// A tensor and its views, and the first and the last cut that they may cross.
  struct Resident {
    std::vector<TensorId> views;
    size_t first = 0;
    size_t last = 0;
  };

  void addResidents();
  /// Adds the tensor to its resident. Tensors come in execution order.
  void addResident(TensorId id);
  const TensorUse& use(TensorId id) const { return uses_[id.index()]; }

  const Graph& graph_;
  std::span<const OpId> order_;
  const AliasSets& aliases_;
  IoMode io_;
  uint64_t align_;
  std::vector<TensorUse> uses_;
  /// In execution order.
  std::vector<Resident> residents_;
};

} // namespace tigris
