/* Where the bytes that a plan names are in a run. */
#ifndef TIGRIS_ADDRESS_H
#define TIGRIS_ADDRESS_H

#include "tigris.h"

/* The port at whose place port `index` of the plan is in this run: the other one of an exchanged state. */
#if TIGRIS_STATES
uint32_t tigris_place_of(const tigris_context* ctx, uint32_t index);
#else
#define tigris_place_of(ctx, index) (index)
#endif

/* The address of an interval in a tigris_pool (not TILE or ABSENT), for a use that reads or writes `moved` bytes of
 * it; counts the memory and, where it is slow, the traffic. NULL when the dynamic arena does not hold it. */
uint8_t* tigris_address(tigris_context* ctx, uint32_t pool, uint32_t offset, uint32_t bytes,
                        uint32_t moved, int isWrite);

/* The same for what slow memory has beyond the plan's: counts bytes up to its offset `end` as overflow. */
void tigris_count_overflow(tigris_context* ctx, uint32_t end, uint32_t moved, int isWrite);

#endif /* TIGRIS_ADDRESS_H */
