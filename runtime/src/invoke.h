/* The one place from which kernels are called. */
#ifndef TIGRIS_INVOKE_H
#define TIGRIS_INVOKE_H

#include "tigris_backend.h"

static inline tigris_status tigris_invoke(const tigris_context* ctx, const tigris_call* call) {
  const tigris_kernel kernel = ctx->backend->find(call->plan, call->op);
#if TIGRIS_PROFILE
  if (ctx->profile != NULL) {
    tigris_status status;
    ctx->profile(ctx->profile_user, call, 0);
    status = kernel(call);
    ctx->profile(ctx->profile_user, call, 1);
    return status;
  }
#endif
  return kernel(call);
}

#endif /* TIGRIS_INVOKE_H */
