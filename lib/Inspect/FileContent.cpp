// The content of a plan file.
#include "tigris/Inspect/HexFields.h"
#include "tigris/Inspect/PlanContent.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

namespace tigris {

namespace {

class FileContent {
public:
  explicit FileContent(const PlanFile& file) : file_(file), plan_(file.plan()) {}

  PlanContent make() {
    for (uint32_t i = 0; i < plan_.tensor_count; ++i)
      content_.tensors.push_back(recordOf(i, i, file_.tensorName(i)));
    for (uint32_t i = 0; i < plan_.port_count; ++i)
      if (TensorContent& tensor = content_.tensors[plan_.ports[i].tensor];
          !file_.isConstantPort(plan_.ports[i]))
        tensor.role = i < plan_.input_count ? "input" : "output";
      else if (const std::string_view name = file_.string(plan_.ports[i].name); !name.empty())
        tensor.name = name;
    for (uint32_t i = 0; i < plan_.op_count; ++i)
      content_.ops.push_back(recordOfOp(i));
    for (const tigris_stage& stage : file_.stages())
      addStage(stage);
    addLifetimes();
    for (const tigris_weight_block& block : file_.weightBlocks())
      content_.weightBlocks.push_back(
          {block.first_op, block.fast, block.packed_bytes, block.bytes});
    content_.picture = pictureOf(file_);
    return std::move(content_);
  }

private:
  /// The tensor at `index` of the content.
  TensorContent recordOf(size_t index, uint32_t inFile, std::string_view name) const {
    const tigris_tensor& tensor = file_.tensor(inFile);
    TensorContent record;
    record.name = name.empty() ? strCat("t", index) : std::string(name);
    record.role = (tensor.flags & TIGRIS_TENSOR_CONST) != 0 ? "constant" : "activation";
    record.type = planDType(tensor.dtype);
    const auto dims = file_.dims(tensor);
    record.shape = std::vector<int64_t>(dims.begin(), dims.end());
    record.bytes = tensor.bytes;
    if (const tigris_quant* quant = file_.quant(tensor)) {
      record.scales = {quant->scale};
      record.zeroPoints = {quant->zero_point};
    }
    return record;
  }

  OperandContent recordOf(const tigris_operand& operand, uint32_t op) {
    if (operand.pool == TIGRIS_POOL_ABSENT)
      return {{}, planPoolName(operand.pool), {}};
    const bool isConstant = (file_.tensor(operand.tensor).flags & TIGRIS_TENSOR_CONST) != 0;
    return {isConstant ? constantOf(operand, op) : operand.tensor, planPoolName(operand.pool),
            operand.offset};
  }

  /// Number of weight blocks that are brought before this op or an earlier one.
  size_t blocksUpTo(uint32_t op) const {
    const auto blocks = file_.weightBlocks();
    const auto next =
        std::upper_bound(blocks.begin(), blocks.end(), op,
                         [](uint32_t at, const tigris_weight_block& b) { return at < b.first_op; });
    return static_cast<size_t>(next - blocks.begin());
  }

  bool readsBlock(const tigris_op& op) const {
    const auto operands = file_.operands(op);
    return std::any_of(operands.begin(), operands.end(), [](const tigris_operand& operand) {
      return operand.pool == TIGRIS_POOL_UNPACKED;
    });
  }

  std::vector<size_t> blocksOf(const tigris_stage& stage) const {
    std::vector<size_t> blocks;
    for (uint32_t op = stage.first_op; op < stage.first_op + file_.opCount(stage); ++op) {
      const size_t count = readsBlock(file_.ops()[op]) ? blocksUpTo(op) : 0;
      if (count != 0 && (blocks.empty() || blocks.back() != count - 1))
        blocks.push_back(count - 1);
    }
    return blocks;
  }

  /// Constants of one type share a record of the file. The first one takes its index here, too; the
  /// others follow all records. Equal places in the prefix of the arena are one constant if they
  /// are in the same weight block.
  size_t constantOf(const tigris_operand& operand, uint32_t op) {
    const size_t block = operand.pool == TIGRIS_POOL_CONST ? 0 : blocksUpTo(op);
    const auto [entry, isNew] =
        constants_.try_emplace({operand.tensor, block, operand.offset}, content_.tensors.size());
    if (!isNew)
      return entry->second;
    if (recordsTaken_.insert(operand.tensor).second)
      entry->second = operand.tensor;
    else
      content_.tensors.emplace_back();
    content_.tensors[entry->second] =
        recordOf(entry->second, operand.tensor, file_.operandName(operand));
    return entry->second;
  }

  OpContent recordOfOp(uint32_t index) {
    const tigris_op& op = file_.ops()[index];
    OpContent record;
    record.name = file_.opName(index);
    record.kind = opcodeName(op.opcode);
    for (const tigris_operand& operand : file_.operands(op))
      (record.inputs.size() < op.inputs ? record.inputs : record.outputs)
          .push_back(recordOf(operand, index));
    const HexRecord* shape = paramsRecord(op.opcode);
    if (shape != nullptr && op.params != TIGRIS_NO_PARAMS)
      for (const HexField& field : shape->fields)
        addParameter(record.attrs, field, file_.params(op), isFloat(op));
    return record;
  }

