/* Copies or unpacks one block at a time. A block that a reader brings is read to its place; packed
 * bytes are read to the end of the prefix and unpacked from there. */
#include "weights.h"

#include <string.h>

#include "address.h"
#include "lz4_block.h"

tigris_status tigris_set_weight_reader(tigris_context* ctx, tigris_weight_reader reader,
                                       void* user) {
#if TIGRIS_WEIGHT_READER
  if (reader != NULL && !(ctx->plan->summary->flags & TIGRIS_SUMMARY_COPY))
    return TIGRIS_E_UNSUPPORTED;
  ctx->reader = reader;
  ctx->reader_user = user;
  return TIGRIS_OK;
#else
  (void)ctx;
  (void)user;
  return reader == NULL ? TIGRIS_OK : TIGRIS_E_UNSUPPORTED;
#endif
}

#if TIGRIS_WEIGHT_BLOCKS
/* Where the bytes of a block are after they have been read, if a reader is needed; NULL after an
 * error. */
static const uint8_t* storedBytes(tigris_context* ctx, const tigris_weight_block* b, uint8_t* to) {
#if TIGRIS_WEIGHT_READER
  if (ctx->reader != NULL) {
    const tigris_summary* s = ctx->plan->summary;
    if (b->mode == TIGRIS_BLOCK_LZ4)
      to = ctx->unpacked + ((s->fast_reserved - b->packed_bytes) & ~(s->align - 1u));
    return ctx->reader(ctx->reader_user, b->data, b->packed_bytes, to) == 0 ? to : NULL;
  }
#endif
  (void)to;
  return ctx->plan->weights + b->data;
}

tigris_status tigris_bring_weights(tigris_context* ctx, uint32_t op) {
  const tigris_plan* plan = ctx->plan;
  const tigris_weight_block* b = &plan->weight_blocks[ctx->next_weight_block];
  const uint8_t* from;
  uint8_t* to;
  if (ctx->next_weight_block == plan->weight_block_count || b->first_op != op)
    return TIGRIS_OK;
  ++ctx->next_weight_block;
  to = tigris_address(ctx, TIGRIS_POOL_UNPACKED, b->fast, tigris_block_extent(plan->summary, b),
                      b->bytes, 1);
  ctx->statistics.weight_bytes += b->bytes;
  if (ctx->rehearsal)
    return TIGRIS_OK;
#if TIGRIS_WEIGHT_READER
  if (ctx->reader == NULL && (plan->summary->flags & TIGRIS_SUMMARY_EXTERNAL))
    return TIGRIS_E_STATE;
#endif
  from = storedBytes(ctx, b, to);
  if (from == NULL)
    return TIGRIS_E_WEIGHTS;
  if (b->mode == TIGRIS_BLOCK_LZ4)
    return tigris_lz4_unpack(from, b->packed_bytes, to, b->bytes) ? TIGRIS_OK : TIGRIS_E_WEIGHTS;
  if (from != to)
    memcpy(to, from, b->bytes);
  return TIGRIS_OK;
}
#endif /* TIGRIS_WEIGHT_BLOCKS */
