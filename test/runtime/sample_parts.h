/* The samples, and the functions that their builders share. */
#ifndef TIGRIS_TEST_SAMPLE_PARTS_H
#define TIGRIS_TEST_SAMPLE_PARTS_H

#include "plan_builder.h"

/* All samples in the order of their indices; each is a function of the name after `sample`. */
#define SAMPLES(SAMPLE)                                                                            \
  SAMPLE(Integers)                                                                                 \
  SAMPLE(Floats)                                                                                   \
  SAMPLE(Indices)                                                                                  \
  SAMPLE(Packed)                                                                                   \
  SAMPLE(Tiled)                                                                                    \
  SAMPLE(Searches)                                                                                 \
  SAMPLE(Recurrent)                                                                                \
  SAMPLE(Sums)                                                                                     \
  SAMPLE(Stripes)                                                                                  \
  SAMPLE(ReusedRows)                                                                               \
  SAMPLE(VendorLimits)                                                                             \
  SAMPLE(Copied)                                                                                   \
  SAMPLE(ReducedRows)                                                                              \
  SAMPLE(Sequences)                                                                                \
  SAMPLE(Micro)

#define DECLARE_SAMPLE(name) uint8_t* sample##name(Builder* b, uint32_t* size);
SAMPLES(DECLARE_SAMPLE)
#undef DECLARE_SAMPLE

/* Begins a plan with more scratch than any backend needs here, so that it also runs in less
 * memory. */
void beginPlan(Builder* b, uint32_t ioMode);
/* Offset of `n` equal multipliers and shifts, at most 5. */
uint32_t oneRequant(Builder* b, uint32_t n);
/* builderDense with `pairs` of them, and as many zero points. */
void denseConstants(Builder* b, uint32_t pairs, uint32_t zeros);
/* Activations of shape [1, h, w, c]. */
int s8(Builder* b, int32_t h, int32_t w, int32_t c);
int f32(Builder* b, int32_t h, int32_t w, int32_t c);
/* A window of 3x3 around each element. */
tigris_conv_params convParams(Builder* b, int isFloat, int32_t groups, uint32_t channels);
/* A window of 2x2, without overlap. */
tigris_pool_params poolParams(void);

#endif /* TIGRIS_TEST_SAMPLE_PARTS_H */
