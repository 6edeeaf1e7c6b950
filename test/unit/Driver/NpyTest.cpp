// .npy files as NumPy writes them, and malformed ones.
#include "tigris/Driver/Host/Npy.h"

#include <doctest/doctest.h>
#include <cstring>

using namespace tigris;

namespace {

std::string npy(const std::string& header, const std::string& payload, char version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += {version, '\0', static_cast<char>(header.size()), '\0'};
  if (version > 1)
    bytes += std::string(2, '\0');
  return bytes + header + payload;
}

std::string message(const std::string& bytes) {
  const auto array = parseNpy(bytes, "a.npy");
  REQUIRE(!array);
  CHECK(array.error().diagnostic().loc.file == "a.npy");
  return array.error().message();
}

} // namespace

TEST_CASE("npy: what is written is what numpy.save writes, and reads back") {
  const NpyArray array{DType::Int8, Shape{3}, {1, 2, 255}};
  const std::string bytes = formatNpy(array);
  CHECK(bytes.size() == 128 + 3);
  CHECK(bytes.substr(10, 58) == "{'descr': '|i1', 'fortran_order': False, 'shape': (3,), } ");
  CHECK(bytes[127] == '\n');
  const auto back = parseNpy(bytes, "a");
  REQUIRE(back);
  CHECK(back->type == DType::Int8);
  CHECK(back->shape == Shape{3});
  CHECK(back->data == array.data);
}

TEST_CASE("npy: scalars and empty arrays") {
  const NpyArray scalar{DType::Int8, Shape(), {7}};
  const auto back = parseNpy(formatNpy(scalar), "a");
  REQUIRE(back);
  CHECK(back->shape.rank() == 0);
  CHECK(back->data == scalar.data);
  CHECK(parseNpy(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (0, 3), }\n", ""), "a"));
}

TEST_CASE("npy: Fortran order becomes row-major") {
  const auto array = parseNpy(
      npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n", {0, 3, 1, 4, 2, 5}), "a");
  REQUIRE(array);
  CHECK(array->data == std::vector<uint8_t>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("npy: versions 2 and 3 and any order of keys") {
  for (const char version : {2, 3}) {
    const auto array = parseNpy(
        npy("{'shape': (1,), 'fortran_order': False, 'descr': \"|i1\"}", {5}, version), "a");
    REQUIRE(array);
    CHECK(array->data == std::vector<uint8_t>{5});
  }
}

TEST_CASE("npy: errors say what is wrong") {
  CHECK(message("") == "not a .npy file");
  CHECK(message("PK\x03\x04 zipped arrays") == "not a .npy file");
  CHECK(message(npy("{}", "")).find("header is not well-formed") != std::string::npos);
  CHECK(message(npy("{}", "", 9)).find("version is 9") != std::string::npos);
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n";
  CHECK(message(npy(good, "1234567")) ==
        "the file contains 7 bytes of data, shape [2] of float32 needs 8");
  CHECK(message(npy(good, "123456789")).find("contains 9 bytes") != std::string::npos);
  CHECK(message(npy(good, "").substr(0, 20)) == "the file ends inside its header");
  CHECK(message(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }\n", "12345678"))
            .find("arrays of type '>f4' are not read") != std::string::npos);
  CHECK(
      message(npy("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }\n", "")).find("'|O'") !=
      std::string::npos);
  const std::string huge = "{'descr': '<f4', 'fortran_order': False, "
                           "'shape': (99999999999, 99999999999), }\n";
  CHECK(message(npy(huge, "")).find("is impossible") != std::string::npos);
}

TEST_CASE("npy: no prefix and no changed byte crashes the reader") {
  const std::string bytes = formatNpy({DType::Int32, Shape{2, 2}, std::vector<uint8_t>(16, 1)});
  for (size_t length = 0; length < bytes.size(); ++length)
    CHECK(!parseNpy(bytes.substr(0, length), "a"));
  for (size_t i = 0; i < bytes.size(); ++i)
    for (const char value : {'\0', '\xFF', '(', '9'}) {
      std::string changed = bytes;
      changed[i] = value;
      (void)parseNpy(changed, "a");
    }
}
