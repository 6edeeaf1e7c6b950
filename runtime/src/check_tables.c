/* Checks the records an op refers to: summary, quantisation, tensors, ports, operands. */
#include <string.h>

#include "check.h"

static int stringOk(const tigris_plan* plan, uint32_t reference) {
  return reference == TIGRIS_NONE || reference < plan->string_bytes;
}

/* [offset, offset + bytes) lies in [from, size) and starts aligned. */
static int placed(const tigris_plan* plan, uint32_t offset, uint32_t bytes, uint32_t from,
                  uint32_t size) {
  return offset % plan->summary->align == 0 && offset >= from && offset <= size &&
         bytes <= size - offset;
}

int tigris_placed_fast(const tigris_plan* plan, uint32_t offset, uint32_t bytes) {
  return placed(plan, offset, bytes, plan->summary->fast_reserved, plan->summary->fast_bytes);
}

int tigris_placed_slow(const tigris_plan* plan, uint32_t offset, uint32_t bytes) {
  return placed(plan, offset, bytes, 0, plan->summary->slow_bytes);
}

static tigris_status checkSummary(const tigris_plan* plan) {
  const tigris_summary* s = plan->summary;
  if (plan->string_bytes != 0 && plan->strings[plan->string_bytes - 1] != '\0')
    return TIGRIS_E_FORMAT;
  if (!stringOk(plan, s->model) || !stringOk(plan, s->target) || !stringOk(plan, s->planner) ||
      !stringOk(plan, s->optimize) || !stringOk(plan, s->producer) ||
      !stringOk(plan, s->bound_class))
    return TIGRIS_E_FORMAT;
  if (s->align < TIGRIS_MIN_ALIGN || s->align > 4096 || (s->align & (s->align - 1)) != 0 ||
      s->io_mode > TIGRIS_IO_ARENA)
    return TIGRIS_E_FORMAT;
  if (s->fast_bytes > INT32_MAX || s->slow_bytes > INT32_MAX || s->fast_reserved > s->fast_bytes ||
      s->fast_peak > s->fast_bytes || s->slow_peak > s->slow_bytes)
    return TIGRIS_E_ADDRESS;
  if (s->scratch_bytes > INT32_MAX || (uint64_t)s->fast_bytes + s->scratch_bytes > s->budget_fast ||
      s->slow_bytes > s->budget_slow || s->flash_bytes > s->budget_flash ||
      s->flash_bytes != plan->file_size)
    return TIGRIS_E_ADDRESS;
  return s->stages == plan->stage_count ? TIGRIS_OK : TIGRIS_E_FORMAT;
}

/* Product of `rank` dimensions at `index`, or 0 when one is out of range or the product is too large. */
static uint32_t product(const tigris_plan* plan, uint32_t index, uint32_t rank) {
  uint32_t total = 1;
  uint32_t i;
  if (rank > TIGRIS_MAX_RANK || !tigris_has_ints(plan, index, rank))
    return 0;
  for (i = 0; i < rank; ++i) {
    const int32_t d = plan->ints[index + i];
    if (d < 1 || total > TIGRIS_MAX_TENSOR_BYTES / (uint32_t)d)
      return 0;
    total *= (uint32_t)d;
  }
  return total;
}

static tigris_status checkTensor(const tigris_plan* plan, const tigris_tensor* t) {
  const uint32_t size = tigris_element_size(t->dtype);
  const uint32_t elements = product(plan, t->dims, t->rank);
  const int isConst = (t->flags & TIGRIS_TENSOR_CONST) != 0;
  const int isPacked = (t->flags & TIGRIS_TENSOR_PACKED) != 0;
  if (size == 0)
    return TIGRIS_E_UNSUPPORTED;
  if (elements == 0 || elements > TIGRIS_MAX_TENSOR_BYTES / size || elements * size != t->bytes)
    return TIGRIS_E_TENSOR;
  if (t->quant != TIGRIS_NONE && t->quant >= plan->quant_count)
    return TIGRIS_E_TENSOR;
  if (!stringOk(plan, t->name) || isPacked > isConst ||
      (isConst && !isPacked) != (t->data != TIGRIS_NONE))
    return TIGRIS_E_TENSOR;
  if (t->data != TIGRIS_NONE &&
      (t->data % TIGRIS_WEIGHT_ALIGN != 0 || t->data > plan->weight_bytes ||
       t->bytes > plan->weight_bytes - t->data))
    return TIGRIS_E_ADDRESS;
  return TIGRIS_OK;
}

