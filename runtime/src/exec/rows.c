/* Model inputs and outputs that a callback supplies or receives row by row. */
#include "view.h"

#if TIGRIS_STREAMED_STAGES

/* Whether a streamed stage without stripes moves each row of the buffer's tensor once, in order. */
static int movesOnce(const tigris_plan* plan, const tigris_stage* s, const tigris_tile_buffer* b,
                     const tigris_port* port) {
  const tigris_tiling* t = &plan->tilings[s->detail];
  const tigris_tensor* tensor = &plan->tensors[b->tensor];
  return s->mode == TIGRIS_STAGE_STREAMED && b->tensor == port->tensor && tensor->rank >= 2 &&
         t->tiles[TIGRIS_STREAM_OUTER] == (uint32_t)tigris_dims(plan, tensor)[0] &&
         t->tiles[TIGRIS_STREAM_STRIPES] == 1 &&
         (b->flags & (TIGRIS_TILE_LOAD | TIGRIS_TILE_STORE | TIGRIS_TILE_IN_PLACE)) ==
             (port->direction == TIGRIS_INPUT ? TIGRIS_TILE_LOAD : TIGRIS_TILE_STORE);
}

/* Whether exactly one buffer of one stage moves the port by rows and nothing else accesses it. */
static int takesRows(const tigris_plan* plan, uint32_t index) {
  uint32_t users = 0;
  uint32_t i;
  uint32_t k;
  for (i = 0; i < plan->operand_count; ++i) {
    if (plan->operands[i].pool == TIGRIS_POOL_CALLER && plan->operands[i].offset == index)
      return 0;
  }
  for (i = 0; i < plan->stage_count; ++i) {
    const tigris_stage* s = &plan->stages[i];
    const tigris_tiling* t = &plan->tilings[s->detail];
    for (k = 0; s->mode != TIGRIS_STAGE_WHOLE && k < t->buffer_count; ++k) {
      const tigris_tile_buffer* b = &plan->tile_buffers[t->first_buffer + k];
      if (b->backing != TIGRIS_POOL_CALLER || b->backing_offset != index)
        continue;
      if (++users > 1 || !movesOnce(plan, s, b, &plan->ports[index]))
        return 0;
    }
  }
  return users == 1 || plan->ports[index].direction == TIGRIS_INPUT; /* an input without readers */
}

static tigris_status setRows(tigris_context* ctx, const tigris_port* port, tigris_row_hook hook,
                             void* user) {
  const tigris_plan* plan = ctx->plan;
  uint32_t index;
  if (port == NULL || hook == NULL || plan->summary->io_mode != TIGRIS_IO_CALLER)
    return TIGRIS_E_ARGUMENT;
  index = (uint32_t)(port - plan->ports);
  if (port->state != TIGRIS_NO_PORT || !takesRows(plan, index))
    return TIGRIS_E_ROWS;
  ctx->rows[index] = hook;
  ctx->ports[index] = user;
  return TIGRIS_OK;
}

#else

static tigris_status setRows(tigris_context* ctx, const tigris_port* port, tigris_row_hook hook,
                             void* user) {
  (void)ctx;
  (void)user;
  return port == NULL || hook == NULL ? TIGRIS_E_ARGUMENT : TIGRIS_E_ROWS;
}

#endif /* TIGRIS_STREAMED_STAGES */

tigris_status tigris_set_input_rows(tigris_context* ctx, unsigned index, tigris_row_hook hook,
                                    void* user) {
  return setRows(ctx, tigris_input_port(ctx->plan, index), hook, user);
}

tigris_status tigris_set_output_rows(tigris_context* ctx, unsigned index, tigris_row_hook hook,
                                     void* user) {
  return setRows(ctx, tigris_output_port(ctx->plan, index), hook, user);
}
