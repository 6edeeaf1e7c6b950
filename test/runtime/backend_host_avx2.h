/* Runs the tests of the reference kernels on the host backend's AVX2 kernels, also on newer
 * processors. */
#ifndef TIGRIS_TEST_BACKEND_HOST_AVX2_H
#define TIGRIS_TEST_BACKEND_HOST_AVX2_H

#include "levels.h"

static tigris_kernel findAvx2(const tigris_plan* plan, const tigris_op* op) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return tigris_backend_reference.find(plan, op);
  return tigris_host_find(&tigris_host_avx2, plan, op);
}

static const tigris_backend backendAvx2 = {
    "host-avx2", TIGRIS_BACKEND_ABI, TIGRIS_MIN_ALIGN, findAvx2, NULL, tigris_reference_sink, NULL};

#define TEST_BACKEND backendAvx2

#endif /* TIGRIS_TEST_BACKEND_HOST_AVX2_H */
