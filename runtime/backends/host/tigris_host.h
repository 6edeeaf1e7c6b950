/* The backend for hosts: vectorized convolutions and products for AVX-512, AVX2 with FMA, and NEON,
 * selected by the processor's features on first use.
 *
 * int8 results equal those of the reference backend byte for byte. float32 sums are fused
 * multiply-adds in the order of the taps; they may differ from the reference by rounding, but not
 * with tiling or budget. No scratch; up to 300 KB of stack. Unsupported ops run on the reference
 * kernels. */
#ifndef TIGRIS_HOST_H
#define TIGRIS_HOST_H

#include "tigris_backend.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const tigris_backend tigris_backend_host;

/* The instruction set in use: "avx512", "avx2", "neon", or "none". */
const char* tigris_host_level(void);

#ifdef __cplusplus
}
#endif

#endif /* TIGRIS_HOST_H */
