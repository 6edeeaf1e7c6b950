/* The reference backend: the table from opcode and dtype to kernel. */
#include "kernels/kernels.h"
#include "view.h"

typedef struct KernelRow {
  uint8_t opcode;
  uint8_t dtype; /* of the first input; 0: any */
  uint8_t isSink;
  tigris_kernel kernel;
} KernelRow;

static const KernelRow kernels[] = {
#define TIGRIS_LISTS(group) TIGRIS_##group
#define TIGRIS_KERNEL(group, name, dtype, kernel) {TIGRIS_OP_##name, TIGRIS_##dtype, 0, kernel},
#if TIGRIS_SINKS
#define TIGRIS_SINK(group, name, dtype, kernel) {TIGRIS_OP_##name, TIGRIS_##dtype, 1, kernel},
#endif
#include "tigris_opcodes.def"
    {0, 0, 0, NULL},
};

static tigris_kernel lookUp(const tigris_plan* plan, const tigris_op* op, int isSink) {
  const uint32_t dtype = plan->tensors[plan->operands[op->operands].tensor].dtype;
  const KernelRow* row;
  if ((op->flags & TIGRIS_ROUND_EVEN) != 0 && !tigris_rounds_even(op))
    return NULL;
  for (row = kernels; row->kernel != NULL; ++row) {
    if (row->opcode == op->opcode && row->isSink == isSink &&
        (row->dtype == 0 || row->dtype == dtype))
      return row->kernel;
  }
  return NULL;
}

static tigris_kernel find(const tigris_plan* plan, const tigris_op* op) {
  return lookUp(plan, op, 0);
}

tigris_kernel tigris_reference_sink(const tigris_plan* plan, const tigris_op* op) {
  return lookUp(plan, op, 1);
}

const tigris_backend tigris_backend_reference = {
    "reference", TIGRIS_BACKEND_ABI, TIGRIS_MIN_ALIGN, find, NULL, tigris_reference_sink, NULL};
