// Reads a plan: where the bytes of each tensor are. The checker and the emitter ask here, so what was
// checked is what is emitted.
#pragma once

#include "tigris/Analysis/Lifetime.h"
#include "tigris/IR/Graph.h"

namespace tigris {

/// Tile: the packed part of the tensor that a tiled stage has in one of its buffers.
enum class Memory : uint8_t { None, Fast, Slow, Caller, Constant, Tile };

struct Location {
  Memory memory = Memory::None;
  /// Bytes from the start of the memory. Caller: index of the port, inputs first, then outputs. Tile: index of
  /// the buffer.
  uint64_t offset = 0;

  bool operator==(const Location&) const = default;
};

class Locations {
public:
  Locations(const Graph& graph, const Plan& plan);

  /// Where the ops of a stage find the tensor. Whole stages: its placement in the fast arena if it has one,
  /// else, with IoMode::Caller, the caller's buffer it is a view of. Direct stages: its home. Tiled stages:
  /// its buffer. Memory::None when the plan gives it no place.
  Location find(size_t stage, TensorId tensor) const;
  /// Where a tiled, streamed or direct stage finds the whole tensor: resident in the fast arena, in the caller's
  /// buffer, or in slow memory.
  Location findHome(size_t stage, TensorId tensor) const;
  /// The place in slow memory that the plan gives the tensor for the whole run, if any.
  Location findSlow(TensorId tensor) const;
  /// Where the caller of the model finds an input or output: slow memory, its own buffer, or the fast arena
  /// at the tensor's placement in the first (inputs) or last (outputs) stage that has one.
  Location findPort(const Port& port) const;
  /// True for a Reshape whose result lies exactly where its source lies: it is not executed.
  bool isView(size_t stage, const Op& op) const;

private:
  Location findCaller(TensorId tensor) const;

  const Graph* graph_;
  const Plan* plan_;
  AliasSets aliases_;
  /// Of stages with tiles: their buffers.
  std::vector<std::map<TensorId, uint64_t>> fast_;
  /// Fast offsets of tensors that stages with tiles take parts from and put parts into.
  std::vector<std::map<TensorId, uint64_t>> residents_;
  std::map<TensorId, uint64_t> slow_;
  std::map<TensorId, uint64_t> ports_;
};

} // namespace tigris
