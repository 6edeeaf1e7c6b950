/* int8 convolutions and products of lines, with weights packed per block of channels and patches of
 * six pixels.
 *
 * The weights of a block are packed once per call, with TAPS taps of each channel adjacent, so that
 * a multiply-add of one register serves HOST_LANES channels with the same inputs. Byte products
 * take unsigned inputs, which are 128 too large; the sums of the weights correct for that and for
 * the zero point. */
#include "kernels/kernels.h"
#include "requant_s8.h"
#include "walk.h"

/* Longest window: 9 * 512 channels; longer ones run on the reference kernels. */
#define MAX_TAPS 4608u
#define PIXELS 6u
/* Minimum number of lines of a dense layer for which packing its weights pays off. */
#define MIN_LINES 4u

#if defined(__AVX512VNNI__)
#define TAPS 4u
typedef uint8_t Input;
typedef int8_t Weight;
#define INPUT_OFFSET 128
#elif defined(__AVX2__)
#define TAPS 2u
typedef int16_t Input;
typedef int16_t Weight;
#else
#define TAPS 1u
typedef int16_t Input;
typedef int16_t Weight;
#endif

typedef struct Packed {
  Requant requant;
  uint32_t groups; /* number of groups of TAPS taps */
  Weight weights[(MAX_TAPS + TAPS) * HOST_BLOCK];
} Packed;

/* Inputs of the current pixels, `step` apart; taps beyond the last one are 0. */
typedef struct Patches {
  uint32_t taps;
  uint32_t step;
  Input values[PIXELS * (MAX_TAPS + TAPS)];
} Patches;

static inline Sums multiplyAdd(Sums sum, const Input* x, const Weight* w) {
#if defined(__AVX512VNNI__)
  int32_t four;
  memcpy(&four, x, sizeof four);
  return (Sums)_mm512_dpbusd_epi32((__m512i)sum, _mm512_set1_epi32(four),
                                   _mm512_loadu_si512((const void*)w));
#elif defined(__AVX2__)
  int32_t two;
  memcpy(&two, x, sizeof two);
  return sum + (Sums)_mm256_madd_epi16(_mm256_set1_epi32(two),
                                       _mm256_loadu_si256((const __m256i*)(const void*)w));
#else
  typedef int16_t Shorts __attribute__((vector_size(HOST_LANES * 2)));
  Shorts v;
  memcpy(&v, w, sizeof v);
  return sum + __builtin_convertvector(v, Sums) * (int32_t)*x;
#endif
}

/* sum[p] for `pixels` patches; `pixels` is a constant where this is inlined. */
static inline __attribute__((always_inline)) void tile(const Packed* packed, const Patches* patches,
                                                       uint32_t first, int pixels, Sums (*out)[2]) {
  Sums sum[PIXELS][2];
  const Input* x = patches->values + (size_t)first * patches->step;
  const Weight* w = packed->weights;
  uint32_t g;
  int p;
  UNROLL
  for (p = 0; p < pixels; ++p)
    sum[p][0] = sum[p][1] = (Sums){0};
  for (g = 0; g < packed->groups; ++g) {
    UNROLL
    for (p = 0; p < pixels; ++p) {
      const Input* at = x + (size_t)(uint32_t)p * patches->step;
      sum[p][0] = multiplyAdd(sum[p][0], at, w);
      sum[p][1] = multiplyAdd(sum[p][1], at, w + HOST_LANES * TAPS);
    }
    x += TAPS;
    w += HOST_BLOCK * TAPS;
  }
  UNROLL
  for (p = 0; p < pixels; ++p) {
    out[first + (uint32_t)p][0] = sum[p][0];
    out[first + (uint32_t)p][1] = sum[p][1];
  }
}

static void tiles(const Packed* packed, const Patches* patches, uint32_t pixels, Sums (*sum)[2]) {
  uint32_t p = 0;
  if (pixels == 6) {
    tile(packed, patches, 0, 6, sum);
    return;
  }
  for (; pixels - p >= 3; p += 3)
    tile(packed, patches, p, 3, sum);
  for (; pixels - p >= 2; p += 2)
    tile(packed, patches, p, 2, sum);
  for (; p < pixels; ++p)
    tile(packed, patches, p, 1, sum);
}

