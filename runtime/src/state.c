/* States: model outputs that the next run gets as inputs. */
#include "state.h"

#include <string.h>

#include "view.h"

uint8_t* tigris_slow_at(const tigris_context* ctx, uint32_t offset, uint32_t bytes) {
  const tigris_plan* plan = ctx->plan;
  uint32_t i;
  for (i = 0; ctx->exchanged && i < plan->port_count; ++i) {
    const tigris_port* port = &plan->ports[i];
    if (port->state != TIGRIS_NO_PORT && offset >= port->offset &&
        (uint64_t)offset + bytes <= (uint64_t)port->offset + plan->tensors[port->tensor].bytes)
      return ctx->slow + plan->ports[port->state].offset + (offset - port->offset);
  }
  return ctx->slow + offset;
}

void tigris_exchange_states(tigris_context* ctx) { ctx->exchanged ^= 1u; }

static void fillWide(int16_t* to, int16_t value, uint32_t n) {
  uint32_t i;
  for (i = 0; i < n; ++i)
    to[i] = value;
}

tigris_status tigris_reset(tigris_context* ctx) {
  const tigris_plan* plan;
  uint32_t i;
  if (ctx == NULL || ctx->plan == NULL)
    return TIGRIS_E_ARGUMENT;
  plan = ctx->plan;
  for (i = 0; i < plan->input_count; ++i) {
    const tigris_tensor* t = &plan->tensors[plan->ports[i].tensor];
    void* data = tigris_input(ctx, i);
    if (plan->ports[i].state == TIGRIS_NO_PORT)
      continue;
    if (data == NULL)
      return TIGRIS_E_STATE;
    /* real zeros: the zero point of quantised values */
    memset(data, t->dtype == TIGRIS_S8 ? tigris_zero_point(plan, t) : 0, t->bytes);
    if (t->dtype == TIGRIS_S16)
      fillWide((int16_t*)data, (int16_t)tigris_zero_point(plan, t), t->bytes / 2);
  }
  return TIGRIS_OK;
}
