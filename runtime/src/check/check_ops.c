/* Checks one op: the table of opcodes, its operands, its parameters, and which memory may
 * overlap. */
#include "check.h"

typedef struct OpRule {
  uint8_t opcode;
  uint8_t required; /* leading inputs that must be present */
  uint8_t maxInputs;
  uint8_t inPlace; /* bit i: the output may be exactly input i */
  uint8_t outputs;
  uint16_t paramsSize;
  tigris_status (*check)(const tigris_op_check* c);
} OpRule;

#define ANY_INPUTS 255

/* By family; ends with opcode 0. */
static const OpRule rules[] = {
#if TIGRIS_OPS_CONV
    {TIGRIS_OP_CONV, 2, 3, 0, 1, sizeof(tigris_conv_params), tigris_check_conv},
    {TIGRIS_OP_DEPTHWISE_CONV, 2, 3, 0, 1, sizeof(tigris_conv_params), tigris_check_conv},
    {TIGRIS_OP_CONV_TRANSPOSE, 2, 3, 0, 1, sizeof(tigris_conv_params), tigris_check_conv},
#endif
#if TIGRIS_OPS_DENSE
    {TIGRIS_OP_FULLY_CONNECTED, 2, 3, 0, 1, sizeof(tigris_fc_params), tigris_check_fully_connected},
#endif
#if TIGRIS_OPS_MATMUL
    {TIGRIS_OP_MATMUL, 2, 2, 0, 1, sizeof(tigris_matmul_params), tigris_check_matmul},
#endif
#if TIGRIS_OPS_POOL
    {TIGRIS_OP_MAX_POOL, 1, 1, 0, 1, sizeof(tigris_pool_params), tigris_check_pool},
    {TIGRIS_OP_AVERAGE_POOL, 1, 1, 0, 1, sizeof(tigris_pool_params), tigris_check_pool},
    {TIGRIS_OP_GLOBAL_AVERAGE_POOL, 1, 1, 0, 1, sizeof(tigris_global_pool_params),
     tigris_check_global_pool},
#endif
#if TIGRIS_OPS_REDUCE
    {TIGRIS_OP_REDUCE, 1, 1, 0, 1, sizeof(tigris_reduce_params), tigris_check_reduce},
#endif
#if TIGRIS_OPS_BINARY
    {TIGRIS_OP_ADD, 2, 2, 3, 1, sizeof(tigris_binary_params), tigris_check_binary},
    {TIGRIS_OP_SUB, 2, 2, 3, 1, sizeof(tigris_binary_params), tigris_check_binary},
    {TIGRIS_OP_MUL, 2, 2, 3, 1, sizeof(tigris_binary_params), tigris_check_binary},
    {TIGRIS_OP_DIV, 2, 2, 3, 1, sizeof(tigris_binary_params), tigris_check_binary},
    {TIGRIS_OP_MAXIMUM, 2, 2, 3, 1, sizeof(tigris_binary_params), tigris_check_binary},
    {TIGRIS_OP_MINIMUM, 2, 2, 3, 1, sizeof(tigris_binary_params), tigris_check_binary},
    {TIGRIS_OP_POW, 2, 2, 3, 1, sizeof(tigris_binary_params), tigris_check_binary},
    {TIGRIS_OP_PRELU, 2, 2, 1, 1, 0, tigris_check_prelu},
    {TIGRIS_OP_MOD, 2, 2, 3, 1, sizeof(tigris_binary_params), tigris_check_binary},
    {TIGRIS_OP_FMOD, 2, 2, 3, 1, sizeof(tigris_binary_params), tigris_check_binary},
#endif
#if TIGRIS_OPS_UNARY
    {TIGRIS_OP_UNARY, 1, 1, 1, 1, sizeof(tigris_unary_params), tigris_check_unary},
#endif
#if TIGRIS_OPS_MAP
    {TIGRIS_OP_LOOKUP, 2, 2, 1, 1, 0, tigris_check_lookup},
    {TIGRIS_OP_CLAMP, 1, 1, 1, 1, sizeof(tigris_clamp_params), tigris_check_clamp},
    {TIGRIS_OP_BATCH_NORM, 3, 3, 1, 1, sizeof(tigris_clamp_params), tigris_check_batch_norm},
#endif
#if TIGRIS_OPS_SOFTMAX
    {TIGRIS_OP_SOFTMAX, 1, 1, 0, 1, sizeof(tigris_softmax_params), tigris_check_softmax},
    {TIGRIS_OP_LOG_SOFTMAX, 1, 1, 0, 1, sizeof(tigris_softmax_params), tigris_check_softmax},
#endif
#if TIGRIS_OPS_LAYER_NORM
    {TIGRIS_OP_LAYER_NORM, 1, 3, 0, 1, sizeof(tigris_layer_norm_params), tigris_check_layer_norm},
#endif
#if TIGRIS_OPS_MOVE
    {TIGRIS_OP_CONCAT, 1, ANY_INPUTS, 0, 1, sizeof(tigris_axis_params), tigris_check_concat},
    {TIGRIS_OP_SLICE, 1, 1, 0, 1, sizeof(tigris_slice_params), tigris_check_slice},
    {TIGRIS_OP_PAD, 1, 1, 0, 1, sizeof(tigris_pad_params), tigris_check_pad},
    {TIGRIS_OP_TRANSPOSE, 1, 1, 0, 1, sizeof(tigris_transpose_params), tigris_check_transpose},
    {TIGRIS_OP_RESHAPE, 1, 1, 1, 1, 0, tigris_check_reshape},
    {TIGRIS_OP_GATHER, 2, 2, 0, 1, sizeof(tigris_axis_params), tigris_check_gather},
#endif
#if TIGRIS_OPS_RESIZE
    {TIGRIS_OP_RESIZE, 1, 1, 0, 1, sizeof(tigris_resize_params), tigris_check_resize},
#endif
#if TIGRIS_OPS_LOGIC
    {TIGRIS_OP_EQUAL, 2, 2, 0, 1, 0, tigris_check_compare},
    {TIGRIS_OP_LESS, 2, 2, 0, 1, 0, tigris_check_compare},
    {TIGRIS_OP_LESS_EQUAL, 2, 2, 0, 1, 0, tigris_check_compare},
    {TIGRIS_OP_AND, 2, 2, 0, 1, 0, tigris_check_compare},
    {TIGRIS_OP_OR, 2, 2, 0, 1, 0, tigris_check_compare},
    {TIGRIS_OP_XOR, 2, 2, 0, 1, 0, tigris_check_compare},
    {TIGRIS_OP_WHERE, 3, 3, 0, 1, 0, tigris_check_where},
#endif
#if TIGRIS_OPS_CAST
    {TIGRIS_OP_CAST, 1, 1, 0, 1, 0, tigris_check_cast},
#endif
#if TIGRIS_OPS_SEARCH
    {TIGRIS_OP_ARG_MAX, 1, 1, 0, 1, sizeof(tigris_search_params), tigris_check_search},
    {TIGRIS_OP_ARG_MIN, 1, 1, 0, 1, sizeof(tigris_search_params), tigris_check_search},
    {TIGRIS_OP_TOP_K, 1, 1, 0, 2, sizeof(tigris_search_params), tigris_check_search},
    {TIGRIS_OP_CUM_SUM, 1, 1, 0, 1, sizeof(tigris_search_params), tigris_check_search},
#endif
#if TIGRIS_OPS_INDEX
    {TIGRIS_OP_GATHER_ND, 2, 2, 0, 1, sizeof(tigris_axis_params), tigris_check_gather_nd},
    {TIGRIS_OP_GATHER_ELEMENTS, 2, 2, 0, 1, sizeof(tigris_axis_params), tigris_check_by_element},
    {TIGRIS_OP_SCATTER_ND, 3, 3, 0, 1, sizeof(tigris_axis_params), tigris_check_scatter_nd},
    {TIGRIS_OP_SCATTER_ELEMENTS, 3, 3, 0, 1, sizeof(tigris_axis_params), tigris_check_by_element},
#endif
#if TIGRIS_OPS_RECURRENT
    {TIGRIS_OP_LSTM, 4, 7, 0, 2, sizeof(tigris_recurrent_params), tigris_check_recurrent},
    {TIGRIS_OP_GRU, 4, 5, 0, 2, sizeof(tigris_recurrent_params), tigris_check_recurrent},
    {TIGRIS_OP_RNN, 4, 5, 0, 1, sizeof(tigris_recurrent_params), tigris_check_recurrent},
#endif
#if TIGRIS_OPS_QUANTIZE
    {TIGRIS_OP_QUANTIZE, 1, 1, 0, 1, 0, tigris_check_quantize},
    {TIGRIS_OP_DEQUANTIZE, 1, 1, 0, 1, 0, tigris_check_quantize},
    {TIGRIS_OP_REQUANTIZE, 1, 1, 1, 1, sizeof(tigris_requantize_params), tigris_check_quantize},
#endif
    {0, 0, 0, 0, 0, 0, NULL},
};