/* Stores the weights of one channel, TAPS at a time, at every HOST_BLOCK * TAPS-th position; 0
 * after the last tap. */
static void packChannel(Weight* to, const int8_t* from, uint32_t taps) {
  uint32_t t;
  uint32_t k;
  for (t = 0; t + TAPS <= taps; t += TAPS, to += HOST_BLOCK * TAPS) {
    Weight group[TAPS];
    for (k = 0; k < TAPS; ++k)
      group[k] = from[t + k];
    memcpy(to, group, sizeof group);
  }
  for (k = 0; t < taps && k < TAPS; ++k)
    to[k] = t + k < taps ? from[t + k] : 0;
}

/* Packs the weights of channels [first, first + n). `w` points to those of channel `first`;
 * `filter` bytes separate channels and `tap` bytes separate taps. */
static void pack(Packed* packed, const tigris_dense_s8* d, const int8_t* w, size_t filter,
                 size_t tap, uint32_t taps, uint32_t first, uint32_t n) {
  int8_t line[MAX_TAPS];
  uint32_t c;
  packed->groups = (taps + TAPS - 1) / TAPS;
  requantInit(&packed->requant, d, first, n);
  if (n < HOST_BLOCK)
    memset(packed->weights, 0, (size_t)packed->groups * HOST_BLOCK * TAPS * sizeof(Weight));
  for (c = 0; c < n; ++c) {
    const int8_t* from = w + c * filter;
    uint32_t t;
    if (tap != 1) {
      for (t = 0; t < taps; ++t)
        line[t] = from[t * tap];
      from = line;
    }
    packChannel(packed->weights + (size_t)c * TAPS, from, taps);
#if defined(INPUT_OFFSET)
    {
      int32_t sum = 0;
      for (t = 0; t < taps; ++t)
        sum += from[t];
      packed->requant.offset[c / HOST_LANES][c % HOST_LANES] =
          (int32_t)((uint32_t)packed->requant.offset[c / HOST_LANES][c % HOST_LANES] -
                    (uint32_t)(d->in_zero + INPUT_OFFSET) * (uint32_t)sum);
    }
#endif
  }
}

/* Stores n inputs from x, or n real zeros if x is NULL. */
static inline void put(Input* to, const int8_t* x, int32_t zero, uint32_t n) {
  uint32_t i;
#if defined(INPUT_OFFSET)
  if (x == NULL) {
    memset(to, zero + INPUT_OFFSET, n);
    return;
  }
  for (i = 0; i < n; i += 64) { /* runs are often shorter than a register */
    const __mmask64 mask = n - i >= 64 ? ~(__mmask64)0 : ((__mmask64)1 << (n - i)) - 1;
    const __m512i v = _mm512_maskz_loadu_epi8(mask, (const void*)(x + i));
    _mm512_mask_storeu_epi8((void*)(to + i), mask, _mm512_xor_si512(v, _mm512_set1_epi8(-128)));
  }
#else
  if (x == NULL) {
    memset(to, 0, n * sizeof *to);
    return;
  }
  for (i = 0; i < n; ++i)
    to[i] = (Input)(x[i] - zero);
#endif
}

static void startPatches(Patches* patches, uint32_t taps) {
  patches->taps = taps;
  patches->step = (taps + TAPS - 1) / TAPS * TAPS;
  memset(patches->values, 0, PIXELS * patches->step * sizeof(Input));
}

/* Sum of a patch's inputs minus their zero point. */
static uint32_t sumOf(const Patches* patches, uint32_t pixel, int32_t zero) {
  const Input* x = patches->values + (size_t)pixel * patches->step;
  uint32_t i;
  int32_t sum = 0;
  for (i = 0; i < patches->taps; ++i)
    sum += x[i];
#if defined(INPUT_OFFSET)
  sum -= (int32_t)patches->taps * (zero + INPUT_OFFSET);
#else
  (void)zero;
#endif
  return (uint32_t)sum;
}

/* Channels [first, first + n) of the pixels. y points to channel 0 of the first pixel; pixels are
 * `step` bytes apart. */
