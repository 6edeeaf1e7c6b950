/* Fault injection: a library that the tests preload into a tool. Environment variables select the
 * fault:
 *   TIGRIS_FAIL_ALLOCATION=N      the N-th allocation (counted from 1) fails
 *   TIGRIS_COUNT_ALLOCATIONS=FD   at exit, the number of allocations is written to this descriptor
 *   TIGRIS_SIGNAL_WHILE_WRITING=N this signal is raised after the first output file is created */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

static atomic_long allocations;
static atomic_long failing = -1;

static long setting(const char* name) {
  const char* text = getenv(name);
  return text == NULL ? 0 : atol(text);
}

/* 1 if this allocation must fail. */
static int fails(void) {
  if (failing < 0)
    failing = setting("TIGRIS_FAIL_ALLOCATION");
  if (atomic_fetch_add(&allocations, 1) + 1 != failing)
    return 0;
  errno = ENOMEM;
  return 1;
}

void* malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return fails() ? NULL : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return fails() ? NULL : __libc_realloc(old, size); }
void* memalign(size_t align, size_t size) { return fails() ? NULL : __libc_memalign(align, size); }
void* aligned_alloc(size_t align, size_t size) { return memalign(align, size); }
int posix_memalign(void** result, size_t align, size_t size) {
  *result = memalign(align, size);
  return *result == NULL ? ENOMEM : 0;
}

/* The tools call this once per output file, between creating and writing it. */
int fchmod(int fd, mode_t mode) {
  const long signal_number = setting("TIGRIS_SIGNAL_WHILE_WRITING");
  if (signal_number != 0)
    kill(getpid(), (int)signal_number);
  return (int)syscall(SYS_fchmod, fd, mode);
}

__attribute__((destructor)) static void report(void) {
  const long fd = setting("TIGRIS_COUNT_ALLOCATIONS");
  if (fd != 0)
    dprintf((int)fd, "%ld\n", (long)allocations);
}
