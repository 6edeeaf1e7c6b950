/* Resolves addresses, and counts memory use and slow traffic. */
#include "address.h"

#include "exec/dynamic.h"
#include "view.h"

#if TIGRIS_STATES
uint32_t tigris_place_of(const tigris_context* ctx, uint32_t index) {
  const uint32_t other = ctx->plan->ports[index].state;
  return ctx->exchanged && other != TIGRIS_NO_PORT ? other : index;
}
#endif

/* Counts a use of slow memory that ends at offset `end` and moves `moved` bytes. */
static void countSlow(tigris_context* ctx, uint32_t end, uint32_t moved, int isWrite) {
  *(isWrite ? &ctx->statistics.slow_write : &ctx->statistics.slow_read) += moved;
  tigris_raise(&ctx->statistics.slow_peak, end);
}

#if TIGRIS_DYNAMIC_ARENA
void tigris_count_overflow(tigris_context* ctx, uint32_t end, uint32_t moved, int isWrite) {
  countSlow(ctx, end, moved, isWrite);
  tigris_raise(&ctx->statistics.overflow_bytes, end - ctx->plan->summary->slow_bytes);
}
#endif

/* The offset of an interval in slow memory. An interval inside a state is at the state's place in
 * this run. */
static uint32_t placeInSlow(const tigris_context* ctx, uint32_t offset, uint32_t bytes) {
  const tigris_plan* plan = ctx->plan;
  uint32_t i;
  for (i = 0; TIGRIS_STATES && ctx->exchanged && i < plan->port_count; ++i) {
    const tigris_port* port = &plan->ports[i];
    const uint32_t size = plan->tensors[port->tensor].bytes;
    /* wraps to a value above `size` if it is before the port */
    const uint32_t at = offset - port->offset;
    if (port->state != TIGRIS_NO_PORT && at < size && bytes <= size - at)
      return plan->ports[port->state].offset + at;
  }
  return offset;
}

uint8_t* tigris_address(tigris_context* ctx, uint32_t pool, uint32_t offset, uint32_t bytes,
                        uint32_t moved, int isWrite) {
  const uint32_t end = offset + bytes;
  switch (pool) {
  case TIGRIS_POOL_FAST:
  case TIGRIS_POOL_UNPACKED:
#if TIGRIS_DYNAMIC_ARENA
    if (pool == TIGRIS_POOL_FAST && tigris_is_dynamic(ctx))
      return tigris_dynamic_at(ctx, offset, bytes, moved, isWrite);
    if (pool == TIGRIS_POOL_UNPACKED && ctx->unpacked != ctx->fast) {
      tigris_count_overflow(ctx, (uint32_t)(ctx->unpacked - ctx->slow) + end, moved, isWrite);
      return ctx->unpacked + offset;
    }
#endif
    tigris_raise(&ctx->statistics.fast_peak, end);
    return ctx->fast + offset;
  case TIGRIS_POOL_SLOW:
    countSlow(ctx, end, moved, isWrite);
    return ctx->slow + placeInSlow(ctx, offset, bytes);
  case TIGRIS_POOL_CALLER:
    return (uint8_t*)ctx->ports[tigris_place_of(ctx, offset)];
  default:
    return (uint8_t*)(uintptr_t)(ctx->plan->weights + offset);
  }
}
