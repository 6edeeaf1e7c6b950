/* Separable resampling of H and W by index and weight tables. */
#include <string.h>

#include "fixed_point.h"
#include "kernels.h"
#include "walk.h"

#define BLOCK 32

typedef struct Resize {
  const tigris_call* call;
  const tigris_resize_params* p;
  uint32_t channels;
  const int32_t* hIndex;  /* tables of the current row and pixel */
  const int32_t* hWeight; /* NULL without weights */
  const int32_t* wIndex;
  const int32_t* wWeight;
  uint32_t batchRow;
} Resize;

static const uint8_t* tapAt(const Resize* k, uint32_t th, uint32_t tw, uint32_t size) {
  return tigris_row(&k->call->in[0], k->batchRow + (uint32_t)(k->hIndex[th] - k->p->h_origin)) +
         (size_t)(uint32_t)(k->wIndex[tw] - k->p->w_origin) * k->channels * size;
}

static void nearestPixel(const Resize* k, uint8_t* y, uint32_t size) {
  memcpy(y, tapAt(k, 0, 0, size), (size_t)k->channels * size);
}

static float asFloat(int32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static void weightedPixelF32(const Resize* k, uint8_t* bytes) {
  float* y = (float*)(void*)bytes;
  uint32_t th;
  uint32_t tw;
  uint32_t c;
  for (c = 0; c < k->channels; ++c)
    y[c] = 0.0f;
  for (th = 0; th < k->p->h_taps; ++th) {
    for (tw = 0; tw < k->p->w_taps; ++tw) {
      const float weight = asFloat(k->hWeight[th]) * asFloat(k->wWeight[tw]);
      const float* x = (const float*)(const void*)tapAt(k, th, tw, 4);
      for (c = 0; c < k->channels; ++c)
        y[c] += weight * x[c];
    }
  }
}

static int32_t sumOf(const int32_t* weights, uint32_t taps) {
  int32_t sum = 0;
  while (taps != 0)
    sum += weights[--taps];
  return sum;
}

/* With TIGRIS_ROUND_EVEN. */
static void evenPixelS8(const Resize* k, uint8_t* bytes) {
  int8_t* y = (int8_t*)(void*)bytes;
  const int32_t zero = tigris_zero_point(k->call->plan, k->call->out[0].tensor);
  const int64_t whole = (int64_t)sumOf(k->hWeight, k->p->h_taps) * sumOf(k->wWeight, k->p->w_taps);
  uint32_t c;
  for (c = 0; c < k->channels; ++c) {
    int64_t sum = 0;
    uint32_t th;
    uint32_t tw;
    for (th = 0; th < k->p->h_taps; ++th) {
      for (tw = 0; tw < k->p->w_taps; ++tw) {
        const int8_t* x = (const int8_t*)(const void*)tapAt(k, th, tw, 1);
        sum += (int64_t)(k->hWeight[th] * k->wWeight[tw]) * (x[c] - zero);
      }
    }
    y[c] = (int8_t)tigris_clamp_s64(tigris_divide_even(sum, whole) + zero, -128, 127);
  }
}

static void weightedPixelS8(const Resize* k, uint8_t* bytes) {
  int8_t* y = (int8_t*)(void*)bytes;
  uint32_t first;
  uint32_t n;
  for (first = 0; first < k->channels; first += n) {
    int32_t sum[BLOCK] = {0};
    uint32_t th;
    uint32_t tw;
    uint32_t c;
    n = k->channels - first < BLOCK ? k->channels - first : BLOCK;
    for (th = 0; th < k->p->h_taps; ++th) {
      for (tw = 0; tw < k->p->w_taps; ++tw) {
        const int32_t weight = k->hWeight[th] * k->wWeight[tw];
        const int8_t* x = (const int8_t*)(const void*)tapAt(k, th, tw, 1) + first;
        for (c = 0; c < n; ++c)
          sum[c] += weight * x[c];
      }
    }
    for (c = 0; c < n; ++c) {
      const int32_t half = 1 << 19;
      const int32_t v = (sum[c] > 0 ? sum[c] + half : sum[c] - half) / (1 << 20);
      y[first + c] = (int8_t)tigris_clamp_s32(v, -128, 127);
    }
  }
}

static void resize(const tigris_call* call, uint32_t size) {
  const tigris_resize_params* p = (const tigris_resize_params*)call->params;
  const tigris_view* out = &call->out[0];
  const tigris_shape4 si = tigris_view_shape(&call->in[0]);
  const tigris_shape4 so = tigris_view_shape(out);
  const int32_t* ints = call->plan->ints;
  const int weighted = p->h_weight != TIGRIS_NONE;
  Resize k;
  uint32_t r;
  memset(&k, 0, sizeof k);
  k.call = call;
  k.p = p;
  k.channels = (uint32_t)so.c;
  for (r = out->first; r < out->first + out->rows; ++r) {
    const uint32_t row = r % (uint32_t)so.h * p->h_taps;
    uint8_t* y = tigris_row(out, r);
    uint32_t x;
    k.batchRow = r / (uint32_t)so.h * (uint32_t)si.h;
    k.hIndex = ints + p->h_index + row;
    k.hWeight = weighted ? ints + p->h_weight + row : NULL;
    for (x = 0; x < (uint32_t)so.w; ++x) {
      k.wIndex = ints + p->w_index + x * p->w_taps;
      k.wWeight = weighted ? ints + p->w_weight + x * p->w_taps : NULL;
      if (!weighted)
        nearestPixel(&k, y, size);
      else if (size == 4)
        weightedPixelF32(&k, y);
      else if (tigris_rounds_even(call->op))
        evenPixelS8(&k, y);
      else
        weightedPixelS8(&k, y);
      y += (size_t)k.channels * size;
    }
  }
}

tigris_status tigris_resize_f32(const tigris_call* call) {
  resize(call, 4);
  return TIGRIS_OK;
}

/* Nearest only: without weights elements are copied. */
tigris_status tigris_resize_s16(const tigris_call* call) {
  resize(call, 2);
  return TIGRIS_OK;
}

tigris_status tigris_resize_s8(const tigris_call* call) {
  resize(call, 1);
  return TIGRIS_OK;
}
