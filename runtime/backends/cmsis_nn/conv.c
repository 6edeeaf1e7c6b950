/* Convolution and depthwise convolution on CMSIS-NN. */
#include <string.h>

#include "adapter.h"

#if TIGRIS_CMSIS_NN_CONV || TIGRIS_CMSIS_NN_DEPTHWISE

static tigris_scratch_shape shapeOf(const tigris_vendor_op* o) {
  const tigris_conv_params* p = (const tigris_conv_params*)o->params;
  tigris_scratch_shape s;
  s.kernel_h = (uint32_t)p->kernel_h;
  s.kernel_w = (uint32_t)p->kernel_w;
  s.in_channels = (uint32_t)tigris_shape4_of(o->plan, o->x).c;
  s.out_channels = (uint32_t)tigris_shape4_of(o->plan, o->y).c;
  s.is_padded = (p->pad_top | p->pad_left | p->pad_bottom | p->pad_right) != 0;
  s.is_wide = p->dilation_h > 1 || p->dilation_w > 1;
  s.is_near = p->pad_top <= 1 && p->pad_left <= 1 && p->pad_bottom <= 1 && p->pad_right <= 1;
  s.has_bias = tigris_vendor_has_bias(o);
  s.pair_words = tigris_vendor_pair_words(o->op, (int32_t)s.out_channels);
  return s;
}

#endif

#if TIGRIS_CMSIS_NN_CONV

int tigris_cn_conv_serves(const tigris_vendor_op* o) {
  return ((const tigris_conv_params*)o->params)->groups == 1 && tigris_vendor_plain_conv(o);
}

uint32_t tigris_cn_conv_scratch(const tigris_vendor_op* o) {
  const tigris_scratch_shape s = shapeOf(o);
  return tigris_cmsis_nn_conv_scratch(TIGRIS_CMSIS_NN_ISA, &s);
}

#if defined(TIGRIS_CMSIS_NN_OWN_DSP) || defined(TIGRIS_CMSIS_NN_OWN_MVE)

static inline void copy(int8_t* to, const int8_t* from, size_t bytes) {
#if defined(TIGRIS_CMSIS_NN_OWN_MVE)
  tigris_mve_copy(to, from, (uint32_t)bytes);
#else
  memcpy(to, from, bytes);
#endif
}

/* Gathers the window of output pixel (oy, ox) into one column; padding is the zero point. */
static void gather(const tigris_call* call, const cmsis_nn_dims* in, const int8_t* image,
                   int32_t oy, int32_t ox, int32_t zero, int8_t* column) {
  const tigris_conv_params* p = (const tigris_conv_params*)call->params;
  const int32_t left = ox * p->stride_w - p->pad_left;
  const size_t c = (size_t)in->c;
  int32_t begin; /* taps of a row inside the input */
  int32_t end;
  int32_t ky;
  tigris_taps(left, p->dilation_w, in->w, p->kernel_w, &begin, &end);
  if (begin > p->kernel_w) /* no tap is inside */
    begin = end = p->kernel_w;
  for (ky = 0; ky < p->kernel_h; ++ky) {
    const int32_t iy = oy * p->stride_h - p->pad_top + ky * p->dilation_h;
    const int8_t* row = image + ((ptrdiff_t)iy * in->w + left) * (ptrdiff_t)c;
    int32_t kx;
    if (iy < 0 || iy >= in->h) {
      memset(column, zero, (size_t)p->kernel_w * c);
    } else {
      if (begin != 0)
        memset(column, zero, (size_t)begin * c);
      if (end != p->kernel_w)
        memset(column + (size_t)end * c, zero, (size_t)(p->kernel_w - end) * c);
      if (p->dilation_w == 1)
        copy(column + (size_t)begin * c, row + (size_t)begin * c, (size_t)(end - begin) * c);
      for (kx = begin; p->dilation_w != 1 && kx < end; ++kx)
        memcpy(column + (size_t)kx * c, row + (size_t)kx * (size_t)p->dilation_w * c, c);
    }
    column += (size_t)p->kernel_w * c;
  }
}

#endif

#if defined(TIGRIS_CMSIS_NN_OWN_DSP)

