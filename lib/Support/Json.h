// A JSON writer: indented objects, short arrays on one line, keys in the order they are given.
//
//   JsonWriter json;
//   json.beginObject().field("name", "conv1").field("bytes", 64);
//   json.key("shape").beginArray(JsonWriter::Inline).value(1).value(3).endArray().endObject();
//   json.text();   // ends in a newline
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tigris {

class JsonWriter {
public:
  enum Layout : uint8_t { Indented, Inline };

  JsonWriter& beginObject(Layout layout = Indented) { return begin('{', layout); }
  JsonWriter& endObject() { return end('}'); }
  JsonWriter& beginArray(Layout layout = Indented) { return begin('[', layout); }
  JsonWriter& endArray() { return end(']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(bool flag) { return raw(flag ? "true" : "false"); }
  /// Numbers that JSON cannot represent (infinities, NaN) become null.
  JsonWriter& value(double number);
  template <typename T>
  requires std::is_integral_v<T> JsonWriter& value(T number) { return raw(std::to_string(number)); }
  /// null if there is no value.
  template <typename T> JsonWriter& value(const std::optional<T>& number) {
    return number ? value(*number) : raw("null");
  }
  template <typename T> JsonWriter& value(const std::vector<T>& items) {
    beginArray(Inline);
    for (const T& item : items)
      value(item);
    return endArray();
  }
  template <typename T> JsonWriter& field(std::string_view name, const T& content) {
    return key(name).value(content);
  }

  /// The finished document. All objects and arrays must have been ended.
  const std::string& text() const;

private:
  struct Level {
    Layout layout;
    bool empty = true;
  };

  JsonWriter& begin(char bracket, Layout layout);
  JsonWriter& end(char bracket);
  JsonWriter& raw(std::string_view token);
  void separate();

  std::string text_;
  std::vector<Level> levels_;
  bool afterKey_ = false;
};

/// The text in double quotes with JSON's escapes, also for unprintable characters
/// (Support/Printable.h); bytes that are not UTF-8 become U+FFFD.
std::string quoteJson(std::string_view text);

} // namespace tigris
