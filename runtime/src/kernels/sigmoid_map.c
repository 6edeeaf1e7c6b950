/* SIGMOID_INT: sigmoid and tanh of int16. */
#include "kernels.h"
#include "sigmoid_s16.h"
#include "walk.h"

tigris_status tigris_sigmoid_int(const tigris_call* call) {
  const tigris_sigmoid_params* p = (const tigris_sigmoid_params*)call->params;
  const tigris_span span = tigris_span_of(&call->out[0]);
  const int16_t* x = (const int16_t*)(const void*)tigris_element(&call->in[0], span.begin, 2);
  int16_t* y = (int16_t*)(void*)call->out[0].data;
  uint32_t i;
  for (i = 0; i < span.count; ++i) {
    const int32_t argument = tigris_sigmoid_argument(x[i], p->multiplier, p->shift);
    y[i] = p->function == TIGRIS_FN_TANH ? tigris_tanh_s16(argument) : tigris_sigmoid_s16(argument);
  }
  return TIGRIS_OK;
}
