// Conversion between interface and stored form, and the comparison of outputs.
#include "tigris/Driver/Host/PortData.h"
#include "tigris/Driver/Host/Compare.h"

#include <doctest/doctest.h>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tigris;

namespace {

template <typename T> NpyArray arrayOf(DType type, Shape shape, const std::vector<T>& values) {
  NpyArray array{type, std::move(shape), std::vector<uint8_t>(values.size() * sizeof(T))};
  std::memcpy(array.data.data(), values.data(), array.data.size());
  return array;
}

template <typename T> std::vector<T> valuesOf(const std::vector<uint8_t>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

PortView quantizedPort(Shape shape) {
  PortView port{};
  port.name = "x";
  port.type = DType::Float32;
  port.storedType = DType::Int8;
  port.shape = shape;
  port.storedShape = shape;
  port.scale = 0.5F;
  port.zeroPoint = -3;
  return port;
}

} // namespace

TEST_CASE("float to int8 rounds half to even, saturates and survives NaN") {
  const float inf = std::numeric_limits<float>::infinity();
  const PortView port = quantizedPort(Shape{9});
  const auto stored = toStored(
      port, arrayOf<float>(DType::Float32, Shape{9},
                           {0, 0.25F, 0.75F, -0.25F, 1.0F, 1000.0F, -1000.0F, inf, std::nanf("")}));
  REQUIRE(stored);
  CHECK(valuesOf<int8_t>(*stored) == std::vector<int8_t>{-3, -3, -1, -3, -1, 127, -128, 127, -128});
  const NpyArray back = fromStored(port, stored->data());
  CHECK(valuesOf<float>(back.data)[2] == 1.0F);
  CHECK(valuesOf<float>(back.data)[5] == 65.0F);
}

TEST_CASE("uint8 is int8 shifted by 128") {
  PortView port = quantizedPort(Shape{3});
  port.type = DType::UInt8;
  const NpyArray array = arrayOf<uint8_t>(DType::UInt8, Shape{3}, {0, 128, 255});
  const auto stored = toStored(port, array);
  REQUIRE(stored);
  CHECK(valuesOf<int8_t>(*stored) == std::vector<int8_t>{-128, 0, 127});
  CHECK(fromStored(port, stored->data()).data == array.data);
}

TEST_CASE("float16 is converted through float32, stored as such or quantized") {
  PortView port = quantizedPort(Shape{6});
  port.type = DType::Float16;
  port.storedType = DType::Float32;
  // 1, the largest, the smallest, -0.5, infinity, NaN
  const std::vector<uint16_t> halves = {0x3C00, 0x7BFF, 0x0001, 0xB800, 0x7C00, 0x7E00};
  const NpyArray array = arrayOf(DType::Float16, Shape{6}, halves);
  const auto stored = toStored(port, array);
  REQUIRE(stored);
  const auto reals = valuesOf<float>(*stored);
  CHECK(reals[0] == 1.0F);
  CHECK(reals[1] == 65504.0F);
  CHECK(reals[2] == 0x1p-24F);
  CHECK(reals[3] == -0.5F);
  CHECK(fromStored(port, stored->data()).data == array.data);
  // Ties go to even, overflow gives infinity, underflow gives 0.
  const std::vector<float> odd = {2049.0F, 2051.0F, 65520.0F, 65519.0F, 0x1p-25F, 0x1.8p-24F};
  const auto* bytes = reinterpret_cast<const uint8_t*>(odd.data());
  CHECK(valuesOf<uint16_t>(fromStored(port, bytes).data) ==
        std::vector<uint16_t>{0x6800, 0x6802, 0x7C00, 0x7BFF, 0x0000, 0x0002});
  port.storedType = DType::Int8;
  const auto quantized = toStored(port, array);
  REQUIRE(quantized);
  CHECK(valuesOf<int8_t>(*quantized) == std::vector<int8_t>{-1, 127, -3, -4, 127, -128});
  CHECK(randomArray(port, 1).data.size() == 12);
}

TEST_CASE("axes move between NCHW outside and NHWC inside, and back") {
  PortView port{};
  port.name = "x";
  port.type = port.storedType = DType::Int8;
  port.shape = Shape{1, 2, 2, 3};
  port.storedShape = Shape{1, 2, 3, 2};
  port.perm = {0, 2, 3, 1};
  std::vector<int8_t> values(12);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<int8_t>(i);
  const NpyArray array = arrayOf(DType::Int8, port.shape, values);
  const auto stored = toStored(port, array);
  REQUIRE(stored);
  CHECK(valuesOf<int8_t>(*stored) == std::vector<int8_t>{0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11});
  CHECK(fromStored(port, stored->data()).data == array.data);
}

TEST_CASE("wrong arrays are refused with both sides named") {
  const PortView port = quantizedPort(Shape{2});
  const auto type = toStored(port, arrayOf<double>(DType::Float64, Shape{2}, {0, 0}));
  REQUIRE(!type);
  CHECK(type.error().message() == "input 'x': the array is float64, the model takes float32");
  const auto shape = toStored(port, arrayOf<float>(DType::Float32, Shape{2, 1}, {0, 0}));
  REQUIRE(!shape);
  CHECK(shape.error().message() == "input 'x': the array has shape [2, 1], the model takes [2]");
}

TEST_CASE("other integer types carry their numbers over or say that one does not fit") {
  PortView port{};
  port.name = "i";
  port.type = DType::Int64;
  port.storedType = DType::Int32;
  port.shape = port.storedShape = Shape{1};
  const auto fits = toStored(port, arrayOf<int64_t>(DType::Int64, Shape{1}, {-5}));
  REQUIRE(fits);
  CHECK(valuesOf<int32_t>(*fits) == std::vector<int32_t>{-5});
  CHECK(!toStored(port, arrayOf<int64_t>(DType::Int64, Shape{1}, {int64_t{1} << 40})));
}

TEST_CASE("random arrays depend on nothing but the seed and stay in range") {
  const PortView port = quantizedPort(Shape{1000});
  const NpyArray a = randomArray(port, 1);
  CHECK(a.data == randomArray(port, 1).data);
  CHECK(a.data != randomArray(port, 2).data);
  for (const float value : valuesOf<float>(a.data)) {
    CHECK(value >= -62.5F);
    CHECK(value <= 65.0F);
  }
  PortView plain = port;
  plain.scale = 0;
  plain.storedType = DType::Float32;
  // SplitMix64 of seed 1 begins with 0x910A2DEC89025CC1.
  CHECK(valuesOf<float>(randomArray(plain, 1).data)[0] == 0x910A2D / 8388608.0F - 1);
}

TEST_CASE("comparison: default tolerances") {
  const NpyArray want = arrayOf<float>(DType::Float32, Shape{2}, {10, 0});
  const NpyArray near = arrayOf<float>(DType::Float32, Shape{2}, {10.0005F, 0.0009F});
  const NpyArray far = arrayOf<float>(DType::Float32, Shape{2}, {10.0005F, 0.0011F});
  CHECK(compareArrays("y", near, want, {})->ok());
  const auto result = compareArrays("y", far, want, {});
  CHECK(result->mismatches == 1);
  CHECK(result->worst == 1);
  CHECK(describe(*result, Shape{2}).find("worst at [1]") != std::string::npos);
  const NpyArray one = arrayOf<int8_t>(DType::Int8, Shape{1}, {1});
  const NpyArray two = arrayOf<int8_t>(DType::Int8, Shape{1}, {2});
  CHECK(!compareArrays("y", one, two, {})->ok());
  CHECK(compareArrays("y", one, two, {1.0, {}})->ok());
}

TEST_CASE("comparison: NaN and infinities agree with themselves only") {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::nanf("");
  const NpyArray odd = arrayOf<float>(DType::Float32, Shape{3}, {nan, inf, 1});
  CHECK(compareArrays("y", odd, odd, {})->ok());
  const NpyArray other = arrayOf<float>(DType::Float32, Shape{3}, {1, -inf, nan});
  CHECK(compareArrays("y", odd, other, {1e9, 1.0})->mismatches == 3);
  CHECK(!compareArrays("y", odd, arrayOf<float>(DType::Float32, Shape{1}, {1}), {}));
}
