/* Families of opcodes, and queries that several access rules share. */
#include "access_op.h"

const uint8_t tigris_access_families[] = {
#define TIGRIS_OPCODE(name, number, required, most, in_place, outputs, even, params, check,        \
                      family)                                                                      \
  [number] = TIGRIS_FAMILY_##family,
#include "tigris_opcodes.def"
};

int tigris_is_parameter(const tigris_op* op, uint32_t input) {
  return input > 0 && tigris_access_families[op->opcode] >= TIGRIS_FIRST_WITH_PARAMETERS;
}

tigris_access tigris_access_of(const tigris_plan* plan, const tigris_op* op, uint32_t input,
                               const tigris_box* out) {
  tigris_access a;
  a.plan = plan;
  a.op = op;
  a.params = tigris_params(plan, op);
  a.out = out;
  a.input = input;
  a.x = tigris_operand_tensor(plan, op, input);
  a.y = tigris_operand_tensor(plan, op, op->inputs);
  a.dx = tigris_dims(plan, a.x);
  a.dy = tigris_dims(plan, a.y);
  return a;
}

int tigris_covers_axes(const tigris_access* a, uint32_t from, uint32_t past) {
  for (; from < past; ++from) {
    if (a->out->end[from] - a->out->begin[from] != a->dy[from])
      return 0;
  }
  return 1;
}

const uint8_t tigris_axes_of[3][4] = {{0, 4, 4, 1}, {0, 1, 4, 2}, {0, 1, 2, 3}};

tigris_groups tigris_groups_of(const tigris_access* a) {
  const int32_t groups = ((const tigris_conv_params*)a->params)->groups;
  const uint32_t c = a->y->rank - 1u;
  const tigris_tensor* x = tigris_operand_tensor(a->plan, a->op, 0);
  tigris_groups g;
  g.in = tigris_dims(a->plan, x)[c] / groups;
  g.out = a->dy[c] / groups;
  g.first = a->out->begin[c] / g.out;
  g.past = (a->out->end[c] - 1) / g.out + 1;
  return g;
}

int32_t tigris_dense_outputs(const tigris_plan* plan, const tigris_op* op) {
  const tigris_tensor* w = tigris_operand_tensor(plan, op, 1);
  return tigris_dims(plan, w)[w->dtype == TIGRIS_F32 ? 1 : 0];
}
