/* The table and the adapters of the ESP-NN backend: convolutions, dense layers, pools, sums,
 * products and softmax in int8. */
#include "tigris_esp_nn.h"

#include "esp_nn.h"
#include "tigris_scratch.h"
#include "vendor.h"

/* The vector kernels of the ESP32-S3 require scratch and tensors at multiples of 16 bytes. Plans
 * may have smaller alignments; calls with other addresses run on the reference kernels. The C
 * kernels need no scratch and no alignment. */
#if defined(ARCH_ESP32_S3)
#define IS_S3 1
#else
#define IS_S3 0
#endif

static int isAligned(const tigris_call* call) {
  return (((uintptr_t)call->in[0].data | (uintptr_t)call->out[0].data) &
          (TIGRIS_ESP_NN_S3_ALIGN - 1u)) == 0;
}

/* The scratch of a call at the alignment of vectors, and the bytes there. */
static uint8_t* scratchOf(const tigris_call* call, uint32_t* bytes) {
  const uint32_t skip =
      IS_S3 ? (uint32_t)(0u - (uintptr_t)call->scratch) & (TIGRIS_ESP_NN_S3_ALIGN - 1u) : 0;
  *bytes = call->scratch_bytes > skip ? call->scratch_bytes - skip : 0;
  return *bytes == 0 ? NULL : (uint8_t*)call->scratch + skip;
}

/* The most that scratchOf() skips: scratch is as aligned as the tensors of the plan. */
static uint32_t skipped(const tigris_plan* plan) {
  const uint32_t align = plan->summary->align;
  return IS_S3 && align < TIGRIS_ESP_NN_S3_ALIGN ? TIGRIS_ESP_NN_S3_ALIGN - align : 0;
}

/* Emulated kernels check the scratch that they get. */
#if defined(TIGRIS_ESP_NN_EMULATE_S3)
#include "emulate_s3.h"
#else
#define TIGRIS_ESP_NN_NAME "esp-nn"
#define TIGRIS_ESP_NN_ROOM(conv, is_depthwise, scratch, bytes) ((void)0)
#endif

/* Narrows to the 16 bits that ESP-NN takes: served ops do not exceed TIGRIS_VENDOR_MOST. */
static inline uint16_t narrow(int32_t value) { return (uint16_t)value; }

static data_dims_t dimsOf(const tigris_shape4* s) {
  data_dims_t d;
  d.width = s->w;
  d.height = s->h;
  d.channels = s->c;
  d.extra = 1;
  return d;
}

/* ---- convolutions */

/* ESP-NN's arguments of a convolution: dimensions of one image and parameters. */
typedef struct Conv {
  data_dims_t in;
  data_dims_t filter;
  data_dims_t out;
  conv_params_t conv;
  dw_conv_params_t depthwise;
} Conv;

static Conv convOf(const tigris_plan* plan, const tigris_conv_params* p, const tigris_tensor* x,
                   const tigris_tensor* y, const tigris_shape4* in, const tigris_shape4* out,
                   int isDepthwise) {
  Conv c;
  c.in = dimsOf(in);
  c.out = dimsOf(out);
  c.filter.width = p->kernel_w;
  c.filter.height = p->kernel_h;
  c.filter.channels = isDepthwise ? out->c : in->c;
  c.filter.extra = 1;
  c.conv.in_offset = -tigris_zero_point(plan, x);
  c.conv.out_offset = tigris_zero_point(plan, y);
  c.conv.stride.width = p->stride_w;
  c.conv.stride.height = p->stride_h;
  c.conv.padding.width = p->pad_left;
  c.conv.padding.height = p->pad_top;
  c.conv.dilation.width = c.conv.dilation.height = 1;
  c.conv.activation.min = p->lo.i;
  c.conv.activation.max = p->hi.i;
  c.depthwise.in_offset = c.conv.in_offset;
  c.depthwise.out_offset = c.conv.out_offset;
  c.depthwise.ch_mult = isDepthwise ? out->c / in->c : 1;
  c.depthwise.stride = c.conv.stride;
  c.depthwise.padding = c.conv.padding;
  c.depthwise.dilation = c.conv.dilation;
  c.depthwise.activation = c.conv.activation;
  return c;
}