/* The rule of an opcode; the last rule, whose `check` is NULL, if there is none. */
static const OpRule* findRule(uint32_t opcode) {
  const OpRule* rule = rules;
  while (rule->check != NULL && rule->opcode != opcode)
    ++rule;
  return rule;
}

/* Whether the output shares bytes with input `index` in a way that the rule does not allow. */
static int clashes(const tigris_plan* plan, const tigris_operand* out, const tigris_operand* in,
                   int inPlace) {
  const uint32_t outBytes = plan->tensors[out->tensor].bytes;
  uint32_t inBytes;
  if (in->pool != out->pool)
    return 0;
  if (out->pool == TIGRIS_POOL_TILE) /* tigris_check_tiling checks the bytes */
    return out->offset == in->offset;
  inBytes = plan->tensors[in->tensor].bytes;
  if (out->offset == in->offset && (out->pool == TIGRIS_POOL_CALLER || inBytes == outBytes))
    return !inPlace;
  if (out->pool == TIGRIS_POOL_CALLER)
    return 0;
  return out->offset < in->offset + inBytes && in->offset < out->offset + outBytes;
}

static tigris_status checkOperands(const tigris_plan* plan, const tigris_op* op,
                                   const OpRule* rule) {
  const tigris_operand* in = plan->operands + op->operands;
  const tigris_operand* out = in + op->inputs;
  uint32_t i;
  uint32_t k;
  for (i = 0; i < op->inputs; ++i) {
    /* an op with any number of inputs requires all of them */
    if (in[i].pool == TIGRIS_POOL_ABSENT && (i < rule->required || rule->maxInputs == ANY_INPUTS))
      return TIGRIS_E_OP;
  }
  for (k = 0; k < op->outputs; ++k) {
    if (out[k].pool == TIGRIS_POOL_ABSENT || out[k].pool == TIGRIS_POOL_CONST ||
        out[k].pool == TIGRIS_POOL_UNPACKED)
      return TIGRIS_E_OP;
    if (out[k].pool == TIGRIS_POOL_CALLER && plan->ports[out[k].offset].direction != TIGRIS_OUTPUT)
      return TIGRIS_E_ADDRESS;
    for (i = 0; i < op->inputs; ++i) {
      if (clashes(plan, &out[k], &in[i], i < 8 && ((rule->inPlace >> i) & 1) != 0))
        return TIGRIS_E_ADDRESS;
    }
    for (i = 0; i < k; ++i) {
      if (clashes(plan, &out[k], &out[i], 0))
        return TIGRIS_E_ADDRESS;
    }
  }
  return TIGRIS_OK;
}

