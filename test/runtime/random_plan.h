/* Random plans with reused addresses: several stages, spills and loads, in-place ops, views,
 * slow operands. */
#ifndef TIGRIS_TEST_RANDOM_PLAN_H
#define TIGRIS_TEST_RANDOM_PLAN_H

#include "plan_builder.h"

/* A float plan of about `ops` ops; 1 to 3 inputs and outputs. Free the builder and the plan. */
uint8_t* randomPlan(Builder* b, uint32_t ioMode, int ops, uint32_t* size);

#endif /* TIGRIS_TEST_RANDOM_PLAN_H */
