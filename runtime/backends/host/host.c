/* Chooses the instruction set and the kernel for an op. */
#include "tigris_host.h"

#include "levels.h"
#include "view.h"

static const tigris_host_kernels none = {"none", NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL};

static const tigris_host_kernels* level(void) {
#if TIGRIS_HOST_X86
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vnni"))
    return &tigris_host_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return &tigris_host_avx2;
#elif TIGRIS_HOST_NEON
  return &tigris_host_neon;
#endif
  return &none;
}

const char* tigris_host_level(void) { return level()->name; }

static tigris_kernel vectorized(const tigris_host_kernels* k, uint32_t opcode, int isFloat) {
  switch (opcode) {
  case TIGRIS_OP_CONV:
    return isFloat ? k->conv_f32 : k->conv_s8;
  case TIGRIS_OP_DEPTHWISE_CONV:
    return isFloat ? k->depthwise_conv_f32 : k->depthwise_conv_s8;
  case TIGRIS_OP_FULLY_CONNECTED:
    return isFloat ? k->fully_connected_f32 : k->fully_connected_s8;
  case TIGRIS_OP_MATMUL:
    return isFloat ? k->matmul_f32 : NULL;
  case TIGRIS_OP_ADD:
  case TIGRIS_OP_SUB:
    return isFloat ? NULL : k->add_s8;
  default:
    return NULL;
  }
}

tigris_kernel tigris_host_find(const tigris_host_kernels* kernels, const tigris_plan* plan,
                               const tigris_op* op) {
  const uint32_t dtype = plan->tensors[plan->operands[op->operands].tensor].dtype;
  tigris_kernel kernel = NULL;
  if (op->opcode == TIGRIS_OP_TRANSPOSE)
    return tigris_host_transpose;
  if ((dtype == TIGRIS_F32 || dtype == TIGRIS_S8) && (op->flags & TIGRIS_ROUND_EVEN) == 0)
    kernel = vectorized(kernels, op->opcode, dtype == TIGRIS_F32);
  return kernel != NULL ? kernel : tigris_backend_reference.find(plan, op);
}

static tigris_kernel find(const tigris_plan* plan, const tigris_op* op) {
  return tigris_host_find(level(), plan, op);
}

const tigris_backend tigris_backend_host = {
    "host", TIGRIS_BACKEND_ABI, TIGRIS_MIN_ALIGN, find, NULL, tigris_reference_sink, NULL};