/* Whether the op's flags are legal: TIGRIS_ROUND_EVEN, for integers, on an opcode that supports
 * it. */
static int flagsOk(const tigris_op_check* c) {
  const uint32_t dtype = tigris_in(c, 0)->dtype;
  if (c->op->flags != TIGRIS_ROUND_EVEN || !TIGRIS_EVEN_KERNELS ||
      (dtype != TIGRIS_S8 && dtype != TIGRIS_S16))
    return 0;
  switch (c->op->opcode) {
  case TIGRIS_OP_CONV:
  case TIGRIS_OP_DEPTHWISE_CONV:
  case TIGRIS_OP_CONV_TRANSPOSE:
  case TIGRIS_OP_FULLY_CONNECTED:
  case TIGRIS_OP_MATMUL:
  case TIGRIS_OP_AVERAGE_POOL:
  case TIGRIS_OP_GLOBAL_AVERAGE_POOL:
  case TIGRIS_OP_REDUCE:
  case TIGRIS_OP_ADD:
  case TIGRIS_OP_SUB:
  case TIGRIS_OP_MUL:
  case TIGRIS_OP_DIV:
  case TIGRIS_OP_RESIZE:
  case TIGRIS_OP_REQUANTIZE:
    return 1;
  default:
    return 0;
  }
}

