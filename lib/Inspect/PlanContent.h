// Tensors, operators and stages of a module or of a plan file as plain records: lifetimes,
// addresses, attributes and tilings, for scripts and tables.
//
// A step is an index into the execution order. A plan file has no views (Reshapes that rename
// bytes), so its steps may differ from those of its module.
#pragma once

#include "tigris/IR/Attr.h"
#include "tigris/Inspect/Dump.h"
#include "tigris/Inspect/Figures.h"
#include "tigris/Inspect/PlanPicture.h"

#include <array>

namespace tigris {

struct TensorContent {
  std::string name;
  /// "input", "output", "constant" or "activation".
  std::string role;
  DType type = DType::Undefined;
  /// As stored. nullopt if unknown; `bytes` is then 0.
  std::optional<std::vector<int64_t>> shape;
  uint64_t bytes = 0;
  /// One scale and zero point for the whole tensor or, if `axis` is set, per index of this axis.
  /// Empty if the tensor is not quantized. A plan file has those of activations only.
  std::vector<double> scales;
  std::vector<int64_t> zeroPoints;
  std::optional<int64_t> axis;
  /// The steps [birth, death] in which the tensor must exist: from its producer to its last reader.
  /// Model inputs are born at step 0; model outputs die at the last step. nullopt for constants and
  /// for tensors that no operator uses.
  std::optional<size_t> birth, death;
  /// Index of the tensor whose bytes it has, because it is a view of it.
  std::optional<size_t> viewOf;
};

struct OperandContent {
  /// nullopt: the operand is absent.
  std::optional<size_t> tensor;
  /// "fast", "slow", "caller", "const", "tile", "unpacked" (a prefix of the fast arena) or
  /// "absent".
  std::string memory;
  /// Bytes from the start of the memory. caller: index of the port, inputs first. tile: index of
  /// the buffer in its stage. nullopt if unknown.
  std::optional<uint64_t> offset;
};

struct OpContent {
  std::string name;
  /// "Conv" in modules, "CONV" in plan files.
  std::string kind;
  /// nullopt if the module is not planned.
  std::optional<size_t> stage;
  /// A fused activation; empty if there is none or it is an attribute.
  std::string activation;
  /// Modules: ONNX attributes. Plan files: the kernel's parameters.
  AttrMap attrs;
  std::vector<OperandContent> inputs;
  std::vector<OperandContent> outputs;
  /// The ONNX nodes it is derived from; empty in plan files.
  std::vector<std::string> origin;
};

/// A whole tensor that is copied between the memories.
struct TransferContent {
  size_t tensor = 0;
  uint64_t fast = 0;
  uint64_t slow = 0;
  uint64_t bytes = 0;
};

/// A buffer of a tiled or streamed stage (IR/Plan.h).
struct BufferContent {
  size_t tensor = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  bool load = false;
  bool store = false;
  bool inPlace = false;
  bool sink = false;
  uint32_t reloadAxes = 0;
  uint64_t wait = 0;
  /// Where the whole tensor is; absent unless parts of it are loaded or stored.
  OperandContent backing;
};

struct StageContent {
  std::string mode;
  size_t first = 0;
  size_t count = 0;
  std::vector<TransferContent> loads;
  std::vector<TransferContent> spills;
  /// Indices of the weight blocks that its operators read.
  std::vector<size_t> weightBlocks;
  /// Tiled and streamed: parts per axis, the executor's bookkeeping, and the buffers.
  std::optional<std::array<int64_t, PartStage::MaxRank>> parts;
  uint64_t bookkeepingOffset = 0;
  uint64_t bookkeepingBytes = 0;
  std::vector<BufferContent> buffers;
};

/// A block of copied or compressed weights, brought to fast memory before the op. It stays until
/// the next block.
struct WeightBlockContent {
  size_t firstOp = 0;
  uint64_t fast = 0;
  uint64_t packedBytes = 0;
  uint64_t bytes = 0;
};

struct PlanContent {
  std::vector<TensorContent> tensors;
  /// In execution order.
  std::vector<OpContent> ops;
  std::vector<StageContent> stages;
  /// Bytes of the whole tensors that are live at each step, views counted once: the memory timeline
  /// of one stage, with model inputs and outputs.
  std::vector<uint64_t> live;
  std::vector<WeightBlockContent> weightBlocks;
  /// Blocks of memory over the steps; nullopt without a plan.
  std::optional<PlanPicture> picture;
};

PlanContent contentOf(const PlanFile& file);
PlanContent contentOf(const Graph& graph);

/// Writes the chosen parts to the object that is open in `json`, all of them if none is chosen; the
/// key "tensors" always. docs/dump.md lists the keys.
void writeContent(JsonWriter& json, const PlanContent& content, const DumpOptions& parts);

/// "schedule", "lifetimes", "timeline": one line each.
std::vector<FigureLine> contentLines(const PlanContent& content);
/// A line per tensor that has a lifetime, by birth. Live bytes are those of whole tensors.
TextTable lifetimeTable(const PlanContent& content);
/// A line per step: stage, operator, and the live bytes of whole tensors and of the plan.
TextTable timelineTable(const PlanContent& content);

} // namespace tigris
