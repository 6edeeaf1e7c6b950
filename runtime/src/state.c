/* Initial values of states: model outputs that become inputs of the next run. */
#include "view.h"

tigris_status tigris_reset(tigris_context* ctx) {
  const tigris_plan* plan;
  uint32_t i;
  if (ctx == NULL || ctx->plan == NULL)
    return TIGRIS_E_ARGUMENT;
  plan = ctx->plan;
  for (i = 0; TIGRIS_STATES && i < plan->input_count; ++i) {
    const tigris_tensor* t = &plan->tensors[plan->ports[i].tensor];
    uint8_t* data = (uint8_t*)tigris_input(ctx, i);
    /* a real zero is the zero point of quantized values, whose low byte comes first */
    const uint32_t zero = tigris_is_quantized(t) ? (uint32_t)tigris_zero_point(plan, t) : 0;
    const uint32_t high = t->dtype == TIGRIS_S16 ? 8 : 0;
    uint32_t k;
    if (plan->ports[i].state == TIGRIS_NO_PORT)
      continue;
    if (data == NULL)
      return TIGRIS_E_STATE;
    for (k = 0; k < t->bytes; ++k)
      data[k] = (uint8_t)(zero >> (k & 1 ? high : 0));
  }
  return TIGRIS_OK;
}
