/* Where the places of states are at present. */
#ifndef TIGRIS_STATE_H
#define TIGRIS_STATE_H

#include "tigris.h"

/* The port at whose place port `index` of the plan is in this run. */
static inline uint32_t tigris_place_of(const tigris_context* ctx, uint32_t index) {
  const uint32_t other = ctx->plan->ports[index].state;
  return ctx->exchanged && other != TIGRIS_NO_PORT ? other : index;
}

/* The address of `bytes` at a slow offset of the plan: inside a state, at its present place. */
uint8_t* tigris_slow_at(const tigris_context* ctx, uint32_t offset, uint32_t bytes);

/* After a complete run. */
void tigris_exchange_states(tigris_context* ctx);

#endif /* TIGRIS_STATE_H */
