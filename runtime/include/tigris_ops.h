/* The operators of a plan: their numbers, arithmetic and parameters. This header is a part of
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
 * upward. With TIGRIS_ROUND_TWICE in tigris_op.flags, MUL, REQUANTIZE, means and dense ops are
 * computed as for s8, with sums modulo 2^32.
 *
 * ## Rounding to even (TIGRIS_ROUND_EVEN in tigris_op.flags)
 * The result is a quotient of integers, rounded once, halves to even; then the zero point is added
 * and the sum is clamped. Where a pair of multiplier and shift is named below, the multiplier is
 * the numerator; it is >= 0 except for b_multiplier. The shift word holds the denominator divisor *
 * 2^power < 2^61 as divisor << 6 | power, with divisor >= 1. With x' = x - zero point:
 *   CONV, DEPTHWISE_CONV, CONV_TRANSPOSE, FULLY_CONNECTED:
 *             (sum of products * multiplier + offset) / denominator. There is no bias operand;
 *             the offsets are in REQUANT.
 *   MATMUL, REQUANTIZE (s16 only), averages and means:
 *             sum' * multiplier / denominator. Averages have a pair even if input and output have
 *             the same quantization.
 *   ADD, SUB: (a' * a_multiplier + b' * b_multiplier) / denominator in out_shift;
 *             SUB with -b_multiplier
 *   MUL:      a' * b' * out_multiplier / denominator in out_shift
 *   DIV:      a' * out_multiplier / (b' * denominator in out_shift); s8; division by real 0
 *             saturates
 *   RESIZE:   sum of w_h * w_w * x' / (sum of the w_h * sum of the w_w); s8
 * Numerators are computed modulo 2^64. Other opcodes do not support this flag.
 *
 * ## Requantization of dense ops
 * CONV, DEPTHWISE_CONV, CONV_TRANSPOSE and FULLY_CONNECTED on s8 and s16 refer with
 * tigris_op.requant to consecutive arrays in REQUANT. m is the number of output channels (O or N)
 * with TIGRIS_CHANNEL_PAIRS, otherwise 1: one pair serves all channels.
 *
 *   multipliers: i32[m]
 *
 *   shifts: s8[m] with TIGRIS_CHANNEL_SHIFTS, i32[m] with TIGRIS_WIDE_SHIFTS, otherwise one s8
 *
 *   zero points of the weights: s8[channels] with TIGRIS_CHANNEL_ZEROS, one s8 with
 *             TIGRIS_ONE_ZERO, otherwise none: all 0
 *
 * With TIGRIS_ROUND_EVEN there are i32[m] denominators, u32[m] low and i32[m] high words of the
 * offsets in place of the shifts. */
#ifndef TIGRIS_OPS_H
#define TIGRIS_OPS_H

#include "tigris_format.h"

/* ----------------------------------------------------------------- opcodes */

/* TIGRIS_OP_CONV = 1, ...: tigris_opcodes.def documents what each computes, and from which
 * inputs. */
typedef enum tigris_opcode {
#define TIGRIS_OPCODE(name, number, required, most, in_place, outputs, even, params, check,        \
                      family)                                                                      \
  TIGRIS_OP_##name = number,
#include "tigris_opcodes.def"
  TIGRIS_OP_NONE = 0 /* of no op in a file */
} tigris_opcode;

/* Inputs of an opcode that takes any number of them. */
#define TIGRIS_ANY_INPUTS 255

/* The type for opcodes without parameters; nothing is stored. */
typedef uint8_t tigris_no_params;

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
  uint32_t channel; /* output channel at which the output view starts; 0 in a plan */
} tigris_conv_params;

typedef struct tigris_fc_params {
  tigris_scalar lo;
  tigris_scalar hi;
  uint32_t channel; /* as in tigris_conv_params */
} tigris_fc_params;

#define TIGRIS_MATMUL_TRANSPOSE_B 1u
typedef struct tigris_matmul_params {
  uint32_t flags;     /* TIGRIS_MATMUL_* */
  int32_t multiplier; /* s8: scale of a * scale of b / scale of y; f32: 0 */
  int32_t shift;
} tigris_matmul_params;

/* Windows may extend beyond the padded input (ceil mode), but each must contain at least one tap of
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
#define TIGRIS_REDUCE(name, number) TIGRIS_REDUCE_##name = number,
#include "tigris_opcodes.def"
  TIGRIS_REDUCE_END /* one more than the last */
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

/* PRELU_INT: y = req(x', a) for x' >= 0, else req(x' * slope', out), plus the zero point of y.
 * SQUARED_DIFFERENCE: d = req(a' << left_shift, a) - req(b' << left_shift, b);
 *             y = req(d * d, out) plus the zero point of y. Both also on s16, rounded twice. */

