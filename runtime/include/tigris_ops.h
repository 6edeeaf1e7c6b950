/* The operators of a plan: their numbers, what each computes, and its parameters. A part of
 * tigris_format.h, which includes it.
 *
 * ## Order of float sums
 * A float convolution or dense layer computes each output value in this order: the bias first (0 if
 * absent), then the products in ascending (ky, kx, input channel) order, then the clamp. Padding
 * taps add nothing. No split of the work may change that order, so every tiling gives the same
 * bytes.
 *
 * ## Integer arithmetic (s8)
 * The same as TensorFlow Lite's, bit for bit: int32 accumulators, a multiplier in Q0.31 and a shift
 * (> 0 is a left shift, < 0 a right shift), and MultiplyByQuantizedMultiplier with both of its
 * roundings. Zero points of activations are those of the tensors' QUANT records; int8 bounds `lo`,
 * `hi` are in quantized units of the output. Shifts are in [-31, 30], zero points in [-128, 127].
 *
 * ## Integer arithmetic (s16)
 * Activations are s16, weights s8 and biases s32; zero points are in [-32768, 32767]. Sums are
 * exact (64 bits). Where s8 rounds twice, s16 rounds the product with a multiplier once, ties
 * upward.
 *
 * ## Rounding to even (TIGRIS_ROUND_EVEN in tigris_op.flags)
 * The result is a quotient of integers, rounded once, halves to even; then the zero point is added
 * and the sum is clamped. Where a pair of multiplier and shift is named below, the multiplier is
 * the numerator; it is >= 0 except for b_multiplier. The shift word holds the denominator divisor *
 * 2^power < 2^61 as divisor << 6 | power, with divisor >= 1. With x' = x - zero point:
 *   CONV, DEPTHWISE_CONV, CONV_TRANSPOSE, FULLY_CONNECTED:
 *             (sum of products * multiplier + offset) / denominator. There is no bias operand.
 *             REQUANT holds the low and the high words of the offsets, one of each per pair, after
 *             the shifts.
 *   MATMUL, REQUANTIZE (s16 only), averages and means:
 *             sum' * multiplier / denominator. Averages have a pair even if input and output have
 *             the same quantization.
 *   ADD, SUB: (a' * a_multiplier + b' * b_multiplier) / denominator in out_shift;
 *             SUB with -b_multiplier
 *   MUL:      a' * b' * out_multiplier / denominator in out_shift
 *   DIV:      a' * out_multiplier / (b' * denominator in out_shift); s8; division by real 0
 *             saturates
 *   RESIZE:   sum of w_h * w_w * x' / (sum of the w_h * sum of the w_w); s8
 * Numerators are computed modulo 2^64. Other opcodes do not have this form. */
#ifndef TIGRIS_OPS_H
#define TIGRIS_OPS_H

#include "tigris_format.h"

/* ----------------------------------------------------------------- opcodes */

/* "f32", "s8", ...: dtype of the first input and, unless stated otherwise, of the output. "const":
 * in WEIGHTS. "in place i": the output may have exactly the address of input i. */
