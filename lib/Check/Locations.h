// Computes where the bytes of each tensor are in a plan. The checker and the emitter both use it,
// so that the checked addresses are the emitted ones.
#pragma once

#include "tigris/Analysis/Lifetime.h"
#include "tigris/IR/Graph.h"

namespace tigris {

/// Tile: the packed part of a tensor in a buffer of a tiled or streamed stage.
enum class Memory : uint8_t { None, Fast, Slow, Caller, Constant, Tile };

struct Location {
  Memory memory = Memory::None;
  /// Bytes from the start of the memory. Caller: index of the port, inputs first, then outputs.
  /// Tile: index of the buffer.
  uint64_t offset = 0;

  bool operator==(const Location&) const = default;
};

class Locations {
public:
  Locations(const Graph& graph, const Plan& plan);

  /// Where the ops of a stage access the tensor. Whole stages: its placement in the fast arena if
  /// it has one; otherwise, with IoMode::Caller, the caller's buffer of which it is a view, or its
  /// placement in slow memory. Direct stages: its backing memory. Tiled and streamed stages: its
  /// buffer. Memory::None if the plan does not place it.
  Location find(size_t stage, TensorId tensor) const;
  /// The backing memory: where a tiled, streamed or direct stage accesses the whole tensor. The
  /// tensor is resident in the fast arena, in the caller's buffer, or in slow memory.
  Location findBacking(size_t stage, TensorId tensor) const;
  /// The tensor's placement in slow memory for the whole run, if any.
  Location findSlow(TensorId tensor) const;
  /// Where the caller accesses an input or output: slow memory, its own buffer, or the fast arena
  /// at the whole tensor's place in the first (inputs) or last (outputs) stage that has one.
  Location findPort(const Port& port) const;
  /// Whether the op is a Reshape whose result has the address of its source, so that it is not
  /// executed.
  bool isView(size_t stage, const Op& op) const;

private:
  Location findCaller(TensorId tensor) const;
  Location findOutside(TensorId tensor) const;

  const Graph* graph_;
  const Plan* plan_;
  AliasSets aliases_;
  /// Per stage: the fast offsets of whole tensors, and the buffers of parts.
  std::vector<std::map<TensorId, uint64_t>> whole_;
  std::vector<std::map<TensorId, uint64_t>> buffers_;
  std::map<TensorId, uint64_t> slow_;
  std::map<TensorId, uint64_t> ports_;
};

} // namespace tigris