static tigris_esp_nn_shape shapeOf(const Conv* c) {
  tigris_esp_nn_shape s;
  s.kernel_h = (uint32_t)c->filter.height;
  s.kernel_w = (uint32_t)c->filter.width;
  s.in_h = (uint32_t)c->in.height;
  s.in_w = (uint32_t)c->in.width;
  s.in_channels = (uint32_t)c->in.channels;
  s.out_h = (uint32_t)c->out.height;
  s.out_w = (uint32_t)c->out.width;
  s.out_channels = (uint32_t)c->out.channels;
  s.stride_h = (uint32_t)c->conv.stride.height;
  s.stride_w = (uint32_t)c->conv.stride.width;
  s.pad_h = (uint32_t)c->conv.padding.height;
  s.pad_w = (uint32_t)c->conv.padding.width;
  return s;
}

/* What the library asks for. On the ESP32-S3 some kernels use more than that, and this library may
 * be another version than the one that the formulas describe. */
static uint32_t ownScratch(const Conv* c, int isDepthwise) {
  const int asked =
      isDepthwise
          ? esp_nn_get_depthwise_conv_scratch_size(&c->in, &c->filter, &c->out, &c->depthwise)
          : esp_nn_get_conv_scratch_size(&c->in, &c->filter, &c->out, &c->conv);
  uint32_t bytes = asked > 0 ? (uint32_t)asked : 0;
  if (IS_S3) {
    const tigris_esp_nn_shape s = shapeOf(c);
    const uint64_t used =
        isDepthwise ? tigris_esp_nn_s3_depthwise_scratch(&s) : tigris_esp_nn_s3_conv_scratch(&s);
    tigris_raise(&bytes, used < UINT32_MAX / 2 ? (uint32_t)used : UINT32_MAX / 2);
  }
  return bytes;
}

/* Whether the kernels of the ESP32-S3 compute the call right. They load whole vectors. */
static int servesOnS3(const tigris_call* call, const Conv* c, int isDepthwise) {
  const tigris_esp_nn_shape s = shapeOf(c);
  const uint32_t row = s.kernel_w * s.in_channels;
  if (!isAligned(call))
    return 0;
  /* Windows are gathered. Those that begin inside the image are taken to end inside it if the image
   * is smaller than a window. */
  if (!isDepthwise && row < 16u && row * s.kernel_h >= 16u)
    return s.in_h + s.pad_h >= s.kernel_h && s.in_w + s.pad_w >= s.kernel_w;
  /* These images are padded by as much after as before; others are tested tap by tap. */
  if ((s.pad_h | s.pad_w) != 0 &&
      (!isDepthwise || (s.in_channels == s.out_channels && s.kernel_h == 3 && s.kernel_w == 3 &&
                        s.in_channels % 16u == 0 && s.pad_h == 1 && s.pad_w == 1)))
    return tigris_esp_nn_beyond(s.in_w + s.stride_w - 1u, s.out_w, s.stride_w, s.kernel_w,
                                s.pad_w) <= s.pad_w &&
           tigris_esp_nn_beyond(s.in_h + s.stride_h - 1u, s.out_h, s.stride_h, s.kernel_h,
                                s.pad_h) <= s.pad_h;
  return 1;
}

static uint32_t pairBytes(const tigris_op* op, int32_t channels) {
  return tigris_esp_nn_pairs((uint32_t)channels, tigris_vendor_pair_words(op, channels));
}

static int servesConv(const tigris_vendor_op* o) {
  const tigris_conv_params* p = (const tigris_conv_params*)o->params;
  return (o->op->opcode == TIGRIS_OP_DEPTHWISE_CONV || p->groups == 1) && p->dilation_h == 1 &&
         p->dilation_w == 1 && tigris_vendor_plain_conv(o) && tigris_vendor_windows_meet(p);
}

