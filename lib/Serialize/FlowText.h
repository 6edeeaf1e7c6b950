// Formats one-line maps and lists.
#pragma once

#include "tigris/Serialize/Scalar.h"

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tigris {

inline void appendNumber(std::string& out, int64_t value) {
  char buffer[24];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}
inline void appendNumber(std::string& out, uint64_t value) {
  char buffer[24];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

/// Appends "[a, b]"; `put(item)` appends one element.
template <typename Range, typename Put>
void appendList(std::string& out, const Range& items, const Put& put) {
  out += '[';
  bool first = true;
  for (const auto& item : items) {
    if (!first)
      out += ", ";
    put(item);
    first = false;
  }
  out += ']';
}

inline void appendNumbers(std::string& out, const std::vector<int64_t>& values) {
  appendList(out, values, [&](int64_t value) { appendNumber(out, value); });
}

/// Formats "{key: ..., key: ...}". After each key() the caller appends the value; close() ends the
/// map.
class FlowMap {
public:
  explicit FlowMap(std::string& out) : out_(out) { out_ += '{'; }
  /// Appends a key of the schema, which never needs quotes.
  std::string& key(std::string_view name) {
    separate();
    out_ += name;
    out_ += ": ";
    return out_;
  }
  /// Appends an arbitrary key, quoted if necessary.
  std::string& anyKey(std::string_view name) {
    separate();
    appendString(out_, name);
    out_ += ": ";
    return out_;
  }
  void close() { out_ += '}'; }
  void string(std::string_view name, std::string_view value) { appendString(key(name), value); }
  void number(std::string_view name, int64_t value) { appendNumber(key(name), value); }
  void number(std::string_view name, uint64_t value) { appendNumber(key(name), value); }

private:
  void separate() {
    if (!first_)
      out_ += ", ";
    first_ = false;
  }
  std::string& out_;
  bool first_ = true;
};

} // namespace tigris
