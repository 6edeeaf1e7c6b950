// Assigns constants to blocks, compresses the blocks, and updates addresses.
//
// Example: a whole stage of ops 0..3 with weights of 30, 40, 50 and 20 KB and 80 KB of free fast
// memory:
//   run of ops   constants   unpacked     block is unpacked before
//   0, 1         30 + 40     70 KB        op 0
//   2, 3         50 + 20     70 KB        op 2, over the first block
// The reserved prefix is 70 KB, and all other fast addresses move up by that amount. If op 3 also
// read the weights of op 0, two blocks would need them; they would stay unpacked.
#include "tigris/Emit/WeightPacking.h"

#include "tigris/Emit/Lz4Block.h"
#include "tigris/Support/MathUtils.h"

#include <lz4.h>

#include <algorithm>
#include <optional>

namespace tigris {

namespace {

/// Thresholds: packing a constant must save 1/LeastShare of its size to be worth the time and
/// memory of unpacking, and a block must save LeastBytes, since its record and the alignment of two
/// sections take up to 54 bytes.
constexpr uint64_t LeastShare = 16;
constexpr uint64_t LeastBytes = 64;

/// Bytes that an unpacked constant of this size takes in WEIGHTS.
uint64_t rawBytes(uint64_t bytes) { return alignUp(bytes, TIGRIS_WEIGHT_ALIGN); }

} // namespace

class WeightPacker {
public:
  WeightPacker(PlanImage& image, const PackingSpace& space) : image_(image), space_(space) {
    space_.bytes = std::min<uint64_t>(space_.bytes, LZ4_MAX_INPUT_SIZE);
  }

  PackedWeights run() {
    collect();
    PackedWeights result;
    for (size_t i = 0; i < image_.stages_.size() && !misfit_; ++i)
      groupStage(i);
    result.misfit = misfit_;
    if (misfit_)
      return result;
    for (Group& group : groups_)
      pack(group);
    for (const Group& group : groups_)
      result.reserved = std::max(result.reserved, group.reserved);
    if (result.reserved == 0 && !copies())
      return result;
    result.shift = static_cast<uint32_t>(alignUp(result.reserved, space_.align));
    rewriteWeights();
    moveUp(result);
    return result;
  }

  std::vector<uint64_t> bytesByOp() {
    collect();
    std::vector<uint64_t> result;
    for (uint32_t op = 0; op < image_.ops_.size(); ++op)
      result.push_back(endWith({}, candidates(op, op + 1)));
    return result;
  }

private:
  /// An entry of WEIGHTS, identified by its offset.
  struct Constant {
    uint32_t bytes = 0;
    /// The only stage that uses it; Many: several.
    std::optional<size_t> stage;
    bool many = false;
    /// Compressing: bytes that LZ4 saves; 0: too few, or the constant does not fit.
    uint64_t saving = 0;
    /// Index of its group, of the last one when copying.
    std::optional<size_t> group;
    /// Compressing: needed by two groups, so it is not packed.
    bool dropped = false;
    /// Whether it is in a block.
    bool packed = false;
  };

  struct Group {
    size_t stage = 0;
    /// First op of its run; the block is unpacked before it.
    uint32_t firstOp = 0;
    /// Offsets in WEIGHTS, in order of use.
    std::vector<uint32_t> members;
    uint64_t end = 0;
    std::optional<tigris_weight_block> block;
    /// The bytes of the block in WEIGHTS.
    std::string stored;
    /// Fast offsets of its constants, by offset in WEIGHTS.
    std::map<uint32_t, uint32_t> places;
    /// Bytes of the prefix that it needs.
    uint32_t reserved = 0;
  };

  bool copies() const { return space_.weights == WeightMemory::Copy; }
  bool compresses() const { return space_.compress == Compression::Lz4; }

  std::string_view content(uint32_t data) const {
    return std::string_view(image_.weights_.bytes()).substr(data, constants_.at(data).bytes);
  }

  /// Whether the port's bytes are in WEIGHTS. Only where weights are read in place.
  bool isConstant(const tigris_port& port) const {
    return (image_.tensors_[port.tensor].flags & TIGRIS_TENSOR_CONST) != 0;
  }

  /// Calls the function with the offset of each constant that an op reads from flash.
  template <typename Function> void forConstants(const tigris_op& op, const Function& function) {
    for (uint32_t i = 0; i < op.inputs; ++i) {
      const tigris_operand& operand = image_.operands_[op.operands + i];
      if (operand.pool == TIGRIS_POOL_CONST)
        function(operand.offset);
    }
  }

