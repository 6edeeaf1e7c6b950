/* Build-time options of the runtime: alignment, limits, and which parts and kernels are linked.
 *
 * Every macro may be overridden on the compiler's command line or in a selection header named by
 * TIGRIS_SELECTION_HEADER, e.g. -DTIGRIS_SELECTION_HEADER='"my_model_kernels.h"'. The library and
 * the program that uses it must be built with the same values. */
#ifndef TIGRIS_CONFIG_H
#define TIGRIS_CONFIG_H

#ifdef TIGRIS_SELECTION_HEADER
#include TIGRIS_SELECTION_HEADER
#endif

/* Records are read in place, so the processor must be little-endian like the file. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the TiGrIS runtime supports little-endian processors only"
#endif

/* Alignment in bytes of tensors and arenas that suits this processor's vector loads. Declare arenas
 * with it, and compile plans with at least this alignment. The reference kernels need only
 * TIGRIS_MIN_ALIGN (4). */
#ifndef TIGRIS_TENSOR_ALIGN
#if defined(__XTENSA__)
#define TIGRIS_TENSOR_ALIGN 8
#elif defined(__aarch64__) || defined(_M_ARM64)
#define TIGRIS_TENSOR_ALIGN 16
#elif defined(__x86_64__) || defined(_M_X64)
#define TIGRIS_TENSOR_ALIGN 32
#else
#define TIGRIS_TENSOR_ALIGN 4
#endif
#endif

/* Maximum number of inputs plus outputs of one op. The executor keeps one view for each on the
 * stack (24 bytes on a 32-bit processor; 40 in tiled stages). A plan with a wider op is refused
 * (TIGRIS_E_LIMIT). */
#ifndef TIGRIS_MAX_OPERANDS
#define TIGRIS_MAX_OPERANDS 32
#endif

/* Maximum number of model inputs plus outputs that are in caller buffers, or in the arena in
 * dynamic mode. Each takes two pointers in the context. A plan with more is refused
 * (TIGRIS_E_LIMIT). The header made by `tigris-emit --kernels-header` sets the number that a plan
 * needs. */
#ifndef TIGRIS_MAX_PORTS
#define TIGRIS_MAX_PORTS 64
#endif

/* Parts of the core. To select single parts, define TIGRIS_PARTS_DEFAULT as 0 and the wanted ones
 * of the next six as 1. */
#ifndef TIGRIS_PARTS_DEFAULT
#define TIGRIS_PARTS_DEFAULT 1
#endif

/* 0 leaves out the dynamic arena: less fast memory than the plan requires is TIGRIS_E_MEMORY. */
#ifndef TIGRIS_DYNAMIC_ARENA
#define TIGRIS_DYNAMIC_ARENA TIGRIS_PARTS_DEFAULT
#endif

/* 0 leaves out tiled stages: plans that have them are TIGRIS_E_UNSUPPORTED. */
#ifndef TIGRIS_TILED_STAGES
#define TIGRIS_TILED_STAGES TIGRIS_PARTS_DEFAULT
#endif

/* 0 leaves out streamed stages, and with them inputs and outputs by rows: plans that have them are
 * TIGRIS_E_UNSUPPORTED. */
#ifndef TIGRIS_STREAMED_STAGES
#define TIGRIS_STREAMED_STAGES TIGRIS_PARTS_DEFAULT
#endif

/* 0 leaves out stripes of streamed stages: plans that have them are TIGRIS_E_UNSUPPORTED. */
#ifndef TIGRIS_STRIPES
#define TIGRIS_STRIPES TIGRIS_PARTS_DEFAULT
#endif

/* 0 leaves out states: plans that have them are TIGRIS_E_UNSUPPORTED, and tigris_reset does
 * nothing. */
#ifndef TIGRIS_STATES
#define TIGRIS_STATES TIGRIS_PARTS_DEFAULT
#endif

/* 0 leaves out the unpacking of weights: plans with weight blocks are TIGRIS_E_UNSUPPORTED. */
#ifndef TIGRIS_WEIGHT_BLOCKS
#define TIGRIS_WEIGHT_BLOCKS TIGRIS_PARTS_DEFAULT
#endif

