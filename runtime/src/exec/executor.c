/* The executor: initializes a context, resolves model inputs and outputs, and runs stages. */
#include <string.h>

#include "address.h"
#include "dynamic.h"
#include "invoke.h"
#include "tile.h"
#include "view.h"
#include "weights.h"

/* The most scratch that an op needs. Counts the ops that need more than `limit`. */
static uint32_t scratchOf(const tigris_plan* plan, const tigris_backend* backend, uint32_t limit,
                          uint32_t* above) {
  uint32_t most = 0;
  uint32_t i;
  *above = 0;
  if (backend == NULL || backend->scratch_bytes == NULL)
    return 0;
  for (i = 0; i < plan->op_count; ++i) {
    const uint32_t bytes = backend->scratch_bytes(plan, &plan->ops[i]);
    tigris_raise(&most, bytes);
    *above += bytes > limit;
  }
  return most;
}

static uint32_t alignUp(uint32_t value, uint32_t align) {
  return (value + align - 1) & ~(align - 1);
}

/* Size of the weights outside the plan: the end of the last block. */
static uint32_t externalBytes(const tigris_plan* plan) {
  uint32_t end = 0;
#if TIGRIS_WEIGHT_READER
  uint32_t i;
  for (i = 0; (plan->summary->flags & TIGRIS_SUMMARY_EXTERNAL) && i < plan->weight_block_count; ++i)
    tigris_raise(&end, plan->weight_blocks[i].data + plan->weight_blocks[i].packed_bytes);
#else
  (void)plan;
#endif
  return end;
}

void tigris_plan_requirements(const tigris_plan* plan, const tigris_backend* backend,
                              tigris_requirements* out) {
  uint32_t above;
  out->scratch_bytes = scratchOf(plan, backend, 0, &above);
  out->fast_bytes = plan->summary->fast_bytes;
  if (out->scratch_bytes != 0)
    out->fast_bytes = alignUp(out->fast_bytes, plan->summary->align) + out->scratch_bytes;
  out->slow_bytes = plan->summary->slow_bytes;
  out->align = plan->summary->align;
  out->weight_bytes = externalBytes(plan);
}

/* Enters dynamic mode and rehearses a run: whether the memory suffices does not depend on data. */
static tigris_status goDynamic(tigris_context* ctx, const tigris_memory* memory, size_t top) {
#if TIGRIS_DYNAMIC_ARENA
  tigris_status status;
  if (ctx->plan->summary->io_mode == TIGRIS_IO_ARENA && ctx->plan->port_count > TIGRIS_MAX_PORTS)
    return TIGRIS_E_LIMIT;
  tigris_dynamic_init(ctx, memory, top);
  if (ctx->blocks == NULL)
    return TIGRIS_E_MEMORY;
  ctx->rehearsal = 1;
  status = tigris_run(ctx);
  ctx->rehearsal = 0;
  return status;
#else
  (void)ctx;
  (void)memory;
  (void)top;
  return TIGRIS_E_MEMORY;
#endif
}

/* The scratch for the backend: what it needs or, if there is less, what the plan's addresses leave
 * or the plan reserves. */
static uint32_t scratchWithin(const tigris_plan* plan, uint32_t needed, uint32_t align,
                              size_t fast) {
  const size_t planned = alignUp(plan->summary->fast_bytes, align);
  size_t most = fast > planned ? fast - planned : 0;
  if (most < plan->summary->scratch_bytes && plan->summary->scratch_bytes <= fast)
    most = plan->summary->scratch_bytes;
  return needed < most ? needed : (uint32_t)most;
}

