/* Kernel calls and the profiling hook. */
#include "invoke.h"

tigris_status tigris_invoke(tigris_context* ctx, tigris_kernel kernel, const tigris_op* op,
                            const void* params, const tigris_view* views) {
  tigris_call call;
  tigris_status status = TIGRIS_OK;
  call.plan = ctx->plan;
  call.op = op;
  call.params = params;
  call.in = views;
  call.out = views + op->inputs;
  call.scratch = ctx->scratch;
  call.scratch_bytes = ctx->scratch_bytes;
  call.is_short = ctx->fallback_ops != 0;
  call.is_fallback = 0;
  ++ctx->statistics.kernel_calls;
  if (ctx->rehearsal)
    return status;
#if TIGRIS_PROFILE
  if (ctx->profile != NULL)
    ctx->profile(ctx->profile_user, &call, 0);
#endif
  status = kernel(&call);
#if TIGRIS_SCRATCH_FALLBACK
  if (status == TIGRIS_E_SCRATCH) {
    call.is_fallback = 1;
    ++ctx->statistics.fallback_calls;
    kernel = ctx->backend->fallback->find(call.plan, op);
    status = kernel == NULL ? TIGRIS_E_KERNEL : kernel(&call);
  }
#endif
#if TIGRIS_PROFILE
  if (ctx->profile != NULL)
    ctx->profile(ctx->profile_user, &call, 1);
#endif
  return status;
}
