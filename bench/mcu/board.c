/* Start-up code for a Cortex-M in QEMU, in place of a C library's: vectors, floating-point unit,
 * data, semihosting, SysTick. */
#include "board.h"

extern uint32_t data_start, data_end, data_load, bss_start, bss_end, stack_top, stack_limit;
int main(void);
void reset(void);

#define REGISTER(address) (*(volatile uint32_t*)(address))
#define SYSTICK_CONTROL REGISTER(0xE000E010u)
#define SYSTICK_RELOAD REGISTER(0xE000E014u)
#define SYSTICK_VALUE REGISTER(0xE000E018u)
#define SYSTICK_LAST 0xFFFFFFu
#define CONFIGURATION REGISTER(0xE000ED14u)
#define COPROCESSORS REGISTER(0xE000ED88u)

enum { SEMIHOST_WRITE0 = 0x04, SEMIHOST_EXIT_EXTENDED = 0x20, SEMIHOST_STOPPED_EXIT = 0x20026 };

static void semihost(uint32_t operation, const void* argument) {
  register uint32_t r0 __asm("r0") = operation;
  register const void* r1 __asm("r1") = argument;
  __asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
}

void board_print(const char* text) { semihost(SEMIHOST_WRITE0, text); }

void board_print_number(uint64_t value) {
  char digits[24];
  char* at = digits + sizeof digits - 1;
  *at = '\0';
  do {
    *--at = (char)('0' + value % 10);
    value /= 10;
  } while (value != 0);
  board_print(at);
}

static void stop(uint32_t code) {
  uint32_t arguments[2];
  arguments[0] = SEMIHOST_STOPPED_EXIT;
  arguments[1] = code;
  semihost(SEMIHOST_EXIT_EXTENDED, arguments);
  for (;;) {
  }
}

static void fault(void) {
  board_print("fault\n");
  stop(99);
}

static volatile uint32_t wraps;
static void tick(void) { ++wraps; }

__attribute__((section(".vectors"), used)) static const void* const vectors[16] = {
    &stack_top,
    (const void*)reset,
    (const void*)fault,
    (const void*)fault,
    (const void*)fault,
    (const void*)fault,
    (const void*)fault,
    (const void*)fault,
    0,
    0,
    0,
    (const void*)fault,
    (const void*)fault,
    0,
    (const void*)fault,
    (const void*)tick};

__attribute__((used, noreturn)) static void start(void) {
  const uint32_t* from = &data_load;
  uint32_t* to;
#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
  COPROCESSORS |= 0xFu << 20;
#endif
#if defined(__ARM_FEATURE_MVE)
  CONFIGURATION |= 3u << 18; /* branch prediction and low-overhead loops */
#endif
  __asm volatile("dsb\n isb" ::: "memory");
  for (to = &data_start; to < &data_end;)
    *to++ = *from++;
  for (to = &bss_start; to < &bss_end;)
    *to++ = 0;
  stop((uint32_t)main());
}

__attribute__((naked, noreturn)) void reset(void) {
  __asm volatile("ldr r0, =stack_top\n mov sp, r0\n bl start\n");
}

void board_start_clock(void) {
  wraps = 0;
  SYSTICK_RELOAD = SYSTICK_LAST;
  SYSTICK_VALUE = 0;
  SYSTICK_CONTROL = 7;
  while (SYSTICK_VALUE == 0) {
  }
}

uint64_t board_clock(void) {
  uint32_t before;
  uint32_t value;
  do {
    before = wraps;
    value = SYSTICK_VALUE;
  } while (before != wraps);
  return ((uint64_t)before << 24) + (SYSTICK_LAST - value);
}

#define PAINT 0xA5A5A5A5u
static uint32_t* painted;

void board_paint_stack(void) {
  uint32_t* p;
  __asm volatile("mov %0, sp" : "=r"(painted));
  for (p = &stack_limit; p < painted - 16; ++p)
    *p = PAINT;
}

uint32_t board_stack_used(void) {
  const uint32_t* p = &stack_limit;
  while (p < painted && *p == PAINT)
    ++p;
  return (uint32_t)(painted - p) * 4u;
}