static uint32_t convScratch(const tigris_vendor_op* o) {
  const tigris_conv_params* p = (const tigris_conv_params*)o->params;
  const tigris_shape4 in = tigris_shape4_of(o->plan, o->x);
  const tigris_shape4 out = tigris_shape4_of(o->plan, o->y);
  const int isDepthwise = o->op->opcode == TIGRIS_OP_DEPTHWISE_CONV;
  const Conv c = convOf(o->plan, p, o->x, o->y, &in, &out, isDepthwise);
  return pairBytes(o->op, out.c) + ownScratch(&c, isDepthwise) + skipped(o->plan);
}

static tigris_status conv(const tigris_call* call) {
  const tigris_conv_params* p = (const tigris_conv_params*)call->params;
  const tigris_shape4 in = tigris_view_shape(&call->in[0]);
  const tigris_shape4 out = tigris_view_shape(&call->out[0]);
  const int isDepthwise = call->op->opcode == TIGRIS_OP_DEPTHWISE_CONV;
  const int8_t* x = tigris_vendor_input(call, 0);
  int8_t* y = tigris_vendor_output(call);
  uint32_t room;
  uint8_t* scratch = scratchOf(call, &room);
  uint8_t* own; /* behind the pairs */
  tigris_vendor_pairs pairs;
  quant_data_t quant;
  Conv c;
  int32_t n;
  /* The channels of a box may not be a whole number of filters, and its weights may have gaps. */
  if (!tigris_vendor_is_dense(&call->in[0]) || !tigris_vendor_is_dense(&call->out[0]) ||
      (isDepthwise && tigris_weight_row(call) != (uint32_t)out.c))
    return tigris_vendor_fallback(call);
  c = convOf(call->plan, p, call->in[0].tensor, call->out[0].tensor, &in, &out, isDepthwise);
  if (IS_S3 && !servesOnS3(call, &c, isDepthwise))
    return tigris_vendor_fallback(call);
  /* A box may need more scratch than the whole op, or less. */
  if (pairBytes(call->op, out.c) + ownScratch(&c, isDepthwise) > room)
    return tigris_vendor_without_scratch(call);
  own = room == 0 ? NULL : scratch + pairBytes(call->op, out.c);
  pairs = tigris_vendor_pairs_of(call, p->channel, out.c, &scratch);
  TIGRIS_ESP_NN_ROOM(&c, isDepthwise, own, room - pairBytes(call->op, out.c));
  quant.mult = pairs.multiplier;
  quant.shift = pairs.shift;
  if (isDepthwise)
    esp_nn_set_depthwise_conv_scratch_buf(own);
  else
    esp_nn_set_conv_scratch_buf(own);
  for (n = 0; n < in.n; ++n) {
    if (isDepthwise)
      esp_nn_depthwise_conv_s8(&c.in, x, &c.filter, tigris_vendor_input(call, 1),
                               tigris_vendor_bias(call), &c.out, y, &c.depthwise, &quant);
    else
      esp_nn_conv_s8(&c.in, x, &c.filter, tigris_vendor_input(call, 1), tigris_vendor_bias(call),
                     &c.out, y, &c.conv, &quant);
    x += (size_t)in.h * (size_t)in.w * (size_t)in.c;
    y += (size_t)out.h * (size_t)out.w * (size_t)out.c;
  }
  return TIGRIS_OK;
}

/* ---- dense layers */

/* Per-channel shifts are read in place. */
static int servesDense(const tigris_vendor_op* o) {
  return tigris_vendor_plain_dense(o) &&
         (tigris_vendor_is_per_tensor(o->op) || tigris_vendor_is_wide(o->op));
}

