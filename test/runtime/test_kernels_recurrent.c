/* LSTM, GRU and RNN against the equations of ONNX in double precision. */
#include <math.h>

#include "one_op.h"

#define MOST 4 /* maximum of every dimension */

/* Weights in ONNX's order, and in the kernels' order. */
typedef struct Layer {
  uint16_t opcode;
  int gates;
  int steps;
  int batch;
  int inputs;
  int hidden;
  int directions;
  int hasState;
  int hasPeepholes;
  tigris_recurrent_params params;
  float w[2][4][MOST][MOST];
  float r[2][4][MOST][MOST];
  float wb[2][4][MOST];
  float rb[2][4][MOST];
  float p[2][3][MOST];
  float x[8][MOST][MOST];
  float h[2][MOST][MOST];
  float c[2][MOST][MOST];
} Layer;

static double within(const Layer* l, double v) {
  const double bound = (double)l->params.clip;
  return fmax(-bound, fmin(bound, v));
}

static double bounded(const Layer* l, double v) {
  return l->params.flags & TIGRIS_RECURRENT_CLIP_CELL ? v : within(l, v);
}

static double sigma(const Layer* l, double v) { return 1 / (1 + exp(-bounded(l, v))); }

static double hyperbolic(const Layer* l, double v) { return tanh(bounded(l, v)); }

/* W x + Wb or R h + Rb of one gate and unit. */
static double product(const float weights[MOST], float bias, const double* v, int n) {
  double sum = (double)bias;
  int i;
  for (i = 0; i < n; ++i)
    sum += (double)weights[i] * v[i];
  return sum;
}

/* One step of direction d; h and c are replaced. */
static void step(const Layer* l, int d, const double* x, double* h, double* c) {
  double next[MOST];
  double gated[MOST]; /* GRU: reset gate times state */
  int j;
#define OF_X(gate, unit) product(l->w[d][gate][unit], l->wb[d][gate][unit], x, l->inputs)
#define OF_H(gate, unit, state) product(l->r[d][gate][unit], l->rb[d][gate][unit], state, l->hidden)
  for (j = 0; j < l->hidden && l->opcode == TIGRIS_OP_GRU; ++j)
    gated[j] = sigma(l, OF_X(1, j) + OF_H(1, j, h)) * h[j];
  for (j = 0; j < l->hidden; ++j) {
    const float zero = 0;
    const float* p[3];
    int k;
    for (k = 0; k < 3; ++k)
      p[k] = l->hasPeepholes ? &l->p[d][k][j] : &zero;
    if (l->opcode == TIGRIS_OP_LSTM) {
      const double i = sigma(l, OF_X(0, j) + OF_H(0, j, h) + (double)*p[0] * c[j]);
      const double f = sigma(l, OF_X(2, j) + OF_H(2, j, h) + (double)*p[2] * c[j]);
      c[j] = f * c[j] + i * hyperbolic(l, OF_X(3, j) + OF_H(3, j, h));
      if (l->params.flags & TIGRIS_RECURRENT_CLIP_CELL)
        c[j] = within(l, c[j]);
      next[j] = sigma(l, OF_X(1, j) + OF_H(1, j, h) + (double)*p[1] * c[j]) * tanh(c[j]);
    } else if (l->opcode == TIGRIS_OP_GRU) {
      const double z = sigma(l, OF_X(0, j) + OF_H(0, j, h));
      const double r = sigma(l, OF_X(1, j) + OF_H(1, j, h));
      const double n = l->params.flags & TIGRIS_RECURRENT_RESET_AFTER
                           ? OF_X(2, j) + r * OF_H(2, j, h)
                           : OF_X(2, j) + OF_H(2, j, gated);
      next[j] = (1 - z) * hyperbolic(l, n) + z * h[j];
    } else {
      const double v = OF_X(0, j) + OF_H(0, j, h);
      next[j] = l->params.flags & TIGRIS_RECURRENT_RELU ? fmax(0, bounded(l, v)) : hyperbolic(l, v);
    }
  }
  for (j = 0; j < l->hidden; ++j)
    h[j] = next[j];
}

