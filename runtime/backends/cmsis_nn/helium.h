/* Products of int8 rows with int8 filters for Helium, three rows with two filters at a time. They
 * are faster than CMSIS-NN's.
 *
 * CMSIS-NN sums the weights of each filter again for every four rows, to correct for the zero point
 * of the input. Here that is done once per call (tigris_mve_fold), and requantization works on four
 * outputs at a time. Accumulators wrap modulo 2^32 like the reference's. With the C version, a host
 * can test everything except the instructions (TIGRIS_CMSIS_NN_EMULATE_MVE). */
#ifndef TIGRIS_CMSIS_NN_HELIUM_H
#define TIGRIS_CMSIS_NN_HELIUM_H

#include <stddef.h>
#include <stdint.h>

#if (defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 1)) || defined(TIGRIS_CMSIS_NN_EMULATE_MVE)
#define TIGRIS_CMSIS_NN_OWN_MVE 1

#define TIGRIS_MVE_ROWS 3u

typedef struct tigris_mve_product {
  const int8_t* weights; /* [outputs][depth] */
  /* written by tigris_mve_fold; like the next two, one per output */
  int32_t* bias;
  const int32_t* multiplier; /* Q0.31 */
  const int32_t* shift;      /* > 0: left */
  uint32_t depth;
  uint32_t outputs;
  int32_t out_zero;
  int32_t lo; /* output bounds */
  int32_t hi;
} tigris_mve_product;

typedef struct tigris_mve_folding {
  int32_t zero;        /* zero point of the input */
  const int32_t* bias; /* NULL: none */
} tigris_mve_folding;

/* p->bias[o] = bias[o] - zero * (sum of filter o). */
void tigris_mve_fold(const tigris_mve_product* p, const tigris_mve_folding* f);

/* memcpy without the call overhead. */
void tigris_mve_copy(int8_t* to, const int8_t* from, uint32_t bytes);

/* Computes the outputs of at most TIGRIS_MVE_ROWS rows x[0] .. x[rows - 1] of `depth` values each,
 * stored row after row at y. With `f` there are two rows, and the third lane computes
 * tigris_mve_fold. */
void tigris_mve_rows(const tigris_mve_product* p, const int8_t* const x[TIGRIS_MVE_ROWS],
                     uint32_t rows, const tigris_mve_folding* f, int8_t* y);

#endif

#endif /* TIGRIS_CMSIS_NN_HELIUM_H */
