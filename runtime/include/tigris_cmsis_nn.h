/* The CMSIS-NN backend: Arm's int8 kernels with the interface tigris_backend, and the reference
 * kernels for all other ops.
 *
 * Link runtime/backends/cmsis_nn and a CMSIS-NN compiled with the same processor flags
 * (docs/backends.md). Output bytes equal the reference backend's. */
#ifndef TIGRIS_CMSIS_NN_H
#define TIGRIS_CMSIS_NN_H

#include "tigris_backend.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const tigris_backend tigris_backend_cmsis_nn;

#ifdef __cplusplus
}
#endif

#endif /* TIGRIS_CMSIS_NN_H */
