/* Sample: an SVDF and an integer LSTM, which keep states. */
#include "sample_parts.h"

uint8_t* sampleSequences(Builder* b, uint32_t* size) {
  const int32_t xd[2] = {1, 4};
  const int32_t fd[2] = {4, 4};
  const int32_t td[2] = {4, 2};
  const int32_t bd[1] = {2};
  const int32_t sd[2] = {1, 8};
  const int32_t yd[2] = {1, 2};
  const int32_t vd[3] = {2, 1, 1};
  const int32_t wd[3] = {1, 16, 1};
  const int32_t rd[3] = {1, 16, 4};
  const int32_t hd[3] = {1, 1, 4};
  const int32_t zd[4] = {2, 1, 1, 4};
  const tigris_svdf_params svdf = {2, 1 << 30, -4, 1 << 30, -6};
  tigris_lstm_int_params lstm;
  int8_t weights[64];
  int16_t wide[8];
  int32_t bias[16];
  int in[6];
  int out[2];
  uint32_t quant;
  uint32_t i;
  for (i = 0; i < 64; ++i)
    weights[i] = (int8_t)(i * 9 % 128 - 60);
  for (i = 0; i < 8; ++i)
    wide[i] = (int16_t)(i * 900 - 3000);
  for (i = 0; i < 16; ++i)
    bias[i] = (int32_t)i * 50 - 150;
  lstm.flags = 0;
  lstm.cell_clip = 20000;
  lstm.cell_power = -11;
  for (i = 0; i < TIGRIS_LSTM_PAIRS; ++i) {
    lstm.multipliers[i] = 1 << 30;
    lstm.shifts[i] = i < TIGRIS_LSTM_KEEP ? -1 : (i == TIGRIS_LSTM_OUT ? -22 : -14);
  }
  beginPlan(b, TIGRIS_IO_ARENA);
  in[0] = builderTensor(b, TIGRIS_S8, 2, xd, builderQuant(b, 0.5f, 3));
  builderInput(b, in[0]);
  in[1] = builderConst(b, TIGRIS_S8, 2, fd, TIGRIS_NONE, weights);
  in[2] = builderConst(b, TIGRIS_S16, 2, td, TIGRIS_NONE, wide);
  in[3] = builderConst(b, TIGRIS_S32, 1, bd, TIGRIS_NONE, bias);
  quant = builderQuant(b, 0.25f, 0);
  in[4] = builderTensor(b, TIGRIS_S16, 2, sd, quant);
  builderInput(b, in[4]);
  out[0] = builderTensor(b, TIGRIS_S8, 2, yd, builderQuant(b, 0.125f, -2));
  out[1] = builderTensor(b, TIGRIS_S16, 2, sd, quant);
  builderOpOutputs(b, TIGRIS_OP_SVDF, 5, in, 2, out, &svdf, sizeof svdf);
  in[0] = builderTensor(b, TIGRIS_S8, 3, vd, builderQuant(b, 0.125f, -2));
  builderOp(b, TIGRIS_OP_RESHAPE, 1, out, in[0], NULL, 0);
  in[1] = builderConst(b, TIGRIS_S8, 3, wd, TIGRIS_NONE, weights);
  in[2] = builderConst(b, TIGRIS_S8, 3, rd, TIGRIS_NONE, weights);
  in[3] = builderConst(b, TIGRIS_S32, 2, wd, TIGRIS_NONE, bias);
  quant = builderQuant(b, 0.0625f, 1);
  in[4] = builderTensor(b, TIGRIS_S8, 3, hd, quant);
  builderInput(b, in[4]);
  out[0] = builderTensor(b, TIGRIS_S8, 4, zd, quant);
  quant = builderQuant(b, 0.00048828125f, 0);
  in[5] = builderTensor(b, TIGRIS_S16, 3, hd, quant);
  builderInput(b, in[5]);
  out[1] = builderTensor(b, TIGRIS_S16, 3, hd, quant);
  builderOpOutputs(b, TIGRIS_OP_LSTM_INT, 6, in, 2, out, &lstm, sizeof lstm);
  builderOutput(b, out[0]);
  builderOutput(b, out[1]);
  return builderFinish(b, size);
}
