/* The board interface of the benchmark: text output to the host, an instruction clock, and the
 * stack depth. */
#ifndef TIGRIS_BENCH_BOARD_H
#define TIGRIS_BENCH_BOARD_H

#include <stdint.h>

/* Prints to the emulator's console, by semihosting. */
void board_print(const char* text);
void board_print_number(uint64_t value);

/* Virtual time since board_start_clock in SysTick periods. With `-icount shift=6` every instruction
 * takes 64 ns. */
void board_start_clock(void);
uint64_t board_clock(void);

/* The maximum number of stack bytes used below the caller of board_paint_stack. */
void board_paint_stack(void);
uint32_t board_stack_used(void);

#endif /* TIGRIS_BENCH_BOARD_H */
