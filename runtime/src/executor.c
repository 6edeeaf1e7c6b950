/* Runs an opened plan: init, model inputs and outputs, stages. */
#include <string.h>

#include "view.h"

static uint32_t scratchOf(const tigris_plan* plan, const tigris_backend* backend) {
  uint32_t most = 0;
  uint32_t i;
  if (backend == NULL || backend->scratch_bytes == NULL)
    return 0;
  for (i = 0; i < plan->op_count; ++i) {
    const uint32_t bytes = backend->scratch_bytes(plan, &plan->ops[i]);
    if (bytes > most)
      most = bytes;
  }
  return most;
}

static uint32_t alignUp(uint32_t value, uint32_t align) {
  return (value + align - 1) & ~(align - 1);
}

void tigris_plan_requirements(const tigris_plan* plan, const tigris_backend* backend,
                              tigris_requirements* out) {
  out->scratch_bytes = scratchOf(plan, backend);
  out->fast_bytes = plan->summary->fast_bytes;
  if (out->scratch_bytes != 0)
    out->fast_bytes = alignUp(out->fast_bytes, backend->alignment) + out->scratch_bytes;
  out->slow_bytes = plan->summary->slow_bytes;
  out->align = plan->summary->align;
}

tigris_status tigris_init(tigris_context* ctx, const tigris_plan* plan,
                          const tigris_backend* backend, const tigris_memory* memory) {
  const tigris_context empty = {0};
  tigris_requirements need;
  uint32_t i;
  if (ctx == NULL || plan == NULL || plan->summary == NULL || backend == NULL || memory == NULL)
    return TIGRIS_E_ARGUMENT;
  *ctx = empty;
  ctx->error_op = TIGRIS_NONE;
  ctx->error_stage = TIGRIS_NONE;
  if (backend->abi_version != TIGRIS_BACKEND_ABI)
    return TIGRIS_E_BACKEND;
  if (plan->summary->align < backend->alignment)
    return TIGRIS_E_ALIGN;
  for (i = 0; i < plan->op_count; ++i) {
    if (backend->find(plan, &plan->ops[i]) == NULL) {
      ctx->error_op = i;
      return TIGRIS_E_KERNEL;
    }
  }
  tigris_plan_requirements(plan, backend, &need);
  if (memory->fast_bytes < need.fast_bytes || memory->slow_bytes < need.slow_bytes)
    return TIGRIS_E_MEMORY;
  if ((need.fast_bytes != 0 && memory->fast == NULL) ||
      (need.slow_bytes != 0 && memory->slow == NULL))
    return TIGRIS_E_ARGUMENT;
  if ((uintptr_t)memory->fast % need.align != 0 || (uintptr_t)memory->slow % need.align != 0)
    return TIGRIS_E_ALIGN;
  ctx->plan = plan;
  ctx->backend = backend;
  ctx->fast = (uint8_t*)memory->fast;
  ctx->slow = (uint8_t*)memory->slow;
  ctx->scratch_bytes = need.scratch_bytes;
  if (need.scratch_bytes != 0) {
    const size_t top = memory->fast_bytes - need.scratch_bytes;
    ctx->scratch = ctx->fast + (top & ~((size_t)backend->alignment - 1));
  }
  return TIGRIS_OK;
}

/* ---- model inputs and outputs */

unsigned tigris_input_count(const tigris_plan* plan) { return plan->input_count; }

unsigned tigris_output_count(const tigris_plan* plan) {
  return plan->port_count - plan->input_count;
}

const tigris_port* tigris_input_port(const tigris_plan* plan, unsigned index) {
  return index < tigris_input_count(plan) ? &plan->ports[index] : NULL;
}

const tigris_port* tigris_output_port(const tigris_plan* plan, unsigned index) {
  return index < tigris_output_count(plan) ? &plan->ports[plan->input_count + index] : NULL;
}