typedef enum tigris_opcode {
  /* x, weights, [bias] -> y; tigris_conv_params; f32, s8, s16.
   * weights: f32 [G, KH, KW, I/G, O/G] (rank 5, output channel innermost);
   *          s8 and s16 [O, KH, KW, I/G] (rank 4, stored as s8)
   * bias:    [O], f32 or s32
   * 1-D convolutions use KW = 1 and activations of rank 3. */
  TIGRIS_OP_CONV = 1,
  /* As CONV with one input channel per output channel: O = C * m, and output channel o reads
   * channel o / m; weights [KH, KW, O] for all dtypes (rank 3); params.groups = C. */
  TIGRIS_OP_DEPTHWISE_CONV = 2,
  /* As CONV, with the same weight layouts: y[oy*stride + ky*dilation - pad] += x[oy] * w. As in
   * ONNX ConvTranspose the kernel is not flipped: w[ky,kx] is ONNX's W[i, o, ky, kx]. output =
   * stride*(in-1) + dilation*(k-1) + 1 + output_padding - pads, with 0 <= output_padding. */
  TIGRIS_OP_CONV_TRANSPOSE = 3,
  /* x (M*K elements), weights, [bias [N]] -> y (M*N elements); tigris_fc_params; f32, s8, s16.
   * weights f32 [K, N], s8 and s16 [N, K]. M = elements of x / K. */
  TIGRIS_OP_FULLY_CONNECTED = 4,
  /* a, b -> y; tigris_matmul_params; f32, s8, s16. y[..., M, N] = a[..., M, K] * b[..., K, N];
   * leading axes broadcast as in numpy. With TIGRIS_MATMUL_TRANSPOSE_B b is [..., N, K]. Ranks
   * 2..8. s8: y = req(sum of (a - zero point) * (b - zero point)) + zero point of y, with sums
   * modulo 2^32; s16 likewise. */
  TIGRIS_OP_MATMUL = 5,

  TIGRIS_OP_MAX_POOL = 10,     /* x -> y; tigris_pool_params; f32, s8, s16; same quantization */
  TIGRIS_OP_AVERAGE_POOL = 11, /* x -> y; tigris_pool_params; f32, s8, s16 */
  TIGRIS_OP_GLOBAL_AVERAGE_POOL =
      12, /* x -> y (N*C elements); tigris_global_pool_params; f32, s8, s16 */
  /* x -> y; tigris_reduce_params; f32: all kinds, s8, s16: MEAN, MAX, MIN */
  TIGRIS_OP_REDUCE = 13,
  /* x -> y s64, in which the axis is 1 or removed; tigris_search_params; any dtype except bool. The
   * index of the first of equal values, or of the last with TIGRIS_SEARCH_LAST. */
  TIGRIS_OP_ARG_MAX = 14,
  TIGRIS_OP_ARG_MIN = 15,
  TIGRIS_OP_CUM_SUM = 16, /* x -> y; tigris_search_params; f32, s32, s64 */
  /* x -> values, indices s64; tigris_search_params; any dtype except bool (same quantization). k is
   * the outputs' dimension on the axis. Best value first; equal values in order of their index. */
  TIGRIS_OP_TOP_K = 17,

  /* a, b -> y; tigris_binary_params. Numpy broadcasting of the STORED shapes: a per-channel operand
   * of an NHWC tensor is [C] or [1,1,1,C]. In place on an input with y's shape. s32 and s64 wrap
   * around; their division truncates and gives 0 for a divisor of 0. */
  TIGRIS_OP_ADD = 20,     /* f32, s8, s16, s32, s64 */
  TIGRIS_OP_SUB = 21,     /* f32, s8, s16, s32, s64 */
  TIGRIS_OP_MUL = 22,     /* f32, s8, s16, s32, s64 */
  TIGRIS_OP_DIV = 23,     /* f32, s8, s32, s64 */
  TIGRIS_OP_MAXIMUM = 24, /* f32, s8, s16 (all three of the same quantization), s32, s64 */
  TIGRIS_OP_MINIMUM = 25, /* f32, s8, s16 (all three of the same quantization), s32, s64 */
  TIGRIS_OP_POW = 26,     /* f32 */
  /* x, slope -> y; no params; f32. y = x < 0 ? x * slope : x; slope broadcasts to x. In place 0. */
  TIGRIS_OP_PRELU = 27,
  TIGRIS_OP_MOD = 28,  /* s32, s64; the remainder has the sign of the divisor */
  TIGRIS_OP_FMOD = 29, /* f32, s32, s64; the remainder has the sign of the dividend */

  TIGRIS_OP_UNARY =
      30, /* x -> y; tigris_unary_params; f32, s16 (of the real values). In place 0. */
  TIGRIS_OP_LOOKUP =
      31, /* x, table s8[256] const -> y; no params; s8. y = table[x + 128]. In place 0. */
  TIGRIS_OP_CLAMP =
      32, /* x -> y; tigris_clamp_params; f32, s8, s16 (same quantization). In place 0. */
  /* x, scale [C], offset [C] -> y; tigris_clamp_params; f32. y = clamp(x * scale + offset) over the
   * last axis. In place 0. */
  TIGRIS_OP_BATCH_NORM = 33,

  /* a, b -> y bool; no params; numpy broadcasting */
  TIGRIS_OP_EQUAL = 34,      /* f32, s32, s64, bool */
  TIGRIS_OP_LESS = 35,       /* f32, s32, s64 */
  TIGRIS_OP_LESS_EQUAL = 36, /* f32, s32, s64 */
  TIGRIS_OP_AND = 37,        /* bool */
  TIGRIS_OP_OR = 38,         /* bool */
  TIGRIS_OP_XOR = 39,        /* bool */

  /* x -> y; tigris_softmax_params; f32, s8. An s8 output has scale 1/256 and zero point -128. */
  TIGRIS_OP_SOFTMAX = 40,
  TIGRIS_OP_LOG_SOFTMAX = 41, /* x -> y; tigris_softmax_params; f32 */
  /* x, [scale], [bias] -> y; tigris_layer_norm_params; f32 */
  TIGRIS_OP_LAYER_NORM = 42,
  /* condition bool, a, b -> y; no params; a, b, y have the same dtype (any); numpy broadcasting. y
   * = condition ? a : b. */
  TIGRIS_OP_WHERE = 43,

  /* Data movement: any dtype, the same for input and output. */
  TIGRIS_OP_CONCAT = 50,    /* x0, x1, ... -> y; tigris_axis_params */
  TIGRIS_OP_SLICE = 51,     /* x -> y; tigris_slice_params */
  TIGRIS_OP_PAD = 52,       /* x -> y; tigris_pad_params */
  TIGRIS_OP_TRANSPOSE = 53, /* x -> y; tigris_transpose_params */
  TIGRIS_OP_RESHAPE = 54,   /* x -> y; no params; copies. In place 0 (then it does nothing). */
  /* x -> y; tigris_resize_params; f32, s8 (same quantization), s16 without weights; rank 3 or
   * 4 */
  TIGRIS_OP_RESIZE = 55,
  TIGRIS_OP_GATHER = 56, /* x, indices s32 or s64 -> y; tigris_axis_params */
  /* x, indices s32 or s64 -> y; tigris_axis_params, whose axis is the number of leading batch axes.
   * The last axis of `indices` indexes the axes of x that follow the batch axes. ONNX GatherND. */
  TIGRIS_OP_GATHER_ND = 57,
  TIGRIS_OP_GATHER_ELEMENTS =
      58, /* x, indices s32 or s64 -> y as indices; tigris_axis_params. ONNX GatherElements */
  /* x, indices s32 or s64, updates -> y; tigris_axis_params with axis 0. y is x with parts
   * replaced; of several updates of one element the last wins. ONNX ScatterND. */
  TIGRIS_OP_SCATTER_ND = 59,

  TIGRIS_OP_QUANTIZE =
      60, /* f32 x -> s8 or s16 y; no params; round half to even as ONNX QuantizeLinear */
  TIGRIS_OP_DEQUANTIZE = 61, /* s8 or s16 x -> f32 y; no params */
  TIGRIS_OP_REQUANTIZE =
      62, /* x -> y; tigris_requantize_params; s8 to s8, s16 to s16. In place 0. */
  /* x -> y of another dtype; no params; either dtype is one of f32, s32, s64, bool. f32 to integers
   * truncates and saturates, NaN gives 0; to bool is "not zero"; s64 to s32 keeps the low bits. */
  TIGRIS_OP_CAST = 63,
  TIGRIS_OP_SCATTER_ELEMENTS =
      64, /* x, indices s32 or s64, updates -> y; tigris_axis_params. ONNX ScatterElements */

  /* Recurrent layers; f32; tigris_recurrent_params.
   * x [T, N, I], w [D, H, I, G] const, r [D, H, H, G] const, b const, [first state [D, N, H]]
   *   -> y [T or rows, D, N, H], and a second output
   * D is the number of directions, 1 or 2; the second direction runs in reverse. G is the number of
   * gates per unit, in ONNX's order. Step t is in row t modulo the rows of y, which has T rows or
   * at least 2. LSTM has G 4 and b [D, H, 4]; two more optional inputs: first cell [D, N, H] and
   * peepholes [D, H, 3] const; second output: the cell after the last step [D, N, H]. */
  TIGRIS_OP_LSTM = 70,
  TIGRIS_OP_GRU =
      71, /* G 3; b [D, H, 4]: update, reset, candidate of x, of h; second output [H]: work */
  TIGRIS_OP_RNN = 72 /* G 1; b [D, H, 1]; no second output */
} tigris_opcode;

