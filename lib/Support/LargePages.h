// Memory for texts, weights and files of many megabytes. A page fault per 4 KiB takes a large part
// of the time to read or write them. Without effect where the system has no large pages.
#pragma once

#include <cstddef>

namespace tigris {

/// Asks the system to back the whole large pages in this memory with such pages.
void preferLargePages(void* memory, size_t size);

/// The same for the heap of the process, for blocks of any usual size. For the start of a program:
/// the heap does not shrink afterwards. Without effect if the process may use only a limited amount
/// of memory (ulimit -v).
void preferLargePagesForHeap();

} // namespace tigris