static const tigris_tensor* portTensor(const tigris_plan* plan, const tigris_port* port) {
  return port == NULL ? NULL : &plan->tensors[port->tensor];
}

const tigris_tensor* tigris_input_tensor(const tigris_plan* plan, unsigned index) {
  return portTensor(plan, tigris_input_port(plan, index));
}

const tigris_tensor* tigris_output_tensor(const tigris_plan* plan, unsigned index) {
  return portTensor(plan, tigris_output_port(plan, index));
}

uint32_t tigris_input_bytes(const tigris_plan* plan, unsigned index) {
  const tigris_tensor* t = tigris_input_tensor(plan, index);
  return t == NULL ? 0 : t->bytes;
}

uint32_t tigris_output_bytes(const tigris_plan* plan, unsigned index) {
  const tigris_tensor* t = tigris_output_tensor(plan, index);
  return t == NULL ? 0 : t->bytes;
}

static void* portData(const tigris_context* ctx, const tigris_port* port) {
  if (port == NULL)
    return NULL;
  switch (ctx->plan->summary->io_mode) {
  case TIGRIS_IO_SLOW:
    return ctx->slow + port->offset;
  case TIGRIS_IO_ARENA:
    return ctx->fast + port->offset;
  default:
    return ctx->ports[port - ctx->plan->ports];
  }
}

void* tigris_input(tigris_context* ctx, unsigned index) {
  return portData(ctx, tigris_input_port(ctx->plan, index));
}

const void* tigris_output(const tigris_context* ctx, unsigned index) {
  return portData(ctx, tigris_output_port(ctx->plan, index));
}

static tigris_status setPort(tigris_context* ctx, const tigris_port* port, void* data) {
  if (port == NULL || data == NULL || ctx->plan->summary->io_mode != TIGRIS_IO_CALLER)
    return TIGRIS_E_ARGUMENT;
  if ((uintptr_t)data % ctx->backend->alignment != 0)
    return TIGRIS_E_ALIGN;
  ctx->ports[port - ctx->plan->ports] = data;
  return TIGRIS_OK;
}

tigris_status tigris_set_input(tigris_context* ctx, unsigned index, const void* data) {
  /* One table holds inputs and outputs; the validator lets no op write to an input port. */
  return setPort(ctx, tigris_input_port(ctx->plan, index), (void*)(uintptr_t)data);
}

tigris_status tigris_set_output(tigris_context* ctx, unsigned index, void* data) {
  return setPort(ctx, tigris_output_port(ctx->plan, index), data);
}

/* ---- running */

static void touchFast(tigris_context* ctx, uint32_t end) {
  if (end > ctx->statistics.fast_peak)
    ctx->statistics.fast_peak = end;
}

static void touchSlow(tigris_context* ctx, uint32_t end) {
  if (end > ctx->statistics.slow_peak)
    ctx->statistics.slow_peak = end;
}

/* The address of an operand; counts the memory and the slow traffic it means. */
static uint8_t* address(tigris_context* ctx, const tigris_operand* o, int isOutput) {
  const uint32_t bytes = ctx->plan->tensors[o->tensor].bytes;
  switch (o->pool) {
  case TIGRIS_POOL_FAST:
    touchFast(ctx, o->offset + bytes);
    return ctx->fast + o->offset;
  case TIGRIS_POOL_SLOW:
    touchSlow(ctx, o->offset + bytes);
    if (isOutput)
      ctx->statistics.slow_write += bytes;
    else
      ctx->statistics.slow_read += bytes;
    return ctx->slow + o->offset;
  case TIGRIS_POOL_CALLER:
    return (uint8_t*)ctx->ports[o->offset];
  default:
    return (uint8_t*)(uintptr_t)(ctx->plan->weights + o->offset);
  }
}

