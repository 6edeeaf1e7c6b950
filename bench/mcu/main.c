/* Runs one plan on an emulated microcontroller and prints its costs and a checksum of each output.
 *
 * PLAN_FILE is the plan, FAST_BYTES and SLOW_BYTES are the available memory, BACKEND is the
 * backend's symbol and BACKEND_HEADER its header. Inputs are the bytes of a generator that run.py
 * implements, too. With TIGRIS_PROFILE it prints one line per op: "op INDEX CALLS OUTPUT_BYTES
 * TICKS". */
#include "board.h"

#include BACKEND_HEADER

__asm(".section .rodata.plan\n .balign 16\n .global plan_bytes\n plan_bytes:\n .incbin \"" PLAN_FILE
      "\"\n .global plan_end\n plan_end:\n .text\n");
extern const unsigned char plan_bytes[];
extern const unsigned char plan_end[];

static unsigned char fast[FAST_BYTES] __attribute__((aligned(16)));
static unsigned char slow[SLOW_BYTES] __attribute__((aligned(16), section(".slow")));
static unsigned char ports[PORT_BYTES] __attribute__((aligned(16), section(".slow")));
static tigris_plan plan;
static tigris_context context;

static void field(const char* name, uint64_t value) {
  board_print(name);
  board_print(" ");
  board_print_number(value);
  board_print("\n");
}

static int failed(const char* what, tigris_status status) {
  board_print(what);
  field(" failed", (uint64_t) - (int)status);
  return 1;
}

#if TIGRIS_PROFILE
#define MOST_OPS 256
static struct {
  uint32_t calls;
  uint32_t bytes;
  uint64_t ticks;
} costs[MOST_OPS];
static uint64_t since;

static void watch(void* user, const tigris_call* call, int done) {
  const size_t op = (size_t)(call->op - call->plan->ops);
  (void)user;
  if (done && op < MOST_OPS) {
    costs[op].ticks += board_clock() - since;
    costs[op].bytes += call->out[0].rows * call->out[0].pitch;
    ++costs[op].calls;
  }
  since = board_clock();
}

static void printCosts(void) {
  uint32_t i;
  for (i = 0; i < plan.op_count && i < MOST_OPS; ++i) {
    board_print("op ");
    board_print_number(i);
    board_print(" ");
    board_print_number(costs[i].calls);
    board_print(" ");
    board_print_number(costs[i].bytes);
    field("", costs[i].ticks);
  }
}
#endif

/* 2 * count instructions. */
__attribute__((noinline)) static void spin(uint32_t count) {
  __asm volatile("1: subs %0, %0, #1\n bne 1b\n" : "+l"(count) : : "cc");
}

static void fillInputs(void) {
  uint32_t state = 1;
  unsigned i;
  uint32_t k;
  for (i = 0; i < tigris_input_count(&plan); ++i) {
    unsigned char* data = (unsigned char*)tigris_input(&context, i);
    for (k = 0; k < tigris_input_bytes(&plan, i); ++k) {
      state = state * 1664525u + 1013904223u;
      data[k] = (unsigned char)(state >> 24);
    }
  }
}

static tigris_status setPorts(void) {
  unsigned char* at = ports;
  tigris_status status = TIGRIS_OK;
  unsigned i;
  if (plan.summary->io_mode != TIGRIS_IO_CALLER)
    return TIGRIS_OK;
  for (i = 0; status == TIGRIS_OK && i < plan.port_count; ++i) {
    const unsigned inputs = tigris_input_count(&plan);
    const int isInput = i < inputs;
    status =
        isInput ? tigris_set_input(&context, i, at) : tigris_set_output(&context, i - inputs, at);
    at +=
        ((isInput ? tigris_input_bytes(&plan, i) : tigris_output_bytes(&plan, i - inputs)) + 15u) /
        16u * 16u;
  }
  return status;
}

int main(void) {
  const tigris_memory memory = {fast, sizeof fast, slow, sizeof slow};
  tigris_requirements need;
  tigris_status status;
  uint64_t begin;
  unsigned i;
  uint32_t k;
  board_start_clock();
  begin = board_clock();
  spin(1000000);
  field("two_million", board_clock() - begin);
  board_paint_stack();
  begin = board_clock();
  status = tigris_plan_open(&plan, plan_bytes, (size_t)(plan_end - plan_bytes));
  if (status != TIGRIS_OK)
    return failed("open", status);
  status = tigris_init(&context, &plan, &BACKEND, &memory);
  if (status != TIGRIS_OK)
    return failed("init", status);
  field("load", board_clock() - begin);
  field("stack_load", board_stack_used());
  status = setPorts();
  if (status != TIGRIS_OK)
    return failed("ports", status);
  fillInputs();
#if TIGRIS_PROFILE
  tigris_set_profile(&context, watch, NULL);
#endif
  board_paint_stack();
  begin = board_clock();
  status = tigris_run(&context);
  begin = board_clock() - begin;
  if (status != TIGRIS_OK)
    return failed("run", status);
#if TIGRIS_PROFILE
  printCosts();
#endif
  field("run", begin);
  field("stack", board_stack_used());
  tigris_plan_requirements(&plan, &BACKEND, &need);
  field("fast_peak", context.statistics.fast_peak);
  field("slow_peak", context.statistics.slow_peak);
  field("scratch", need.scratch_bytes);
  field("planned_scratch", plan.summary->scratch_bytes);
  field("dynamic", context.statistics.dynamic);
  field("context", sizeof context);
  for (i = 0; i < tigris_output_count(&plan); ++i) {
    const unsigned char* data = (const unsigned char*)tigris_output(&context, i);
    uint32_t sum = 2166136261u;
    for (k = 0; k < tigris_output_bytes(&plan, i); ++k)
      sum = (sum ^ data[k]) * 16777619u;
    field("output", sum);
  }
  return 0;
}
