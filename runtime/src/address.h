/* Maps the intervals of a plan to addresses of a run. */
#ifndef TIGRIS_ADDRESS_H
#define TIGRIS_ADDRESS_H

#include "tigris.h"

/* The port whose memory port `index` uses in this run: the other one of a state whose ports are
 * swapped. */
#if TIGRIS_STATES
uint32_t tigris_place_of(const tigris_context* ctx, uint32_t index);
#else
#define tigris_place_of(ctx, index) (index)
#endif

/* The address of an interval in a tigris_pool (not TILE or ABSENT) for a use that reads or writes
 * `moved` bytes of it. Counts the memory and, if it is slow, the traffic. NULL if the dynamic arena
 * does not hold the interval. */
uint8_t* tigris_address(tigris_context* ctx, uint32_t pool, uint32_t offset, uint32_t bytes,
                        uint32_t moved, int isWrite);

/* The same accounting for slow memory beyond the plan's: counts bytes up to offset `end` as
 * overflow. */
void tigris_count_overflow(tigris_context* ctx, uint32_t end, uint32_t moved, int isWrite);

#endif /* TIGRIS_ADDRESS_H */