static tigris_status dense(const tigris_call* call) {
  const tigris_fc_params* p = (const tigris_fc_params*)call->params;
  const int32_t* dims = call->in[1].dims; /* [N, K] of this call's problem */
  const tigris_requant r = tigris_requant_of(call->plan, call->op, call->in[1].tensor);
  const int32_t* multiplier = r.multiplier + p->channel * r.step;
  const int8_t* shift = r.shift + p->channel * r.shift_step;
  const int32_t zero = tigris_zero_point(call->plan, call->in[0].tensor);
  const int32_t outZero = tigris_zero_point(call->plan, call->out[0].tensor);
  int32_t rows = (int32_t)tigris_span_of(&call->out[0]).count / dims[0];
  const int8_t* w = tigris_vendor_input(call, 1);
  const int8_t* x = tigris_vendor_input(call, 0);
  int8_t* y = tigris_vendor_output(call);
  if (!tigris_vendor_is_dense(&call->in[0]) || !tigris_vendor_is_dense(&call->out[0]))
    return tigris_vendor_fallback(call);
  for (; rows != 0; --rows) {
    if (r.step == 0)
      esp_nn_fully_connected_s8(x, -zero, narrow(dims[1]), w, 0, tigris_vendor_bias(call), y,
                                narrow(dims[0]), outZero, *shift, *multiplier, p->lo.i, p->hi.i);
    else
      esp_nn_fully_connected_per_ch_s8(x, -zero, narrow(dims[1]), w, 0, tigris_vendor_bias(call), y,
                                       narrow(dims[0]), outZero, (const int32_t*)(const void*)shift,
                                       multiplier, p->lo.i, p->hi.i);
    x += dims[1];
    y += dims[0];
  }
  return TIGRIS_OK;
}

/* ---- pools */

typedef void (*Pool)(const int8_t* x, const uint16_t inW, const uint16_t inH, int8_t* y,
                     const uint16_t outW, const uint16_t outH, const uint16_t strideW,
                     const uint16_t strideH, const uint16_t kernelW, const uint16_t kernelH,
                     const uint16_t padW, const uint16_t padH, const int32_t lo, const int32_t hi,
                     const uint16_t channels);

static tigris_status pool(const tigris_call* call, Pool kernel, const tigris_pool_params* p) {
  const tigris_shape4 in = tigris_view_shape(&call->in[0]);
  const tigris_shape4 out = tigris_view_shape(&call->out[0]);
  const int8_t* x = tigris_vendor_input(call, 0);
  int8_t* y = tigris_vendor_output(call);
  int32_t n;
  if (!tigris_vendor_is_dense(&call->in[0]) || !tigris_vendor_is_dense(&call->out[0]))
    return tigris_vendor_fallback(call);
  if (IS_S3 && !isAligned(call))
    return tigris_vendor_fallback(call);
  for (n = 0; n < in.n; ++n) {
    kernel(x, narrow(in.w), narrow(in.h), y, narrow(out.w), narrow(out.h), narrow(p->stride_w),
           narrow(p->stride_h), narrow(p->kernel_w), narrow(p->kernel_h), narrow(p->pad_left),
           narrow(p->pad_top), p->lo.i, p->hi.i, narrow(in.c));
    x += (size_t)in.h * (size_t)in.w * (size_t)in.c;
    y += (size_t)out.h * (size_t)out.w * (size_t)out.c;
  }
  return TIGRIS_OK;
}

static tigris_status maxPool(const tigris_call* call) {
  return pool(call, esp_nn_max_pool_s8, (const tigris_pool_params*)call->params);
}

static tigris_status averagePool(const tigris_call* call) {
  return pool(call, esp_nn_avg_pool_s8, (const tigris_pool_params*)call->params);
}

static tigris_status globalAveragePool(const tigris_call* call) {
  const tigris_pool_params window = tigris_vendor_global_window(call);
  return pool(call, esp_nn_avg_pool_s8, &window);
}

/* ---- element by element */

static int servesBinary(const tigris_vendor_op* o) {
  const tigris_binary_params* p = (const tigris_binary_params*)o->params;
  /* The sum only shifts right. */
  return tigris_vendor_same_shapes(o) &&
         (o->op->opcode == TIGRIS_OP_MUL ||
          (p->a_shift <= 0 && p->b_shift <= 0 && p->out_shift <= 0));
}