static void compute(const Packed* packed, const Patches* patches, const tigris_dense_s8* d,
                    uint32_t pixels, uint32_t first, uint32_t n, int8_t* y, size_t step) {
  Sums sum[PIXELS][2];
  uint32_t p;
  tiles(packed, patches, pixels, sum);
  for (p = 0; p < pixels; ++p)
    requantStore(&packed->requant, sum[p], d->zeros == NULL ? 0 : sumOf(patches, p, d->in_zero), n,
                 y + p * step + first);
}

/* ---- convolution */

typedef struct ConvS8 {
  const tigris_call* call;
  const tigris_conv_params* p;
  tigris_dense_s8 dense;
  tigris_shape4 in;
  tigris_shape4 out;
  uint32_t groupIn;
  int isPointwise;
  int32_t run;  /* taps that are contiguous in the input */
  int32_t runs; /* per kernel row */
} ConvS8;

/* The patch of the pixel whose first tap is at `row` (of the batch that starts at `batchRow`) and
 * `column`. */
static void gather(const ConvS8* k, uint32_t batchRow, int32_t row, int32_t column,
                   uint32_t inStart, Input* to) {
  const int32_t width = k->in.w * k->in.c;
  const int32_t zero = k->dense.in_zero;
  int32_t ky;
  int32_t kx;
  for (ky = 0; ky < k->p->kernel_h; ++ky, row += k->p->dilation_h) {
    const int8_t* x;
    if (row < 0 || row >= k->in.h) {
      put(to, NULL, zero, (uint32_t)(k->run * k->runs));
      to += k->run * k->runs;
      continue;
    }
    x = tigris_row_s8(&k->call->in[0], batchRow + (uint32_t)row);
    for (kx = 0; kx < k->runs; ++kx, to += k->run) {
      const int32_t at = tigris_clamp_s32(column + kx * k->p->dilation_w, -k->p->kernel_w, k->in.w);
      const int32_t start = at * k->in.c + (int32_t)inStart;
      const int32_t before = start >= 0 ? 0 : (start < -k->run ? k->run : -start);
      const int32_t left = width - start - before;
      const int32_t most = k->run - before;
      const int32_t inside = left < 0 ? 0 : (left < most ? left : most);
      if (inside < k->run)
        put(to, NULL, zero, (uint32_t)k->run);
      if (inside > 0)
        put(to + before, x + start + before, zero, (uint32_t)inside);
    }
  }
}

/* All pixels of the call, channels [first, first + n) of one group. */
static void block(const ConvS8* k, const Packed* packed, Patches* patches, uint32_t inStart,
                  uint32_t first, uint32_t n) {
  const tigris_view* out = &k->call->out[0];
  const int8_t* in = (const int8_t*)(const void*)k->call->in[0].data;
  const uint32_t width = (uint32_t)k->out.w * (k->isPointwise ? out->rows : 1);
  uint32_t r;
  for (r = out->first; r < out->first + (k->isPointwise ? 1 : out->rows); ++r) {
    const uint32_t batchRow = r / (uint32_t)k->out.h * (uint32_t)k->in.h;
    const int32_t row = (int32_t)(r % (uint32_t)k->out.h) * k->p->stride_h - k->p->pad_top;
    int8_t* y = (int8_t*)(void*)tigris_row(out, r);
    uint32_t x;
    uint32_t pixels;
    for (x = 0; x < width; x += pixels) {
      uint32_t p;
      pixels = width - x < PIXELS ? width - x : PIXELS;
      for (p = 0; p < pixels; ++p) {
        Input* to = patches->values + (size_t)p * patches->step;
        if (k->isPointwise)
          put(to, in + (size_t)(x + p) * (uint32_t)k->in.c + inStart, k->dense.in_zero, k->groupIn);
        else
          gather(k, batchRow, row, (int32_t)(x + p) * k->p->stride_w - k->p->pad_left, inStart, to);
      }
      compute(packed, patches, &k->dense, pixels, first, n, y + (size_t)x * (uint32_t)k->out.c,
              (uint32_t)k->out.c);
    }
  }
}