/* Computes two output pixels at a time. */
static void ownConv(const tigris_call* call, int isPointwise) {
  const tigris_conv_params* p = (const tigris_conv_params*)call->params;
  const cmsis_nn_dims in = tigris_cn_dims(&call->in[0]);
  const cmsis_nn_dims out = tigris_cn_dims(&call->out[0]);
  const tigris_dsp_finish finish = tigris_cn_finish(call, p->channel, p->lo.i, p->hi.i);
  const int32_t zero = tigris_zero_point(call->plan, call->in[0].tensor);
  const uint32_t count = (uint32_t)(p->kernel_h * p->kernel_w * in.c);
  const int8_t* w = tigris_vendor_input(call, 1);
  uint32_t* columns = (uint32_t*)call->scratch;
  int8_t* gathered = (int8_t*)(void*)(columns + 2u * tigris_dsp_words(count));
  int8_t* y = tigris_vendor_output(call);
  int32_t n;
  uint32_t held = 0; /* gathered columns not yet computed */
  for (n = 0; n < in.n; ++n) {
    const int8_t* image =
        tigris_vendor_input(call, 0) + (size_t)n * (size_t)in.h * (size_t)in.w * (size_t)in.c;
    int32_t oy;
    int32_t ox;
    for (oy = 0; oy < out.h; ++oy) {
      for (ox = 0; ox < out.w; ++ox) {
        const int isLast = n == in.n - 1 && oy == out.h - 1 && ox == out.w - 1;
        const int8_t* x = gathered;
        if (isPointwise)
          x = image +
              ((size_t)oy * (size_t)p->stride_h * (size_t)in.w + (size_t)ox * (size_t)p->stride_w) *
                  (size_t)in.c;
        else
          gather(call, &in, image, oy, ox, zero, gathered);
        if (isLast && held == 0) {
          tigris_dsp_widen(columns, x, count, zero, 1);
          tigris_dsp_one_column(columns, w, count, (uint32_t)out.c, &finish, y);
          return;
        }
        tigris_dsp_widen(columns + held, x, count, zero, 2);
        held ^= 1u;
        if (held == 0) {
          tigris_dsp_two_columns(columns, w, count, (uint32_t)out.c, &finish, y, y + out.c);
          y += 2 * (ptrdiff_t)out.c;
        }
      }
    }
  }
}

#elif defined(TIGRIS_CMSIS_NN_OWN_MVE)

/* Computes three output pixels at a time. */
static void ownConv(const tigris_call* call, int isPointwise) {
  const tigris_conv_params* p = (const tigris_conv_params*)call->params;
  const cmsis_nn_dims in = tigris_cn_dims(&call->in[0]);
  const cmsis_nn_dims out = tigris_cn_dims(&call->out[0]);
  const int32_t zero = tigris_zero_point(call->plan, call->in[0].tensor);
  uint8_t* scratch = (uint8_t*)call->scratch;
  const tigris_mve_product product =
      tigris_cn_product(call, p->channel, p->lo.i, p->hi.i, (uint32_t)out.c,
                        (uint32_t)(p->kernel_h * p->kernel_w * in.c), &scratch);
  const size_t pitch = (product.depth + 3u) / 4u * 4u;
  const int8_t* rows[TIGRIS_MVE_ROWS] = {NULL, NULL, NULL};
  const int8_t* image = tigris_vendor_input(call, 0);
  int8_t* y = tigris_vendor_output(call);
  const tigris_mve_folding folding = {zero, tigris_vendor_bias(call)};
  /* if two remain, they come first, with the sums of the weights in place of the third */
  const tigris_mve_folding* f =
      out.n * out.h * out.w % (int32_t)TIGRIS_MVE_ROWS == 2 ? &folding : NULL;
  uint32_t together = f == NULL ? TIGRIS_MVE_ROWS : 2;
  uint32_t held = 0; /* gathered rows not yet computed */
  int32_t n;
  if (f == NULL)
    tigris_mve_fold(&product, &folding);
  for (n = 0; n < in.n; ++n, image += (size_t)in.h * (size_t)in.w * (size_t)in.c) {
    int32_t oy;
    int32_t ox;
    for (oy = 0; oy < out.h; ++oy) {
      const int8_t* x = image + (size_t)oy * (size_t)p->stride_h * (size_t)in.w * (size_t)in.c;
      for (ox = 0; ox < out.w; ++ox, x += p->stride_w * in.c) {
        if (isPointwise) {
          rows[held] = x;
        } else {
          int8_t* column = (int8_t*)scratch + held * pitch;
          gather(call, &in, image, oy, ox, zero, column);
          rows[held] = column;
        }
        if (++held == together) {
          tigris_mve_rows(&product, rows, held, f, y);
          y += held * product.outputs;
          held = 0;
          together = TIGRIS_MVE_ROWS;
          f = NULL;
        }
      }
    }
  }
  if (held != 0)
    tigris_mve_rows(&product, rows, held, NULL, y);
}

#else

