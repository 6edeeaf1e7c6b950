// The sections of a .tgrs file under construction, with the layout of tigris_format.h and no
// knowledge of operators.
//
// Pools (strings, ints, requantization, parameters, weights) store equal contents once. Everything
// is kept in the order of addition, so equal calls give equal bytes.
#pragma once

#include "tigris/Emit/EvenScale.h"
#include "tigris/Support/Expected.h"

#include "tigris_format.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tigris {

/// A byte pool in which equal entries share one place.
class BytePool {
public:
  /// Offset of an entry equal to `bytes`, at a multiple of `align`.
  uint64_t add(std::string_view bytes, size_t align);
  /// Offset of these words, which may be a part of other entries or begin in the last one.
  uint64_t addPart(std::string_view words);
  const std::string& bytes() const { return bytes_; }
  /// Total size of the distinct entries without padding.
  uint64_t payload() const { return payload_; }

private:
  struct Entry {
    size_t offset;
    size_t size;
  };
  std::string bytes_;
  uint64_t payload_ = 0;
  std::multimap<size_t, Entry> entries_;
};

/// The contents of SUMMARY.
struct PlanSummary {
  tigris_summary needs;
  tigris_figures figures;
};

class PlanImage {
public:
  /// TIGRIS_NONE for an empty text.
  uint32_t string(std::string_view text);
  /// Index of the values in INTS, where they may be a part of others.
  uint32_t ints(std::span<const int32_t> values);
  /// The same for the fields that have 16 bits.
  uint16_t shortInts(std::span<const int32_t> values) { return index("INTS", ints(values)); }
  uint16_t quant(const Quant& quant);
  /// Index in REQUANT of multipliers followed by shifts.
  uint32_t requant(std::span<const Multiplier> multipliers);
  /// The same for bytes in the form that a dense op has there.
  uint32_t requant(std::string_view bytes);
  /// Offset in WEIGHTS. Equal constants share their place, and the name of the first one.
  uint32_t weights(std::span<const uint8_t> bytes, std::string_view name);
  /// A constant's record, which is its type: equal ones share one index.
  uint16_t constant(const tigris_tensor& record);
  uint16_t activation(const tigris_tensor& record, std::string_view name);
  /// Index of the records in OPERANDS. The first ones may be the last ones of the op before: its
  /// result at the same address.
  uint16_t operands(std::span<const tigris_operand> records);
  /// Offset in PARAMS, in words. `record` is a parameter struct of tigris_ops.h, without padding
  /// bytes.
  template <typename Params> uint16_t params(const Params& record) {
    return params({reinterpret_cast<const char*>(&record), sizeof record});
  }
  uint16_t params(std::string_view bytes);
  void port(const tigris_port& record) { ports_.push_back(record); }
  void op(const tigris_op& record, std::string_view name);
  void transfer(const tigris_transfer& record) { transfers_.push_back(record); }
  void stage(const tigris_stage& record, const tigris_stage_stats& stats) {
    stages_.push_back(record);
    stageStats_.push_back(stats);
  }
  /// Index of the tiling. Appends its buffers and sets first_buffer and buffer_count.
  uint16_t tiling(tigris_tiling record, std::span<const tigris_tile_buffer> buffers);
  uint32_t opCount() const { return static_cast<uint32_t>(ops_.size()); }
  uint16_t transferCount() { return index("TRANSFERS", transfers_.size()); }

  /// The whole file: header, directory and sections. Sets flash_bytes and weight_bytes. `strip`:
  /// without figures and STAGE_STATS. `weights`: receives the bytes of WEIGHTS, which the file then
  /// refers to as external. DiagId::UnsupportedOp if a table or the file exceeds the limits of the
  /// format.
  Expected<std::string> finish(PlanSummary summary, bool strip,
                               std::string* weights = nullptr) const;

private:
  friend class WeightPacker; // Emit/WeightPacking.h

  /// The contents of NAMES; empty if there are no names.
  std::string names() const;
  /// An index for a field of 16 bits; finish() fails if it does not fit.
  uint16_t index(const char* table, uint64_t value);
  /// The op behind the last one of a stage.
  uint32_t stageEnd(size_t stage) const {
    return stage + 1 < stages_.size() ? stages_[stage + 1].first_op : opCount();
  }

  BytePool strings_;
  BytePool ints_;
  BytePool requant_;
  BytePool params_;
  BytePool weights_;
  std::vector<tigris_quant> quants_;
  std::vector<tigris_tensor> tensors_;
  std::vector<tigris_port> ports_;
  std::vector<tigris_operand> operands_;
  std::vector<tigris_op> ops_;
  std::vector<tigris_transfer> transfers_;
  std::vector<tigris_stage> stages_;
  std::vector<tigris_tiling> tilings_;
  std::vector<tigris_tile_buffer> tileBuffers_;
  std::vector<tigris_weight_block> weightBlocks_;
  std::vector<tigris_stage_stats> stageStats_;
  std::map<std::string, uint16_t, std::less<>> constantIndex_;
  /// The first table with an index that has no place in 16 bits; null: none.
  const char* full_ = nullptr;
  /// By offset in WEIGHTS.
  std::map<uint32_t, std::string> weightNames_;
  // in the order of NAMES, each with its NUL
  std::string activationNames_;
  std::string opNames_;
  std::string constantNames_;
};

} // namespace tigris
