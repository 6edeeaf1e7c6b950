/* LSTM of int8 or int16 with an int16 cell, in the arithmetic of TensorFlow Lite Micro
 * (lstm_eval.h). The row of Y written in the previous step is the state, and gates are computed
 * unit by unit, so that no further memory is needed. */
#include <string.h>

#include "kernels.h"
#include "sigmoid_s16.h"
#include "wide_s16.h"

/* Gates, in the order of weights, biases and scales. */
enum { INPUT, OUTPUT, FORGET, CELL };

/* One factor of the sums: the sequence's input, or the state. */
typedef struct Source {
  const int8_t* weights; /* [4, hidden, n] */
  uint32_t pairs;        /* the first one of its gates */
  int32_t zero;
  uint32_t n;
} Source;

typedef struct Layer {
  const tigris_lstm_int_params* params;
  const int32_t* bias; /* [4, hidden] */
  Source x;
  Source h;
  uint32_t hidden;
  int32_t outZero;
  int isWide; /* int16 activations */
} Layer;

static int32_t clampS16(int32_t v) { return tigris_clamp_s32(v, INT16_MIN, INT16_MAX); }

/* TensorFlow Lite's scaling of 64-bit sums: the multiplier is rounded to 15 bits. */
static int32_t scaledWide(int64_t sum, int32_t multiplier, int32_t shift) {
  const int32_t factor = multiplier < 0x7FFF0000 ? (multiplier + (1 << 15)) >> 16 : 0x7FFF;
  const int32_t right = 15 - shift;
  int64_t v = tigris_clamp_s64(sum, -TIGRIS_WIDE_LIMIT, TIGRIS_WIDE_LIMIT - 1) * factor;
  if (right <= 0)
    v = tigris_clamp_s64(v, INT16_MIN, INT16_MAX) * (INT64_C(1) << -right);
  else
    v = (v + (INT64_C(1) << (right - 1))) >> right;
  return (int32_t)tigris_clamp_s64(v, INT16_MIN, INT16_MAX);
}

/* The dense layer of one unit and gate: int16 with 12 fractional bits. */
static int32_t dense(const Layer* l, const Source* s, uint32_t gate, uint32_t unit,
                     const void* values, int32_t bias) {
  const int8_t* w = s->weights + ((size_t)gate * l->hidden + unit) * s->n;
  const int32_t multiplier = l->params->multipliers[s->pairs + gate];
  const int32_t shift = l->params->shifts[s->pairs + gate];
  uint32_t i;
  if (l->isWide) {
    const int16_t* v = (const int16_t*)values;
    int64_t sum = bias;
    for (i = 0; i < s->n; ++i)
      sum += w[i] * (v[i] - s->zero);
    return scaledWide(sum, multiplier, shift);
  } else {
    const int8_t* v = (const int8_t*)values;
    int32_t sum = bias;
    for (i = 0; i < s->n; ++i)
      sum = tigris_add_wrap(sum, w[i] * (v[i] - s->zero));
    return clampS16(tigris_requantize(sum, multiplier, shift));
  }
}

/* The argument of a gate's function. */
static int32_t gateOf(const Layer* l, uint32_t gate, uint32_t unit, const void* x, const void* h) {
  const int32_t ofX = dense(l, &l->x, gate, unit, x, l->bias[(size_t)gate * l->hidden + unit]);
  const int32_t sum = clampS16(ofX + dense(l, &l->h, gate, unit, h, 0));
  return tigris_sigmoid_argument(sum, 3, 0);
}

static int32_t product(const Layer* l, uint32_t pair, int32_t a, int32_t b) {
  return tigris_requantize(a * b, l->params->multipliers[pair], l->params->shifts[pair]);
}

static int32_t tanhOfCell(int32_t cell, int32_t power) {
  const int32_t left = 12 + power; /* of 12 fractional bits */
  return tigris_tanh_s16(left >= 0 ? tigris_sigmoid_argument(cell, 3 << left, 0)
                                   : tigris_sigmoid_argument(cell, 3, (uint32_t)-left));
}

