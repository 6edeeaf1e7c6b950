/* Float recurrent layers over a whole sequence. The row of Y written in the previous step is the
 * state. The only memory besides Y is the cell of an LSTM and the product of reset gate and state
 * of a GRU. */
#include <math.h>
#include <string.h>

#include "kernels.h"
#include "view.h"

/* One direction of one sequence; the gates of a unit are adjacent in all weights. */
typedef struct Sequence {
  const tigris_recurrent_params* params;
  const float* x;     /* of step 0 */
  const float* w;     /* [hidden, inputs, gates] */
  const float* r;     /* [hidden, hidden, gates] */
  const float* b;     /* [hidden, gates], GRU [hidden, 4] */
  const float* p;     /* LSTM: [hidden, 3] peepholes, or NULL */
  const float* first; /* initial state, or NULL for zeros */
  float* y;           /* row 0 */
  float* extra;       /* LSTM: cell, GRU: reset gate times state */
  uint32_t steps;
  uint32_t rows;
  uint32_t shift; /* row of step 0 */
  uint32_t state; /* 0: starts with `first`, otherwise with row state - 1 */
  uint32_t xStep; /* floats from step to step */
  uint32_t yStep; /* floats from row to row */
  uint32_t inputs;
  uint32_t hidden;
  int reverse;
} Sequence;

static float bounded(const Sequence* s, float v) {
  const float bound = s->params->clip;
  return v > bound ? bound : (v < -bound ? -bound : v);
}

static float clipped(const Sequence* s, float v) {
  return (s->params->flags & TIGRIS_RECURRENT_CLIP_CELL) != 0 ? v : bounded(s, v);
}

static float sigmoid(const Sequence* s, float v) { return 1.0f / (1.0f + expf(-clipped(s, v))); }

static float hyperbolic(const Sequence* s, float v) { return tanhf(clipped(s, v)); }

/* sums[g] += v[i] * w[i][g]. */
static void add4(float* sums, const float* v, const float* w, uint32_t n) {
  float a = sums[0];
  float b = sums[1];
  float c = sums[2];
  float d = sums[3];
  uint32_t i;
  for (i = 0; i < n; ++i, w += 4) {
    a += v[i] * w[0];
    b += v[i] * w[1];
    c += v[i] * w[2];
    d += v[i] * w[3];
  }
  sums[0] = a;
  sums[1] = b;
  sums[2] = c;
  sums[3] = d;
}

/* start + the dot product of v with every `gates`-th weight. */
static float dot(float start, const float* v, const float* w, uint32_t n, uint32_t gates) {
  uint32_t i;
  for (i = 0; i < n; ++i)
    start += v[i] * w[(size_t)i * gates];
  return start;
}

/* One step: computes the new state from x and the state (NULL: zeros). */
static void lstmStep(const Sequence* s, const float* x, const float* h, float* y) {
  uint32_t j;
  for (j = 0; j < s->hidden; ++j) {
    const float* p = s->p == NULL ? NULL : s->p + (size_t)j * 3;
    const float before = s->extra[j];
    float g[4]; /* input, output, forget, cell */
    float cell;
    memcpy(g, s->b + (size_t)j * 4, sizeof g);
    add4(g, x, s->w + (size_t)j * s->inputs * 4, s->inputs);
    if (h != NULL)
      add4(g, h, s->r + (size_t)j * s->hidden * 4, s->hidden);
    if (p != NULL) {
      g[0] += p[0] * before;
      g[2] += p[2] * before;
    }
    cell = sigmoid(s, g[2]) * before + sigmoid(s, g[0]) * hyperbolic(s, g[3]);
    if ((s->params->flags & TIGRIS_RECURRENT_CLIP_CELL) != 0)
      cell = bounded(s, cell);
    if (p != NULL)
      g[1] += p[1] * cell;
    s->extra[j] = cell;
    /* `clip` of ONNX does not apply to the cell, as in onnxruntime; ONNX leaves it open */
    y[j] = sigmoid(s, g[1]) * tanhf(cell);
  }
}

static void gruStep(const Sequence* s, const float* x, const float* h, float* y) {
  const int after = (s->params->flags & TIGRIS_RECURRENT_RESET_AFTER) != 0;
  uint32_t j;
  for (j = 0; !after && h != NULL && j < s->hidden; ++j) {
    const float sum =
        dot(s->b[(size_t)j * 4 + 1], x, s->w + (size_t)j * s->inputs * 3 + 1, s->inputs, 3);
    s->extra[j] =
        h[j] * sigmoid(s, dot(sum, h, s->r + (size_t)j * s->hidden * 3 + 1, s->hidden, 3));
  }
  for (j = 0; j < s->hidden; ++j) {
    const float* w = s->w + (size_t)j * s->inputs * 3;
    const float* r = s->r + (size_t)j * s->hidden * 3;
    const float* b = s->b + (size_t)j * 4; /* update, reset, candidate of x, candidate of h */
    float update = dot(b[0], x, w, s->inputs, 3);
    float candidate = dot(b[2], x, w + 2, s->inputs, 3);
    if (h != NULL)
      update = dot(update, h, r, s->hidden, 3);
    if (after) {
      float reset = dot(b[1], x, w + 1, s->inputs, 3);
      if (h != NULL)
        reset = dot(reset, h, r + 1, s->hidden, 3);
      candidate += sigmoid(s, reset) * (h == NULL ? b[3] : dot(b[3], h, r + 2, s->hidden, 3));
    } else {
      candidate += b[3];
      if (h != NULL)
        candidate = dot(candidate, s->extra, r + 2, s->hidden, 3);
    }
    update = sigmoid(s, update);
    y[j] = (1.0f - update) * hyperbolic(s, candidate) + (h == NULL ? 0.0f : update * h[j]);
  }
}