/* Functions of one float; their formulas are in tigris_opcodes.def. */
typedef enum tigris_function {
#define TIGRIS_FN(name, number, value) TIGRIS_FN_##name = number,
#include "tigris_opcodes.def"
  TIGRIS_FN_END /* one more than the last */
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

/* s8: multiplier, left_shift (0..30) and diff_min (<= 0) as given by TFLite's
 * PreprocessSoftmaxScaling and CalculateInputRadius for 5 integer bits. s16: multiplier and
 * left_shift (-31..30) scale differences to 65535 steps for 10; diff_min is 0. All 0 for f32 and
 * LOG_SOFTMAX. */
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
#define TIGRIS_RECURRENT_CLIP_CELL 8u   /* LSTM: `clip` bounds the cell instead */
typedef struct tigris_recurrent_params {
  uint32_t flags;
  float clip; /* > 0, bounds the sums of the gates; INFINITY: none */
} tigris_recurrent_params;

/* Factors of LSTM_INT, as indices of its pairs of multiplier and shift. */
enum {
  TIGRIS_LSTM_OF_X = 0, /* 4, by gate: of the sums of x */
  TIGRIS_LSTM_OF_H = 4, /* 4, by gate: of the sums of the state */
  TIGRIS_LSTM_KEEP = 8, /* of forget gate times cell */
  TIGRIS_LSTM_ADD = 9,  /* of input gate times cell gate */
  TIGRIS_LSTM_OUT = 10, /* of output gate times tanh of the cell */
  TIGRIS_LSTM_PAIRS = 11
};

/* Sums of gates are s16 with 12 fractional bits, gates s16 with 15. s16: multipliers of sums are
 * rounded to 15 bits, and the product is rounded once, ties upward. The first field is that of
 * tigris_recurrent_params. */
typedef struct tigris_lstm_int_params {
  uint32_t flags;                         /* TIGRIS_RECURRENT_REVERSE or 0 */
  int32_t cell_clip;                      /* bound of the stored cell, 0 .. 32767; 0: none */
  int32_t cell_power;                     /* the scale of the cell is 2^cell_power, -27 .. 2 */
  int32_t multipliers[TIGRIS_LSTM_PAIRS]; /* >= 0 */
  int32_t shifts[TIGRIS_LSTM_PAIRS];
} tigris_lstm_int_params;

/* f32: multipliers and shifts are 0. s8: the product of feature weights is clamped to the type of
 * the state before the state's zero point is added, modulo 2^8, as TensorFlow Lite Micro does. */
typedef struct tigris_svdf_params {
  int32_t rank;               /* filters per unit; divides their number */
  int32_t feature_multiplier; /* >= 0; from the sums of products to the state */
  int32_t feature_shift;
  int32_t time_multiplier; /* >= 0; from the sums over time to y */
  int32_t time_shift;
} tigris_svdf_params;

/* A box and its anchor are y, x, h, w: center and size. The detected box has the center
 * box.y / scales[0] * anchor.h + anchor.y, likewise for x, and half the size
 * exp(box.h / scales[2]) * anchor.h / 2, likewise for w. */
typedef struct tigris_detect_params {
  float scales[4];    /* of y, x, h, w; > 0 */
  float least_score;  /* boxes whose best score is below it are no detections */
  float most_overlap; /* 0 .. 1: neither are those that overlap a better detection more than that,
                       * as intersection over union */
  uint32_t first_column; /* of the scores; its class is number 0 */
} tigris_detect_params;

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

/* One axis of RESIZE. Output position o reads `taps` adjacent source positions from
 * first[o % period] + o / period * advance on. A position outside the axis stands for the nearest
 * one inside. */
typedef struct tigris_resize_axis {
  uint32_t taps;    /* 1 (nearest), 2 (linear) or 4 (cubic) */
  uint32_t period;  /* output positions until the tables repeat, 1 .. all */
  uint32_t advance; /* source positions per period */
  uint32_t first; /* index into INTS of `period` numbers: ascending, first[0] .. first[0]+advance */
  uint32_t weight; /* index into INTS of `period` times `taps` weights, or TIGRIS_NONE */
  int32_t begin;   /* output position at which the output view starts; 0 in a plan */
  int32_t origin;  /* source position at which the input view starts; 0 in a plan */
} tigris_resize_axis;

/* Separable resampling of H and W by tables that the compiler computes. With taps 1 on both axes
 * the weights are TIGRIS_NONE; otherwise both axes have weights.
 *
 * f32: weights are IEEE bits in INTS; taps are added in ascending (h, w) order. s8: weights are Q10
 * integers with the sum 1024 and a sum of magnitudes of at most 2048; the result is the sum of w_h
 * * w_w * x divided by 2^20, rounded half away from zero, saturated. With TIGRIS_ROUND_EVEN weights
 * are >= 0 and their sum is 1..2^14. */
typedef struct tigris_resize_params {
  tigris_resize_axis h;
  tigris_resize_axis w;
} tigris_resize_params;

/* y = req(x - zero point of x) + zero point of y, clamped. */
typedef struct tigris_requantize_params {
  int32_t multiplier;
  int32_t shift;
  int32_t lo;
  int32_t hi;
} tigris_requantize_params;

/* function is TIGRIS_FN_SIGMOID or TIGRIS_FN_TANH. x * multiplier / 2^shift, rounded, ties upward,
 * has 24 * 512 steps per unit. */
typedef struct tigris_sigmoid_params {
  uint32_t function;
  int32_t multiplier; /* 0 .. 32767 */
  uint32_t shift;     /* 0 .. 31 */
} tigris_sigmoid_params;

TIGRIS_CHECK_LAYOUT(scalar, sizeof(tigris_scalar) == 4);
TIGRIS_CHECK_LAYOUT(conv_params, sizeof(tigris_conv_params) == 56);
TIGRIS_CHECK_LAYOUT(pool_params, sizeof(tigris_pool_params) == 60);
TIGRIS_CHECK_LAYOUT(binary_params, sizeof(tigris_binary_params) == 36);

#endif /* TIGRIS_OPS_H */