/* A bound or constant in the dtype of the op's output: `f` for F32, `i` for the others. */
typedef union tigris_scalar {
  float f;
  int32_t i;
} tigris_scalar;

/* Bounds of a fused activation, lo <= hi. Without one: f32 -INFINITY..+INFINITY, s8 -128..127, s16
 * -32768..32767. */

typedef struct tigris_conv_params {
  int32_t kernel_h;
  int32_t kernel_w;
  int32_t stride_h;
  int32_t stride_w;
  int32_t dilation_h;
  int32_t dilation_w;
  int32_t
      pad_top; /* >= 0; out = (in + pads - dilation*(kernel-1) - 1) / stride + 1, rounded down */
  int32_t pad_left;
  int32_t pad_bottom;
  int32_t pad_right;
  int32_t groups;
  tigris_scalar lo;
  tigris_scalar hi;
  uint32_t requant;       /* s8: index into REQUANT; f32: TIGRIS_NONE */
  uint32_t requant_count; /* s8: 1 or O; f32: 0 */
  uint32_t weight_zeros;  /* s8: index into INTS of weight zero points, or TIGRIS_NONE: all 0 */
  uint32_t weight_zeros_count; /* 1 or O; 0 with TIGRIS_NONE */
} tigris_conv_params;

typedef struct tigris_fc_params {
  tigris_scalar lo;
  tigris_scalar hi;
  uint32_t requant; /* as in tigris_conv_params, with N for O */
  uint32_t requant_count;
  uint32_t weight_zeros;
  uint32_t weight_zeros_count;
} tigris_fc_params;

