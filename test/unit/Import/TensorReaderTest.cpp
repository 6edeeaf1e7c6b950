// Every encoding of tensor data, and data that does not match its shape.
#include "tigris/Import/Onnx/TensorReader.h"

#include <doctest/doctest.h>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace tigris;
using onnx::TensorProto;

namespace {

TensorProto tensorOf(int32_t type, const std::vector<int64_t>& dims) {
  TensorProto tensor;
  tensor.set_name("t");
  tensor.set_data_type(type);
  for (const int64_t dim : dims)
    tensor.add_dims(dim);
  return tensor;
}

ConstantData read(const TensorProto& tensor) {
  Expected<ConstantData> data = TensorReader("").read(tensor, "t");
  REQUIRE_MESSAGE(data, data.error().message());
  return *data;
}

Error errorOf(const TensorProto& tensor, const std::string& model = "") {
  Expected<ConstantData> data = TensorReader(model).read(tensor, "t");
  REQUIRE(!data);
  return data.takeError();
}

template <typename T> std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// A directory that is removed at the end of the test.
class ScratchDir {
public:
  ScratchDir() : path_(std::filesystem::temp_directory_path() / strCat("tigris-", getpid())) {
    std::filesystem::create_directories(path_);
  }
  ~ScratchDir() { std::filesystem::remove_all(path_); }
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;
  std::string model() const { return (path_ / "m.onnx").string(); }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
  }
  void link(const std::string& name, const std::string& target) const {
    std::filesystem::create_symlink(target, path_ / name);
  }

private:
  std::filesystem::path path_;
};

TensorProto external(const std::string& location, const std::string& offset,
                     const std::string& length) {
  TensorProto tensor = tensorOf(TensorProto::FLOAT, {2});
  tensor.set_data_location(TensorProto::EXTERNAL);
  const std::pair<const char*, std::string> entries[] = {
      {"location", location}, {"offset", offset}, {"length", length}};
  for (const auto& [key, value] : entries) {
    if (value.empty())
      continue;
    auto* entry = tensor.add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }
  return tensor;
}

} // namespace

TEST_CASE("raw and typed data give the same constant") {
  TensorProto typed = tensorOf(TensorProto::FLOAT, {2, 2});
  for (const float value : {1.0F, -2.5F, 0.1F, 1e-45F})
    typed.add_float_data(value);
  TensorProto rawData = tensorOf(TensorProto::FLOAT, {2, 2});
  rawData.set_raw_data(raw<float>({1.0F, -2.5F, 0.1F, 1e-45F}));
  CHECK(read(typed).type == DType::Float32);
  CHECK(read(typed).shape == Shape{2, 2});
  CHECK(read(typed).data->values<float>() == read(rawData).data->values<float>());
}

TEST_CASE("integers of every width") {
  TensorProto tensor = tensorOf(TensorProto::INT8, {2});
  tensor.add_int32_data(-128);
  tensor.add_int32_data(127);
  CHECK(read(tensor).data->values<int8_t>() == std::vector<int8_t>{-128, 127});
  tensor.set_data_type(TensorProto::INT16);
  CHECK(read(tensor).data->values<int16_t>() == std::vector<int16_t>{-128, 127});
  tensor.set_data_type(TensorProto::INT32);
  CHECK(read(tensor).data->values<int32_t>() == std::vector<int32_t>{-128, 127});
  TensorProto wide = tensorOf(TensorProto::INT64, {1});
  wide.add_int64_data(INT64_MIN);
  CHECK(read(wide).data->values<int64_t>() == std::vector<int64_t>{INT64_MIN});
  TensorProto flag = tensorOf(TensorProto::BOOL, {3});
  flag.set_raw_data(std::string("\0\1\7", 3));
  CHECK(read(flag).data->values<uint8_t>() == std::vector<uint8_t>{0, 1, 1});
}

