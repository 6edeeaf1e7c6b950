/* The backend for hosts: vectorized convolutions and products for AVX-512, AVX2 with FMA and NEON, chosen by what
 * the processor has when it is first asked.
 *
 * int8 results are those of the reference backend to the byte. float32 sums are fused multiply-adds in
 * the order of the taps, so they may differ from the reference by rounding, but not with tiling or budget. No
 * scratch; up to 300 KB of stack. Where nothing fits, ops run on the reference kernels. */
#ifndef TIGRIS_HOST_H
#define TIGRIS_HOST_H

#include "tigris_backend.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const tigris_backend tigris_backend_host;

/* The instruction set it uses here: "avx512", "avx2", "neon", or "none". */
const char* tigris_host_level(void);

#ifdef __cplusplus
}
#endif

#endif /* TIGRIS_HOST_H */