/* The interface shape is the stored shape, reordered by perm or merely viewed. */
static int portShapeOk(const tigris_plan* plan, const tigris_port* port, const tigris_tensor* t) {
  const uint32_t elements = product(plan, port->dims, port->rank);
  uint32_t seen = 0;
  uint32_t i;
  if (elements == 0 || elements != tigris_elements(t))
    return 0;
  if (port->perm == TIGRIS_NONE)
    return 1;
  if (port->rank != t->rank || !tigris_has_ints(plan, port->perm, port->rank))
    return 0;
  for (i = 0; i < port->rank; ++i) {
    const int32_t axis = plan->ints[port->perm + i];
    if (axis < 0 || axis >= (int32_t)port->rank || (seen & (1u << axis)) ||
        plan->ints[port->dims + (uint32_t)axis] != tigris_dims(plan, t)[i])
      return 0;
    seen |= 1u << axis;
  }
  return 1;
}

/* Both ports of a state name each other, and each could be the other. */
static int stateOk(const tigris_plan* plan, const tigris_port* port, const tigris_tensor* t) {
  const tigris_port* other;
  if (port->state == TIGRIS_NO_PORT)
    return 1;
  if (port->state >= plan->port_count || plan->summary->io_mode == TIGRIS_IO_ARENA)
    return 0;
  other = &plan->ports[port->state];
  return &plan->ports[other->state < plan->port_count ? other->state : 0] == port &&
         other->direction != port->direction && other->tensor < plan->tensor_count &&
         plan->tensors[other->tensor].dtype == t->dtype &&
         plan->tensors[other->tensor].bytes == t->bytes;
}

static tigris_status checkPort(const tigris_plan* plan, const tigris_port* port) {
  const tigris_tensor* t;
  const int isInput = port->direction == TIGRIS_INPUT;
  if (port->direction > TIGRIS_OUTPUT || port->tensor >= plan->tensor_count ||
      port->dtype < TIGRIS_F32 || port->dtype > TIGRIS_BOOL || !stringOk(plan, port->name))
    return TIGRIS_E_FORMAT;
  t = &plan->tensors[port->tensor];
  if ((t->flags & TIGRIS_TENSOR_CONST) != 0 ||
      (t->flags & (isInput ? TIGRIS_TENSOR_INPUT : TIGRIS_TENSOR_OUTPUT)) == 0 ||
      !portShapeOk(plan, port, t) || !stateOk(plan, port, t))
    return TIGRIS_E_FORMAT;
  if (plan->summary->io_mode == TIGRIS_IO_CALLER)
    return port->offset == 0 ? TIGRIS_OK : TIGRIS_E_ADDRESS;
  if (plan->summary->io_mode == TIGRIS_IO_SLOW)
    return tigris_placed_slow(plan, port->offset, t->bytes) ? TIGRIS_OK : TIGRIS_E_ADDRESS;
  return tigris_placed_fast(plan, port->offset, t->bytes) ? TIGRIS_OK : TIGRIS_E_ADDRESS;
}

static tigris_status checkOperand(const tigris_plan* plan, const tigris_operand* o) {
  const tigris_tensor* t;
  int ok = 0;
  if (o->pool == TIGRIS_POOL_ABSENT)
    return o->tensor == TIGRIS_NO_TENSOR && o->offset == 0 ? TIGRIS_OK : TIGRIS_E_FORMAT;
  if (o->pool > TIGRIS_POOL_UNPACKED || o->tensor >= plan->tensor_count)
    return TIGRIS_E_FORMAT;
  t = &plan->tensors[o->tensor];
  if ((o->pool == TIGRIS_POOL_CONST) != (t->data != TIGRIS_NONE) ||
      (o->pool == TIGRIS_POOL_UNPACKED) != ((t->flags & TIGRIS_TENSOR_PACKED) != 0))
    return TIGRIS_E_FORMAT;
  switch (o->pool) {
  case TIGRIS_POOL_FAST:
    ok = tigris_placed_fast(plan, o->offset, t->bytes);
    break;
  case TIGRIS_POOL_SLOW:
    ok = tigris_placed_slow(plan, o->offset, t->bytes);
    break;
  case TIGRIS_POOL_CALLER:
    ok = plan->summary->io_mode == TIGRIS_IO_CALLER && o->offset < plan->port_count &&
         plan->tensors[plan->ports[o->offset].tensor].bytes == t->bytes;
    break;
  case TIGRIS_POOL_UNPACKED: /* where exactly: tigris_check_blocks */
    ok = placed(plan, o->offset, t->bytes, 0, plan->summary->fast_reserved);
    break;
  case TIGRIS_POOL_CONST:
    ok = o->offset == t->data;
    break;
  default: /* TILE: tigris_check_schedule knows the tiling */
    ok = t->rank >= 1 && t->rank <= TIGRIS_BOX_RANK;
    break;
  }
  return ok ? TIGRIS_OK : TIGRIS_E_ADDRESS;
}

