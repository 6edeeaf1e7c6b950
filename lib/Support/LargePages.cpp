// The C library's heap grows in one area, so that advice for the area covers all later blocks.
#include "tigris/Support/LargePages.h"

#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace tigris {

namespace {

[[maybe_unused]] bool isLimited(decltype(RLIMIT_AS) resource) {
  struct rlimit limit {};
  return ::getrlimit(resource, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

} // namespace

void preferLargePages([[maybe_unused]] void* memory, [[maybe_unused]] size_t size) {
#ifdef MADV_HUGEPAGE
  constexpr size_t LargePage = size_t{1} << 21;
  const size_t before = (LargePage - reinterpret_cast<uintptr_t>(memory) % LargePage) % LargePage;
  const size_t whole = size < before ? 0 : (size - before) / LargePage * LargePage;
  if (whole > 0)
    ::madvise(static_cast<char*>(memory) + before, whole, MADV_HUGEPAGE);
#endif
}

void preferLargePagesForHeap() {
#ifdef __GLIBC__
  // Under a limit, the rest of the process needs the address space.
  if (isLimited(RLIMIT_AS) || isLimited(RLIMIT_DATA))
    return;
  // Address space, which costs nothing until it is written.
  constexpr int Area = 128 << 20;
  // The largest limit that the C library accepts. Larger blocks are mapped one by one.
  constexpr int LargestInHeap = 32 << 20;
  constexpr int Never = -1;
  ::mallopt(M_MMAP_THRESHOLD, LargestInHeap);
  ::mallopt(M_TRIM_THRESHOLD, Never);
  ::mallopt(M_TOP_PAD, Area);
  auto* begin = static_cast<char*>(::sbrk(0));
  // More than is free at the end of the heap: the heap grows by this and M_TOP_PAD. Volatile,
  // because a compiler may leave out a block without use.
  void* volatile block = std::malloc(size_t{1} << 20);
  std::free(block);
  const auto* end = static_cast<char*>(::sbrk(0));
  preferLargePages(begin, static_cast<size_t>(end - begin));
#endif
}

} // namespace tigris