  void collect() {
    for (const tigris_operand& operand : image_.operands_)
      if (operand.pool == TIGRIS_POOL_CONST)
        constants_[operand.offset].bytes = image_.tensors_[operand.tensor].bytes;
    for (const tigris_port& port : image_.ports_)
      if (isConstant(port)) {
        Constant& constant = constants_[port.offset];
        constant.bytes = image_.tensors_[port.tensor].bytes;
        constant.many = true; // the caller reads it, too
      }
    for (size_t i = 0; i < image_.stages_.size(); ++i) {
      const tigris_stage& stage = image_.stages_[i];
      for (uint32_t op = stage.first_op; op < image_.stageEnd(i); ++op)
        forConstants(image_.ops_[op], [&](uint32_t data) {
          Constant& constant = constants_.at(data);
          constant.many |= constant.stage.value_or(i) != i;
          constant.stage = i;
        });
    }
    if (copies())
      return;
    for (auto& [data, constant] : constants_) {
      if (constant.many || !constant.stage || constant.bytes > space_.bytes)
        continue;
      const uint64_t raw = rawBytes(constant.bytes);
      const uint64_t packed = lz4Block(content(data)).size();
      if (packed + raw / LeastShare <= raw)
        constant.saving = raw - packed;
    }
  }

  uint64_t endWith(const Group& group, const std::vector<uint32_t>& added) const {
    uint64_t end = group.end;
    for (const uint32_t data : added)
      end = alignUp(end, space_.align) + constants_.at(data).bytes;
    return end;
  }

  void add(Group& group, const std::vector<uint32_t>& added) {
    group.end = endWith(group, added);
    group.members.insert(group.members.end(), added.begin(), added.end());
    for (const uint32_t data : added)
      constants_.at(data).group = groups_.size();
  }

