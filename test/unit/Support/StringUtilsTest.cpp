// Numbers as text, sizes, spelling suggestions and splitting.
#include "tigris/Support/StringUtils.h"

#include <doctest/doctest.h>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tigris;

TEST_CASE("formatFloat: shortest text that reads back, always a float to YAML") {
  CHECK(formatFloat(0.1F) == "0.1");
  CHECK(formatFloat(3) == "3.0");
  CHECK(formatFloat(-0.0F) == "-0.0");
  CHECK(formatFloat(1e20F) == "1.0e+20");
  CHECK(formatFloat(1.5e-7F) == "1.5e-07");
  CHECK(formatFloat(std::numeric_limits<float>::denorm_min()) == "1.0e-45");
  CHECK(formatFloat(std::numeric_limits<float>::infinity()) == ".inf");
  CHECK(formatFloat(-std::numeric_limits<float>::infinity()) == "-.inf");
  CHECK(formatFloat(std::nanf("")) == ".nan");
  CHECK(formatDouble(0.1) == "0.1");
  CHECK(formatDouble(static_cast<double>(0.1F)) == "0.10000000149011612");
}

TEST_CASE("formatFloat: many bit patterns survive a round trip through text") {
  uint32_t bits = 1;
  for (int i = 0; i < 20000; ++i) {
    bits = bits * 1664525U + 1013904223U;
    float value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    if (std::isnan(value))
      continue;
    const auto read = parseDouble(formatFloat(value));
    REQUIRE(read);
    CHECK(static_cast<float>(*read) == value);
  }
}

TEST_CASE("parseInt and parseDouble take whole texts only") {
  CHECK(parseInt("-12") == -12);
  CHECK(parseInt("9223372036854775807") == INT64_MAX);
  CHECK(!parseInt("9223372036854775808"));
  CHECK(!parseInt("12x"));
  CHECK(!parseInt(""));
  CHECK(!parseInt(" 1"));
  CHECK(parseDouble("2.5e3") == 2500.0);
  CHECK(parseDouble(".inf") == HUGE_VAL);
  CHECK(std::isnan(*parseDouble(".nan")));
  CHECK(!parseDouble("1.5 "));
  CHECK(!parseDouble(""));
}

TEST_CASE("parseSize: binary multiples, whole bytes") {
  CHECK(parseSize("4096") == 4096U);
  CHECK(parseSize("4096B") == 4096U);
  CHECK(parseSize("256K") == 262144U);
  CHECK(parseSize("256k") == 262144U);
  CHECK(parseSize("256KiB") == 262144U);
  CHECK(parseSize("256KB") == 262144U);
  CHECK(parseSize("1.5M") == 1572864U);
  CHECK(parseSize("2G") == 2147483648U);
  CHECK(parseSize("0") == 0U);
  for (const char* bad : {"", "K", "banana", "-1", "1.5", "0.3K", "12Q", "1KK", "1 K", ".5M",
                          "1..5M", "99999999999G", "1e3"})
    CHECK_MESSAGE(!parseSize(bad), bad);
}

TEST_CASE("formatBytes reads like a person would write it") {
  CHECK(formatBytes(0) == "0 B");
  CHECK(formatBytes(1023) == "1023 B");
  CHECK(formatBytes(262144) == "256 KiB");
  CHECK(formatBytes(138240) == "135 KiB");
  CHECK(formatBytes(1536) == "1.5 KiB");
  CHECK(formatBytes(uint64_t{5} << 40) == "5120 GiB");
}

TEST_CASE("nearestSpelling suggests likely typos only") {
  const std::vector<std::string> names = {"strides", "pads", "dilations"};
  CHECK(nearestSpelling("stride", names) == "strides");
  CHECK(nearestSpelling("dilatons", names) == "dilations");
  CHECK(nearestSpelling("padz", names) == "pads");
  CHECK(!nearestSpelling("kernel_shape", names));
  CHECK(!nearestSpelling("x", {}));
  // The nearest of several candidates, and the first of equally near ones.
  CHECK(nearestSpelling("cat", {"bat", "cab", "cats"}) == "bat");
}

TEST_CASE("split, trim and join") {
  CHECK(split("a,,b", ',') == std::vector<std::string_view>{"a", "", "b"});
  CHECK(split("", ',') == std::vector<std::string_view>{""});
  CHECK(trim(" \t a b\r\n") == "a b");
  CHECK(trim(" \n").empty());
  CHECK(join(std::vector<int>{1, 2, 3}, ", ") == "1, 2, 3");
  CHECK(join(std::vector<int>{}, ", ").empty());
  CHECK(strCat("op '", "conv", "' has ", 3, " inputs") == "op 'conv' has 3 inputs");
}

TEST_CASE("numbers with a given number of digits") {
  CHECK(formatFixed(1.25, 1) == "1.2");
  CHECK(formatFixed(-0.5, 0) == "-0");
  CHECK(formatFixed(1e300, 2).size() == 304);
  CHECK(formatSignificant(0.00012345, 3) == "0.000123");
  CHECK(formatSignificant(1234567, 3) == "1.23e+06");
}
