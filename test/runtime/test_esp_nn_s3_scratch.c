/* The formulas of ESP-NN's scratch on the ESP32-S3 against the library's own functions. */
#include "check.h"
#include "esp_nn.h"
#include "tigris_scratch.h"

typedef struct Shape {
  data_dims_t in, filter, out;
  conv_params_t conv;
  dw_conv_params_t depthwise;
  tigris_esp_nn_shape ours;
} Shape;

static int32_t between(int32_t low, int32_t high) {
  return low + (int32_t)(randomBits() % (uint32_t)(high - low + 1));
}

static int32_t outOf(int32_t in, int32_t kernel, int32_t stride, int32_t before, int32_t after) {
  return (in + before + after - kernel) / stride + 1;
}

/* A random call; 0 if it has no output. */
static int randomShape(Shape* s, int32_t multiplier) {
  const int32_t kernels[] = {1, 1, 3, 3, 3, 5, 2, 4};
  const int32_t channels[] = {1, 3, 4, 8, 12, 16, 24, 32, 40, 64, 96, 112};
  const int32_t kernelH = kernels[between(0, 7)];
  const int32_t kernelW = between(0, 3) != 0 ? kernelH : kernels[between(0, 7)];
  const int32_t strideH = between(1, 2);
  const int32_t strideW = between(0, 3) != 0 ? strideH : 3 - strideH;
  const int32_t padH = between(0, kernelH - 1);
  const int32_t padW = between(0, kernelW - 1);
  memset(s, 0, sizeof *s);
  s->in.height = between(kernelH, 50);
  s->in.width = between(kernelW, 50);
  s->in.channels = channels[between(0, 11)];
  s->out.channels = multiplier != 0 ? s->in.channels * multiplier : between(1, 200);
  s->out.height = outOf(s->in.height, kernelH, strideH, padH, between(0, kernelH - 1));
  s->out.width = outOf(s->in.width, kernelW, strideW, padW, between(0, kernelW - 1));
  s->filter.height = kernelH;
  s->filter.width = kernelW;
  s->filter.channels = s->in.channels;
  s->conv.stride.height = strideH;
  s->conv.stride.width = strideW;
  s->conv.padding.height = padH;
  s->conv.padding.width = padW;
  s->depthwise.stride = s->conv.stride;
  s->depthwise.padding = s->conv.padding;
  s->depthwise.ch_mult = multiplier;
  s->ours.kernel_h = (uint32_t)kernelH;
  s->ours.kernel_w = (uint32_t)kernelW;
  s->ours.in_h = (uint32_t)s->in.height;
  s->ours.in_w = (uint32_t)s->in.width;
  s->ours.in_channels = (uint32_t)s->in.channels;
  s->ours.out_h = (uint32_t)s->out.height;
  s->ours.out_w = (uint32_t)s->out.width;
  s->ours.out_channels = (uint32_t)s->out.channels;
  s->ours.stride_h = (uint32_t)strideH;
  s->ours.stride_w = (uint32_t)strideW;
  s->ours.pad_h = (uint32_t)padH;
  s->ours.pad_w = (uint32_t)padW;
  return s->out.height > 0 && s->out.width > 0;
}

int main(void) {
  Shape s;
  int round;
  for (round = 0; round < 20000; ++round) {
    if (!randomShape(&s, 0))
      continue;
    CHECK_EQ(tigris_esp_nn_s3_conv_scratch(&s.ours),
             (uint64_t)esp_nn_get_conv_scratch_size(&s.in, &s.filter, &s.out, &s.conv));
  }
  for (round = 0; round < 20000; ++round) {
    static const int32_t multipliers[] = {1, 1, 1, 2, 4, 8};
    uint64_t asked;
    uint64_t ours;
    if (!randomShape(&s, multipliers[between(0, 5)]))
      continue;
    asked =
        (uint64_t)esp_nn_get_depthwise_conv_scratch_size(&s.in, &s.filter, &s.out, &s.depthwise);
    ours = tigris_esp_nn_s3_depthwise_scratch(&s.ours);
    CHECK(ours >= asked);
    /* kernels of 3x3 with a multiple of 16 channels use more than they ask for */
    if (s.filter.height != 3 || s.filter.width != 3 || s.in.channels % 16 != 0 ||
        s.depthwise.ch_mult != 1)
      CHECK_EQ(ours, asked);
  }
  CHECK_EQ(tigris_esp_nn_s3_softmax_scratch(10), (uint64_t)esp_nn_get_softmax_scratch_size(10, 1));
  return finish();
}