  /// The candidates with the largest savings that fit together into an empty group, in the given
  /// order.
  std::vector<uint32_t> best(const std::vector<uint32_t>& candidates) const {
    std::vector<uint32_t> order = candidates;
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return constants_.at(a).saving > constants_.at(b).saving;
    });
    std::vector<uint32_t> kept;
    for (const uint32_t data : order) {
      kept.push_back(data);
      if (endWith({}, kept) > space_.bytes)
        kept.pop_back();
    }
    std::vector<uint32_t> result;
    std::copy_if(
        candidates.begin(), candidates.end(), std::back_inserter(result),
        [&](uint32_t data) { return std::find(kept.begin(), kept.end(), data) != kept.end(); });
    return result;
  }

  void close(Group& group) {
    if (!group.members.empty())
      groups_.push_back(std::move(group));
    group = {};
  }

  /// Constants of ops [first, end) for the group under construction, without duplicates and without
  /// those that it has. Compressing: drops constants that are in a closed group.
  std::vector<uint32_t> candidates(uint32_t first, uint32_t end) {
    std::vector<uint32_t> result;
    for (uint32_t op = first; op < end; ++op)
      forConstants(image_.ops_[op], [&](uint32_t data) {
        Constant& constant = constants_.at(data);
        if (constant.group == groups_.size() ||
            std::find(result.begin(), result.end(), data) != result.end())
          return;
        if (copies() || (!constant.group && constant.saving != 0))
          result.push_back(data);
        else if (constant.group)
          constant.dropped = true;
      });
    return result;
  }

  /// Copying: whether the bytes of an op or a stage fit; remembers that they do not.
  bool mustFit(uint32_t op, uint64_t bytes) {
    if (copies() && bytes > space_.bytes)
      misfit_ = WeightMisfit{op, bytes};
    return !misfit_;
  }

  void groupStage(size_t index) {
    const tigris_stage& stage = image_.stages_[index];
    const uint32_t end = image_.stageEnd(index);
    Group group;
    const std::vector<uint32_t> all = candidates(stage.first_op, end);
    const bool isWhole = stage.mode == TIGRIS_STAGE_WHOLE;
    if (!isWhole && !mustFit(stage.first_op, endWith(group, all)))
      return;
    if (!isWhole || endWith(group, all) <= space_.bytes) {
      add(group, best(all));
      group.stage = index;
      group.firstOp = stage.first_op;
      return close(group);
    }
    for (uint32_t op = stage.first_op; op < end && !misfit_; ++op)
      groupOp(index, op, group);
    close(group);
  }

  /// Adds the constants of an op of a whole stage to the group, or to a new one if they do not fit.
  void groupOp(size_t stage, uint32_t op, Group& group) {
    std::vector<uint32_t> fresh = candidates(op, op + 1);
    if (endWith(group, fresh) > space_.bytes) {
      close(group);
      const std::vector<uint32_t> all = candidates(op, op + 1);
      if (!mustFit(op, endWith(group, all)))
        return;
      fresh = best(all);
    }
    if (group.members.empty()) {
      group.stage = stage;
      group.firstOp = op;
    }
    add(group, fresh);
  }

  void pack(Group& group) {
    uint64_t raw = 0;
    std::string content;
    for (const uint32_t data : group.members) {
      const Constant& constant = constants_.at(data);
      if (constant.dropped)
        continue;
      content.resize(alignUp(content.size(), space_.align), '\0');
      group.places.emplace(data, static_cast<uint32_t>(content.size()));
      content += this->content(data);
      raw += rawBytes(constant.bytes);
    }
    if (group.places.empty())
      return;
    const auto size = static_cast<uint32_t>(content.size());
    tigris_weight_block block = {group.firstOp, 0, size, size, 0, TIGRIS_BLOCK_RAW};
    group.reserved = size;
    if (compresses() && packsInto(group, content, raw))
      block.mode = TIGRIS_BLOCK_LZ4;
    else if (copies())
      group.stored = std::move(content);
    else
      group.places.clear();
    if (group.places.empty()) {
      group.reserved = 0;
      return;
    }
    block.packed_bytes = static_cast<uint32_t>(group.stored.size());
    group.block = block;
    for (const auto& [data, fast] : group.places)
      constants_.at(data).packed = true;
  }

  /// Compresses the content of a group, if that is worthwhile and possible.
  bool packsInto(Group& group, const std::string& content, uint64_t raw) const {
    std::string packed = lz4Block(content);
    if (packed.size() + LeastBytes > raw)
      return false;
    if (copies()) {
      const uint64_t need = content.size() + TIGRIS_LZ4_MARGIN(packed.size()) + space_.align - 1;
      if (packed.size() + raw / LeastShare > raw || need > space_.bytes)
        return false;
      group.reserved = static_cast<uint32_t>(need);
    }
    group.stored = std::move(packed);
    return true;
  }

  /// Writes the unpacked constants first, each aligned, then the blocks. Blocks that are copied are
  /// aligned for readers.
  void rewriteWeights() {
    BytePool weights;
    std::map<uint32_t, uint32_t> moved;
    for (const auto& [data, constant] : constants_)
      if (!constant.packed && !copies()) // copies that no op uses are left out
        moved[data] = static_cast<uint32_t>(weights.add(content(data), TIGRIS_WEIGHT_ALIGN));
    for (Group& group : groups_) {
      if (!group.block)
        continue;
      group.block->data =
          static_cast<uint32_t>(weights.add(group.stored, copies() ? TIGRIS_WEIGHT_ALIGN : 1));
      image_.weightBlocks_.push_back(*group.block);
    }
    rewriteOperands(moved);
    image_.weights_ = std::move(weights);
  }

  /// Points operands to the blocks of their ops, or to where their constants are now in WEIGHTS.
  void rewriteOperands(const std::map<uint32_t, uint32_t>& moved) {
    for (tigris_port& port : image_.ports_)
      port.offset = isConstant(port) ? moved.at(port.offset) : port.offset;
    size_t next = 0;
    for (uint32_t op = 0; op < image_.ops_.size(); ++op) {
      while (next < groups_.size() && groups_[next].firstOp <= op)
        ++next;
      const tigris_op& record = image_.ops_[op];
      for (uint32_t i = 0; i < record.inputs; ++i) {
        tigris_operand& operand = image_.operands_[record.operands + i];
        if (operand.pool != TIGRIS_POOL_CONST)
          continue;
        const bool packed = constants_.at(operand.offset).packed;
        operand.pool = static_cast<uint8_t>(packed ? TIGRIS_POOL_UNPACKED : TIGRIS_POOL_CONST);
        operand.offset =
            packed ? groups_[next - 1].places.at(operand.offset) : moved.at(operand.offset);
      }
    }
  }

  /// Adds the shift to every fast address except those of the blocks.
  void moveUp(const PackedWeights& packed) {
    const uint32_t shift = packed.shift;
    for (tigris_operand& operand : image_.operands_)
      operand.offset += operand.pool == TIGRIS_POOL_FAST ? shift : 0;
    for (tigris_transfer& transfer : image_.transfers_)
      transfer.fast += shift;
    for (tigris_tiling& tiling : image_.tilings_)
      tiling.bookkeeping += shift;
    for (tigris_tile_buffer& buffer : image_.tileBuffers_) {
      buffer.fast += shift;
      buffer.backing_offset += buffer.backing == TIGRIS_POOL_FAST ? shift : 0;
    }
    for (tigris_port& port : image_.ports_)
      port.offset += space_.portsInArena && !isConstant(port) ? shift : 0;
    for (tigris_stage_stats& stage : image_.stageStats_)
      stage.peak += stage.peak == 0 ? 0 : shift;
    for (const Group& group : groups_)
      if (group.block) {
        uint64_t& peak = image_.stageStats_[group.stage].peak;
        peak = std::max<uint64_t>(peak, extent(*group.block, packed));
      }
  }

  /// The end of a block in the prefix; what is unpacked in place needs all of it.
  uint32_t extent(const tigris_weight_block& block, const PackedWeights& packed) const {
    return copies() && block.mode == TIGRIS_BLOCK_LZ4 ? packed.reserved : block.bytes;
  }

  PlanImage& image_;
  PackingSpace space_;
  std::map<uint32_t, Constant> constants_;
  std::vector<Group> groups_;
  std::optional<WeightMisfit> misfit_;
};

PackedWeights packWeights(PlanImage& image, const PackingSpace& space) {
  return WeightPacker(image, space).run();
}

std::vector<uint64_t> copiedBytes(PlanImage& image, uint64_t align) {
  PackingSpace space;
  space.align = align;
  space.weights = WeightMemory::Copy;
  return WeightPacker(image, space).bytesByOp();
}

} // namespace tigris