/* 0 leaves out the checks of a plan's records (about a quarter of the core) for firmware that
 * trusts its flash. Still checked: magic, version, sizes, the checksum, the section table, and
 * whether this build supports the plan. Use it only for plans that a build with checks has opened
 * before (tigris-run and tigris-dump do) and that nobody else can write to: a malicious plan is not
 * detected. */
#ifndef TIGRIS_VALIDATE
#define TIGRIS_VALIDATE 1
#endif

/* 1 enables tigris_set_profile, which observes the kernel calls. */
#ifndef TIGRIS_PROFILE
#define TIGRIS_PROFILE 0
#endif

/* 0 removes the texts of tigris_status_text, which then always returns "". */
#ifndef TIGRIS_STATUS_TEXT
#define TIGRIS_STATUS_TEXT 1
#endif

/* Kernels. To link only what a plan uses, define TIGRIS_KERNELS_DEFAULT as 0 and the
 * TIGRIS_KERNEL_... that it needs as 1; tigris_opcodes.def lists the opcodes of each. tigris_init
 * reports a missing kernel (TIGRIS_E_KERNEL); a run never does. */
#ifndef TIGRIS_KERNELS_DEFAULT
#define TIGRIS_KERNELS_DEFAULT 1
#endif
/* Kernels of ops with TIGRIS_ROUND_EVEN; without them, plans with such ops are refused. */
#ifndef TIGRIS_EVEN_KERNELS
#define TIGRIS_EVEN_KERNELS TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_CONV_F32
#define TIGRIS_KERNEL_CONV_F32 TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_CONV_S8
#define TIGRIS_KERNEL_CONV_S8 TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_DEPTHWISE_CONV_F32
#define TIGRIS_KERNEL_DEPTHWISE_CONV_F32 TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_DEPTHWISE_CONV_S8
#define TIGRIS_KERNEL_DEPTHWISE_CONV_S8 TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_CONV_TRANSPOSE_F32
#define TIGRIS_KERNEL_CONV_TRANSPOSE_F32 TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_CONV_TRANSPOSE_S8
#define TIGRIS_KERNEL_CONV_TRANSPOSE_S8 TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_FULLY_CONNECTED_F32
#define TIGRIS_KERNEL_FULLY_CONNECTED_F32 TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_FULLY_CONNECTED_S8
#define TIGRIS_KERNEL_FULLY_CONNECTED_S8 TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_MATMUL_F32
#define TIGRIS_KERNEL_MATMUL_F32 TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_MATMUL_S8
#define TIGRIS_KERNEL_MATMUL_S8 TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_POOL_F32
#define TIGRIS_KERNEL_POOL_F32 TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_POOL_S8
#define TIGRIS_KERNEL_POOL_S8 TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_REDUCE_F32
#define TIGRIS_KERNEL_REDUCE_F32 TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_REDUCE_S8
#define TIGRIS_KERNEL_REDUCE_S8 TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_BINARY_F32
#define TIGRIS_KERNEL_BINARY_F32 TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_BINARY_S8
#define TIGRIS_KERNEL_BINARY_S8 TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_UNARY_F32
#define TIGRIS_KERNEL_UNARY_F32 TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_MAP
#define TIGRIS_KERNEL_MAP TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_SOFTMAX_F32
#define TIGRIS_KERNEL_SOFTMAX_F32 TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_SOFTMAX_S8
#define TIGRIS_KERNEL_SOFTMAX_S8 TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_LAYER_NORM_F32
#define TIGRIS_KERNEL_LAYER_NORM_F32 TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_MOVE
#define TIGRIS_KERNEL_MOVE TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_RESIZE
#define TIGRIS_KERNEL_RESIZE TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_BINARY_INT
#define TIGRIS_KERNEL_BINARY_INT TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_LOGIC
#define TIGRIS_KERNEL_LOGIC TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_CAST
#define TIGRIS_KERNEL_CAST TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_SEARCH
#define TIGRIS_KERNEL_SEARCH TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_INDEX
#define TIGRIS_KERNEL_INDEX TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_RECURRENT_F32
#define TIGRIS_KERNEL_RECURRENT_F32 TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_QUANTIZE
#define TIGRIS_KERNEL_QUANTIZE TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_CONV_S16 /* all convolutions; activations are int16, weights int8 */
#define TIGRIS_KERNEL_CONV_S16 TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_DENSE_S16
#define TIGRIS_KERNEL_DENSE_S16 TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_POOL_S16 /* pools and REDUCE */
#define TIGRIS_KERNEL_POOL_S16 TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_KERNEL_MAP_S16
#define TIGRIS_KERNEL_MAP_S16 TIGRIS_KERNELS_DEFAULT
#endif

