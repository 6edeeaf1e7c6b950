// Memory for texts and files of many megabytes.
#pragma once

#include <cstdint>
#include <string>
#include <sys/mman.h>

namespace tigris {

/// Asks the system to back the string's capacity with large pages: a page fault per 4 KiB takes a
/// large part of the time to read or write megabytes of weights. Without effect where the system
/// has no large pages or the capacity is smaller than a few of them.
inline void preferLargePages(std::string& text) {
#ifdef MADV_HUGEPAGE
  constexpr uintptr_t LargePage = uintptr_t{1} << 21;
  const auto begin = reinterpret_cast<uintptr_t>(text.data());
  const uintptr_t first = (begin + LargePage - 1) / LargePage * LargePage;
  const uintptr_t last = (begin + text.capacity()) / LargePage * LargePage;
  if (first < last)
    ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

} // namespace tigris
