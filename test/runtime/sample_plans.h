/* Small plans with many opcodes, for tests of damaged bytes. */
#ifndef TIGRIS_TEST_SAMPLE_PLANS_H
#define TIGRIS_TEST_SAMPLE_PLANS_H

#include "plan_builder.h"

/* Builds sample `index` in `b` and finishes it; NULL if there is no such sample. */
uint8_t* samplePlan(Builder* b, uint32_t index, uint32_t* size);

#endif /* TIGRIS_TEST_SAMPLE_PLANS_H */
