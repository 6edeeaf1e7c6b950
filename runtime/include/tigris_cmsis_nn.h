/* The CMSIS-NN backend: Arm's int8 kernels behind tigris_backend, the reference kernels for
 * everything else.
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
