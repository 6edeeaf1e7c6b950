// Elements of constants as C++ numbers: widening reads, and wrapping or saturating writes.
#pragma once

#include "tigris/IR/Blob.h"
#include "tigris/IR/DType.h"
#include "tigris/Support/Check.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace tigris {

/// False for Float16 and Undefined: the importer widens Float16 constants, so they are never read
/// here.
constexpr bool hasElements(DType type) {
  return type != DType::Float16 && type != DType::Undefined;
}

/// Calls `fn` with a zero of the C++ type that stores one element; requires hasElements(type).
template <typename Fn> decltype(auto) withStorage(DType type, Fn&& fn) {
  switch (type) {
  case DType::Float32:
    return fn(float{});
  case DType::Float64:
    return fn(double{});
  case DType::Int8:
  case DType::Int4:
    return fn(int8_t{});
  case DType::UInt8:
  case DType::UInt4:
  case DType::Bool:
    return fn(uint8_t{});
  case DType::Int16:
    return fn(int16_t{});
  case DType::UInt16:
    return fn(uint16_t{});
  case DType::Int32:
    return fn(int32_t{});
  case DType::Int64:
    return fn(int64_t{});
  case DType::Float16:
  case DType::Undefined:
    break;
  }
  TIGRIS_UNREACHABLE("no elements of this type");
}

/// Converts as C does where C defines the result. Elsewhere, real numbers outside int64 saturate
/// and NaN becomes 0, so that the result does not depend on the host.
template <typename To, typename From> To convertElement(From value) {
  if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    constexpr From Limit = static_cast<From>(9223372036854775808.0);
    int64_t whole = 0;
    if (value >= Limit)
      whole = std::numeric_limits<int64_t>::max();
    else if (value < -Limit)
      whole = std::numeric_limits<int64_t>::min();
    else if (!std::isnan(value))
      whole = static_cast<int64_t>(value);
    return static_cast<To>(whole);
  } else {
    return static_cast<To>(value);
  }
}

/// All elements, converted to T (float, double or int64_t).
template <typename T> std::vector<T> loadElements(const Blob& blob, DType type) {
  return withStorage(type, [&](auto zero) {
    using Stored = decltype(zero);
    const auto raw = blob.bytes();
    std::vector<T> result(raw.size() / sizeof(Stored));
    if constexpr (std::is_same_v<T, Stored>) {
      copyBytes(result.data(), raw.first(result.size() * sizeof(Stored)));
    } else {
      for (size_t i = 0; i < result.size(); ++i) {
        Stored value;
        std::memcpy(&value, raw.data() + i * sizeof(Stored), sizeof(Stored));
        result[i] = convertElement<T>(value);
      }
    }
    return result;
  });
}

/// A blob of `type`: integers wrap around, real numbers are truncated toward zero, Bool is "not
/// zero".
template <typename T> BlobRef storeElements(const std::vector<T>& values, DType type) {
  return withStorage(type, [&](auto zero) {
    using Stored = decltype(zero);
    if constexpr (std::is_same_v<T, Stored>) {
      if (type != DType::Bool && type != DType::Int4 && type != DType::UInt4)
        return makeBlobOf(values);
    }
    std::vector<uint8_t> bytes(values.size() * sizeof(Stored));
    const auto fill = [&](auto convert) {
      for (size_t i = 0; i < values.size(); ++i) {
        const auto value = static_cast<Stored>(convert(values[i]));
        std::memcpy(bytes.data() + i * sizeof(Stored), &value, sizeof(Stored));
      }
    };
    if (type == DType::Bool)
      fill([](T value) { return value != T{} ? 1 : 0; });
    else if (type == DType::Int4)
      fill([](T value) { return ((convertElement<int64_t>(value) & 15) ^ 8) - 8; });
    else if (type == DType::UInt4)
      fill([](T value) { return convertElement<int64_t>(value) & 15; });
    else
      fill([](T value) { return convertElement<Stored>(value); });
    return makeBlob(std::move(bytes));
  });
}

} // namespace tigris