  /// Whether the operator computes with floats, which decides what FieldKind::Scalar means.
  bool isFloat(const tigris_op& op) const {
    const auto operands = file_.operands(op);
    return std::any_of(operands.begin(), operands.end(), [&](const tigris_operand& operand) {
      return operand.pool != TIGRIS_POOL_ABSENT && file_.tensor(operand.tensor).dtype == TIGRIS_F32;
    });
  }

  /// Omits references to nothing, reserved bytes, and the channel that only the executor sets.
  static void addParameter(AttrMap& attrs, const HexField& field, const uint8_t* params,
                           bool isFloat) {
    if (field.name == "reserved" || field.name == "channel")
      return;
    std::vector<double> floats;
    std::vector<int64_t> ints;
    const bool asFloat =
        field.kind == FieldKind::Float || (field.kind == FieldKind::Scalar && isFloat);
    for (unsigned i = 0; i < field.count; ++i) {
      uint64_t value = 0;
      std::memcpy(&value, params + field.offset + size_t{i} * field.size, field.size);
      const auto word = static_cast<uint32_t>(value);
      if (asFloat)
        floats.push_back(std::bit_cast<float>(word));
      else if (field.kind == FieldKind::Signed || field.kind == FieldKind::Scalar)
        ints.push_back(static_cast<int32_t>(word));
      else if (field.size != 4 || word != TIGRIS_NONE)
        ints.push_back(static_cast<int64_t>(value));
    }
    if (floats.empty() && ints.empty())
      return;
    if (asFloat)
      attrs.set(field.name, field.count == 1 ? AttrValue(floats[0]) : AttrValue(floats));
    else
      attrs.set(field.name, field.count == 1 ? AttrValue(ints[0]) : AttrValue(ints));
  }

  std::vector<TransferContent> recordsOf(std::span<const tigris_transfer> transfers) const {
    std::vector<TransferContent> records;
    for (const tigris_transfer& transfer : transfers)
      records.push_back(
          {transfer.tensor, transfer.fast, transfer.slow, file_.tensor(transfer.tensor).bytes});
    return records;
  }

  void addStage(const tigris_stage& stage) {
    StageContent record;
    record.mode = planModeName(stage.mode);
    record.first = stage.first_op;
    record.count = file_.opCount(stage);
    for (size_t i = 0; i < record.count; ++i)
      content_.ops[record.first + i].stage = content_.stages.size();
    record.weightBlocks = blocksOf(stage);
    record.loads = recordsOf(file_.loads(stage));
    record.spills = recordsOf(file_.spills(stage));
    if (stage.mode != TIGRIS_STAGE_WHOLE)
      addTiling(stage, record);
    content_.stages.push_back(std::move(record));
  }

  void addTiling(const tigris_stage& stage, StageContent& record) const {
    const tigris_tiling& tiling = plan_.tilings[stage.detail];
    const bool streams = stage.mode == TIGRIS_STAGE_STREAMED;
    record.parts.emplace();
    std::copy(std::begin(tiling.tiles), std::end(tiling.tiles), record.parts->begin());
    record.bookkeepingOffset = tiling.bookkeeping;
    record.bookkeepingBytes = bookkeepingBytes(stage);
    for (uint32_t i = 0; i < tiling.buffer_count; ++i)
      record.buffers.push_back(recordOf(plan_.tile_buffers[tiling.first_buffer + i], streams));
  }

  uint64_t bookkeepingBytes(const tigris_stage& stage) const {
    const tigris_tiling& tiling = plan_.tilings[stage.detail];
    if (stage.mode != TIGRIS_STAGE_STREAMED)
      return uint64_t{tiling.buffer_count} * TIGRIS_TILE_BOOKKEEPING;
    return uint64_t{tiling.buffer_count} * (tiling.tiles[TIGRIS_STREAM_STRIPES] > 1
                                                ? TIGRIS_STRIPE_BOOKKEEPING
                                                : TIGRIS_STREAM_BOOKKEEPING);
  }

  static BufferContent recordOf(const tigris_tile_buffer& buffer, bool streams) {
    BufferContent record;
    record.tensor = buffer.tensor;
    record.offset = buffer.fast;
    record.bytes = buffer.bytes;
    record.load = (buffer.flags & TIGRIS_TILE_LOAD) != 0;
    record.store = (buffer.flags & TIGRIS_TILE_STORE) != 0;
    record.inPlace = (buffer.flags & TIGRIS_TILE_IN_PLACE) != 0;
    record.sink = (buffer.flags & TIGRIS_TILE_SINK) != 0;
    record.reloadAxes = buffer.reload_axes;
    record.wait = streams && !record.load ? buffer.start : 0;
    if (record.load || record.store)
      record.backing = {buffer.tensor, planPoolName(buffer.backing), buffer.backing_offset};
    else
      record.backing.memory = planPoolName(TIGRIS_POOL_ABSENT);
    return record;
  }