static tigris_status runOp(tigris_context* ctx, const tigris_op* op) {
  const tigris_plan* plan = ctx->plan;
  tigris_view views[TIGRIS_MAX_OPERANDS];
  tigris_call call;
  uint32_t i;
  for (i = 0; i < (uint32_t)op->inputs + op->outputs; ++i) {
    const tigris_operand* o = &plan->operands[op->operands + i];
    if (o->pool == TIGRIS_POOL_ABSENT) {
      memset(&views[i], 0, sizeof views[i]);
    } else {
      views[i] = tigris_whole(plan, &plan->tensors[o->tensor], address(ctx, o, i >= op->inputs));
    }
  }
  call.plan = plan;
  call.op = op;
  call.params = op->params_size == 0 ? NULL : plan->params + op->params;
  call.in = views;
  call.out = views + op->inputs;
  call.scratch = ctx->scratch;
  call.scratch_bytes = ctx->scratch_bytes;
  ++ctx->statistics.kernel_calls;
  return ctx->backend->find(plan, op)(&call);
}

static void load(tigris_context* ctx, const tigris_transfer* t) {
  memcpy(ctx->fast + t->fast, ctx->slow + t->slow, t->bytes);
  ctx->statistics.slow_read += t->bytes;
  touchFast(ctx, t->fast + t->bytes);
  touchSlow(ctx, t->slow + t->bytes);
}

static void spill(tigris_context* ctx, const tigris_transfer* t) {
  memcpy(ctx->slow + t->slow, ctx->fast + t->fast, t->bytes);
  ctx->statistics.slow_write += t->bytes;
  touchFast(ctx, t->fast + t->bytes);
  touchSlow(ctx, t->slow + t->bytes);
}

/* Resets the counters and checks or counts the memory of the model's inputs and outputs. */
static tigris_status start(tigris_context* ctx) {
  const tigris_plan* plan = ctx->plan;
  uint32_t i;
  memset(&ctx->statistics, 0, sizeof ctx->statistics);
  ctx->error_op = TIGRIS_NONE;
  ctx->error_stage = TIGRIS_NONE;
  for (i = 0; i < plan->port_count; ++i) {
    const uint32_t end = plan->ports[i].offset + plan->tensors[plan->ports[i].tensor].bytes;
    if (plan->summary->io_mode == TIGRIS_IO_SLOW)
      touchSlow(ctx, end);
    else if (plan->summary->io_mode == TIGRIS_IO_ARENA)
      touchFast(ctx, end);
    else if (ctx->ports[i] == NULL)
      return TIGRIS_E_STATE;
  }
  return TIGRIS_OK;
}

tigris_status tigris_step(tigris_context* ctx) {
  const tigris_plan* plan = ctx->plan;
  const tigris_stage* stage;
  tigris_status status;
  uint32_t i;
  if (ctx->stage == 0) {
    status = start(ctx);
    if (status != TIGRIS_OK)
      return status;
    if (plan->stage_count == 0)
      return TIGRIS_OK;
  }
  stage = &plan->stages[ctx->stage];
  for (i = 0; i < stage->load_count; ++i)
    load(ctx, &plan->transfers[stage->first_load + i]);
  for (i = stage->first_op; i < stage->first_op + stage->op_count; ++i) {
    status = runOp(ctx, &plan->ops[i]);
    if (status != TIGRIS_OK) {
      ctx->error_op = i;
      ctx->error_stage = ctx->stage;
      ctx->stage = 0;
      return status;
    }
  }
  for (i = 0; i < stage->spill_count; ++i)
    spill(ctx, &plan->transfers[stage->first_spill + i]);
  ctx->stage = ctx->stage + 1 < plan->stage_count ? ctx->stage + 1 : 0;
  return ctx->stage == 0 ? TIGRIS_OK : TIGRIS_MORE;
}

tigris_status tigris_run(tigris_context* ctx) {
  tigris_status status;
  ctx->stage = 0;
  do {
    status = tigris_step(ctx);
  } while (status == TIGRIS_MORE);
  return status;
}
