/* The table of samples, and what their builders share. */
#include "sample_plans.h"

#include <math.h>
#include <string.h>

#include "sample_parts.h"

void beginPlan(Builder* b, uint32_t ioMode) {
  builderInit(b, ioMode);
  b->summary.scratch_bytes = 5000;
}

uint32_t oneRequant(Builder* b, uint32_t n) {
  int32_t m[16];
  int32_t s[16];
  uint32_t i;
  for (i = 0; i < n; ++i) {
    m[i] = 1518500250;
    s[i] = -7;
  }
  return builderRequant(b, m, s, n);
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
  const int32_t zeros[1] = {3};
  tigris_conv_params p;
  memset(&p, 0, sizeof p);
  p.kernel_h = p.kernel_w = 3;
  p.stride_h = p.stride_w = p.dilation_h = p.dilation_w = 1;
  p.pad_top = p.pad_left = p.pad_bottom = p.pad_right = 1;
  p.groups = groups;
  p.requant = p.weight_zeros = TIGRIS_NONE;
  if (isFloat) {
    p.lo.f = 0.0f;
    p.hi.f = INFINITY;
    return p;
  }
  p.lo.i = -128;
  p.hi.i = 127;
  p.requant = oneRequant(b, channels);
  p.requant_count = channels;
  p.weight_zeros = builderInts(b, zeros, 1);
  p.weight_zeros_count = 1;
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

uint8_t* samplePlan(Builder* b, unsigned index, uint32_t* size) {
#define SAMPLE_FUNCTION(name) sample##name,
  static uint8_t* (*const samples[])(Builder*, uint32_t*) = {SAMPLES(SAMPLE_FUNCTION)};
#undef SAMPLE_FUNCTION
  return index < sizeof samples / sizeof samples[0] ? samples[index](b, size) : NULL;
}
