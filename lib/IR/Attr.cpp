// Implements AttrMap as a sorted vector: operators have few attributes, and a tree would use more
// memory.
#include "tigris/IR/Attr.h"

#include "tigris/Support/StringUtils.h"

#include <algorithm>
#include <array>

namespace tigris {

std::string_view attrKindName(AttrKind kind) {
  static constexpr std::array<std::string_view, 6> Names = {"int",  "float",  "string",
                                                            "ints", "floats", "strings"};
  return Names[static_cast<size_t>(kind)];
}

AttrMap::AttrMap(std::initializer_list<Entry> entries) {
  for (const Entry& entry : entries)
    set(entry.first, entry.second);
}

const AttrValue* AttrMap::find(std::string_view name) const {
  for (const Entry& entry : entries_)
    if (entry.first == name)
      return &entry.second;
  return nullptr;
}

void AttrMap::set(std::string_view name, AttrValue value) {
  auto at = std::lower_bound(entries_.begin(), entries_.end(), name,
                             [](const Entry& e, std::string_view n) { return e.first < n; });
  if (at != entries_.end() && at->first == name)
    at->second = std::move(value);
  else
    entries_.insert(at, {std::string(name), std::move(value)});
}

void AttrMap::erase(std::string_view name) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.first == name; });
}

namespace {

template <typename T> const T* typed(const AttrMap& map, std::string_view name) {
  const AttrValue* value = map.find(name);
  if (value == nullptr)
    return nullptr;
  const T* result = std::get_if<T>(value);
  TIGRIS_CHECK_MSG(result != nullptr, strCat("attribute '", name, "' has another kind"));
  return result;
}

} // namespace

int64_t AttrMap::getInt(std::string_view name, int64_t fallback) const {
  const auto* value = typed<int64_t>(*this, name);
  return value != nullptr ? *value : fallback;
}
double AttrMap::getFloat(std::string_view name, double fallback) const {
  const auto* value = typed<double>(*this, name);
  return value != nullptr ? *value : fallback;
}
std::string AttrMap::getString(std::string_view name, std::string_view fallback) const {
  const auto* value = typed<std::string>(*this, name);
  return value != nullptr ? *value : std::string(fallback);
}
std::vector<int64_t> AttrMap::getInts(std::string_view name,
                                      const std::vector<int64_t>& fallback) const {
  const auto* value = typed<std::vector<int64_t>>(*this, name);
  return value != nullptr ? *value : fallback;
}
std::vector<double> AttrMap::getFloats(std::string_view name,
                                       const std::vector<double>& fallback) const {
  const auto* value = typed<std::vector<double>>(*this, name);
  return value != nullptr ? *value : fallback;
}

} // namespace tigris