static tigris_status binary(const tigris_call* call) {
  const tigris_binary_params* p = (const tigris_binary_params*)call->params;
  const int32_t aOffset = -tigris_zero_point(call->plan, call->in[0].tensor);
  const int32_t bOffset = -tigris_zero_point(call->plan, call->in[1].tensor);
  const int32_t yOffset = tigris_zero_point(call->plan, call->out[0].tensor);
  const int32_t count = (int32_t)tigris_span_of(&call->out[0]).count;
  if (!tigris_vendor_same_rows(call, 2))
    return tigris_vendor_fallback(call);
  if (call->op->opcode == TIGRIS_OP_MUL)
    esp_nn_mul_elementwise_s8(tigris_vendor_input(call, 0), tigris_vendor_input(call, 1), aOffset,
                              bOffset, tigris_vendor_output(call), yOffset, p->out_multiplier,
                              p->out_shift, p->lo.i, p->hi.i, count);
  else
    esp_nn_add_elementwise_s8(tigris_vendor_input(call, 0), tigris_vendor_input(call, 1), aOffset,
                              bOffset, p->a_multiplier, p->b_multiplier, p->a_shift, p->b_shift,
                              p->left_shift, tigris_vendor_output(call), yOffset, p->out_multiplier,
                              p->out_shift, p->lo.i, p->hi.i, count);
  return TIGRIS_OK;
}

static uint32_t softmaxBytes(int32_t width) {
  const int32_t bytes = esp_nn_get_softmax_scratch_size(width, 1);
  return bytes > 0 ? (uint32_t)bytes : 0;
}

static uint32_t softmaxScratch(const tigris_vendor_op* o) {
  return softmaxBytes(tigris_dims(o->plan, o->x)[o->x->rank - 1u]);
}

static tigris_status softmax(const tigris_call* call) {
  const tigris_softmax_params* p = (const tigris_softmax_params*)call->params;
  const int32_t width = call->out[0].dims[p->axis];
  if (!tigris_vendor_same_rows(call, 1))
    return tigris_vendor_fallback(call);
  if (softmaxBytes(width) > call->scratch_bytes)
    return tigris_vendor_without_scratch(call);
  esp_nn_set_softmax_scratch_buf(call->scratch);
  esp_nn_softmax_s8(tigris_vendor_input(call, 0),
                    (int32_t)tigris_span_of(&call->out[0]).count / width, width, p->multiplier,
                    p->left_shift, p->diff_min, tigris_vendor_output(call));
  return TIGRIS_OK;
}

/* Selected like the reference kernels that an adapter may fall back to. */
static const tigris_vendor_adapter adapters[] = {
#if TIGRIS_KERNEL_CONV_S8
    {TIGRIS_OP_CONV, servesConv, convScratch, conv},
#endif
#if TIGRIS_KERNEL_DEPTHWISE_CONV_S8
    {TIGRIS_OP_DEPTHWISE_CONV, servesConv, convScratch, conv},
#endif
#if TIGRIS_KERNEL_FULLY_CONNECTED_S8
    {TIGRIS_OP_FULLY_CONNECTED, servesDense, NULL, dense},
#endif
#if TIGRIS_KERNEL_POOL_S8
    {TIGRIS_OP_MAX_POOL, tigris_vendor_plain_pool, NULL, maxPool},
    {TIGRIS_OP_AVERAGE_POOL, tigris_vendor_plain_pool, NULL, averagePool},
    {TIGRIS_OP_GLOBAL_AVERAGE_POOL, tigris_vendor_plain_pool, NULL, globalAveragePool},
#endif
#if TIGRIS_KERNEL_BINARY_S8
    {TIGRIS_OP_ADD, servesBinary, NULL, binary},
    {TIGRIS_OP_MUL, servesBinary, NULL, binary},
#endif
#if TIGRIS_KERNEL_SOFTMAX_S8
    {TIGRIS_OP_SOFTMAX, tigris_vendor_plain_softmax, softmaxScratch, softmax},
#endif
    {0, NULL, NULL, NULL},
};

static tigris_kernel find(const tigris_plan* plan, const tigris_op* op) {
  return tigris_vendor_kernel(adapters, plan, op);
}

static uint32_t scratchBytes(const tigris_plan* plan, const tigris_op* op) {
  return tigris_vendor_scratch(adapters, plan, op);
}

const tigris_backend tigris_backend_esp_nn = {
    TIGRIS_ESP_NN_NAME, TIGRIS_BACKEND_ABI,    TIGRIS_MIN_ALIGN,         find,
    scratchBytes,       tigris_reference_sink, &tigris_backend_reference};