static tigris_status checkQuant(const tigris_quant* q) {
  uint32_t bits;
  memcpy(&bits, &q->scale, sizeof bits);
  /* positive and finite, without relying on float comparisons of a NaN */
  if (bits == 0 || bits >= 0x7F800000u || q->zero_point < -128 || q->zero_point > 127)
    return TIGRIS_E_TENSOR;
  return TIGRIS_OK;
}

tigris_status tigris_check_tables(const tigris_plan* plan) {
  tigris_status status = checkSummary(plan);
  uint32_t i;
  if (status == TIGRIS_OK && plan->tensor_count >= TIGRIS_NO_TENSOR)
    status = TIGRIS_E_FORMAT;
  for (i = 0; status == TIGRIS_OK && i < plan->quant_count; ++i)
    status = checkQuant(&plan->quant[i]);
  for (i = 0; status == TIGRIS_OK && i < plan->tensor_count; ++i)
    status = checkTensor(plan, &plan->tensors[i]);
  for (i = 0; status == TIGRIS_OK && i < plan->port_count; ++i) {
    status = checkPort(plan, &plan->ports[i]);
    if (status == TIGRIS_OK && i > 0 && plan->ports[i].direction < plan->ports[i - 1].direction)
      status = TIGRIS_E_FORMAT;
  }
  for (i = 0; status == TIGRIS_OK && i < plan->operand_count; ++i)
    status = checkOperand(plan, &plan->operands[i]);
  if (status == TIGRIS_OK && plan->summary->io_mode == TIGRIS_IO_CALLER &&
      plan->port_count > TIGRIS_MAX_PORTS)
    status = TIGRIS_E_LIMIT;
  return status;
}

/* Every op's fast operands end below the peak its stage declares, and none is a part of a tile. */
static int wholeOpOk(const tigris_plan* plan, const tigris_op* op, uint32_t peak) {
  uint32_t i;
  for (i = 0; i < (uint32_t)op->inputs + op->outputs; ++i) {
    const tigris_operand* o = &plan->operands[op->operands + i];
    if (o->pool == TIGRIS_POOL_TILE ||
        (o->pool == TIGRIS_POOL_FAST && o->offset + plan->tensors[o->tensor].bytes > peak))
      return 0;
  }
  return 1;
}

static tigris_status checkTransfers(const tigris_plan* plan, uint32_t first, uint32_t count,
                                    uint32_t peak) {
  uint32_t i;
  if (first > plan->transfer_count || count > plan->transfer_count - first)
    return TIGRIS_E_FORMAT;
  for (i = first; i < first + count; ++i) {
    const tigris_transfer* t = &plan->transfers[i];
    if (t->tensor >= plan->tensor_count || plan->tensors[t->tensor].bytes != t->bytes)
      return TIGRIS_E_FORMAT;
    if (!tigris_placed_fast(plan, t->fast, t->bytes) ||
        !tigris_placed_slow(plan, t->slow, t->bytes) || t->fast + t->bytes > peak)
      return TIGRIS_E_ADDRESS;
  }
  return TIGRIS_OK;
}

tigris_status tigris_check_schedule(const tigris_plan* plan) {
  tigris_status status = TIGRIS_OK;
  uint32_t next = 0;
  uint32_t i;
  uint32_t k;
  for (i = 0; status == TIGRIS_OK && i < plan->stage_count; ++i) {
    const tigris_stage* s = &plan->stages[i];
    const int isTiled =
        TIGRIS_TILED_STAGES && (s->mode == TIGRIS_STAGE_TILED || s->mode == TIGRIS_STAGE_STREAMED);
    if (s->mode != TIGRIS_STAGE_WHOLE && !isTiled)
      return TIGRIS_E_UNSUPPORTED;
    if (s->first_op != next || s->op_count > plan->op_count - next ||
        isTiled != (s->detail != TIGRIS_NONE))
      return TIGRIS_E_FORMAT;
    if (s->peak > plan->summary->fast_bytes)
      return TIGRIS_E_ADDRESS;
    next += s->op_count;
    if (isTiled) {
      status = tigris_check_tiling(plan, s);
      continue;
    }
    for (k = s->first_op; k < next; ++k) {
      if (!wholeOpOk(plan, &plan->ops[k], s->peak))
        return TIGRIS_E_ADDRESS;
    }
    status = checkTransfers(plan, s->first_load, s->load_count, s->peak);
    if (status == TIGRIS_OK)
      status = checkTransfers(plan, s->first_spill, s->spill_count, s->peak);
  }
  if (status == TIGRIS_OK && next != plan->op_count)
    status = TIGRIS_E_FORMAT;
  return status;
}
