// Element types of tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tigris {

/// Types that occur in models. Kernels compute in Float32, Int8 and Int16; Int32 and Int64 hold
/// biases and indices. Models with the other types can be read and folded, or get an error that
/// names the type.
enum class DType : uint8_t {
  Undefined,
  Float32,
  Int8,
  UInt8,
  Int16,
  UInt16,
  Int32,
  Int64,
  Bool,
  Float16,
  Float64,
  Int4,
  UInt4,
};

/// "float32", "int8", ... as spelled in modules and messages.
std::string_view dtypeName(DType type);
std::optional<DType> parseDType(std::string_view name);

/// Bytes of one element; 0 for Undefined. Int4 and UInt4 count 1, because the importer widens
/// packed nibbles to bytes.
unsigned dtypeSize(DType type);

bool isFloat(DType type);
bool isInteger(DType type);

/// Smallest and largest value of an integer type (Bool is 0..1).
int64_t dtypeMin(DType type);
int64_t dtypeMax(DType type);

} // namespace tigris
