// Generates unique names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tigris {

/// Returns `base`, or "base_k" for a k such that `taken` is false; the smallest such k if all names
/// with smaller ones are taken. Needs few calls of `taken` even if a hundred thousand names are
/// taken.
template <typename Taken> std::string firstFreeName(std::string_view base, const Taken& taken) {
  const auto name = [&](uint64_t k) {
    return std::string(base).append("_").append(std::to_string(k));
  };
  if (std::string plain(base); !taken(plain))
    return plain;
  uint64_t used = 0;
  uint64_t open = 1;
  while (taken(name(open))) {
    used = open;
    open *= 2;
  }
  while (open - used > 1) {
    const uint64_t middle = used + (open - used) / 2;
    (taken(name(middle)) ? used : open) = middle;
  }
  return name(open);
}

} // namespace tigris