  // --- lifetimes

  /// Extends the lifetime of the tensor, and of those whose bytes it has.
  void touch(std::optional<size_t> tensor, size_t step) {
    for (; tensor; tensor = content_.tensors[*tensor].viewOf) {
      TensorContent& record = content_.tensors[*tensor];
      if (record.role == "constant")
        return;
      record.birth = std::min(record.birth.value_or(step), step);
      record.death = std::max(record.death.value_or(step), step);
    }
  }

  /// A tensor that nothing has written is a view of the tensor that was last written to its
  /// address.
  void addRead(const OperandContent& operand, size_t step) {
    if (!operand.tensor)
      return;
    TensorContent& tensor = content_.tensors[*operand.tensor];
    const auto source = writtenAt_.find({operand.memory, operand.offset});
    if (!tensor.birth && tensor.role != "constant" && source != writtenAt_.end()) {
      tensor.viewOf = source->second;
      tensor.birth = content_.tensors[source->second].birth;
    }
    touch(operand.tensor, step);
  }

  /// Every tensor in writtenAt_ has been touched, so views form no cycles. The buffers of a tiling
  /// differ from stage to stage; their tensors are found by their backing.
  void addWrite(const OperandContent& operand, size_t step) {
    if (!operand.tensor)
      return;
    touch(operand.tensor, step);
    if (operand.memory != planPoolName(TIGRIS_POOL_TILE))
      writtenAt_[{operand.memory, operand.offset}] = *operand.tensor;
  }

  /// Where the caller accesses a model input or output.
  OperandContent placeOf(uint32_t port) const {
    const tigris_port& record = plan_.ports[port];
    if (file_.isConstantPort(record))
      return {record.tensor, planPoolName(TIGRIS_POOL_CONST), record.offset};
    switch (file_.summary().io_mode) {
    case TIGRIS_IO_SLOW:
      return {record.tensor, planPoolName(TIGRIS_POOL_SLOW), record.offset};
    case TIGRIS_IO_CALLER:
      return {record.tensor, planPoolName(TIGRIS_POOL_CALLER), port};
    default:
      return {record.tensor, planPoolName(TIGRIS_POOL_FAST), record.offset};
    }
  }

  /// Loads come before the first op of a stage, spills after its last.
  void addLoads(const StageContent& stage) {
    for (const TransferContent& load : stage.loads) {
      addRead({load.tensor, planPoolName(TIGRIS_POOL_SLOW), load.slow}, stage.first);
      addWrite({load.tensor, planPoolName(TIGRIS_POOL_FAST), load.fast}, stage.first);
    }
    for (const BufferContent& buffer : stage.buffers)
      if (buffer.load)
        addRead(buffer.backing, stage.first);
  }

  void addSpills(const StageContent& stage) {
    const size_t last = stage.first + std::max<size_t>(stage.count, 1) - 1;
    for (const TransferContent& spill : stage.spills) {
      addRead({spill.tensor, planPoolName(TIGRIS_POOL_FAST), spill.fast}, last);
      addWrite({spill.tensor, planPoolName(TIGRIS_POOL_SLOW), spill.slow}, last);
    }
    for (const BufferContent& buffer : stage.buffers)
      if (buffer.store)
        addWrite(buffer.backing, last);
  }

  void addLifetimes() {
    const size_t steps = content_.ops.size();
    for (uint32_t port = 0; port < plan_.input_count; ++port)
      addWrite(placeOf(port), 0);
    for (const StageContent& stage : content_.stages) {
      addLoads(stage);
      for (size_t step = stage.first; step < stage.first + stage.count; ++step) {
        for (const OperandContent& operand : content_.ops[step].inputs)
          addRead(operand, step);
        for (const OperandContent& operand : content_.ops[step].outputs)
          addWrite(operand, step);
      }
      addSpills(stage);
    }
    for (uint32_t port = plan_.input_count; port < plan_.port_count; ++port)
      addRead(placeOf(port), steps == 0 ? 0 : steps - 1);
    content_.live.assign(steps, 0);
    for (const TensorContent& record : content_.tensors)
      if (record.birth && !record.viewOf)
        for (size_t step = *record.birth; step <= *record.death && step < steps; ++step)
          content_.live[step] += record.bytes;
  }

  const PlanFile& file_;
  const tigris_plan& plan_;
  PlanContent content_;
  /// Indices of constants by record, weight block and offset.
  std::map<std::tuple<uint32_t, size_t, uint32_t>, size_t> constants_;
  /// The records of constants whose indices are in use.
  std::set<uint32_t> recordsTaken_;
  /// The tensor that was last written to an address.
  std::map<std::pair<std::string, std::optional<uint64_t>>, size_t> writtenAt_;
};

} // namespace

PlanContent contentOf(const PlanFile& file) { return FileContent(file).make(); }

} // namespace tigris
