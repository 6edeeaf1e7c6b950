// Element types of tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tigris {

/// Types a model may mention. Kernels compute in Float32 and Int8; Int32 and Int64 carry biases and
/// indices; the rest exist so that models that use them are read, folded or refused by name.
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

/// "float32", "int8", ... as the stream and the messages spell it.
std::string_view dtypeName(DType type);
std::optional<DType> parseDType(std::string_view name);

/// Bytes of one element. Int4 and UInt4 count 1: the importer widens packed nibbles to bytes.
/// Undefined is 0.
unsigned dtypeSize(DType type);

bool isFloat(DType type);
bool isInteger(DType type);

/// Smallest and largest value of an integer type (Bool is 0..1).
int64_t dtypeMin(DType type);
int64_t dtypeMax(DType type);

} // namespace tigris
