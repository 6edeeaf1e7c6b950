/* Checks one op: the table of opcodes, its operands, its parameters, and which memory may
 * overlap. */
#include "access/access_op.h"
#include "check.h"

typedef struct OpRule {
  uint8_t opcode;
  uint8_t required; /* leading inputs that must be present */
  uint8_t maxInputs;
  uint8_t inPlace; /* bit i: the output may be exactly input i */
  uint8_t outputs;
  uint8_t even; /* ops may have TIGRIS_ROUND_EVEN */
  uint16_t paramsSize;
  tigris_status (*check)(const tigris_op_check* c);
} OpRule;

/* Records of parameters consist of words; that of an opcode without any is one byte, which is not
 * stored. */
#define STORED_SIZE(params) (sizeof(params) / 4 * 4)

/* By family; ends with opcode 0. */
static const OpRule rules[] = {
#define TIGRIS_LISTS(group) TIGRIS_##group
#define TIGRIS_OPCODE(name, number, required, most, in_place, outputs, even, params, check,        \
                      family)                                                                      \
  {number, required, most, in_place, outputs, even, STORED_SIZE(params), check},
#include "tigris_opcodes.def"
    {0, 0, 0, 0, 0, 0, 0, NULL},
};

/* The rule of an opcode; the last rule, whose `check` is NULL, if there is none. */
static const OpRule* findRule(uint32_t opcode) {
  const OpRule* rule = rules;
  while (rule->check != NULL && rule->opcode != opcode)
    ++rule;
  return rule;
}

/* Whether the tensors have elements of one size and as many of them. */
static int sameElements(const tigris_tensor* a, const tigris_tensor* b) {
  return a->bytes == b->bytes && tigris_element_size(a->dtype) == tigris_element_size(b->dtype);
}

/* Whether the output shares bytes with another operand in a way that the rule does not allow. */
static int clashes(const tigris_plan* plan, const tigris_operand* out, const tigris_operand* in,
                   int inPlace) {
  const tigris_tensor* y = &plan->tensors[out->tensor];
  const tigris_tensor* x; /* an absent operand has no tensor */
  if (in->pool != out->pool)
    return 0;
  if (out->pool == TIGRIS_POOL_TILE) /* tigris_check_tiling checks the bytes */
    return out->offset == in->offset;
  x = &plan->tensors[in->tensor];
  if (out->offset == in->offset && (out->pool == TIGRIS_POOL_CALLER || sameElements(x, y)))
    return !inPlace;
  if (out->pool == TIGRIS_POOL_CALLER)
    return 0;
  return out->offset < in->offset + x->bytes && in->offset < out->offset + y->bytes;
}

static tigris_status checkOperands(const tigris_plan* plan, const tigris_op* op,
                                   const OpRule* rule) {
  const tigris_operand* in = plan->operands + op->operands;
  const tigris_operand* out = in + op->inputs;
  uint32_t i;
  uint32_t k;
  for (i = 0; i < op->inputs; ++i) {
    /* an op with any number of inputs must have all of them */
    if (in[i].pool == TIGRIS_POOL_ABSENT &&
        (i < rule->required || rule->maxInputs == TIGRIS_ANY_INPUTS))
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

/* Whether this build supports the op's flags: TIGRIS_ROUND_EVEN, for integers, on an opcode that
 * has it, TIGRIS_ROUND_TWICE on s16 there, and those of dense ops on these. */
static int flagsOk(const tigris_op_check* c, const OpRule* rule) {
  const uint32_t dtype = tigris_in(c, 0)->dtype;
  const uint8_t family = tigris_access_families[c->op->opcode];
  if ((c->op->flags & ~(TIGRIS_ROUND_EVEN | TIGRIS_ROUND_TWICE)) != 0 &&
      family != TIGRIS_FAMILY_CONV && family != TIGRIS_FAMILY_TRANSPOSED &&
      family != TIGRIS_FAMILY_DENSE)
    return 0;
  if ((c->op->flags & TIGRIS_ROUND_TWICE) != 0)
    return rule->even && dtype == TIGRIS_S16;
  return (c->op->flags & TIGRIS_ROUND_EVEN) == 0 ||
         (TIGRIS_EVEN_KERNELS && rule->even && (dtype == TIGRIS_S8 || dtype == TIGRIS_S16));
}

static int paramsOk(const tigris_plan* plan, const tigris_op* op, uint32_t size) {
  if (size == 0)
    return op->params == TIGRIS_NO_PARAMS;
  return tigris_within(plan->param_bytes, 4u * op->params, size);
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
      !paramsOk(plan, op, rule->paramsSize))
    return TIGRIS_E_FORMAT;
  status = checkOperands(plan, op, rule);
  if (status != TIGRIS_OK)
    return status;
  c.plan = plan;
  c.op = op;
  c.params = tigris_params(plan, op);
  if (!flagsOk(&c, rule))
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
