// What every byte of a record of the plan format is called, for the hex dump.
#pragma once

#include "tigris_format.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace tigris {

/// How the bytes of a field are shown.
enum class FieldKind : uint8_t {
  /// A number; "none" where it is TIGRIS_NONE.
  Unsigned,
  Signed,
  Float,
  /// float and integer: which one it is depends on the operator.
  Scalar,
  /// Offset into STRINGS.
  String,
  Address,
  Opcode,
  Type,
  Pool,
  StageMode,
  SectionType,
  Characters
};

/// One member of a record; arrays are shown element by element.
struct HexField {
  std::string_view name;
  uint16_t offset = 0;
  /// Bytes of one element.
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
extern const HexRecord SectionRecord;

/// "TENSORS"; "section 99" has the empty name.
std::string_view sectionName(uint32_t type);
/// The record an array section consists of; null for pools and for types that are not known.
const HexRecord* sectionRecord(uint32_t type);
/// The parameters of an operator; null for an opcode without any.
const HexRecord* paramsRecord(uint32_t opcode);

} // namespace tigris