tigris_status tigris_check_op(const tigris_plan* plan, const void* record) {
  const tigris_op* op = (const tigris_op*)record;
  const OpRule* rule = findRule(op->opcode);
  tigris_op_check c;
  tigris_status status;
  if (rule->check == NULL)
    return TIGRIS_E_UNSUPPORTED;
  if (op->inputs < rule->required || op->inputs > rule->maxInputs || op->outputs != rule->outputs)
    return TIGRIS_E_OP;
  if ((uint32_t)op->inputs + op->outputs > TIGRIS_MAX_OPERANDS)
    return TIGRIS_E_LIMIT;
  if (!tigris_within(plan->operand_count, op->operands, (uint32_t)op->inputs + op->outputs) ||
      op->params_size != rule->paramsSize || op->params % 4 != 0 ||
      !tigris_within(plan->param_bytes, op->params, op->params_size) ||
      (op->name != TIGRIS_NONE && op->name >= plan->string_bytes))
    return TIGRIS_E_FORMAT;
  status = checkOperands(plan, op, rule);
  if (status != TIGRIS_OK)
    return status;
  c.plan = plan;
  c.op = op;
  c.params = plan->params + op->params;
  if (op->flags != 0 && !flagsOk(&c))
    return TIGRIS_E_UNSUPPORTED;
  return rule->check(&c);
}

const tigris_tensor* tigris_in(const tigris_op_check* c, uint32_t i) {
  const tigris_operand* operand = c->plan->operands + c->op->operands + i;
  if (i >= c->op->inputs || operand->pool == TIGRIS_POOL_ABSENT)
    return NULL;
  return c->plan->tensors + operand->tensor;
}

const tigris_tensor* tigris_out(const tigris_op_check* c, uint32_t i) {
  return c->plan->tensors + c->plan->operands[c->op->operands + c->op->inputs + i].tensor;
}

int tigris_same_dims(const tigris_plan* plan, const tigris_tensor* a, const tigris_tensor* b) {
  const int32_t* x = tigris_dims(plan, a);
  const int32_t* y = tigris_dims(plan, b);
  uint32_t i;
  if (a->rank != b->rank)
    return 0;
  for (i = 0; i < a->rank; ++i) {
    if (x[i] != y[i])
      return 0;
  }
  return 1;
}

int tigris_requant_ok(const tigris_op_check* c, uint32_t index, uint32_t count) {
  const tigris_plan* plan = c->plan;
  uint32_t i;
  if (!tigris_within(plan->requant_count, index, count) ||
      !tigris_within(plan->requant_count, index + count, count))
    return 0;
  for (i = 0; i < count; ++i) {
    if (!tigris_scale_ok(c, plan->requant[index + count + i]))
      return 0;
  }
  return 1;
}

int tigris_broadcasts(const tigris_plan* plan, const tigris_tensor* small, const tigris_tensor* big,
                      uint32_t skip) {
  uint32_t i;
  if (small->rank > big->rank || small->rank < skip)
    return 0;
  for (i = skip; i < small->rank; ++i) {
    const int32_t d = tigris_dims(plan, small)[small->rank - 1u - i];
    if (d != 1 && d != tigris_dims(plan, big)[big->rank - 1u - i])
      return 0;
  }
  return 1;
}
