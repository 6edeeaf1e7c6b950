/* The executor's part of inputs and outputs by rows. */
#ifndef TIGRIS_ROWS_H
#define TIGRIS_ROWS_H

#include "box.h"
#include "tigris_backend.h"

/* Moves the rows of `part` between the buffer, which holds the box `held` at `data`, and the callback of the caller's
 * port that is its home. TIGRIS_E_CALLBACK when that fails. */
tigris_status tigris_carry_rows(tigris_context* ctx, const tigris_tile_buffer* b,
                                const tigris_box* held, const tigris_box* part, uint8_t* data);

#endif /* TIGRIS_ROWS_H */
