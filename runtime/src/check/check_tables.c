/* Checks the tables to which ops refer, one function per type of record. */
#include <string.h>

#include "check.h"

/* TIGRIS_NONE + 1 is 0. */
static int stringOk(const tigris_plan* plan, uint32_t reference) {
  return reference + 1 <= plan->string_bytes;
}

int tigris_within(uint32_t size, uint32_t first, uint32_t count) {
  return first <= size && count <= size - first;
}

int tigris_placed(const tigris_plan* plan, uint32_t pool, uint32_t offset, uint32_t bytes) {
  const tigris_summary* s = plan->summary;
  uint32_t from = 0;
  uint32_t size = s->slow_bytes;
  switch (pool) {
  case TIGRIS_POOL_CALLER:
    return s->io_mode == TIGRIS_IO_CALLER && offset < plan->port_count &&
           plan->tensors[plan->ports[offset].tensor].bytes == bytes &&
           !tigris_is_constant(plan, &plan->ports[offset]);
  case TIGRIS_POOL_FAST:
    from = s->fast_reserved;
    size = s->fast_bytes;
    break;
  case TIGRIS_POOL_UNPACKED:
    size = s->fast_reserved;
    break;
  case TIGRIS_POOL_SLOW:
    break;
  default:
    return 0;
  }
  return (offset & (s->align - 1u)) == 0 && offset >= from && tigris_within(size, offset, bytes);
}

/* Whether `bytes` bytes can be read in WEIGHTS. */
static int constantOk(const tigris_plan* plan, uint32_t offset, uint32_t bytes) {
  return !(TIGRIS_WEIGHT_BLOCKS && (plan->summary->flags & TIGRIS_SUMMARY_COPY)) &&
         offset % TIGRIS_WEIGHT_ALIGN == 0 && tigris_within(plan->weight_bytes, offset, bytes);
}

/* Whether the flags that say where weights are agree with each other and with the sections. */
static int weightFlagsOk(const tigris_plan* plan) {
  const uint32_t flags = plan->summary->flags;
  if ((flags & TIGRIS_SUMMARY_XIP) &&
      (plan->weight_block_count != 0 || (flags & TIGRIS_SUMMARY_COPY)))
    return 0;
  return !(flags & TIGRIS_SUMMARY_EXTERNAL) ||
         ((flags & TIGRIS_SUMMARY_COPY) && plan->weight_bytes == 0);
}

static tigris_status checkSummary(const tigris_plan* plan) {
  const tigris_summary* s = plan->summary;
  if ((plan->string_bytes != 0 && plan->strings[plan->string_bytes - 1] != '\0') ||
      !stringOk(plan, s->model) || !stringOk(plan, s->target))
    return TIGRIS_E_FORMAT;
  if (s->align < TIGRIS_MIN_ALIGN || s->align > TIGRIS_MAX_ALIGN ||
      (s->align & (s->align - 1u)) != 0 || s->io_mode > TIGRIS_IO_ARENA ||
      plan->tensor_count >= TIGRIS_NO_TENSOR)
    return TIGRIS_E_FORMAT;
  if ((int32_t)(s->fast_bytes | s->slow_bytes | s->scratch_bytes) < 0 ||
      s->fast_reserved > s->fast_bytes)
    return TIGRIS_E_ADDRESS;
  if (!TIGRIS_WEIGHT_READER && (s->flags & TIGRIS_SUMMARY_EXTERNAL))
    return TIGRIS_E_UNSUPPORTED;
  if (TIGRIS_WEIGHT_BLOCKS && !weightFlagsOk(plan))
    return TIGRIS_E_FORMAT;
  return s->io_mode == TIGRIS_IO_CALLER && plan->port_count > TIGRIS_MAX_PORTS ? TIGRIS_E_LIMIT
                                                                               : TIGRIS_OK;
}

/* Product of the `rank` dimensions at `index`; 0 if one is out of range or the product is too
 * large. */
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

/* Whether the quantization exists and its zero point is a value of the tensor's type. */
static int zeroPointOk(const tigris_plan* plan, const tigris_tensor* t) {
  const int32_t largest = tigris_largest(t->dtype);
  return t->quant < plan->quant_count && plan->quant[t->quant].zero_point >= -largest - 1 &&
         plan->quant[t->quant].zero_point <= largest;
}

