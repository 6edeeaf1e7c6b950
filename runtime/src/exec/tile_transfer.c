/* Loads and stores of tiled and streamed stages: copies between a buffer and the tensor's place. */
#include <string.h>

#include "address.h"
#include "tile_run.h"

#if TIGRIS_TILES

/* Loads the new rows of a streamed buffer, or stores them. */
static tigris_status moveRows(const tigris_tiles* t, uint32_t index, int isStore) {
  const tigris_tile_buffer* b = &t->buffers[index];
  const tigris_tensor* tensor = tigris_tile_tensor(t, index);
  const tigris_tile_rows* held = &t->rows[index];
  const uint32_t row = tigris_stream_row_bytes(t, index);
  const uint32_t rows = (uint32_t)(held->end - held->fresh);
  uint32_t first = (uint32_t)held->fresh;
  uint8_t* data = tigris_tile_data(t, b) + (size_t)(uint32_t)(held->fresh - held->first) * row;
  uint8_t* backing;
  if (rows == 0 || (b->flags & TIGRIS_TILE_IN_PLACE))
    return TIGRIS_OK;
  if ((uint32_t)tigris_tile_size(t, index, 0) == t->tiling->tiles[TIGRIS_STREAM_OUTER])
    first += t->index[0] * (uint32_t)tigris_tile_size(t, index, 1);
  if (b->backing == TIGRIS_POOL_CALLER && t->ctx->rows[b->backing_offset] != NULL)
    return t->ctx->rows[b->backing_offset](t->ctx->ports[b->backing_offset], first, rows, data) == 0
               ? TIGRIS_OK
               : TIGRIS_E_CALLBACK;
  backing =
      tigris_address(t->ctx, b->backing, b->backing_offset, tensor->bytes, rows * row, isStore) +
      (size_t)first * row;
  memcpy(isStore ? backing : data, isStore ? data : backing, rows * row);
  return TIGRIS_OK;
}

/* Loads the box of a buffer, or stores its part; of a streamed buffer in stripes, the new rows. */
static tigris_status moveBox(const tigris_tiles* t, uint32_t index, int isStore) {
  const tigris_tile_buffer* b = &t->buffers[index];
  const tigris_tensor* tensor = tigris_tile_tensor(t, index);
  const uint32_t size = tigris_element_size(tensor->dtype);
  tigris_box whole;
  tigris_box held;
  tigris_box part;
  uint32_t bytes;
  uint8_t* backing;
  tigris_tile_whole(t, b->tensor, &whole);
  tigris_tile_box(t, index, 0, &held);
  if (isStore && !tigris_is_streamed(t) && !tigris_is_layer(t))
    tigris_tile_store_box(t, index, &part);
  else
    tigris_tile_box(t, index, 1, &part);
  if (isStore && tigris_in_stripes(t))
    tigris_tile_part(t, index, 2, &part.begin[2], &part.end[2]);
  bytes = tigris_box_elements(&part) * size;
  if (bytes == 0)
    return TIGRIS_OK;
  backing = tigris_address(t->ctx, b->backing, b->backing_offset, tensor->bytes, bytes, isStore);
  if (isStore)
    tigris_box_copy(&part, &held, tigris_tile_data(t, b), &whole, backing, size);
  else
    tigris_box_copy(&part, &whole, backing, &held, tigris_tile_data(t, b), size);
  return TIGRIS_OK;
}

tigris_status tigris_tile_carry(const tigris_tiles* t, uint32_t index, int isStore) {
  if (!isStore && !t->isFirst && !(t->buffers[index].reload_axes & t->changed))
    return TIGRIS_OK;
  return tigris_by_rows(t) ? moveRows(t, index, isStore) : moveBox(t, index, isStore);
}

#endif /* TIGRIS_TILES */
