// Converts between pairs of types, each exactly as ONNX does.
#include "tigris/Driver/Host/PortData.h"

#include "tigris/Support/Half.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace tigris {

namespace {

/// Copies elements so that result dimension i is source dimension perm[i].
std::vector<uint8_t> permuteElements(const uint8_t* data, const Shape& from,
                                     const std::vector<int64_t>& perm, size_t size) {
  const Shape to = permute(from, perm);
  const std::vector<int64_t> strides = rowMajorStrides(from);
  const auto count = static_cast<size_t>(to.elements());
  std::vector<uint8_t> result(count * size);
  std::vector<int64_t> index(to.rank(), 0);
  int64_t source = 0;
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(result.data() + i * size, data + static_cast<size_t>(source) * size, size);
    for (size_t axis = to.rank(); axis-- > 0;) {
      const int64_t stride = strides[static_cast<size_t>(perm[axis])];
      source += stride;
      if (++index[axis] < to[axis])
        break;
      source -= stride * to[axis];
      index[axis] = 0;
    }
  }
  return result;
}

std::vector<int64_t> inverse(const std::vector<int64_t>& perm) {
  std::vector<int64_t> result(perm.size());
  for (size_t i = 0; i < perm.size(); ++i)
    result[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
  return result;
}

template <typename To, typename From, typename Convert>
std::vector<uint8_t> mapElements(const uint8_t* data, size_t count, Convert convert) {
  std::vector<uint8_t> result(count * sizeof(To));
  for (size_t i = 0; i < count; ++i) {
    From from;
    std::memcpy(&from, data + i * sizeof(From), sizeof from);
    const To to = convert(from);
    std::memcpy(result.data() + i * sizeof(To), &to, sizeof to);
  }
  return result;
}

std::vector<uint8_t> widenHalves(const uint8_t* data, size_t count) {
  return mapElements<float, uint16_t>(data, count, halfToFloat);
}

std::vector<uint8_t> narrowToHalves(const uint8_t* data, size_t count) {
  return mapElements<uint16_t, float>(data, count, floatToHalf);
}

/// The type in which values of a port's type are computed and converted.
DType wideType(DType type) { return type == DType::Float16 ? DType::Float32 : type; }

/// Calls `body` with a value of the element type. Not for float16, which has no C++ type (see
/// wideType).
template <typename Body> bool dispatch(DType type, Body body) {
  switch (type) {
  case DType::Float32:
    body(float{});
    return true;
  case DType::Float64:
    body(double{});
    return true;
  case DType::Int8:
    body(int8_t{});
    return true;
  case DType::UInt8:
  case DType::Bool:
    body(uint8_t{});
    return true;
  case DType::Int16:
    body(int16_t{});
    return true;
  case DType::UInt16:
    body(uint16_t{});
    return true;
  case DType::Int32:
    body(int32_t{});
    return true;
  case DType::Int64:
    body(int64_t{});
    return true;
  default:
    return false;
  }
}

template <typename To, typename From> std::optional<To> convertNumber(From value) {
  if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(value);
  } else {
    const auto wide = static_cast<double>(value);
    if (!(wide >= static_cast<double>(std::numeric_limits<To>::min()) &&
          wide <= static_cast<double>(std::numeric_limits<To>::max())))
      return std::nullopt;
    return static_cast<To>(value);
  }
}

/// For any other pair: the same numbers in the other type; nullopt if one does not fit.
std::optional<std::vector<uint8_t>> convertNumbers(const uint8_t* data, size_t count, DType from,
                                                   DType to) {
  std::optional<std::vector<uint8_t>> result;
  dispatch(from, [&](auto source) {
    dispatch(to, [&](auto target) {
      using From = decltype(source);
      using To = decltype(target);
      bool fits = true;
      auto converted = mapElements<To, From>(data, count, [&](From value) {
        const std::optional<To> number = convertNumber<To>(value);
        fits = fits && number.has_value();
        return number.value_or(To{});
      });
      if (fits)
        result = std::move(converted);
    });
  });
  return result;
}

template <typename Stored>
std::vector<uint8_t> quantize(const PortView& port, const uint8_t* data, size_t count) {
  constexpr auto Least = static_cast<float>(std::numeric_limits<Stored>::min());
  constexpr auto Most = static_cast<float>(std::numeric_limits<Stored>::max());
  return mapElements<Stored, float>(data, count, [&](float value) {
    const float rounded = std::nearbyint(value / port.scale) + static_cast<float>(port.zeroPoint);
    // NaN compares false with everything and ends up at the lower bound.
    return static_cast<Stored>(rounded > Least ? std::min(rounded, Most) : Least);
  });
}

template <typename Stored>
std::vector<uint8_t> dequantize(const PortView& port, const uint8_t* stored, size_t count) {
  return mapElements<float, Stored>(stored, count, [&](Stored value) {
    return static_cast<float>(value - port.zeroPoint) * port.scale;
  });
}

} // namespace

PortView viewPort(const PlanFile& file, const tigris_port& port, size_t index, bool raw) {
  const tigris_tensor& tensor = file.tensor(port.tensor);
  PortView view{};
  view.name = file.string(port.name);
  if (view.name.empty())
    view.name = strCat(index);
  view.storedType = planDType(tensor.dtype);
  view.type = raw ? view.storedType : planDType(port.dtype);
  const auto dims = file.dims(port);
  view.shape = Shape(std::vector<int64_t>(dims.begin(), dims.end()));
  const auto storedDims = file.dims(tensor);
  view.storedShape = Shape(std::vector<int64_t>(storedDims.begin(), storedDims.end()));
  if (port.perm != TIGRIS_NO_PERM)
    view.perm.assign(file.plan().ints + port.perm, file.plan().ints + port.perm + port.rank);
  if (const tigris_quant* quant = file.quant(tensor)) {
    view.scale = quant->scale;
    view.zeroPoint = quant->zero_point;
  }
  view.isState = port.state != TIGRIS_NO_PORT;
  return view;
}