tigris_status tigris_init(tigris_context* ctx, const tigris_plan* plan,
                          const tigris_backend* backend, const tigris_memory* memory) {
  tigris_requirements need;
  size_t top; /* end of the fast arena below the scratch */
  uint32_t i;
  if (ctx == NULL || plan == NULL || plan->summary == NULL || backend == NULL || memory == NULL)
    return TIGRIS_E_ARGUMENT;
  memset(ctx, 0, sizeof *ctx);
  ctx->error_op = TIGRIS_NONE;
  ctx->error_stage = TIGRIS_NONE;
  if (backend->abi_version != TIGRIS_BACKEND_ABI)
    return TIGRIS_E_BACKEND;
  if (plan->summary->align < backend->alignment ||
      (TIGRIS_LEAST_ALIGN > TIGRIS_MIN_ALIGN && plan->summary->align < TIGRIS_LEAST_ALIGN))
    return TIGRIS_E_ALIGN;
  for (i = 0; i < plan->op_count; ++i) {
    if (backend->find(plan, &plan->ops[i]) == NULL) {
      ctx->error_op = i;
      return TIGRIS_E_KERNEL;
    }
  }
#if TIGRIS_SINKS
  for (i = 0; backend->find_sink == NULL && i < plan->tile_buffer_count; ++i) {
    if (plan->tile_buffers[i].flags & TIGRIS_TILE_SINK)
      return TIGRIS_E_KERNEL;
  }
#endif
  tigris_plan_requirements(plan, backend, &need);
  top = memory->fast_bytes;
  if ((memory->fast == NULL && memory->fast_bytes != 0) ||
      (memory->slow == NULL && memory->slow_bytes != 0))
    return TIGRIS_E_ARGUMENT;
  if ((((uintptr_t)memory->fast | (uintptr_t)memory->slow) & (need.align - 1)) != 0)
    return TIGRIS_E_ALIGN;
  if (memory->slow_bytes < need.slow_bytes)
    return TIGRIS_E_MEMORY;
  ctx->plan = plan;
  ctx->backend = backend;
  ctx->fast = ctx->unpacked = (uint8_t*)memory->fast;
  ctx->slow = (uint8_t*)memory->slow;
  ctx->scratch_bytes = scratchWithin(plan, need.scratch_bytes, need.align, top);
  if (ctx->scratch_bytes != 0) {
    top = (top - ctx->scratch_bytes) & ~((size_t)need.align - 1);
    ctx->scratch = ctx->fast + top;
  }
  if (ctx->scratch_bytes < need.scratch_bytes) {
    if (!TIGRIS_SCRATCH_FALLBACK || backend->fallback == NULL)
      return TIGRIS_E_SCRATCH;
    scratchOf(plan, backend, ctx->scratch_bytes, &ctx->fallback_ops);
  }
  if (TIGRIS_STATES && plan->summary->io_mode == TIGRIS_IO_SLOW)
    tigris_reset(ctx); /* cannot fail here */
  return top < plan->summary->fast_bytes ? goDynamic(ctx, memory, top) : TIGRIS_OK;
}

/* ---- model inputs and outputs */

unsigned tigris_input_count(const tigris_plan* plan) { return plan->input_count; }

unsigned tigris_output_count(const tigris_plan* plan) {
  return plan->port_count - plan->input_count;
}

/* Port numbers; TIGRIS_NONE if there is no such input or output. */
static uint32_t inputAt(const tigris_plan* plan, unsigned index) {
  return index < plan->input_count ? index : TIGRIS_NONE;
}

static uint32_t outputAt(const tigris_plan* plan, unsigned index) {
  return index < tigris_output_count(plan) ? plan->input_count + index : TIGRIS_NONE;
}

static const tigris_port* portAt(const tigris_plan* plan, uint32_t port) {
  return port == TIGRIS_NONE ? NULL : &plan->ports[port];
}

const tigris_port* tigris_input_port(const tigris_plan* plan, unsigned index) {
  return portAt(plan, inputAt(plan, index));
}

