// Attributes of operators: typed values with ONNX's names.
#pragma once

#include "tigris/Support/Check.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tigris {

/// The alternatives are in the order of AttrKind: int, float, string, ints, floats, strings.
using AttrValue = std::variant<int64_t, double, std::string, std::vector<int64_t>,
                               std::vector<double>, std::vector<std::string>>;
enum class AttrKind : uint8_t { Int, Float, String, Ints, Floats, Strings };

std::string_view attrKindName(AttrKind kind);

/// A small map in name order, so that printing and comparing are deterministic.
class AttrMap {
public:
  using Entry = std::pair<std::string, AttrValue>;

  AttrMap() = default;
  AttrMap(std::initializer_list<Entry> entries);

  const AttrValue* find(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }
  void set(std::string_view name, AttrValue value);
  void erase(std::string_view name);

  /// Typed access with a fallback. Readers and importers check the kind against the schema when an
  /// op enters a graph, so a wrong kind here is an internal error.
  int64_t getInt(std::string_view name, int64_t fallback = 0) const;
  double getFloat(std::string_view name, double fallback = 0) const;
  std::string getString(std::string_view name, std::string_view fallback = {}) const;
  std::vector<int64_t> getInts(std::string_view name,
                               const std::vector<int64_t>& fallback = {}) const;
  std::vector<double> getFloats(std::string_view name,
                                const std::vector<double>& fallback = {}) const;

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  bool empty() const { return entries_.empty(); }
  bool operator==(const AttrMap&) const = default;

private:
  std::vector<Entry> entries_;
};

} // namespace tigris