static void rnnStep(const Sequence* s, const float* x, const float* h, float* y) {
  const int relu = (s->params->flags & TIGRIS_RECURRENT_RELU) != 0;
  uint32_t j;
  for (j = 0; j < s->hidden; ++j) {
    float sum = dot(s->b[j], x, s->w + (size_t)j * s->inputs, s->inputs, 1);
    if (h != NULL)
      sum = dot(sum, h, s->r + (size_t)j * s->hidden, s->hidden, 1);
    if (relu) {
      sum = clipped(s, sum);
      y[j] = sum > 0.0f ? sum : 0.0f;
    } else {
      y[j] = hyperbolic(s, sum);
    }
  }
}

static void runSequence(const Sequence* s, uint32_t opcode) {
  const float* h = s->state == 0 ? s->first : s->y + (size_t)(s->state - 1) * s->yStep;
  uint32_t i;
  for (i = 0; i < s->steps; ++i) {
    const uint32_t step = s->reverse ? s->steps - 1 - i : i;
    const float* x = s->x + (size_t)step * s->xStep;
    float* y = s->y + (size_t)((step + s->shift) % s->rows) * s->yStep;
    if (opcode == TIGRIS_OP_LSTM)
      lstmStep(s, x, h, y);
    else if (opcode == TIGRIS_OP_GRU)
      gruStep(s, x, h, y);
    else
      rnnStep(s, x, h, y);
    h = y;
  }
}

static const float* input(const tigris_call* call, uint32_t i) {
  return i < call->op->inputs ? (const float*)(const void*)call->in[i].data : NULL;
}

tigris_status tigris_recurrent_f32(const tigris_call* call) {
  const int32_t* dx = call->in[0].dims;
  const int32_t* dw = call->in[1].dims;
  const int32_t* db = call->in[3].dims;
  const uint32_t opcode = call->op->opcode;
  const uint32_t directions = (uint32_t)dw[0];
  const uint32_t batch = (uint32_t)dx[1];
  const uint32_t gates = (uint32_t)dw[3];
  const float* cell = opcode == TIGRIS_OP_LSTM ? input(call, 5) : NULL;
  Sequence s;
  uint32_t d;
  uint32_t n;
  s.params = (const tigris_recurrent_params*)call->params;
  s.steps = (uint32_t)dx[0];
  s.inputs = (uint32_t)dx[2];
  s.hidden = (uint32_t)dw[1];
  s.rows = (uint32_t)call->out[0].dims[0];
  s.shift = call->in[0].first % s.rows;
  s.state = call->out[0].first;
  s.xStep = batch * s.inputs;
  s.yStep = directions * batch * s.hidden;
  s.extra = NULL;
  for (d = 0; d < directions; ++d) {
    s.reverse = d == 1 || (s.params->flags & TIGRIS_RECURRENT_REVERSE) != 0;
    s.w = input(call, 1) + (size_t)d * s.hidden * s.inputs * gates;
    s.r = input(call, 2) + (size_t)d * s.hidden * s.hidden * gates;
    s.b = input(call, 3) + (size_t)d * s.hidden * (uint32_t)db[2];
    s.p = input(call, 6) == NULL ? NULL : input(call, 6) + (size_t)d * s.hidden * 3;
    for (n = 0; n < batch; ++n) {
      const size_t state = ((size_t)d * batch + n) * s.hidden;
      s.x = input(call, 0) + (size_t)n * s.inputs;
      s.y = (float*)(void*)call->out[0].data + state;
      s.first = input(call, 4) == NULL ? NULL : input(call, 4) + state;
      if (opcode == TIGRIS_OP_GRU)
        s.extra = (float*)(void*)call->out[1].data;
      if (opcode == TIGRIS_OP_LSTM) {
        s.extra = (float*)(void*)call->out[1].data + state;
        if (s.state == 0 && cell == NULL)
          memset(s.extra, 0, (size_t)s.hidden * sizeof(float));
        else if (s.state == 0)
          memcpy(s.extra, cell + state, (size_t)s.hidden * sizeof(float));
      }
      runSequence(&s, opcode);
    }
  }
  return TIGRIS_OK;
}