Expected<std::vector<uint8_t>> toStored(const PortView& port, const NpyArray& array) {
  if (array.type != port.type)
    return makeError(DiagId::BadValue, "input '", port.name, "': the array is ",
                     dtypeName(array.type), ", the model takes ", dtypeName(port.type));
  if (array.shape != port.shape)
    return makeError(DiagId::BadValue, "input '", port.name, "': the array has shape ",
                     array.shape.str(), ", the model takes ", port.shape.str());
  std::vector<uint8_t> ordered =
      port.perm.empty()
          ? array.data
          : permuteElements(array.data.data(), port.shape, port.perm, dtypeSize(port.type));
  const auto count = static_cast<size_t>(port.shape.elements());
  const DType type = wideType(port.type);
  if (type != port.type)
    ordered = widenHalves(ordered.data(), count);
  if (type == port.storedType)
    return ordered;
  if (type == DType::Float32 && port.storedType == DType::Int8)
    return quantize<int8_t>(port, ordered.data(), count);
  if (type == DType::Float32 && port.storedType == DType::Int16)
    return quantize<int16_t>(port, ordered.data(), count);
  if (port.type == DType::UInt16 && port.storedType == DType::Int16)
    return mapElements<int16_t, uint16_t>(ordered.data(), count, [](uint16_t value) {
      return static_cast<int16_t>(static_cast<int>(value) - 32768);
    });
  if (port.type == DType::UInt8 && port.storedType == DType::Int8)
    return mapElements<int8_t, uint8_t>(ordered.data(), count, [](uint8_t value) {
      return static_cast<int8_t>(static_cast<int>(value) - 128);
    });
  auto converted = convertNumbers(ordered.data(), count, type, port.storedType);
  if (!converted)
    return makeError(DiagId::BadValue, "input '", port.name, "': a value does not fit into ",
                     dtypeName(port.storedType));
  return std::move(*converted);
}

NpyArray fromStored(const PortView& port, const uint8_t* stored) {
  const auto count = static_cast<size_t>(port.shape.elements());
  const DType type = wideType(port.type);
  std::vector<uint8_t> data;
  if (type == port.storedType)
    data.assign(stored, stored + count * dtypeSize(type));
  else if (type == DType::Float32 && port.storedType == DType::Int8)
    data = dequantize<int8_t>(port, stored, count);
  else if (type == DType::Float32 && port.storedType == DType::Int16)
    data = dequantize<int16_t>(port, stored, count);
  else if (port.type == DType::UInt16 && port.storedType == DType::Int16)
    data = mapElements<uint16_t, int16_t>(
        stored, count, [](int16_t value) { return static_cast<uint16_t>(value + 32768); });
  else if (port.type == DType::UInt8 && port.storedType == DType::Int8)
    data = mapElements<uint8_t, int8_t>(
        stored, count, [](int8_t value) { return static_cast<uint8_t>(value + 128); });
  else
    data = convertNumbers(stored, count, port.storedType, type)
               .value_or(std::vector<uint8_t>(count * dtypeSize(type)));
  if (type != port.type)
    data = narrowToHalves(data.data(), count);
  if (!port.perm.empty())
    data = permuteElements(data.data(), permute(port.shape, port.perm), inverse(port.perm),
                           dtypeSize(port.type));
  return {port.type, port.shape, std::move(data)};
}

NpyArray randomArray(const PortView& port, uint64_t seed) {
  if (port.type == DType::Float16) {
    PortView wide = port;
    wide.type = DType::Float32;
    const NpyArray reals = randomArray(wide, seed);
    const auto count = static_cast<size_t>(port.shape.elements());
    return {port.type, port.shape, narrowToHalves(reals.data.data(), count)};
  }
  // SplitMix64 (Steele, Lea, Flood 2014).
  uint64_t state = seed;
  const auto next = [&state] {
    uint64_t z = state += 0x9E3779B97F4A7C15U;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27) * 0x94D049BB133111EBU;
    return z ^ z >> 31;
  };
  NpyArray array{port.type, port.shape, {}};
  const auto count = static_cast<size_t>(port.shape.elements());
  array.data.resize(count * dtypeSize(port.type));
  // In double the products are exact, so that fused and separate multiply-adds give equal results.
  double low = -1.0;
  double span = 2.0;
  if (port.scale > 0) {
    const auto least = static_cast<double>(dtypeMin(port.storedType));
    low = static_cast<double>(port.scale) * (least - port.zeroPoint);
    span =
        static_cast<double>(port.scale) * (static_cast<double>(dtypeMax(port.storedType)) - least);
  }
  dispatch(port.type, [&](auto kind) {
    using T = decltype(kind);
    for (size_t i = 0; i < count; ++i) {
      const uint64_t bits = next();
      T value{};
      if constexpr (std::is_floating_point_v<T>)
        value = static_cast<T>(low + span * (static_cast<double>(bits >> 40) / 16777216.0));
      else if (sizeof(T) <= 2 && port.type != DType::Bool)
        value = static_cast<T>(bits >> (64 - 8 * sizeof(T)));
      else
        value = static_cast<T>(bits >> 63);
      std::memcpy(array.data.data() + i * sizeof(T), &value, sizeof value);
    }
  });
  return array;
}

} // namespace tigris
