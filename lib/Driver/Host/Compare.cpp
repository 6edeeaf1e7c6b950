// Compares in double, which represents every element exactly, except for large int64 values.
#include "tigris/Driver/Host/Compare.h"

#include "tigris/Support/Half.h"

#include <cmath>
#include <cstring>

namespace tigris {

namespace {

constexpr double DefaultFloatTolerance = 1e-4;
// Four units in the last of 11 bits, because other implementations compute in float16.
constexpr double DefaultHalfTolerance = 2e-3;

template <typename T> double load(const NpyArray& array, size_t index) {
  T value;
  std::memcpy(&value, array.data.data() + index * sizeof(T), sizeof value);
  return static_cast<double>(value);
}

std::string indexText(size_t flat, const Shape& shape) {
  std::vector<int64_t> index(shape.rank());
  auto rest = static_cast<int64_t>(flat);
  for (size_t axis = shape.rank(); axis-- > 0;) {
    index[axis] = rest % shape[axis];
    rest /= shape[axis];
  }
  return "[" + join(index, ", ") + "]";
}

std::string number(double value) { return strCat(value); }

} // namespace

double elementAt(const NpyArray& array, size_t index) {
  switch (array.type) {
  case DType::Float16: {
    uint16_t half = 0;
    std::memcpy(&half, array.data.data() + index * sizeof half, sizeof half);
    return halfToFloat(half);
  }
  case DType::Float32:
    return load<float>(array, index);
  case DType::Float64:
    return load<double>(array, index);
  case DType::Int8:
    return load<int8_t>(array, index);
  case DType::UInt8:
  case DType::Bool:
    return load<uint8_t>(array, index);
  case DType::Int16:
    return load<int16_t>(array, index);
  case DType::UInt16:
    return load<uint16_t>(array, index);
  case DType::Int32:
    return load<int32_t>(array, index);
  case DType::Int64:
    return load<int64_t>(array, index);
  default:
    TIGRIS_UNREACHABLE("no plan has an interface of this type");
  }
}

Expected<Comparison> compareArrays(const std::string& name, const NpyArray& got,
                                   const NpyArray& want, const Tolerance& tolerance) {
  if (got.type != want.type)
    return makeError(DiagId::BadValue, "output '", name, "' is ", dtypeName(got.type),
                     ", the reference is ", dtypeName(want.type));
  if (got.shape != want.shape)
    return makeError(DiagId::BadValue, "output '", name, "' has shape ", got.shape.str(),
                     ", the reference has ", want.shape.str());
  Comparison result;
  result.elements = static_cast<size_t>(got.shape.elements());
  const bool given = tolerance.atol || tolerance.rtol;
  result.atol = tolerance.atol.value_or(0);
  if (!given && isFloat(got.type)) {
    double magnitude = 0;
    for (size_t i = 0; i < result.elements; ++i)
      if (const double value = std::fabs(elementAt(want, i)); std::isfinite(value))
        magnitude = std::max(magnitude, value);
    result.atol =
        (got.type == DType::Float16 ? DefaultHalfTolerance : DefaultFloatTolerance) * magnitude;
  }
  const double rtol = tolerance.rtol.value_or(0);
  double worstExcess = -HUGE_VAL;
  for (size_t i = 0; i < result.elements; ++i) {
    const double a = elementAt(got, i);
    const double b = elementAt(want, i);
    if (a == b || (std::isnan(a) && std::isnan(b))) {
      if (worstExcess == -HUGE_VAL && i == 0) {
        result.worstGot = a;
        result.worstWant = b;
      }
      continue;
    }
    double difference = std::fabs(a - b);
    if (std::isnan(difference))
      difference = HUGE_VAL;
    result.maxAbs = std::max(result.maxAbs, difference);
    if (b != 0)
      result.maxRel = std::max(result.maxRel, difference / std::fabs(b));
    const double allowed = std::isfinite(b) ? result.atol + rtol * std::fabs(b) : 0;
    if (!(difference <= allowed))
      ++result.mismatches;
    if (difference - allowed > worstExcess) {
      worstExcess = difference - allowed;
      result.worst = i;
      result.worstGot = a;
      result.worstWant = b;
    }
  }
  return result;
}

std::string describe(const Comparison& comparison, const Shape& shape) {
  std::string text =
      strCat("max error ", number(comparison.maxAbs), ", relative ", number(comparison.maxRel));
  if (comparison.maxAbs > 0)
    text += strCat("; worst at ", indexText(comparison.worst, shape), ": got ",
                   number(comparison.worstGot), ", expected ", number(comparison.worstWant));
  return text;
}

} // namespace tigris