/* Adapters of the CMSIS-NN backend (runtime/backends/cmsis_nn), with the same default. Ops of an
 * adapter that is left out run on the reference kernels. The linker takes only those functions of
 * CMSIS-NN that the adapters call. */
#ifndef TIGRIS_CMSIS_NN_CONV
#define TIGRIS_CMSIS_NN_CONV TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_CMSIS_NN_DEPTHWISE
#define TIGRIS_CMSIS_NN_DEPTHWISE TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_CMSIS_NN_DENSE
#define TIGRIS_CMSIS_NN_DENSE TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_CMSIS_NN_POOL
#define TIGRIS_CMSIS_NN_POOL TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_CMSIS_NN_BINARY
#define TIGRIS_CMSIS_NN_BINARY TIGRIS_KERNELS_DEFAULT
#endif
#ifndef TIGRIS_CMSIS_NN_SOFTMAX
#define TIGRIS_CMSIS_NN_SOFTMAX TIGRIS_KERNELS_DEFAULT
#endif

/* Operator families: the checks of their records and the rules for cutting them into tiles. A
 * family is present if one of its kernels is, either a reference kernel or one of a backend in this
 * tree. For kernels of your own, define its macro. Plans with other ops are
 * TIGRIS_E_UNSUPPORTED. */
#ifndef TIGRIS_OPS_CONV
#if TIGRIS_KERNEL_CONV_F32 || TIGRIS_KERNEL_CONV_S8 || TIGRIS_KERNEL_DEPTHWISE_CONV_F32 ||         \
    TIGRIS_KERNEL_DEPTHWISE_CONV_S8 || TIGRIS_KERNEL_CONV_TRANSPOSE_F32 ||                         \
    TIGRIS_KERNEL_CONV_TRANSPOSE_S8 || TIGRIS_KERNEL_CONV_S16 || TIGRIS_CMSIS_NN_CONV ||           \
    TIGRIS_CMSIS_NN_DEPTHWISE
#define TIGRIS_OPS_CONV 1
#else
#define TIGRIS_OPS_CONV 0
#endif
#endif
#ifndef TIGRIS_OPS_DENSE
#if TIGRIS_KERNEL_FULLY_CONNECTED_F32 || TIGRIS_KERNEL_FULLY_CONNECTED_S8 ||                       \
    TIGRIS_KERNEL_DENSE_S16 || TIGRIS_CMSIS_NN_DENSE
#define TIGRIS_OPS_DENSE 1
#else
#define TIGRIS_OPS_DENSE 0
#endif
#endif
#ifndef TIGRIS_OPS_MATMUL
#if TIGRIS_KERNEL_MATMUL_F32 || TIGRIS_KERNEL_MATMUL_S8 || TIGRIS_KERNEL_DENSE_S16
#define TIGRIS_OPS_MATMUL 1
#else
#define TIGRIS_OPS_MATMUL 0
#endif
#endif
#ifndef TIGRIS_OPS_POOL
#if TIGRIS_KERNEL_POOL_F32 || TIGRIS_KERNEL_POOL_S8 || TIGRIS_KERNEL_POOL_S16 ||                   \
    TIGRIS_CMSIS_NN_POOL
