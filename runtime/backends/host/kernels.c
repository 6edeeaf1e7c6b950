/* The kernel table of one instruction set. */
#include "levels.h"

#define TEXT2(name) #name
#define TEXT(name) TEXT2(name)

const tigris_host_kernels TIGRIS_HOST_NAME(tigris_host) = {
    TEXT(HOST_LEVEL),
    TIGRIS_HOST_NAME(tigris_host_conv_f32),
    TIGRIS_HOST_NAME(tigris_host_depthwise_conv_f32),
    TIGRIS_HOST_NAME(tigris_host_fully_connected_f32),
    TIGRIS_HOST_NAME(tigris_host_matmul_f32),
    TIGRIS_HOST_NAME(tigris_host_conv_s8),
    TIGRIS_HOST_NAME(tigris_host_depthwise_conv_s8),
    TIGRIS_HOST_NAME(tigris_host_fully_connected_s8),
    TIGRIS_HOST_NAME(tigris_host_add_s8),
};
