/* Separable resampling of H and W by tables of positions and weights. */
#include <string.h>

#include "fixed_point.h"
#include "kernels.h"
#include "resize_axis.h"
#include "walk.h"

#define BLOCK 32

#define MOST_TAPS 4

/* What one output position of an axis reads. */
typedef struct Taps {
  const tigris_resize_axis* axis;
  const int32_t* ints;
  int32_t size; /* source positions of the whole tensor */
  uint32_t count;
  uint32_t at[MOST_TAPS]; /* in the input view */
  const int32_t* weight;  /* NULL without weights */
} Taps;

typedef struct Resize {
  const tigris_call* call;
  uint32_t channels;
  Taps h; /* of the current row and pixel */
  Taps w;
  uint32_t batchRow;
} Resize;

static Taps tapsOf(const tigris_resize_axis* axis, const int32_t* ints, int32_t size) {
  Taps taps;
  memset(&taps, 0, sizeof taps);
  taps.axis = axis;
  taps.ints = ints;
  taps.size = size;
  taps.count = axis->taps;
  return taps;
}

static void moveTo(Taps* taps, uint32_t o) {
  const tigris_resize_axis* axis = taps->axis;
  const int32_t first = tigris_resize_first(axis, taps->ints + axis->first, (int32_t)o);
  uint32_t k;
  for (k = 0; k < taps->count; ++k)
    taps->at[k] = (uint32_t)(tigris_resize_inside(first + (int32_t)k, taps->size) - axis->origin);
  if (axis->weight != TIGRIS_NONE)
    taps->weight =
        taps->ints + axis->weight + ((uint32_t)axis->begin + o) % axis->period * taps->count;
}

static const uint8_t* tapAt(const Resize* k, uint32_t th, uint32_t tw, uint32_t size) {
  return tigris_row(&k->call->in[0], k->batchRow + k->h.at[th]) +
         (size_t)k->w.at[tw] * k->channels * size;
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
  for (th = 0; th < k->h.count; ++th) {
    for (tw = 0; tw < k->w.count; ++tw) {
      const float weight = asFloat(k->h.weight[th]) * asFloat(k->w.weight[tw]);
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
  const int64_t whole = (int64_t)sumOf(k->h.weight, k->h.count) * sumOf(k->w.weight, k->w.count);
  uint32_t c;
  for (c = 0; c < k->channels; ++c) {
    int64_t sum = 0;
    uint32_t th;
    uint32_t tw;
    for (th = 0; th < k->h.count; ++th) {
      for (tw = 0; tw < k->w.count; ++tw) {
        const int8_t* x = (const int8_t*)(const void*)tapAt(k, th, tw, 1);
        sum += (int64_t)(k->h.weight[th] * k->w.weight[tw]) * (x[c] - zero);
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
    for (th = 0; th < k->h.count; ++th) {
      for (tw = 0; tw < k->w.count; ++tw) {
        const int32_t weight = k->h.weight[th] * k->w.weight[tw];
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
  const tigris_plan* plan = call->plan;
  const tigris_view* out = &call->out[0];
  const tigris_shape4 si = tigris_view_shape(&call->in[0]);
  const tigris_shape4 so = tigris_view_shape(out);
  const tigris_shape4 whole = tigris_shape4_of(plan, call->in[0].tensor);
  Resize k;
  uint32_t r;
  k.call = call;
  k.channels = (uint32_t)so.c;
  k.h = tapsOf(&p->h, plan->ints, whole.h);
  k.w = tapsOf(&p->w, plan->ints, whole.w);
  for (r = out->first; r < out->first + out->rows; ++r) {
    uint8_t* y = tigris_row(out, r);
    uint32_t x;
    k.batchRow = r / (uint32_t)so.h * (uint32_t)si.h;
    moveTo(&k.h, r % (uint32_t)so.h);
    for (x = 0; x < (uint32_t)so.w; ++x) {
      moveTo(&k.w, x);
      if (p->h.weight == TIGRIS_NONE)
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
