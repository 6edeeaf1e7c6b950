/* Vectors of int32 sums and their requantization to int8, with exactly the rounding of
 * fixed_point.h. Sums wrap. */
#ifndef TIGRIS_HOST_REQUANT_S8_H
#define TIGRIS_HOST_REQUANT_S8_H

#include "kernels/dense_s8.h"
#include "vectors.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__AVX512VNNI__)
#define HOST_LANES 16
#elif defined(__AVX2__)
#define HOST_LANES 8
#else
#define HOST_LANES 4
#endif
/* Channels of a block. */
#define HOST_BLOCK (2 * HOST_LANES)

typedef int32_t Sums __attribute__((vector_size(HOST_LANES * 4)));

typedef struct Requant {
  Sums offset[2]; /* bias and the correction for zero points */
  Sums zero[2];   /* zero points of the weights */
  Sums multiplier[2];
  Sums left[2];
  Sums right[2];
  Sums mask[2]; /* mask of the bits that the right shift drops */
  int32_t outZero;
  int32_t lo;
  int32_t hi;
} Requant;

/* 0 if a multiplier is negative: such a plan runs on the reference kernels. */
static inline int multipliersOk(const tigris_dense_s8* d, uint32_t channels) {
  uint32_t c;
  for (c = 0; c < channels; ++c) {
    if (d->multiplier[c * d->requant_step] < 0)
      return 0;
  }
  return 1;
}

/* For channels [first, first + n); lanes from n on are undefined. */
static inline void requantInit(Requant* q, const tigris_dense_s8* d, uint32_t first, uint32_t n) {
  uint32_t c;
  for (c = 0; c < HOST_BLOCK; ++c) {
    const uint32_t o = first + (c < n ? c : 0);
    const uint32_t v = c / HOST_LANES;
    const uint32_t i = c % HOST_LANES;
    const int32_t shift = d->shift[o * d->shift_step];
    q->offset[v][i] = d->bias == NULL ? 0 : d->bias[o];
    q->zero[v][i] = d->zeros == NULL ? 0 : d->zeros[o * d->zeros_step];
    q->multiplier[v][i] = d->multiplier[o * d->requant_step];
    q->left[v][i] = shift > 0 ? shift : 0;
    q->right[v][i] = shift > 0 ? 0 : -shift;
    q->mask[v][i] = (int32_t)((UINT32_C(1) << q->right[v][i]) - 1u);
  }
  q->outZero = d->out_zero;
  q->lo = d->lo;
  q->hi = d->hi;
}

static inline Sums widen(const int8_t* x) {
#if defined(__AVX512VNNI__)
  return (Sums)_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i*)(const void*)x));
#elif defined(__AVX2__)
  return (Sums)_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i*)(const void*)x));
#else
  typedef int8_t Bytes __attribute__((vector_size(HOST_LANES), aligned(1), may_alias));
  return __builtin_convertvector(*(const Bytes*)(const void*)x, Sums);
#endif
}

/* Stores values that fit int8. */
static inline void narrow(int8_t* to, Sums v) {
#if defined(__AVX512VNNI__)
  _mm_storeu_si128((__m128i*)(void*)to, _mm512_cvtepi32_epi8((__m512i)v));
#elif defined(__AVX2__)
  const __m256i words = _mm256_packs_epi32((__m256i)v, (__m256i)v);
  const __m256i bytes = _mm256_packs_epi16(words, words);
  const int32_t halves[2] = {_mm256_extract_epi32(bytes, 0), _mm256_extract_epi32(bytes, 4)};
  memcpy(to, halves, sizeof halves);
#else
  int c;
  for (c = 0; c < HOST_LANES; ++c)
    to[c] = (int8_t)v[c];
#endif
}

/* tigris_high_mul for m >= 0. */
static inline Sums highMul(Sums x, Sums m) {
#if defined(__AVX512VNNI__)
  const __m512i nudge = _mm512_set1_epi64(INT64_C(1) << 30);
  const __m512i even = _mm512_add_epi64(_mm512_mul_epi32((__m512i)x, (__m512i)m), nudge);
  const __m512i odd = _mm512_add_epi64(
      _mm512_mul_epi32(_mm512_srli_epi64((__m512i)x, 32), _mm512_srli_epi64((__m512i)m, 32)),
      nudge);
  return (Sums)_mm512_mask_blend_epi32(0xAAAA, _mm512_srli_epi64(even, 31),
                                       _mm512_slli_epi64(odd, 1));
#elif defined(__AVX2__)
  const __m256i nudge = _mm256_set1_epi64x(INT64_C(1) << 30);
  const __m256i even = _mm256_add_epi64(_mm256_mul_epi32((__m256i)x, (__m256i)m), nudge);
  const __m256i odd = _mm256_add_epi64(
      _mm256_mul_epi32(_mm256_srli_epi64((__m256i)x, 32), _mm256_srli_epi64((__m256i)m, 32)),
      nudge);
  return (Sums)_mm256_blend_epi32(_mm256_srli_epi64(even, 31), _mm256_slli_epi64(odd, 1), 0xAA);
#else
  Sums result;
  int c;
  for (c = 0; c < HOST_LANES; ++c)
    result[c] = tigris_high_mul(x[c], m[c]);
  return result;
#endif
}

static inline Sums clampSums(Sums v, int32_t lo, int32_t hi) {
  const Sums least = (Sums){0} + lo;
  const Sums most = (Sums){0} + hi;
  v = SELECT(Sums, v < least, least, v);
  return SELECT(Sums, v > most, most, v);
}

/* tigris_requantize for m >= 0; mask: the bits that `right` shifts out. */
static inline Sums scaleSums(Sums x, Sums m, Sums left, Sums right, Sums mask) {
  const Sums high = highMul(x << left, m);
  const Sums half = (mask >> 1) - (high < 0); /* a true comparison is -1 */
  return (high >> right) - ((high & mask) > half);
}

/* Converts sums of one vector of channels to values in lo..hi. */
static inline Sums requantize(const Requant* q, uint32_t v, Sums sum, uint32_t inputSum) {
  sum += q->offset[v] - q->zero[v] * (int32_t)inputSum;
  sum = scaleSums(sum, q->multiplier[v], q->left[v], q->right[v], q->mask[v]);
  return clampSums(sum + q->outZero, q->lo, q->hi);
}

/* Stores output channels [0, n) of a pixel; inputSum is the sum of its inputs minus their zero
 * point. */
static inline void requantStore(const Requant* q, const Sums* sum, uint32_t inputSum, uint32_t n,
                                int8_t* y) {
  int8_t out[HOST_BLOCK];
  int8_t* to = n == HOST_BLOCK ? y : out;
  narrow(to, requantize(q, 0, sum[0], inputSum));
  narrow(to + HOST_LANES, requantize(q, 1, sum[1], inputSum));
  if (to == out)
    memcpy(y, out, n);
}

#endif /* TIGRIS_HOST_REQUANT_S8_H */