static tigris_status checkTensor(const tigris_plan* plan, const void* record) {
  const tigris_tensor* t = (const tigris_tensor*)record;
  const uint32_t size = tigris_element_size(t->dtype);
  const uint32_t elements = product(plan, t->dims, t->rank);
  if (size == 0)
    return TIGRIS_E_UNSUPPORTED;
  if (elements == 0 || elements > TIGRIS_MAX_TENSOR_BYTES / size || elements * size != t->bytes)
    return TIGRIS_E_TENSOR;
  return t->quant == TIGRIS_NO_QUANT || zeroPointOk(plan, t) ? TIGRIS_OK : TIGRIS_E_TENSOR;
}

int tigris_permutes(const tigris_plan* plan, uint32_t perm, uint32_t rank, const int32_t* from,
                    const int32_t* to) {
  uint32_t seen = 0;
  uint32_t i;
  if (!tigris_has_ints(plan, perm, rank))
    return 0;
  for (i = 0; i < rank; ++i) {
    const uint32_t axis = (uint32_t)plan->ints[perm + i];
    if (axis >= rank || (seen & (1u << axis)) != 0 || from[axis] != to[i])
      return 0;
    seen |= 1u << axis;
  }
  return 1;
}

/* Whether the interface shape is the stored shape permuted by perm, or a view of it. */
static int portShapeOk(const tigris_plan* plan, const tigris_port* port, const tigris_tensor* t) {
  const uint32_t elements = product(plan, port->dims, port->rank);
  if (elements == 0 || elements != product(plan, t->dims, t->rank))
    return 0;
  return port->perm == TIGRIS_NO_PERM ||
         (port->rank == t->rank && tigris_permutes(plan, port->perm, port->rank,
                                                   plan->ints + port->dims, tigris_dims(plan, t)));
}

/* Whether both ports of a state refer to each other and have the same type and size. */
static int stateOk(const tigris_plan* plan, const tigris_port* port, const tigris_tensor* t) {
  const tigris_port* other;
  if (!TIGRIS_STATES || port->state == TIGRIS_NO_PORT)
    return 1;
  if (port->state >= plan->port_count || plan->summary->io_mode == TIGRIS_IO_ARENA)
    return 0;
  other = &plan->ports[port->state];
  return &plan->ports[other->state < plan->port_count ? other->state : 0] == port &&
         other->direction != port->direction && other->tensor < plan->tensor_count &&
         plan->tensors[other->tensor].dtype == t->dtype &&
         plan->tensors[other->tensor].bytes == t->bytes;
}

static tigris_status checkPort(const tigris_plan* plan, const void* record) {
  static const uint8_t pools[] = {TIGRIS_POOL_SLOW, TIGRIS_POOL_ABSENT, TIGRIS_POOL_FAST};
  const tigris_port* port = (const tigris_port*)record;
  const uint32_t pool = pools[plan->summary->io_mode];
  const tigris_tensor* t;
  int ok;
  if (port->direction > TIGRIS_OUTPUT || port->tensor >= plan->tensor_count ||
      port->dtype - 1u >= TIGRIS_F16 || !stringOk(plan, port->name) ||
      (port != plan->ports && port->direction < port[-1].direction))
    return TIGRIS_E_FORMAT;
  if (!TIGRIS_STATES && port->state != TIGRIS_NO_PORT)
    return TIGRIS_E_UNSUPPORTED;
  t = &plan->tensors[port->tensor];
  if (!(t->flags & TIGRIS_TENSOR_INPUT << port->direction) || !portShapeOk(plan, port, t) ||
      !stateOk(plan, port, t))
    return TIGRIS_E_FORMAT;
  if (!tigris_is_constant(plan, port))
    ok = pool == TIGRIS_POOL_ABSENT ? port->offset == 0
                                    : tigris_placed(plan, pool, port->offset, t->bytes);
  else if (port->direction == TIGRIS_INPUT || port->state != TIGRIS_NO_PORT)
    return TIGRIS_E_FORMAT;
  else
    ok = constantOk(plan, port->offset, t->bytes);
  return ok ? TIGRIS_OK : TIGRIS_E_ADDRESS;
}

