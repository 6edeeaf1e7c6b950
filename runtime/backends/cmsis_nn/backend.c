/* The table of the CMSIS-NN backend: which adapter computes an op, or the reference kernels. */
#include "adapter.h"
#include "tigris_cmsis_nn.h"

typedef struct Adapter {
  uint8_t opcode;
  int (*serves)(const tigris_cn_op* o);
  uint32_t (*scratch)(const tigris_cn_op* o); /* NULL: none */
  tigris_kernel kernel;
} Adapter;

static const Adapter adapters[] = {
#if TIGRIS_CMSIS_NN_CONV
    {TIGRIS_OP_CONV, tigris_cn_conv_serves, tigris_cn_conv_scratch, tigris_cn_conv},
#endif
#if TIGRIS_CMSIS_NN_DEPTHWISE
    {TIGRIS_OP_DEPTHWISE_CONV, tigris_cn_depthwise_serves, tigris_cn_depthwise_scratch,
     tigris_cn_depthwise},
#endif
#if TIGRIS_CMSIS_NN_DENSE
    {TIGRIS_OP_FULLY_CONNECTED, tigris_cn_dense_serves, tigris_cn_dense_scratch, tigris_cn_dense},
#endif
#if TIGRIS_CMSIS_NN_POOL
    {TIGRIS_OP_MAX_POOL, tigris_cn_pool_serves, NULL, tigris_cn_max_pool},
    {TIGRIS_OP_AVERAGE_POOL, tigris_cn_pool_serves, tigris_cn_pool_scratch, tigris_cn_average_pool},
    {TIGRIS_OP_GLOBAL_AVERAGE_POOL, tigris_cn_pool_serves, tigris_cn_pool_scratch,
     tigris_cn_global_average_pool},
#endif
#if TIGRIS_CMSIS_NN_BINARY
    {TIGRIS_OP_ADD, tigris_cn_binary_serves, NULL, tigris_cn_binary},
    {TIGRIS_OP_MUL, tigris_cn_binary_serves, NULL, tigris_cn_binary},
#endif
#if TIGRIS_CMSIS_NN_SOFTMAX
    {TIGRIS_OP_SOFTMAX, tigris_cn_softmax_serves, NULL, tigris_cn_softmax},
#endif
    {0, NULL, NULL, NULL},
};

/* The adapter that serves an op; NULL: none. Fills `o`. */
static const Adapter* adapterOf(const tigris_plan* plan, const tigris_op* op, tigris_cn_op* o) {
  const tigris_operand* operands = plan->operands + op->operands;
  const Adapter* a = adapters;
  while (a->kernel != NULL && a->opcode != op->opcode)
    ++a;
  if (a->kernel == NULL)
    return NULL;
  o->plan = plan;
  o->op = op;
  o->params = plan->params + op->params;
  o->x = &plan->tensors[operands[0].tensor];
  o->w = op->inputs > 1 ? &plan->tensors[operands[1].tensor] : NULL;
  o->y = &plan->tensors[operands[op->inputs].tensor];
  return o->x->dtype == TIGRIS_S8 && o->y->dtype == TIGRIS_S8 && a->serves(o) ? a : NULL;
}

static tigris_kernel find(const tigris_plan* plan, const tigris_op* op) {
  tigris_cn_op o;
  const Adapter* a = adapterOf(plan, op, &o);
  return a == NULL ? tigris_backend_reference.find(plan, op) : a->kernel;
}

static uint32_t scratchBytes(const tigris_plan* plan, const tigris_op* op) {
  tigris_cn_op o;
  const Adapter* a = adapterOf(plan, op, &o);
  return a == NULL || a->scratch == NULL ? 0 : a->scratch(&o);
}

const tigris_backend tigris_backend_cmsis_nn = {"cmsis-nn", TIGRIS_BACKEND_ABI, TIGRIS_MIN_ALIGN,
                                                find, scratchBytes};
