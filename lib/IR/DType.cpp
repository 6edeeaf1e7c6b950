// Defines names, sizes and ranges of the element types in one table.
#include "tigris/IR/DType.h"

#include "tigris/Support/Check.h"

#include <array>
#include <limits>

namespace tigris {

namespace {

struct DTypeInfo {
  DType type;
  std::string_view name;
  unsigned size;
  bool isFloat;
  int64_t min;
  int64_t max;
};

constexpr std::array<DTypeInfo, 13> DTypeInfos = {{
    {DType::Undefined, "undefined", 0, false, 0, 0},
    {DType::Float32, "float32", 4, true, 0, 0},
    {DType::Int8, "int8", 1, false, -128, 127},
    {DType::UInt8, "uint8", 1, false, 0, 255},
    {DType::Int16, "int16", 2, false, -32768, 32767},
    {DType::UInt16, "uint16", 2, false, 0, 65535},
    {DType::Int32, "int32", 4, false, INT32_MIN, INT32_MAX},
    {DType::Int64, "int64", 8, false, INT64_MIN, INT64_MAX},
    {DType::Bool, "bool", 1, false, 0, 1},
    {DType::Float16, "float16", 2, true, 0, 0},
    {DType::Float64, "float64", 8, true, 0, 0},
    {DType::Int4, "int4", 1, false, -8, 7},
    {DType::UInt4, "uint4", 1, false, 0, 15},
}};

const DTypeInfo& info(DType type) {
  const DTypeInfo& found = DTypeInfos[static_cast<size_t>(type)];
  TIGRIS_CHECK(found.type == type);
  return found;
}

} // namespace

std::string_view dtypeName(DType type) { return info(type).name; }

std::optional<DType> parseDType(std::string_view name) {
  for (const DTypeInfo& candidate : DTypeInfos)
    if (candidate.name == name)
      return candidate.type;
  return std::nullopt;
}

unsigned dtypeSize(DType type) { return info(type).size; }
bool isFloat(DType type) { return info(type).isFloat; }
bool isInteger(DType type) { return type != DType::Undefined && !info(type).isFloat; }
int64_t dtypeMin(DType type) { return info(type).min; }
int64_t dtypeMax(DType type) { return info(type).max; }

} // namespace tigris
