/* The table of the CMSIS-NN backend: the adapter for each op; other ops run on the reference
 * kernels. */
#include "adapter.h"
#include "tigris_cmsis_nn.h"

static const tigris_vendor_adapter adapters[] = {
#if TIGRIS_CMSIS_NN_CONV
    {TIGRIS_OP_CONV, tigris_cn_conv_serves, tigris_cn_conv_scratch, tigris_cn_conv},
#endif
#if TIGRIS_CMSIS_NN_DEPTHWISE
    {TIGRIS_OP_DEPTHWISE_CONV, tigris_cn_depthwise_serves, tigris_cn_depthwise_scratch,
     tigris_cn_depthwise},
#endif
#if TIGRIS_CMSIS_NN_DENSE
    {TIGRIS_OP_FULLY_CONNECTED, tigris_vendor_plain_dense, tigris_cn_dense_scratch,
     tigris_cn_dense},
#endif
#if TIGRIS_CMSIS_NN_POOL
    {TIGRIS_OP_MAX_POOL, tigris_vendor_plain_pool, NULL, tigris_cn_max_pool},
    {TIGRIS_OP_AVERAGE_POOL, tigris_vendor_plain_pool, tigris_cn_pool_scratch,
     tigris_cn_average_pool},
    {TIGRIS_OP_GLOBAL_AVERAGE_POOL, tigris_vendor_plain_pool, tigris_cn_pool_scratch,
     tigris_cn_global_average_pool},
#endif
#if TIGRIS_CMSIS_NN_BINARY
    {TIGRIS_OP_ADD, tigris_cn_binary_serves, NULL, tigris_cn_binary},
    {TIGRIS_OP_MUL, tigris_cn_binary_serves, NULL, tigris_cn_binary},
#endif
#if TIGRIS_CMSIS_NN_SOFTMAX
    {TIGRIS_OP_SOFTMAX, tigris_vendor_plain_softmax, NULL, tigris_cn_softmax},
#endif
    {0, NULL, NULL, NULL},
};

static tigris_kernel find(const tigris_plan* plan, const tigris_op* op) {
  return tigris_vendor_kernel(adapters, plan, op);
}

static uint32_t scratchBytes(const tigris_plan* plan, const tigris_op* op) {
  return tigris_vendor_scratch(adapters, plan, op);
}

const tigris_backend tigris_backend_cmsis_nn = {
    "cmsis-nn",   TIGRIS_BACKEND_ABI,    TIGRIS_MIN_ALIGN,         find,
    scratchBytes, tigris_reference_sink, &tigris_backend_reference};