#define TIGRIS_OPS_POOL 1
#else
#define TIGRIS_OPS_POOL 0
#endif
#endif
#ifndef TIGRIS_OPS_REDUCE
#if TIGRIS_KERNEL_REDUCE_F32 || TIGRIS_KERNEL_REDUCE_S8 || TIGRIS_KERNEL_POOL_S16
#define TIGRIS_OPS_REDUCE 1
#else
#define TIGRIS_OPS_REDUCE 0
#endif
#endif
#ifndef TIGRIS_OPS_BINARY
#if TIGRIS_KERNEL_BINARY_F32 || TIGRIS_KERNEL_BINARY_S8 || TIGRIS_KERNEL_BINARY_INT ||             \
    TIGRIS_KERNEL_MAP_S16 || TIGRIS_CMSIS_NN_BINARY
#define TIGRIS_OPS_BINARY 1
#else
#define TIGRIS_OPS_BINARY 0
#endif
#endif
#ifndef TIGRIS_OPS_UNARY
#if TIGRIS_KERNEL_UNARY_F32 || TIGRIS_KERNEL_MAP_S16
#define TIGRIS_OPS_UNARY 1
#else
#define TIGRIS_OPS_UNARY 0
#endif
#endif
#ifndef TIGRIS_OPS_MAP
#if TIGRIS_KERNEL_MAP || TIGRIS_KERNEL_MAP_S16
#define TIGRIS_OPS_MAP 1
#else
#define TIGRIS_OPS_MAP 0
#endif
#endif
#ifndef TIGRIS_OPS_SOFTMAX
#if TIGRIS_KERNEL_SOFTMAX_F32 || TIGRIS_KERNEL_SOFTMAX_S8 || TIGRIS_CMSIS_NN_SOFTMAX
#define TIGRIS_OPS_SOFTMAX 1
#else
#define TIGRIS_OPS_SOFTMAX 0
#endif
#endif
#ifndef TIGRIS_OPS_LAYER_NORM
#if TIGRIS_KERNEL_LAYER_NORM_F32
#define TIGRIS_OPS_LAYER_NORM 1
#else
#define TIGRIS_OPS_LAYER_NORM 0
#endif
#endif
#ifndef TIGRIS_OPS_MOVE
#if TIGRIS_KERNEL_MOVE
#define TIGRIS_OPS_MOVE 1
#else
#define TIGRIS_OPS_MOVE 0
#endif
#endif
#ifndef TIGRIS_OPS_RESIZE
#if TIGRIS_KERNEL_RESIZE
#define TIGRIS_OPS_RESIZE 1
#else
#define TIGRIS_OPS_RESIZE 0
#endif
#endif
#ifndef TIGRIS_OPS_LOGIC
#if TIGRIS_KERNEL_LOGIC
#define TIGRIS_OPS_LOGIC 1
#else
#define TIGRIS_OPS_LOGIC 0
#endif
#endif
#ifndef TIGRIS_OPS_CAST
#if TIGRIS_KERNEL_CAST
#define TIGRIS_OPS_CAST 1
#else
#define TIGRIS_OPS_CAST 0
#endif
#endif
#ifndef TIGRIS_OPS_SEARCH
#if TIGRIS_KERNEL_SEARCH
#define TIGRIS_OPS_SEARCH 1
#else
#define TIGRIS_OPS_SEARCH 0
#endif
#endif
#ifndef TIGRIS_OPS_INDEX
#if TIGRIS_KERNEL_INDEX
#define TIGRIS_OPS_INDEX 1
#else
#define TIGRIS_OPS_INDEX 0
#endif
#endif
#ifndef TIGRIS_OPS_RECURRENT
#if TIGRIS_KERNEL_RECURRENT_F32
#define TIGRIS_OPS_RECURRENT 1
#else
#define TIGRIS_OPS_RECURRENT 0
#endif
#endif
#ifndef TIGRIS_OPS_QUANTIZE
#if TIGRIS_KERNEL_QUANTIZE
#define TIGRIS_OPS_QUANTIZE 1
#else
#define TIGRIS_OPS_QUANTIZE 0
#endif
#endif

/* Derived: what tiled and streamed stages share. */
#define TIGRIS_TILES (TIGRIS_TILED_STAGES || TIGRIS_STREAMED_STAGES)

#endif /* TIGRIS_CONFIG_H */