#define TIGRIS_MATMUL_TRANSPOSE_B 1u
typedef struct tigris_matmul_params {
  uint32_t flags;     /* TIGRIS_MATMUL_* */
  int32_t multiplier; /* s8: scale of a * scale of b / scale of y; f32: 0 */
  int32_t shift;
} tigris_matmul_params;

/* Windows may extend beyond the padded input (ceil mode), but each must hold at least one tap of
 * the input. Max pooling ignores padding. Averages divide by the number of taps inside the input
 * or, with TIGRIS_POOL_COUNT_PAD, inside the padded input (padding counts as real 0). s8 average:
 * requant is TIGRIS_NONE if input and output have the same quantization (TFLite's rounded
 * division). Otherwise requant_count = kernel_h*kernel_w pairs, and pair [n-1] = scale_in /
 * (scale_out * n). */
#define TIGRIS_POOL_COUNT_PAD 1u
typedef struct tigris_pool_params {
  int32_t kernel_h;
  int32_t kernel_w;
  int32_t stride_h;
  int32_t stride_w;
  int32_t dilation_h;
  int32_t dilation_w;
  int32_t pad_top;
  int32_t pad_left;
  int32_t pad_bottom;
  int32_t pad_right;
  uint32_t flags; /* TIGRIS_POOL_COUNT_PAD */
  tigris_scalar lo;
  tigris_scalar hi;
  uint32_t requant;
  uint32_t requant_count;
} tigris_pool_params;

/* s8: requant is TIGRIS_NONE if the quantizations are equal; otherwise one pair, scale_in /
 * (scale_out * H * W). */
typedef struct tigris_global_pool_params {
  tigris_scalar lo;
  tigris_scalar hi;
  uint32_t requant;
  uint32_t requant_count; /* 1, or 0 with TIGRIS_NONE */
} tigris_global_pool_params;

typedef enum tigris_reduction {
  TIGRIS_REDUCE_MEAN = 1,
  TIGRIS_REDUCE_SUM = 2,
  TIGRIS_REDUCE_MAX = 3,
  TIGRIS_REDUCE_MIN = 4,
  TIGRIS_REDUCE_PROD = 5,
  TIGRIS_REDUCE_L1 = 6,
  TIGRIS_REDUCE_L2 = 7,
  TIGRIS_REDUCE_SUM_SQUARE = 8,
  TIGRIS_REDUCE_LOG_SUM = 9,
  TIGRIS_REDUCE_LOG_SUM_EXP = 10
} tigris_reduction;

/* The output has the input's axes in order; reduced axes are removed or 1. */
typedef struct tigris_reduce_params {
  uint32_t kind; /* tigris_reduction */
  uint32_t axes; /* bit i set: axis i is reduced; at least one bit */
  uint32_t
      requant; /* s8 MEAN: one pair scale_in / (scale_out * reduced elements); else TIGRIS_NONE */
  uint32_t requant_count; /* 1 or 0 */
} tigris_reduce_params;

/* f32 uses lo and hi only; the other fields are 0. s8, with x' = x - zero point:
 *   ADD, SUB: y = req(req(a' << left_shift, a) +- req(b' << left_shift, b), out) + zero point of y;
 *             left_shift is 20 in TFLite (0..20 here)
 *   MUL:      y = req(a' * b', out) + zero point of y       (a and b pairs unused, 0)
 *   DIV:      TFLite's DivElementwise with the out pair; division by real 0 saturates
 *   MAXIMUM, MINIMUM: no requantization
 * s16:
 *   ADD, SUB: y = round((a' * a_multiplier +- b' * b_multiplier) * 2^(out_shift - 31)) + zero point
 *             of y; SUB with -b_multiplier in place of b_multiplier
 *   no DIV; the others as s8 */