static tigris_status vendorConv(const tigris_call* call, int isPointwise) {
  const tigris_conv_params* p = (const tigris_conv_params*)call->params;
  const cmsis_nn_dims in = tigris_cn_dims(&call->in[0]);
  const cmsis_nn_dims out = tigris_cn_dims(&call->out[0]);
  const int32_t* bias = tigris_vendor_bias(call);
  const int8_t* x = tigris_vendor_input(call, 0);
  const int8_t* w = tigris_vendor_input(call, 1);
  int8_t* y = tigris_vendor_output(call);
  uint8_t* scratch = (uint8_t*)call->scratch;
  const tigris_vendor_pairs pairs = tigris_vendor_pairs_of(call, p->channel, out.c, &scratch);
  const cmsis_nn_per_channel_quant_params quant = {pairs.multiplier, pairs.shift};
  cmsis_nn_conv_params conv;
  cmsis_nn_dims filter;
  cmsis_nn_context context;
  arm_cmsis_nn_status status;
  conv.input_offset = -tigris_zero_point(call->plan, call->in[0].tensor);
  conv.output_offset = tigris_zero_point(call->plan, call->out[0].tensor);
  conv.stride.h = p->stride_h;
  conv.stride.w = p->stride_w;
  conv.padding.h = p->pad_top;
  conv.padding.w = p->pad_left;
  conv.dilation.h = p->dilation_h;
  conv.dilation.w = p->dilation_w;
  conv.activation.min = p->lo.i;
  conv.activation.max = p->hi.i;
  filter.n = out.c;
  filter.h = p->kernel_h;
  filter.w = p->kernel_w;
  filter.c = in.c;
  context.buf = scratch;
  context.size = 0;
  /* Does not use the wrapper of CMSIS-NN: its case for one row rejects paddings that differ by more
   * than one. */
  if (!isPointwise)
    status = arm_convolve_s8(&context, &conv, &quant, &in, x, &filter, w, NULL, bias, &out, y);
  else if (p->stride_h == 1 && p->stride_w == 1)
    status =
        arm_convolve_1x1_s8_fast(&context, &conv, &quant, &in, x, &filter, w, NULL, bias, &out, y);
  else
    status = arm_convolve_1x1_s8(&context, &conv, &quant, &in, x, &filter, w, NULL, bias, &out, y);
  return tigris_cn_status(status);
}

#endif

tigris_status tigris_cn_conv(const tigris_call* call) {
  const tigris_conv_params* p = (const tigris_conv_params*)call->params;
  const int isPointwise = p->kernel_h == 1 && p->kernel_w == 1 &&
                          (p->pad_top | p->pad_left | p->pad_bottom | p->pad_right) == 0;
  if (!tigris_vendor_is_dense(&call->in[0]) || !tigris_vendor_is_dense(&call->out[0]))
    return tigris_vendor_fallback(call);
  if (tigris_cn_lacks(call))
    return tigris_vendor_without_scratch(call);
#if defined(TIGRIS_CMSIS_NN_OWN_DSP) || defined(TIGRIS_CMSIS_NN_OWN_MVE)
  ownConv(call, isPointwise);
  return TIGRIS_OK;
#else
  return vendorConv(call, isPointwise);
#endif
}

#endif

#if TIGRIS_CMSIS_NN_DEPTHWISE

int tigris_cn_depthwise_serves(const tigris_vendor_op* o) {
  /* CMSIS-NN writes beyond its buffer for windows that are entirely in the padding. */
  return tigris_vendor_plain_conv(o) &&
         tigris_vendor_windows_meet((const tigris_conv_params*)o->params);
}

uint32_t tigris_cn_depthwise_scratch(const tigris_vendor_op* o) {
  const tigris_scratch_shape s = shapeOf(o);
  return tigris_cmsis_nn_depthwise_scratch(TIGRIS_CMSIS_NN_ISA, &s);
}

/* The shape from the parameters of the op, because the op's shape selected the kernel and its
 * scratch. The parameters of the call depend on its box. */
static tigris_scratch_shape shapeOfCall(const tigris_call* call) {
  const tigris_vendor_op o = tigris_vendor_op_of(call->plan, call->op);
  return shapeOf(&o);
}

#ifdef TIGRIS_CMSIS_NN_OWN_DSP

static void ownDepthwise(const tigris_call* call) {
  const tigris_conv_params* p = (const tigris_conv_params*)call->params;
  const cmsis_nn_dims in = tigris_cn_dims(&call->in[0]);
  const cmsis_nn_dims out = tigris_cn_dims(&call->out[0]);
  const tigris_dsp_finish finish = tigris_cn_finish(call, p->channel, p->lo.i, p->hi.i);
  const int8_t* x = tigris_vendor_input(call, 0);
  int8_t* y = tigris_vendor_output(call);
  tigris_dsp_depthwise d;
  int32_t n;
  d.channels = (uint32_t)in.c;
  d.in_h = (uint32_t)in.h;
  d.in_w = (uint32_t)in.w;
  d.out_h = (uint32_t)out.h;
  d.out_w = (uint32_t)out.w;
  d.kernel_h = (uint32_t)p->kernel_h;
  d.kernel_w = (uint32_t)p->kernel_w;
  d.stride_h = (uint32_t)p->stride_h;
  d.stride_w = (uint32_t)p->stride_w;
  d.pad_top = p->pad_top;
  d.pad_left = p->pad_left;
  d.in_zero = tigris_zero_point(call->plan, call->in[0].tensor);
  for (n = 0; n < in.n; ++n) {
    tigris_dsp_depthwise_image(&d, &finish, x, tigris_vendor_input(call, 1),
                               (uint32_t*)call->scratch, y);
    x += (size_t)in.h * (size_t)in.w * (size_t)in.c;
    y += (size_t)out.h * (size_t)out.w * (size_t)out.c;
  }
}

