/* Brings blocks of weights to the reserved prefix of the fast arena. */
#ifndef TIGRIS_WEIGHTS_H
#define TIGRIS_WEIGHTS_H

#include "tigris_backend.h"

/* Bytes of the prefix that a block uses from b->fast on. To unpack LZ4 in place takes all of it. */
static inline uint32_t tigris_block_extent(const tigris_summary* s, const tigris_weight_block* b) {
  return (s->flags & TIGRIS_SUMMARY_COPY) && b->mode == TIGRIS_BLOCK_LZ4
             ? s->fast_reserved - b->fast
             : b->bytes;
}

/* Brings the block that is scheduled before an op, if there is one: with the reader or from the
 * plan. TIGRIS_E_WEIGHTS if the reader fails or delivers other bytes; TIGRIS_E_STATE if there is no
 * reader for weights outside the plan. A rehearsal only counts. */
#if TIGRIS_WEIGHT_BLOCKS
tigris_status tigris_bring_weights(tigris_context* ctx, uint32_t op);
#else
static inline tigris_status tigris_bring_weights(tigris_context* ctx, uint32_t op) {
  (void)ctx;
  (void)op;
  return TIGRIS_OK;
}
#endif

#endif /* TIGRIS_WEIGHTS_H */