typedef struct tigris_binary_params {
  tigris_scalar lo;
  tigris_scalar hi;
  int32_t left_shift;
  int32_t a_multiplier;
  int32_t a_shift;
  int32_t b_multiplier;
  int32_t b_shift;
  int32_t out_multiplier;
  int32_t out_shift;
} tigris_binary_params;

/* Functions of one float; a = alpha, b = beta. */
typedef enum tigris_function {
  TIGRIS_FN_ABS = 1,
  TIGRIS_FN_NEG = 2,
  TIGRIS_FN_EXP = 3,
  TIGRIS_FN_LOG = 4,
  TIGRIS_FN_SQRT = 5,
  TIGRIS_FN_RSQRT = 6,
  TIGRIS_FN_RECIPROCAL = 7,
  TIGRIS_FN_SQUARE = 8,
  TIGRIS_FN_ERF = 9,
  TIGRIS_FN_SIGMOID = 10,
  TIGRIS_FN_TANH = 11,
  TIGRIS_FN_HARD_SIGMOID = 12, /* clamp(a*x + b, 0, 1) */
  TIGRIS_FN_HARD_SWISH = 13,   /* x * clamp(x/6 + 1/2, 0, 1) */
  TIGRIS_FN_SILU = 14,         /* x * sigmoid(x) */
  TIGRIS_FN_GELU_ERF = 15,     /* x/2 * (1 + erf(x / sqrt 2)) */
  TIGRIS_FN_GELU_TANH = 16,    /* x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))) */
  TIGRIS_FN_ELU = 17,          /* x < 0 ? a * (exp(x) - 1) : x */
  TIGRIS_FN_LEAKY_RELU = 18,   /* x < 0 ? a * x : x */
  TIGRIS_FN_SOFTPLUS = 19,     /* log(1 + exp(x)) */
  TIGRIS_FN_MISH = 20,         /* x * tanh(softplus(x)) */
  TIGRIS_FN_FLOOR = 21,
  TIGRIS_FN_CEIL = 22,
  TIGRIS_FN_ROUND = 23, /* half to even */
  TIGRIS_FN_SIN = 24,
  TIGRIS_FN_COS = 25,
  TIGRIS_FN_SIGN = 26,
  TIGRIS_FN_SELU = 27,             /* b * (x < 0 ? a * (exp(x) - 1) : x) */
  TIGRIS_FN_SOFTSIGN = 28,         /* x / (1 + |x|) */
  TIGRIS_FN_CELU = 29,             /* max(0, x) + min(0, a * (exp(x/a) - 1)) */
  TIGRIS_FN_THRESHOLDED_RELU = 30, /* x > a ? x : 0 */
  TIGRIS_FN_TAN = 31,
  TIGRIS_FN_ASIN = 32,
  TIGRIS_FN_ACOS = 33,
  TIGRIS_FN_ATAN = 34,
  TIGRIS_FN_SINH = 35,
  TIGRIS_FN_COSH = 36,
  TIGRIS_FN_ASINH = 37,
  TIGRIS_FN_ACOSH = 38,
  TIGRIS_FN_ATANH = 39,
  TIGRIS_FN_SHRINK = 40 /* x < -a ? x + b : x > a ? x - b : 0 */
} tigris_function;

typedef struct tigris_unary_params {
  uint32_t function; /* tigris_function */
  float alpha;
  float beta;
} tigris_unary_params;

typedef struct tigris_clamp_params {
  tigris_scalar lo;
  tigris_scalar hi;
} tigris_clamp_params;

/* multiplier, left_shift (0..30) and diff_min (<= 0) as given by TFLite's PreprocessSoftmaxScaling
 * and CalculateInputRadius for 5 integer bits; 0 for f32 and LOG_SOFTMAX. */
typedef struct tigris_softmax_params {
  int32_t axis; /* 0..rank-1 */
  int32_t multiplier;
  int32_t left_shift;
  int32_t diff_min;
} tigris_softmax_params;

/* Normalizes over the last `axes` axes: y = (x - mean) / sqrt(variance + epsilon) * scale + bias.
 * scale and bias have as many elements as those axes together. */
typedef struct tigris_layer_norm_params {
  uint32_t axes; /* 1..rank */
  float epsilon;
} tigris_layer_norm_params;