const tigris_port* tigris_output_port(const tigris_plan* plan, unsigned index) {
  return portAt(plan, outputAt(plan, index));
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

static void* portData(const tigris_context* ctx, uint32_t port) {
  const tigris_plan* plan = ctx->plan;
  const uint32_t mode = plan->summary->io_mode;
  if (port == TIGRIS_NONE || (mode == TIGRIS_IO_CALLER && ctx->rows[port] != NULL))
    return NULL;
  if (tigris_is_constant(plan, &plan->ports[port]) &&
      (mode != TIGRIS_IO_CALLER || ctx->ports[port] == NULL))
    return (void*)(uintptr_t)(plan->weights + plan->ports[port].offset);
  port = tigris_place_of(ctx, port);
  if (mode == TIGRIS_IO_SLOW)
    return ctx->slow + plan->ports[port].offset;
  if (mode == TIGRIS_IO_ARENA && !tigris_is_dynamic(ctx))
    return ctx->fast + plan->ports[port].offset;
  return ctx->ports[port];
}

void* tigris_input(tigris_context* ctx, unsigned index) {
  return portData(ctx, inputAt(ctx->plan, index));
}

const void* tigris_output(const tigris_context* ctx, unsigned index) {
  uint32_t port = outputAt(ctx->plan, index);
  if (TIGRIS_STATES && port != TIGRIS_NONE && ctx->plan->ports[port].state != TIGRIS_NO_PORT)
    port = ctx->plan->ports[port].state; /* where the next run reads it */
  return portData(ctx, port);
}

static tigris_status setPort(tigris_context* ctx, uint32_t port, void* data) {
  if (port == TIGRIS_NONE || data == NULL || ctx->plan->summary->io_mode != TIGRIS_IO_CALLER)
    return TIGRIS_E_ARGUMENT;
  if (((uintptr_t)data & (ctx->backend->alignment - 1)) != 0)
    return TIGRIS_E_ALIGN;
  ctx->rows[port] = NULL;
  ctx->ports[tigris_place_of(ctx, port)] = data;
  return TIGRIS_OK;
}

tigris_status tigris_set_input(tigris_context* ctx, unsigned index, const void* data) {
  /* One table holds inputs and outputs; no op of a validated plan writes to an input port. */
  return setPort(ctx, inputAt(ctx->plan, index), (void*)(uintptr_t)data);
}

tigris_status tigris_set_output(tigris_context* ctx, unsigned index, void* data) {
  return setPort(ctx, outputAt(ctx->plan, index), data);
}

tigris_status tigris_set_profile(tigris_context* ctx, tigris_profile_hook hook, void* user) {
#if TIGRIS_PROFILE
  ctx->profile = hook;
  ctx->profile_user = user;
  return TIGRIS_OK;
#else
  (void)ctx;
  (void)user;
  return hook == NULL ? TIGRIS_OK : TIGRIS_E_UNSUPPORTED;
#endif
}

/* ---- running */

static tigris_status runOp(tigris_context* ctx, const tigris_op* op) {
  const tigris_plan* plan = ctx->plan;
  tigris_view views[TIGRIS_MAX_OPERANDS];
  const tigris_operand* o = &plan->operands[op->operands];
  uint32_t i;
  for (i = 0; i < (uint32_t)op->inputs + op->outputs; ++i, ++o) {
    const tigris_tensor* t = &plan->tensors[o->tensor];
    if (o->pool == TIGRIS_POOL_ABSENT)
      memset(&views[i], 0, sizeof views[i]);
    else
      tigris_whole(&views[i], plan, t,
                   tigris_address(ctx, o->pool, o->offset, t->bytes, t->bytes, i >= op->inputs));
  }
  return tigris_invoke(ctx, ctx->backend->find(plan, op), op, tigris_params(plan, op), views);
}

/* Runs a load or a spill. */
static void transfer(tigris_context* ctx, const tigris_transfer* t, int isLoad) {
  const uint32_t bytes = ctx->plan->tensors[t->tensor].bytes;
  uint8_t* fast = tigris_address(ctx, TIGRIS_POOL_FAST, t->fast, bytes, bytes, isLoad);
  uint8_t* slow = tigris_address(ctx, TIGRIS_POOL_SLOW, t->slow, bytes, bytes, !isLoad);
  if (!ctx->rehearsal)
    memcpy(isLoad ? fast : slow, isLoad ? slow : fast, bytes);
}

/* Resets the counters and checks or counts the memory of the model's inputs and outputs. */
static tigris_status start(tigris_context* ctx) {
  const tigris_plan* plan = ctx->plan;
  const uint32_t mode = plan->summary->io_mode;
  uint32_t i;
  memset(&ctx->statistics, 0, sizeof ctx->statistics);
  ctx->statistics.dynamic = tigris_is_dynamic(ctx);
  ctx->error_op = TIGRIS_NONE;
  ctx->error_stage = TIGRIS_NONE;
  ctx->next_weight_block = 0;
  for (i = 0; i < plan->port_count; ++i) {
    const tigris_port* port = &plan->ports[i];
    const uint32_t bytes = plan->tensors[port->tensor].bytes;
    if (tigris_is_constant(plan, port)) {
      if (mode == TIGRIS_IO_CALLER && ctx->ports[i] != NULL)
        memcpy(ctx->ports[i], plan->weights + port->offset, bytes);
    } else if (mode != TIGRIS_IO_CALLER)
      tigris_address(ctx, mode == TIGRIS_IO_SLOW ? TIGRIS_POOL_SLOW : TIGRIS_POOL_FAST,
                     port->offset, bytes, 0, 0);
    else if (ctx->ports[i] == NULL && ctx->rows[i] == NULL && !ctx->rehearsal)
      return TIGRIS_E_STATE;
  }
#if TIGRIS_DYNAMIC_ARENA
  if (tigris_is_dynamic(ctx))
    return tigris_dynamic_start(ctx);
#endif
  return TIGRIS_OK;
}

#if TIGRIS_TILES
/* Runs the tiles of a stage. In dynamic mode all memory of its tiling is one block. */
static tigris_status runTiled(tigris_context* ctx, const tigris_stage* stage) {
  uint8_t* fast = ctx->fast;
  uint32_t begin = 0;
#if TIGRIS_DYNAMIC_ARENA
  if (tigris_is_dynamic(ctx)) {
    uint32_t end;
    tigris_tile_span(ctx->plan, stage, &begin, &end);
    if (tigris_dynamic_place(ctx, begin, end - begin) != TIGRIS_OK)
      return TIGRIS_E_MEMORY;
    fast = tigris_dynamic_at(ctx, begin, end - begin, end - begin, 1);
    if (ctx->rehearsal)
      return TIGRIS_OK;
  }
#endif
  return tigris_run_tiles(ctx, stage, fast, begin);
}
#endif

/* Runs a load, a spill, an op, or a whole tiled stage. Sets error_op. */
static tigris_status runStep(tigris_context* ctx, const tigris_stage* stage, uint32_t step) {
  const tigris_plan* plan = ctx->plan;
  const uint32_t loads = tigris_stage_loads(stage);
  const uint32_t index = step - loads; /* of the op in the stage */
  const uint32_t ops = tigris_stage_ops(plan, stage);
  const uint32_t op = stage->first_op + index;
  tigris_status status = TIGRIS_OK;
  if (index < ops) {
    ctx->error_op = op;
    status = tigris_bring_weights(ctx, op);
    if (status != TIGRIS_OK)
      return status;
  }
#if TIGRIS_DYNAMIC_ARENA
  if (tigris_is_dynamic(ctx) && tigris_dynamic_prepare(ctx, step) != TIGRIS_OK)
    return TIGRIS_E_MEMORY;
#endif
#if TIGRIS_TILES
  if (stage->mode != TIGRIS_STAGE_WHOLE)
    status = runTiled(ctx, stage);
  else
#endif
      if (step < loads)
    transfer(ctx, &plan->transfers[stage->first_transfer + step], 1);
  else if (index < ops)
    status = runOp(ctx, &plan->ops[op]);
  else
    transfer(ctx, &plan->transfers[stage->first_transfer + step - ops], 0);
  if (status == TIGRIS_OK)
    ctx->error_op = TIGRIS_NONE;
  return status;
}

static tigris_status runStage(tigris_context* ctx, const tigris_stage* stage) {
  const uint32_t steps = tigris_stage_steps(ctx->plan, stage);
  tigris_status status = TIGRIS_OK;
  uint32_t step;
  for (step = 0; status == TIGRIS_OK && step < steps; ++step) {
    status = runStep(ctx, stage, step);
#if TIGRIS_DYNAMIC_ARENA
    if (tigris_is_dynamic(ctx))
      tigris_dynamic_sweep(ctx, step + 1);
#endif
  }
  return status;
}

tigris_status tigris_step(tigris_context* ctx) {
  const tigris_plan* plan = ctx->plan;
  tigris_status status = ctx->stage == 0 ? start(ctx) : TIGRIS_OK;
  if (status == TIGRIS_OK && plan->stage_count != 0) {
    status = runStage(ctx, &plan->stages[ctx->stage]);
    if (status != TIGRIS_OK)
      ctx->error_stage = ctx->stage;
  }
  if (status == TIGRIS_OK && ctx->stage + 1 < plan->stage_count) {
    ++ctx->stage;
    return TIGRIS_MORE;
  }
  ctx->stage = 0;
#if TIGRIS_DYNAMIC_ARENA
  if (status == TIGRIS_OK && tigris_is_dynamic(ctx))
    status = tigris_dynamic_finish(ctx);
#endif
  if (TIGRIS_STATES && status == TIGRIS_OK && !ctx->rehearsal)
    ctx->exchanged ^= 1u;
  return status;
}

tigris_status tigris_run(tigris_context* ctx) {
  tigris_status status;
  ctx->stage = 0;
  do {
    status = tigris_step(ctx);
  } while (status == TIGRIS_MORE);
  return status;
}