/* The new state of one step; `cell` is updated. */
static void step(const Layer* l, const void* x, const void* h, int16_t* cell, void* y) {
  const tigris_lstm_int_params* p = l->params;
  const int32_t most = l->isWide ? INT16_MAX : INT8_MAX;
  uint32_t j;
  for (j = 0; j < l->hidden; ++j) {
    const int32_t forget = tigris_sigmoid_s16(gateOf(l, FORGET, j, x, h));
    const int32_t in = tigris_sigmoid_s16(gateOf(l, INPUT, j, x, h));
    const int32_t candidate = tigris_tanh_s16(gateOf(l, CELL, j, x, h));
    const int32_t out = tigris_sigmoid_s16(gateOf(l, OUTPUT, j, x, h));
    int32_t c = clampS16(clampS16(product(l, TIGRIS_LSTM_KEEP, forget, cell[j])) +
                         clampS16(product(l, TIGRIS_LSTM_ADD, in, candidate)));
    int32_t v;
    if (p->cell_clip != 0)
      c = tigris_clamp_s32(c, -p->cell_clip, p->cell_clip);
    cell[j] = (int16_t)c;
    v = tigris_clamp_s32(
        tigris_add_wrap(product(l, TIGRIS_LSTM_OUT, out, tanhOfCell(c, p->cell_power)), l->outZero),
        -most - 1, most);
    if (l->isWide)
      ((int16_t*)y)[j] = (int16_t)v;
    else
      ((int8_t*)y)[j] = (int8_t)v;
  }
}

tigris_status tigris_lstm_int(const tigris_call* call) {
  const int32_t* dx = call->in[0].dims;
  const tigris_tensor* y = call->out[0].tensor;
  const uint32_t steps = (uint32_t)dx[0];
  const uint32_t batch = (uint32_t)dx[1];
  const uint32_t size = tigris_element_size(y->dtype);
  const uint32_t rows = (uint32_t)call->out[0].dims[0];
  const uint32_t state = call->out[0].first; /* 0: the sequence starts, or the state's row + 1 */
  const tigris_lstm_int_params* p = (const tigris_lstm_int_params*)call->params;
  const int reverse = (p->flags & TIGRIS_RECURRENT_REVERSE) != 0;
  Layer l;
  uint32_t n;
  uint32_t i;
  l.params = p;
  l.bias = (const int32_t*)(const void*)call->in[3].data;
  l.hidden = (uint32_t)call->out[0].dims[3];
  l.outZero = tigris_zero_point(call->plan, y);
  l.isWide = y->dtype == TIGRIS_S16;
  l.x.weights = (const int8_t*)call->in[1].data;
  l.x.pairs = TIGRIS_LSTM_OF_X;
  l.x.zero = tigris_zero_point(call->plan, call->in[0].tensor);
  l.x.n = (uint32_t)dx[2];
  l.h.weights = (const int8_t*)call->in[2].data;
  l.h.pairs = TIGRIS_LSTM_OF_H;
  l.h.zero = l.outZero;
  l.h.n = l.hidden;
  for (n = 0; n < batch; ++n) {
    const size_t width = (size_t)l.hidden * size;
    const size_t pitch = batch * width;
    int16_t* cell = (int16_t*)(void*)call->out[1].data + (size_t)n * l.hidden;
    const uint8_t* h = state == 0 ? call->in[4].data + n * width
                                  : call->out[0].data + (state - 1) * pitch + n * width;
    if (state == 0)
      memcpy(cell, call->in[5].data + n * l.hidden * sizeof *cell, l.hidden * sizeof *cell);
    for (i = 0; i < steps; ++i) {
      const uint32_t at = reverse ? steps - 1 - i : i;
      const uint8_t* x = call->in[0].data + ((size_t)at * batch + n) * l.x.n * size;
      uint8_t* to =
          call->out[0].data + ((at + call->in[0].first % rows) % rows) * pitch + n * width;
      step(&l, x, h, cell, to);
      h = to;
    }
  }
  return TIGRIS_OK;
}