/* CONCAT: the axis that is joined. GATHER: the axis that is indexed; output shape = x[:axis] +
 * indices + x[axis+1:]. A negative gather index counts from the end; one out of range stops the run
 * with an error. */
typedef struct tigris_axis_params {
  int32_t axis; /* 0..rank-1 */
} tigris_axis_params;

#define TIGRIS_SEARCH_LAST 1u       /* ARG_MAX, ARG_MIN: the last of equal values */
#define TIGRIS_SEARCH_LARGEST 2u    /* TOP_K: descending */
#define TIGRIS_CUM_SUM_EXCLUSIVE 4u /* without the element itself */
#define TIGRIS_CUM_SUM_REVERSE 8u   /* from the end */
typedef struct tigris_search_params {
  int32_t axis;   /* 0..rank-1 */
  uint32_t flags; /* those of the opcode */
} tigris_search_params;

#define TIGRIS_RECURRENT_REVERSE 1u     /* one direction: from the last step to the first */
#define TIGRIS_RECURRENT_RESET_AFTER 2u /* GRU: the reset gate multiplies the product with r */
#define TIGRIS_RECURRENT_RELU 4u        /* RNN: Relu in place of Tanh */
typedef struct tigris_recurrent_params {
  uint32_t flags;
  float clip; /* > 0, bounds the sums of the gates; INFINITY: none */
} tigris_recurrent_params;

/* y[i] = x[start + i * step] on every axis; steps may be negative, never 0. */
typedef struct tigris_slice_params {
  int32_t starts[TIGRIS_MAX_RANK]; /* one per axis, then 0 */
  int32_t steps[TIGRIS_MAX_RANK];  /* one per axis, then 0 */
} tigris_slice_params;

typedef enum tigris_pad_mode {
  TIGRIS_PAD_CONSTANT = 0,
  TIGRIS_PAD_EDGE = 1,
  TIGRIS_PAD_REFLECT = 2 /* pads smaller than the dimension */
} tigris_pad_mode;

/* Pads >= 0. The pad after an axis follows from the output dimension. */
typedef struct tigris_pad_params {
  int32_t before[TIGRIS_MAX_RANK]; /* one per axis, then 0 */
  uint32_t mode;                   /* tigris_pad_mode */
  tigris_scalar
      value; /* stored value: f32 uses f; integers i (s8, s16: the zero point for a real 0) */
} tigris_pad_params;

/* y dimension i is x dimension perm[i]. */
typedef struct tigris_transpose_params {
  uint32_t perm; /* index into INTS of rank axes */
} tigris_transpose_params;

/* Separable resampling of H and W from tables computed by the compiler. Each axis has, per output
 * coordinate, `taps` source indices and as many weights (row-major [output][taps]). taps is 1
 * (nearest), 2 (linear) or 4 (cubic). With taps 1 on both axes the weights are TIGRIS_NONE;
 * otherwise both axes have weights.
 *
 * f32: weights are IEEE bits in INTS; taps are added in ascending (h, w) order. s8: weights are Q10
 * integers with the sum 1024 and a sum of magnitudes of at most 2048; the result is the sum of w_h
 * * w_w * x divided by 2^20, rounded half away from zero, saturated. With TIGRIS_ROUND_EVEN weights
 * are >= 0 and their sum is 1..2^14. */
typedef struct tigris_resize_params {
  uint32_t h_taps;
  uint32_t w_taps;
  uint32_t h_index;  /* index into INTS of H_out * h_taps source rows */
  uint32_t w_index;  /* index into INTS of W_out * w_taps source columns */
  uint32_t h_weight; /* index into INTS, or TIGRIS_NONE */
  uint32_t w_weight; /* index into INTS, or TIGRIS_NONE */
  int32_t h_origin;  /* source row at which the input view starts; 0 in a plan */
  int32_t w_origin;  /* likewise for columns */
} tigris_resize_params;

/* y = req(x - zero point of x) + zero point of y, clamped. */
typedef struct tigris_requantize_params {
  int32_t multiplier;
  int32_t shift;
  int32_t lo;
  int32_t hi;
} tigris_requantize_params;

TIGRIS_CHECK_LAYOUT(scalar, sizeof(tigris_scalar) == 4);
TIGRIS_CHECK_LAYOUT(conv_params, sizeof(tigris_conv_params) == 68);
TIGRIS_CHECK_LAYOUT(pool_params, sizeof(tigris_pool_params) == 60);
TIGRIS_CHECK_LAYOUT(binary_params, sizeof(tigris_binary_params) == 36);

#endif /* TIGRIS_OPS_H */