static int addWeights(Builder* b, const Layer* l, const float from[2][4][MOST][MOST], int width) {
  const int32_t dims[4] = {l->directions, l->hidden, width, l->gates};
  float to[2 * MOST * MOST * 4];
  int n = 0;
  int d;
  int j;
  int i;
  int g;
  for (d = 0; d < l->directions; ++d)
    for (j = 0; j < l->hidden; ++j)
      for (i = 0; i < width; ++i)
        for (g = 0; g < l->gates; ++g)
          to[n++] = from[d][g][j][i];
  return builderConst(b, TIGRIS_F32, 4, dims, TIGRIS_NONE, to);
}

static int addBias(Builder* b, const Layer* l) {
  const int isGru = l->opcode == TIGRIS_OP_GRU;
  const int32_t dims[3] = {l->directions, l->hidden, isGru ? 4 : l->gates};
  float to[2 * MOST * 4];
  int n = 0;
  int d;
  int j;
  int g;
  for (d = 0; d < l->directions; ++d)
    for (j = 0; j < l->hidden; ++j) {
      for (g = 0; g < l->gates; ++g)
        to[n++] = l->wb[d][g][j] + (isGru && g == 2 ? 0.0f : l->rb[d][g][j]);
      if (isGru)
        to[n++] = l->rb[d][2][j];
    }
  return builderConst(b, TIGRIS_F32, 3, dims, TIGRIS_NONE, to);
}

static int addPeepholes(Builder* b, const Layer* l) {
  const int32_t dims[3] = {l->directions, l->hidden, 3};
  float to[2 * MOST * 3];
  int n = 0;
  int d;
  int j;
  int g;
  for (d = 0; d < l->directions; ++d)
    for (j = 0; j < l->hidden; ++j)
      for (g = 0; g < 3; ++g)
        to[n++] = l->p[d][g][j];
  return builderConst(b, TIGRIS_F32, 3, dims, TIGRIS_NONE, to);
}

/* All rows of Y that remain at the end, and the last cell. */
static void checkAgainstOracle(const Layer* l, int rows, const float* y, const float* cell) {
  int d;
  int n;
  int t;
  int j;
  for (d = 0; d < l->directions; ++d)
    for (n = 0; n < l->batch; ++n) {
      const int reverse = d == 1 || (l->params.flags & TIGRIS_RECURRENT_REVERSE) != 0;
      double h[MOST] = {0};
      double c[MOST] = {0};
      for (j = 0; j < l->hidden && l->hasState; ++j) {
        h[j] = (double)l->h[d][n][j];
        c[j] = (double)l->c[d][n][j];
      }
      for (t = 0; t < l->steps; ++t) {
        const int at = reverse ? l->steps - 1 - t : t;
        double x[MOST];
        for (j = 0; j < l->inputs; ++j)
          x[j] = (double)l->x[at][n][j];
        step(l, d, x, h, c);
        for (j = 0; j < l->hidden && l->steps - t <= rows; ++j)
          checkClose(y[((at % rows * l->directions + d) * l->batch + n) * l->hidden + j], h[j], 1);
      }
      for (j = 0; j < l->hidden && cell != NULL; ++j)
        checkClose(cell[(d * l->batch + n) * l->hidden + j], c[j], 1);
    }
}

