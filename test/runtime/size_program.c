/* A minimal firmware: opens a plan, runs it and reads its output. Only check_size.py builds it. */
#include "tigris.h"
#include "tigris_backend.h"

#ifdef WITH_KERNELS
#define BACKEND tigris_backend_reference
#else
/* Without kernels only the core remains. */
static tigris_status compute(const tigris_call* call) {
  return call->params == NULL ? TIGRIS_OK : TIGRIS_E_KERNEL;
}
static tigris_kernel find(const tigris_plan* plan, const tigris_op* op) {
  return plan->op_count > op->opcode ? compute : NULL;
}
static const tigris_backend BACKEND = {"none", TIGRIS_BACKEND_ABI, 4, find, NULL, find, NULL};
#endif

/* Read by check_size.py. */
char size_of_plan[sizeof(tigris_plan)];
char size_of_context[sizeof(tigris_context)];

volatile const void* volatile source; /* unknown at compile time */
static tigris_plan plan;
static tigris_context context;

int main(void) {
  tigris_memory memory;
  if (tigris_plan_open(&plan, (const void*)(uintptr_t)source, 0x100000) != TIGRIS_OK)
    return 1;
  memory.fast = (void*)(uintptr_t)source;
  memory.fast_bytes = 0x10000;
  memory.slow = memory.fast;
  memory.slow_bytes = 0x10000;
  if (tigris_init(&context, &plan, &BACKEND, &memory) != TIGRIS_OK)
    return 2;
  if (tigris_set_input(&context, 0, memory.fast) != TIGRIS_OK ||
      tigris_set_output(&context, 0, memory.fast) != TIGRIS_OK)
    return 3;
  if (tigris_set_weight_reader(&context, (tigris_weight_reader)0, NULL) != TIGRIS_OK)
    return 5;
  *(uint8_t*)tigris_input(&context, 0) = (uint8_t)tigris_input_bytes(&plan, 0);
  if (tigris_run(&context) != TIGRIS_OK)
    return 4;
  return *(const uint8_t*)tigris_output(&context, 0) + size_of_plan[0] + size_of_context[0];
}