static tigris_status checkOperand(const tigris_plan* plan, const void* record) {
  const tigris_operand* o = (const tigris_operand*)record;
  const tigris_tensor* t;
  int ok;
  if (o->pool == TIGRIS_POOL_ABSENT)
    return o->tensor == TIGRIS_NO_TENSOR && o->offset == 0 ? TIGRIS_OK : TIGRIS_E_FORMAT;
  if (o->pool > TIGRIS_POOL_UNPACKED || o->tensor >= plan->tensor_count)
    return TIGRIS_E_FORMAT;
  t = &plan->tensors[o->tensor];
  if ((o->pool == TIGRIS_POOL_CONST || o->pool == TIGRIS_POOL_UNPACKED) !=
      ((t->flags & TIGRIS_TENSOR_CONST) != 0))
    return TIGRIS_E_FORMAT;
  if (o->pool == TIGRIS_POOL_CONST)
    ok = constantOk(plan, o->offset, t->bytes);
  else if (o->pool == TIGRIS_POOL_TILE) /* further checks: tigris_check_tiling */
    ok = t->rank - 1u < TIGRIS_BOX_RANK;
  else /* UNPACKED: further checks in tigris_check_stages */
    ok = tigris_placed(plan, o->pool, o->offset, t->bytes);
  return ok ? TIGRIS_OK : TIGRIS_E_ADDRESS;
}

static tigris_status checkTransfer(const tigris_plan* plan, const void* record) {
  const tigris_transfer* t = (const tigris_transfer*)record;
  uint32_t bytes;
  if (t->tensor >= plan->tensor_count)
    return TIGRIS_E_FORMAT;
  bytes = plan->tensors[t->tensor].bytes;
  return tigris_placed(plan, TIGRIS_POOL_FAST, t->fast, bytes) &&
                 tigris_placed(plan, TIGRIS_POOL_SLOW, t->slow, bytes)
             ? TIGRIS_OK
             : TIGRIS_E_ADDRESS;
}

static tigris_status checkQuant(const tigris_plan* plan, const void* record) {
  const tigris_quant* q = (const tigris_quant*)record;
  uint32_t bits;
  (void)plan;
  memcpy(&bits, &q->scale, sizeof bits);
  /* positive and finite, without relying on comparisons of NaN */
  return bits - 1 < 0x7F7FFFFFu ? TIGRIS_OK : TIGRIS_E_TENSOR;
}

/* Types of records in the order in which they depend on each other: the positions of pointer and
 * count in tigris_plan, the record size, and the check of one record. */
typedef struct TableRule {
  uint8_t pointer;
  uint8_t count;
  uint8_t size;
  tigris_status (*check)(const tigris_plan* plan, const void* record);
} TableRule;

#define TABLE(pointer, count, size, check)                                                         \
  { offsetof(tigris_plan, pointer), offsetof(tigris_plan, count), size, check }

static const TableRule tables[] = {
    TABLE(quant, quant_count, sizeof(tigris_quant), checkQuant),
    TABLE(tensors, tensor_count, sizeof(tigris_tensor), checkTensor),
    TABLE(ports, port_count, sizeof(tigris_port), checkPort),
    TABLE(operands, operand_count, sizeof(tigris_operand), checkOperand),
    TABLE(ops, op_count, sizeof(tigris_op), tigris_check_op),
    TABLE(transfers, transfer_count, sizeof(tigris_transfer), checkTransfer),
};

tigris_status tigris_check_records(tigris_plan* plan) {
  tigris_status status = checkSummary(plan);
  uint32_t k;
  uint32_t i;
  for (k = 0; status == TIGRIS_OK && k < sizeof tables / sizeof tables[0]; ++k) {
    const TableRule* rule = &tables[k];
    const uint8_t* record;
    uint32_t count;
    memcpy(&record, (const uint8_t*)plan + rule->pointer, sizeof record);
    memcpy(&count, (const uint8_t*)plan + rule->count, sizeof count);
    for (i = 0; status == TIGRIS_OK && i < count; ++i, record += rule->size)
      status = rule->check(plan, record);
    if (status != TIGRIS_OK && rule->check == tigris_check_op)
      plan->error_op = i - 1;
  }
  return status == TIGRIS_OK ? tigris_check_stages(plan) : status;
}