static void testLayer(uint16_t opcode) {
  Layer l;
  Builder b;
  OneOp run;
  int in[7] = {-1, -1, -1, -1, -1, -1, -1};
  int out[2];
  int count = 4;
  int rows;
  int at = 0;
  int d;
  int n;
  int t;
  int32_t dims[4];
  randomFloats((float*)(void*)l.w,
               sizeof(Layer) / sizeof(float) - (size_t)((float*)(void*)l.w - (float*)(void*)&l));
  l.opcode = opcode;
  l.gates = opcode == TIGRIS_OP_LSTM ? 4 : (opcode == TIGRIS_OP_GRU ? 3 : 1);
  l.steps = randomInt(1, 7);
  l.batch = randomInt(1, 3);
  l.inputs = randomInt(1, MOST);
  l.hidden = randomInt(1, MOST);
  l.directions = randomInt(1, 2);
  l.hasState = randomInt(0, 1);
  l.hasPeepholes = opcode == TIGRIS_OP_LSTM && randomInt(0, 1);
  l.params.flags = l.directions == 1 && randomInt(0, 1) ? TIGRIS_RECURRENT_REVERSE : 0;
  if (randomInt(0, 1))
    l.params.flags |= opcode == TIGRIS_OP_GRU   ? TIGRIS_RECURRENT_RESET_AFTER
                      : opcode == TIGRIS_OP_RNN ? TIGRIS_RECURRENT_RELU
                                                : TIGRIS_RECURRENT_CLIP_CELL;
  l.params.clip = randomInt(0, 1) ? HUGE_VALF : 0.4f;
  rows = l.steps > 2 && randomInt(0, 1) ? 2 : l.steps;
  builderInit(&b, TIGRIS_IO_ARENA);
  dims[0] = l.steps;
  dims[1] = l.batch;
  dims[2] = l.inputs;
  in[0] = builderTensor(&b, TIGRIS_F32, 3, dims, TIGRIS_NONE);
  builderInput(&b, in[0]);
  in[1] = addWeights(&b, &l, (const float(*)[4][MOST][MOST])l.w, l.inputs);
  in[2] = addWeights(&b, &l, (const float(*)[4][MOST][MOST])l.r, l.hidden);
  in[3] = addBias(&b, &l);
  dims[0] = l.directions;
  dims[2] = l.hidden;
  for (n = 4; l.hasState && n < (opcode == TIGRIS_OP_LSTM ? 6 : 5); ++n) {
    in[n] = builderTensor(&b, TIGRIS_F32, 3, dims, TIGRIS_NONE);
    builderInput(&b, in[n]);
    count = n + 1;
  }
  if (l.hasPeepholes) {
    in[6] = addPeepholes(&b, &l);
    count = 7;
  }
  out[1] = opcode == TIGRIS_OP_GRU ? builderTensor(&b, TIGRIS_F32, 1, dims + 2, TIGRIS_NONE)
                                   : builderTensor(&b, TIGRIS_F32, 3, dims, TIGRIS_NONE);
  dims[0] = rows;
  dims[1] = l.directions;
  dims[2] = l.batch;
  dims[3] = l.hidden;
  out[0] = builderTensor(&b, TIGRIS_F32, 4, dims, TIGRIS_NONE);
  builderOutput(&b, out[0]);
  if (opcode == TIGRIS_OP_LSTM)
    builderOutput(&b, out[1]);
  builderOpOutputs(&b, opcode, count, in, opcode == TIGRIS_OP_RNN ? 1 : 2, out, &l.params,
                   sizeof l.params);
  if (!oneOpOpen(&run, &b))
    return;
  for (t = 0; t < l.steps; ++t)
    for (n = 0; n < l.batch; ++n)
      for (d = 0; d < l.inputs; ++d)
        ((float*)tigris_input(&run.ctx, 0))[at++] = l.x[t][n][d];
  at = 0;
  for (d = 0; d < l.directions && l.hasState; ++d)
    for (n = 0; n < l.batch; ++n)
      for (t = 0; t < l.hidden; ++t, ++at) {
        ((float*)tigris_input(&run.ctx, 1))[at] = l.h[d][n][t];
        if (opcode == TIGRIS_OP_LSTM)
          ((float*)tigris_input(&run.ctx, 2))[at] = l.c[d][n][t];
      }
  runWhole(&run);
  checkAgainstOracle(&l, rows, (const float*)tigris_output(&run.ctx, 0),
                     opcode == TIGRIS_OP_LSTM ? (const float*)tigris_output(&run.ctx, 1) : NULL);
  builderFree(&b);
}

int main(void) {
  int i;
  for (i = 0; i < 200; ++i) {
    testLayer(TIGRIS_OP_LSTM);
    testLayer(TIGRIS_OP_GRU);
    testLayer(TIGRIS_OP_RNN);
  }
  return finish();
}