TEST_CASE("16-bit and 64-bit floats become float32") {
  TensorProto half = tensorOf(TensorProto::FLOAT16, {7});
  // 1, -2, 65504, the smallest denormal, -0, inf, 1/3 rounded
  for (const int32_t bits : {0x3C00, 0xC000, 0x7BFF, 0x0001, 0x8000, 0x7C00, 0x3555})
    half.add_int32_data(bits);
  const std::vector<float> values = read(half).data->values<float>();
  CHECK(read(half).type == DType::Float32);
  CHECK(values[0] == 1);
  CHECK(values[1] == -2);
  CHECK(values[2] == 65504);
  CHECK(values[3] == std::ldexp(1.0F, -24));
  CHECK(std::signbit(values[4]));
  CHECK(std::isinf(values[5]));
  CHECK(values[6] == 0.333251953125F);
  TensorProto brain = tensorOf(TensorProto::BFLOAT16, {1});
  brain.set_raw_data(raw<uint16_t>({0xC040}));
  CHECK(read(brain).data->values<float>() == std::vector<float>{-3});
  TensorProto wide = tensorOf(TensorProto::DOUBLE, {1});
  wide.add_double_data(0.1);
  CHECK(read(wide).data->values<float>() == std::vector<float>{0.1F});
}

TEST_CASE("4-bit integers are widened, low nibble first") {
  TensorProto tensor = tensorOf(22, {3});
  tensor.set_raw_data(std::string("\x8F\x07", 2));
  CHECK(read(tensor).type == DType::Int4);
  CHECK(read(tensor).data->values<int8_t>() == std::vector<int8_t>{-1, -8, 7});
  tensor.set_data_type(21);
  CHECK(read(tensor).type == DType::UInt4);
  CHECK(read(tensor).data->values<uint8_t>() == std::vector<uint8_t>{15, 8, 7});
}

TEST_CASE("data must fill the shape exactly") {
  TensorProto tensor = tensorOf(TensorProto::FLOAT, {3});
  tensor.set_raw_data(raw<float>({1, 2}));
  const Error error = errorOf(tensor);
  CHECK(error.id() == DiagId::BadWeights);
  CHECK(error.message() == "tensor 't' has 8 bytes of data, its shape [3] of FLOAT needs 12");
  CHECK(read(tensorOf(TensorProto::FLOAT, {0})).data->size() == 0);
  CHECK(errorOf(tensorOf(TensorProto::FLOAT, {-1})).id() == DiagId::BadModel);
  CHECK(errorOf(tensorOf(TensorProto::FLOAT, {1 << 30, 1 << 30})).id() == DiagId::BadModel);
}

TEST_CASE("types no kernel computes in are refused by name") {
  CHECK(errorOf(tensorOf(TensorProto::STRING, {1})).message().find("STRING") != std::string::npos);
  CHECK(errorOf(tensorOf(TensorProto::COMPLEX64, {1})).id() == DiagId::UnsupportedType);
  CHECK(errorOf(tensorOf(99, {1})).message().find("type 99") != std::string::npos);
}

TEST_CASE("external data lies beside the model") {
  const ScratchDir dir;
  dir.write("w.bin", "pad!" + raw<float>({4, 5}));
  Expected<ConstantData> data = TensorReader(dir.model()).read(external("w.bin", "4", "8"), "t");
  REQUIRE_MESSAGE(data, data.error().message());
  CHECK(data->data->values<float>() == std::vector<float>{4, 5});

  Error error = errorOf(external("w.bin", "8", "8"), dir.model());
  CHECK(error.message() == "tensor 't' needs bytes 8 to 16 of 'w.bin', which has 12");
  CHECK(errorOf(external("w.bin", "18446744073709551615", ""), dir.model()).id() ==
        DiagId::BadWeights);
  CHECK(errorOf(external("w.bin", "0", "4"), dir.model()).message().find("need 8") !=
        std::string::npos);
  CHECK(errorOf(external("", "0", "8"), dir.model()).message().find("no location") !=
        std::string::npos);

  error = errorOf(external("gone.bin", "0", "8"), dir.model());
  CHECK(error.id() == DiagId::IoError);
  CHECK(error.message().find("external data of tensor 't': cannot open '") == 0);
}

TEST_CASE("external data elsewhere is refused") {
  for (const char* location : {"/etc/passwd", "../w.bin", "a/../../w.bin", ".."}) {
    const Error error = errorOf(external(location, "", ""));
    CHECK(error.id() == DiagId::BadWeights);
    CHECK(error.message().find("external data of tensor 't': '") == 0);
    CHECK(error.message().find("is refused") != std::string::npos);
  }
}

TEST_CASE("external data that is no file is refused") {
  const ScratchDir dir;
  dir.link("device", "/dev/zero");
  CHECK(errorOf(external("device", "", ""), dir.model()).message().find("leads out of the") !=
        std::string::npos);
  CHECK(errorOf(external(".", "", ""), dir.model()).message().find("not a regular file") !=
        std::string::npos);
}