/* Also computes depthwise convolutions of one input channel, whose weights are [KH, KW, O]. */
tigris_status TIGRIS_HOST_NAME(tigris_host_conv_s8)(const tigris_call* call) {
  const int isDepthwise = call->op->opcode == TIGRIS_OP_DEPTHWISE_CONV;
  const tigris_conv_params* p = (const tigris_conv_params*)call->params;
  const int8_t* weights = (const int8_t*)(const void*)call->in[1].data;
  Packed packed;
  Patches patches;
  ConvS8 k;
  uint32_t groupOut;
  size_t filter;
  size_t channelStep;
  size_t tapStep;
  uint32_t g;
  k.call = call;
  k.p = p;
  k.dense = tigris_dense_of(call, p->channel, p->lo.i, p->hi.i);
  k.in = tigris_view_shape(&call->in[0]);
  k.out = tigris_view_shape(&call->out[0]);
  k.groupIn = (uint32_t)(k.in.c / p->groups);
  groupOut = (uint32_t)(k.out.c / p->groups);
  filter = (size_t)(uint32_t)p->kernel_h * (uint32_t)p->kernel_w * k.groupIn;
  if (filter > MAX_TAPS || !multipliersOk(&k.dense, (uint32_t)k.out.c))
    return isDepthwise ? tigris_depthwise_conv_s8(call) : tigris_conv_s8(call);
  channelStep = isDepthwise ? 1 : filter;
  tapStep = isDepthwise ? tigris_weight_row(call) : 1;
  k.runs = p->groups == 1 && p->dilation_w == 1 ? 1 : p->kernel_w;
  k.run = (int32_t)k.groupIn * (k.runs == 1 ? p->kernel_w : 1);
  k.isPointwise = call->out[0].rows != 0 && tigris_host_isPointwise(call, p);
  startPatches(&patches, (uint32_t)filter);
  for (g = 0; g < (uint32_t)p->groups; ++g) {
    const uint32_t past = (g + 1) * groupOut;
    uint32_t o;
    for (o = g * groupOut; o < past; o += HOST_BLOCK) {
      const uint32_t n = past - o < HOST_BLOCK ? past - o : HOST_BLOCK;
      pack(&packed, &k.dense, weights + o * channelStep, channelStep, tapStep, (uint32_t)filter, o,
           n);
      block(&k, &packed, &patches, g * k.groupIn, o, n);
    }
  }
  return TIGRIS_OK;
}

/* ---- dense layer */

tigris_status TIGRIS_HOST_NAME(tigris_host_fully_connected_s8)(const tigris_call* call) {
  const tigris_fc_params* p = (const tigris_fc_params*)call->params;
  const int32_t* dims = call->in[1].dims;
  const uint32_t n = (uint32_t)dims[0];
  const uint32_t taps = (uint32_t)dims[1];
  const int8_t* weights = (const int8_t*)(const void*)call->in[1].data;
  const tigris_dense_s8 dense = tigris_dense_of(call, p->channel, p->lo.i, p->hi.i);
  const tigris_span span = tigris_span_of(&call->out[0]);
  const uint32_t past = (span.begin + span.count) / n;
  Packed packed;
  Patches patches;
  uint32_t o;
  if (span.count / n < MIN_LINES || taps > MAX_TAPS || !multipliersOk(&dense, n))
    return tigris_fully_connected_s8(call);
  startPatches(&patches, taps);
  for (o = 0; o < n; o += HOST_BLOCK) {
    const uint32_t channels = n - o < HOST_BLOCK ? n - o : HOST_BLOCK;
    uint32_t m;
    uint32_t lines;
    pack(&packed, &dense, weights + (size_t)o * taps, taps, 1, taps, o, channels);
    for (m = span.begin / n; m < past; m += lines) {
      const int8_t* x = (const int8_t*)(const void*)tigris_element(&call->in[0], m * taps, 1);
      uint32_t i;
      lines = past - m < PIXELS ? past - m : PIXELS;
      for (i = 0; i < lines; ++i)
        put(patches.values + (size_t)i * patches.step, x + (size_t)i * taps, dense.in_zero, taps);
      compute(&packed, &patches, &dense, lines, o, channels,
              (int8_t*)(void*)tigris_element(&call->out[0], m * n, 1), n);
    }
  }
  return TIGRIS_OK;
}
