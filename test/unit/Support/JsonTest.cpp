// The JSON writer's layout, escapes and numbers.
#include "tigris/Support/Json.h"

#include <doctest/doctest.h>
#include <limits>

using namespace tigris;

TEST_CASE("json: objects are indented and inline arrays stay on a line") {
  JsonWriter json;
  json.beginObject().field("name", "a").field("shape", std::vector<int64_t>{1, 3});
  json.key("inner").beginObject().field("x", 1.5).field("y", true).endObject();
  json.key("list").beginArray();
  json.beginObject(JsonWriter::Inline).field("k", 1).key("none").beginArray().endArray();
  json.endObject().endArray();
  json.field("missing", std::optional<int>());
  json.key("empty").beginObject().endObject().endObject();
  CHECK(json.text() == R"({
  "name": "a",
  "shape": [1, 3],
  "inner": {
    "x": 1.5,
    "y": true
  },
  "list": [
    {"k": 1, "none": []}
  ],
  "missing": null,
  "empty": {}
}
)");
}

TEST_CASE("json: strings are escaped and always UTF-8") {
  CHECK(quoteJson("a\"b\\c\n\t\x01") == R"("a\"b\\c\n\t\u0001")");
  CHECK(quoteJson("\xC3\xA9\xE2\x82\xAC") == "\"\xC3\xA9\xE2\x82\xAC\"");
  CHECK(quoteJson("\u009b\u202e\x7F") == R"("\u009b\u202e\u007f")");
  CHECK(quoteJson("\xFFx\xC3") == "\"\\ufffdx\\ufffd\"");
  CHECK(quoteJson("\xED\xA0\x80") == "\"\\ufffd\\ufffd\\ufffd\"");
}

TEST_CASE("json: numbers that JSON lacks become null") {
  JsonWriter json;
  json.beginArray(JsonWriter::Inline)
      .value(std::numeric_limits<double>::infinity())
      .value(std::numeric_limits<double>::quiet_NaN())
      .value(uint64_t{18446744073709551615U})
      .value(int64_t{-1})
      .value(0.1)
      .value(3.0)
      .endArray();
  CHECK(json.text() == "[null, null, 18446744073709551615, -1, 0.1, 3.0]\n");
}