#endif

tigris_status tigris_cn_depthwise(const tigris_call* call) {
  const tigris_conv_params* p = (const tigris_conv_params*)call->params;
  const tigris_scratch_shape shape = shapeOfCall(call);
  cmsis_nn_dims in = tigris_cn_dims(&call->in[0]);
  cmsis_nn_dims out = tigris_cn_dims(&call->out[0]);
  const int32_t* bias = tigris_vendor_bias(call);
  const int8_t* x = tigris_vendor_input(call, 0);
  const int8_t* w = tigris_vendor_input(call, 1);
  int8_t* y = tigris_vendor_output(call);
  uint8_t* scratch = (uint8_t*)call->scratch;
  arm_cmsis_nn_status status = ARM_CMSIS_NN_SUCCESS;
  tigris_vendor_pairs pairs;
  cmsis_nn_per_channel_quant_params quant;
  cmsis_nn_dw_conv_params conv;
  cmsis_nn_dims filter;
  cmsis_nn_context context;
  int32_t images = in.n;
  if (!tigris_vendor_is_dense(&call->in[0]) || !tigris_vendor_is_dense(&call->out[0]) ||
      tigris_weight_row(call) != (uint32_t)out.c)
    return tigris_vendor_fallback(call);
  if (tigris_cn_lacks(call))
    return tigris_vendor_without_scratch(call);
#ifdef TIGRIS_CMSIS_NN_OWN_DSP
  if (tigris_cmsis_nn_depthwise_own(TIGRIS_CMSIS_NN_ISA, &shape)) {
    ownDepthwise(call);
    return TIGRIS_OK;
  }
#endif
  pairs = tigris_vendor_pairs_of(call, p->channel, out.c, &scratch);
  quant.multiplier = pairs.multiplier;
  quant.shift = pairs.shift;
  if (bias == NULL && TIGRIS_CMSIS_NN_ISA == TIGRIS_CMSIS_NN_MVE &&
      shape.in_channels == shape.out_channels && !shape.is_wide) {
    memset(scratch, 0, 4u * (uint32_t)out.c);
    bias = (const int32_t*)(const void*)scratch;
    scratch += 4u * (uint32_t)out.c;
  }
  conv.input_offset = -tigris_zero_point(call->plan, call->in[0].tensor);
  conv.output_offset = tigris_zero_point(call->plan, call->out[0].tensor);
  conv.ch_mult = out.c / in.c;
  conv.stride.h = p->stride_h;
  conv.stride.w = p->stride_w;
  conv.padding.h = p->pad_top;
  conv.padding.w = p->pad_left;
  conv.dilation.h = p->dilation_h;
  conv.dilation.w = p->dilation_w;
  conv.activation.min = p->lo.i;
  conv.activation.max = p->hi.i;
  filter.n = 1;
  filter.h = p->kernel_h;
  filter.w = p->kernel_w;
  filter.c = out.c;
  context.buf = scratch;
  context.size = 0;
  in.n = out.n = 1; /* the fast kernels do not support batches */
  for (; images != 0 && status == ARM_CMSIS_NN_SUCCESS; --images) {
    if (shape.in_channels != shape.out_channels || shape.is_wide)
      status =
          arm_depthwise_conv_s8(&context, &conv, &quant, &in, x, &filter, w, NULL, bias, &out, y);
    else if (tigris_cmsis_nn_depthwise_3x3(TIGRIS_CMSIS_NN_ISA, &shape))
      status = arm_depthwise_conv_3x3_s8(&context, &conv, &quant, &in, x, &filter, w, NULL, bias,
                                         &out, y);
    else
      status = arm_depthwise_conv_s8_opt(&context, &conv, &quant, &in, x, &filter, w, NULL, bias,
                                         &out, y);
    x += (size_t)in.h * (size_t)in.w * (size_t)in.c;
    y += (size_t)out.h * (size_t)out.w * (size_t)out.c;
  }
  return tigris_cn_status(status);
}

#endif
