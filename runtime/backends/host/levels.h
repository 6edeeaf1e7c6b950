/* The kernels of each instruction set. The same sources are compiled once per set, under different
 * names. */
#ifndef TIGRIS_HOST_LEVELS_H
#define TIGRIS_HOST_LEVELS_H

#include "tigris_backend.h"

/* NULL: the reference kernel is used. A kernel forwards calls that it does not support to the
 * reference. */
typedef struct tigris_host_kernels {
  const char* name;
  tigris_kernel conv_f32;
  tigris_kernel depthwise_conv_f32;
  tigris_kernel fully_connected_f32;
  tigris_kernel matmul_f32;
  tigris_kernel conv_s8;
  tigris_kernel depthwise_conv_s8;
  tigris_kernel fully_connected_s8;
  tigris_kernel add_s8; /* ADD and SUB */
} tigris_host_kernels;

/* The kernel for an op on this instruction set; the reference kernel if the table has NULL. */
tigris_kernel tigris_host_find(const tigris_host_kernels* kernels, const tigris_plan* plan,
                               const tigris_op* op);

/* Any dtype; shared by all instruction sets. */
tigris_status tigris_host_transpose(const tigris_call* call);

/* HOST_LEVEL is the name of the instruction set in sources that are compiled several times. */
#define TIGRIS_HOST_JOIN2(a, b) a##_##b
#define TIGRIS_HOST_JOIN(a, b) TIGRIS_HOST_JOIN2(a, b)
#define TIGRIS_HOST_NAME(name) TIGRIS_HOST_JOIN(name, HOST_LEVEL)

#define TIGRIS_HOST_DECLARE(level)                                                                 \
  extern const tigris_host_kernels tigris_host_##level;                                            \
  tigris_status tigris_host_conv_f32_##level(const tigris_call* call);                             \
  tigris_status tigris_host_depthwise_conv_f32_##level(const tigris_call* call);                   \
  tigris_status tigris_host_fully_connected_f32_##level(const tigris_call* call);                  \
  tigris_status tigris_host_matmul_f32_##level(const tigris_call* call);                           \
  tigris_status tigris_host_conv_s8_##level(const tigris_call* call);                              \
  tigris_status tigris_host_depthwise_conv_s8_##level(const tigris_call* call);                    \
  tigris_status tigris_host_fully_connected_s8_##level(const tigris_call* call);                   \
  tigris_status tigris_host_add_s8_##level(const tigris_call* call);

TIGRIS_HOST_DECLARE(avx512)
TIGRIS_HOST_DECLARE(avx2)
TIGRIS_HOST_DECLARE(neon)

#endif /* TIGRIS_HOST_LEVELS_H */
