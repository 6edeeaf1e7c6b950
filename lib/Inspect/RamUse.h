// All RAM that a plan takes on the device, from a module or a `.tgrs` file.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Inspect/PlanFile.h"

namespace tigris {

/// Bytes. The parts share no byte, so they add up. The stack is not part of it.
struct RamUse {
  /// Fast memory below the scratch: activations, rows, unpacked or copied weights, and model inputs
  /// and outputs with IoMode::Arena. Rounded up to the plan's alignment if there is scratch.
  uint64_t arena = 0;
  /// Fast memory above the arena, for the target's kernels.
  uint64_t scratch = 0;
  /// Buffers that the caller provides for model inputs and outputs. Those that a callback may move
  /// row by row (Analysis/RowPorts.h) need none.
  uint64_t inputs = 0;
  uint64_t outputs = 0;
  /// The runtime's tigris_plan and tigris_context on a processor with addresses of 32 bits, built
  /// for as many ports as the plan has.
  uint64_t context = 0;
  /// Spilled tensors, and model inputs and outputs with IoMode::Slow.
  uint64_t slow = 0;

  uint64_t total() const { return arena + scratch + inputs + outputs + context + slow; }
  bool operator==(const RamUse&) const = default;
};

/// A part with its name in text, its key in JSON, and the value.
struct RamPart {
  std::string_view name;
  std::string_view key;
  uint64_t RamUse::*bytes;
};

inline constexpr std::array<RamPart, 6> RamParts = {{
    {"arena", "arena", &RamUse::arena},
    {"scratch", "scratch", &RamUse::scratch},
    {"inputs", "inputs", &RamUse::inputs},
    {"outputs", "outputs", &RamUse::outputs},
    {"context", "context", &RamUse::context},
    {"slow memory", "slow", &RamUse::slow},
}};

RamUse ramUse(const Graph& graph, const Plan& plan);
RamUse ramUse(const PlanFile& file);

} // namespace tigris
