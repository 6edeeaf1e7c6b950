// Names of all bytes of the records of the plan format, for the hex dump.
#pragma once

#include "tigris_format.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace tigris {

/// How a field is printed.
enum class FieldKind : uint8_t {
  /// A number; "none" if it is TIGRIS_NONE.
  Unsigned,
  Signed,
  Float,
  /// Float or integer, depending on the operator; prints both.
  Scalar,
  /// Offset into STRINGS.
  String,
  Address,
  Opcode,
  Type,
  Pool,
  StageMode,
  Characters
};

/// One member of a record; arrays are printed element by element.
struct HexField {
  std::string_view name;
  uint16_t offset = 0;
  /// Size of one element in bytes.
  uint8_t size = 0;
  uint8_t count = 1;
  FieldKind kind = FieldKind::Unsigned;
};

struct HexRecord {
  std::string_view name;
  uint32_t size = 0;
  std::span<const HexField> fields;
};

extern const HexRecord HeaderRecord;
/// Those of SUMMARY, one after the other.
extern const HexRecord SummaryRecord;
extern const HexRecord FiguresRecord;

/// "TENSORS"; an unknown section has an empty name.
std::string_view sectionName(uint32_t type);
/// The record type of an array section; null for pools and unknown types.
const HexRecord* sectionRecord(uint32_t type);
/// The parameters of an operator; null for opcodes without parameters.
const HexRecord* paramsRecord(uint32_t opcode);

} // namespace tigris
