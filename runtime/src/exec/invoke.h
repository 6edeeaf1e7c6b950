/* Kernel invocation. The executor calls kernels only through this function. */
#ifndef TIGRIS_INVOKE_H
#define TIGRIS_INVOKE_H

#include "tigris_backend.h"

/* Calls the kernel of an op on its views (inputs first) with the context's scratch, and counts the
 * call. A rehearsal only counts. */
tigris_status tigris_invoke(tigris_context* ctx, tigris_kernel kernel, const tigris_op* op,
                            const void* params, const tigris_view* views);

#endif /* TIGRIS_INVOKE_H */
