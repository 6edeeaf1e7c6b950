/* The table of samples, and what their builders share. */
#include "sample_plans.h"

#include <math.h>
#include <string.h>

#include "sample_parts.h"

void beginPlan(Builder* b, uint32_t ioMode) {
  builderInit(b, ioMode);
  b->summary.scratch_bytes = 5000;
}

static const int32_t multipliers[] = {1518500250, 1518500250, 1518500250, 1518500250, 1518500250};
static const int32_t shifts[] = {-7, -7, -7, -7, -7};

uint32_t oneRequant(Builder* b, uint32_t n) { return builderRequant(b, multipliers, shifts, n); }

void denseConstants(Builder* b, uint32_t pairs, uint32_t zeros) {
  const int32_t zero = 3;
  builderDense(b, multipliers, shifts, pairs, &zero, zeros);
}

int s8(Builder* b, int32_t h, int32_t w, int32_t c) {
  const int32_t dims[4] = {1, h, w, c};
  return builderTensor(b, TIGRIS_S8, 4, dims, 0);
}

int f32(Builder* b, int32_t h, int32_t w, int32_t c) {
  const int32_t dims[4] = {1, h, w, c};
  return builderTensor(b, TIGRIS_F32, 4, dims, TIGRIS_NONE);
}

tigris_conv_params convParams(Builder* b, int isFloat, int32_t groups, uint32_t channels) {
  tigris_conv_params p;
  memset(&p, 0, sizeof p);
  p.kernel_h = p.kernel_w = 3;
  p.stride_h = p.stride_w = p.dilation_h = p.dilation_w = 1;
  p.pad_top = p.pad_left = p.pad_bottom = p.pad_right = 1;
  p.groups = groups;
  if (isFloat) {
    p.lo.f = 0.0f;
    p.hi.f = INFINITY;
    return p;
  }
  p.lo.i = -128;
  p.hi.i = 127;
  denseConstants(b, channels, 1);
  return p;
}

tigris_pool_params poolParams(void) {
  tigris_pool_params p;
  memset(&p, 0, sizeof p);
  p.kernel_h = p.kernel_w = p.stride_h = p.stride_w = 2;
  p.dilation_h = p.dilation_w = 1;
  p.lo.i = -128;
  p.hi.i = 127;
  p.requant = TIGRIS_NONE;
  return p;
}

uint8_t* samplePlan(Builder* b, uint32_t index, uint32_t* size) {
#define SAMPLE_FUNCTION(name) sample##name,
  static uint8_t* (*const samples[])(Builder*, uint32_t*) = {SAMPLES(SAMPLE_FUNCTION)};
#undef SAMPLE_FUNCTION
  return index < sizeof samples / sizeof samples[0] ? samples[index](b, size) : NULL;
}
