/* The bytes of a `.tgrs` plan: every record, number and rule. The emitter, the dumpers and the
 * runtime share this file.
 *
 * Operators and their parameters are in tigris_ops.h. Both headers compile as C99 and as C++20 and
 * depend on <stdint.h> and <stddef.h> only. docs/tgrs-format.md shows the same layout as byte
 * tables; if the two disagree, the headers are right.
 *
 * ## General rules
 *  - Numbers are little-endian. Every field is naturally aligned inside its record, so a record may
 *    be read in place (and written with one memcpy on a little-endian host). Reserved fields are
 *    written as 0.
 *  - A file is header, directory, sections. The header is 32 bytes. The directory follows at offset
 *    `header_size` and holds `section_count` numbers: the bytes of each section without padding, by
 *    section type from 1 on. Sections follow in this order, each at the next multiple of
 *    TIGRIS_SECTION_ALIGN(type), counted from the start of the file. Types from section_count + 1
 *    on are empty. Padding bytes are 0. In memory the plan itself must be at a multiple of
 *    TIGRIS_PLAN_ALIGN.
 *  - Sections after TIGRIS_SECTION_LAST are for tools; the runtime ignores them, and readers ignore
 *    types that they do not know. So does it ignore what follows tigris_summary in SUMMARY. Later
 *    versions may append fields there, of which a reader uses those that it knows. All other
 * records keep their size.
 *  - Published numbers (section types, dtypes, opcodes, functions, pools, modes) are never reused.
 *  - TIGRIS_NONE marks an absent index, offset or string everywhere.
 *
 * ## Tensors
 * Activations are NHWC: rank 4 = [N,H,W,C], rank 3 = [N,L,C], rank 2 = [N,C]. Kernels for four
 * dimensions read rank 3 as H=L, W=1 and rank 2 as H=W=1. Every dimension is at least 1. Tensors
 * are dense. `bytes` = product of the dimensions * element size. */
#ifndef TIGRIS_FORMAT_H
#define TIGRIS_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define TIGRIS_FORMAT_VERSION 2u
#define TIGRIS_NONE 0xFFFFFFFFu  /* absent index, offset, string, budget */
#define TIGRIS_NO_TENSOR 0xFFFFu /* operand.tensor of an absent operand */
#define TIGRIS_PLAN_ALIGN 16u    /* alignment of the plan in memory */
/* of a section, from the start of the file: SUMMARY and later types may hold u64 */
#define TIGRIS_SECTION_ALIGN(type)                                                                 \
  ((type) == TIGRIS_SECTION_WEIGHTS                                              ? 16u             \
   : (type) == TIGRIS_SECTION_SUMMARY || (uint32_t)(type) > TIGRIS_SECTION_NAMES ? 8u              \
                                                                                 : 4u)
#define TIGRIS_WEIGHT_ALIGN 16u /* of every constant, from the start of WEIGHTS */
#define TIGRIS_MIN_ALIGN 4u     /* smallest legal summary.align */
#define TIGRIS_MAX_ALIGN 4096u  /* largest legal summary.align */
#define TIGRIS_MAX_RANK 8u
#define TIGRIS_MAX_TENSOR_BYTES 0x40000000u /* 1 GiB: element offsets and one step fit int32 */
/* Bound on kernels, strides, dilations, pads, spatial dimensions, and the taps of a pool, so that
 * coordinates fit int32. */
#define TIGRIS_SPATIAL_LIMIT (1 << 24)

/* Fails to compile if a condition is false. */
#if defined(__cplusplus)
#define TIGRIS_CHECK_LAYOUT(name, condition) static_assert(condition, #name)
#else
#define TIGRIS_CHECK_LAYOUT(name, condition) typedef char tigris_layout_##name[(condition) ? 1 : -1]
#endif

#include "tigris_ops.h"

/* ------------------------------------------------------------------ header */

/* The prefix that stays the same in every version: 32 bytes at offset 0. */
typedef struct tigris_header {
  uint8_t magic[4];       /* 'T','G','R','S' */
  uint16_t version;       /* TIGRIS_FORMAT_VERSION */
  uint16_t header_size;   /* bytes before the directory; 32 in version 2 */
  uint32_t file_size;     /* bytes of the whole plan */
  uint32_t crc32;         /* zlib's CRC-32 of the bytes [16, file_size) */
  uint32_t section_count; /* directory entries */
  uint32_t reserved[3];
} tigris_header;

typedef enum tigris_section_type {
  TIGRIS_SECTION_SUMMARY = 1,    /* one tigris_summary, and one tigris_figures or nothing */
  TIGRIS_SECTION_STRINGS = 2,    /* NUL-terminated UTF-8; a reference is a byte offset */
  TIGRIS_SECTION_INTS = 3,       /* int32 pool: dimensions, permutations, index tables */
  TIGRIS_SECTION_QUANT = 4,      /* tigris_quant[] */
  TIGRIS_SECTION_REQUANT = 5,    /* int32 pool: constants of dense ops (tigris_ops.h); for others n
                                    multipliers, then n shifts */
  TIGRIS_SECTION_TENSORS = 6,    /* tigris_tensor[], at most 65534 */
  TIGRIS_SECTION_PORTS = 7,      /* tigris_port[]: all model inputs in order, then all outputs */
  TIGRIS_SECTION_OPERANDS = 8,   /* tigris_operand[] */
  TIGRIS_SECTION_PARAMS = 9,     /* parameter structs, each at a multiple of 4 */
  TIGRIS_SECTION_OPS = 10,       /* tigris_op[] in execution order */
  TIGRIS_SECTION_TRANSFERS = 11, /* tigris_transfer[] */
  TIGRIS_SECTION_STAGES = 12,    /* tigris_stage[] in execution order */
  /* constants, each at a multiple of TIGRIS_WEIGHT_ALIGN; blocks; empty if EXTERNAL */
  TIGRIS_SECTION_WEIGHTS = 13,
  TIGRIS_SECTION_TILINGS = 14, /* tigris_tiling[], one per tiled stage */
  /* tigris_tile_buffer[], those of one tiling adjacent */
  TIGRIS_SECTION_TILE_BUFFERS = 15,
  TIGRIS_SECTION_BLOCKS = 16, /* tigris_weight_block[], ascending by first_op */
  /* Packed, or empty: tigris_stage_stats[], one per stage, in order. Packed sections are a u32, the
   * number of bytes unpacked, and one LZ4 block that gives them. */
  TIGRIS_SECTION_STAGE_STATS = 17,
  /* Packed, or empty: NUL-terminated UTF-8, a name of every tensor that is not constant, of every
   * op, and of every operand with pool CONST or UNPACKED, in the order of the tables. */
  TIGRIS_SECTION_NAMES = 18
} tigris_section_type;
#define TIGRIS_SECTION_LAST 16u /* the last one that the runtime reads */

/* ----------------------------------------------------------------- summary */

/* Where model inputs and outputs are. */
typedef enum tigris_io_mode {
  TIGRIS_IO_SLOW = 0,   /* in slow memory, at port.offset */
  TIGRIS_IO_CALLER = 1, /* in buffers the caller owns; counted in io_bytes only */
  TIGRIS_IO_ARENA = 2   /* in the fast arena, at port.offset */
} tigris_io_mode;

#define TIGRIS_DEFAULT_TARGET "generic"

/* What the plan needs, enforced by the loader. Sizes in bytes. Strings are offsets into STRINGS or
 * TIGRIS_NONE. */
typedef struct tigris_summary {
  uint32_t fast_bytes;    /* fast arena the plan needs, without backend scratch */
  uint32_t fast_reserved; /* prefix of the fast arena for weight blocks; no activation uses it */
  uint32_t slow_bytes;    /* slow memory the plan needs; 0: none */
  uint16_t align;  /* power of two >= TIGRIS_MIN_ALIGN; every fast and slow offset is a multiple */
  uint8_t io_mode; /* tigris_io_mode */
  uint8_t flags;   /* TIGRIS_SUMMARY_* */
  /* names */
  uint32_t model;
  uint32_t target; /* TIGRIS_NONE: TIGRIS_DEFAULT_TARGET */
  /* fast memory above fast_bytes for the scratch of the target's kernels; 0: none */
  uint32_t scratch_bytes;
  uint32_t weights_crc; /* EXTERNAL: zlib's CRC-32 of the weights file; otherwise 0 */
} tigris_summary;

/* How the plan was made and what the planner predicts for one inference; for tools only. Sizes in
 * bytes. `fast_peak` and `slow_peak` are the highest end (offset + tensor bytes, not rounded up) of
 * any tensor in the pool, which is also what the runtime measures. */
typedef struct tigris_figures {
  /* names, as in tigris_summary */
  uint32_t planner;
  uint32_t optimize;
  uint32_t producer;    /* tool and version that wrote the file */
  uint32_t bound_class; /* class of plans for which the bounds hold */
  uint32_t fast_peak;
  uint32_t slow_peak;
  uint32_t kernel_calls;
  /* sum of the constants as they are in WEIGHTS or the weights file, without padding */
  uint32_t weight_bytes;
  uint32_t tiled_stages;
  uint32_t streamed_stages;
  uint32_t chains;
  /* budgets the planner was given; TIGRIS_NONE: no limit */
  uint32_t budget_fast;
  uint32_t budget_slow;
  uint32_t budget_flash;
  uint64_t slow_read;
  uint64_t slow_write;
  uint64_t compulsory; /* slow traffic of every plan: model inputs + outputs in slow memory */
  uint64_t io_bytes;   /* model inputs + outputs as stored */
  uint64_t macs;
  uint64_t recompute_macs;
  uint64_t unscheduled_peak; /* fast peak of one stage without reordering, reuse or tiling */
  uint64_t bound_fast_peak;  /* lower bounds for the class named above */
  uint64_t bound_slow_traffic;
} tigris_figures;

#define TIGRIS_SUMMARY_PROVEN_OPTIMAL 1u /* the plan meets its bounds */
/* Made to be executed in place, in memory-mapped flash: there are no weight blocks. */
#define TIGRIS_SUMMARY_XIP 2u
/* All constants are in weight blocks, so that a reader can bring them (tigris_set_weight_reader).
 */
#define TIGRIS_SUMMARY_COPY 4u
/* With COPY: WEIGHTS is empty. Its bytes are a file of their own, to which `data` of the weight
 * blocks refers. */
#define TIGRIS_SUMMARY_EXTERNAL 8u

/* ----------------------------------------------------------------- tensors */

typedef enum tigris_dtype {
  TIGRIS_F32 = 1,
  TIGRIS_S8 = 2,
  TIGRIS_U8 = 3, /* interface only: the stored tensor is S8, every value 128 lower */
  TIGRIS_S16 = 4,
  TIGRIS_U16 = 5, /* interface only: the stored tensor is S16, every value 32768 lower */
  TIGRIS_S32 = 6,
  TIGRIS_S64 = 7,
  TIGRIS_BOOL = 8, /* one byte, 0 or 1 */
  TIGRIS_F16 = 9   /* interface only: the stored tensor is F32, S8 or S16 */
} tigris_dtype;

typedef struct tigris_tensor {
  uint8_t dtype; /* tigris_dtype; stored tensors: F32, S8, S16, S32, S64, BOOL */
  uint8_t rank;  /* 0..TIGRIS_MAX_RANK; 0 is a scalar of one element */
  uint8_t flags; /* TIGRIS_TENSOR_* */
  uint8_t reserved;
  uint16_t dims;  /* index into INTS of `rank` dimensions; 0 when rank is 0 */
  uint16_t quant; /* index into QUANT or TIGRIS_NO_QUANT; every S8 or S16 activation has one */
  uint32_t bytes;
} tigris_tensor;

#define TIGRIS_NO_QUANT 0xFFFFu

#define TIGRIS_TENSOR_CONST 1u  /* in WEIGHTS */
#define TIGRIS_TENSOR_INPUT 2u  /* model input */
#define TIGRIS_TENSOR_OUTPUT 4u /* model output */

/* real = scale * (stored - zero_point); one scale for the whole tensor. */
typedef struct tigris_quant {
  float scale; /* > 0, finite */
  int32_t zero_point;
} tigris_quant;

/* One model input or output. The runtime handles the stored tensor only. Host tools convert between
 * it and the interface form (that of the ONNX model):
 *   interface F32, tensor S8:  stored = saturate(round_half_even(value / scale) + zero_point)
 *   interface U8, tensor S8:   stored = value - 128 (the zero point is 128 lower, too)
 *   F32 and U16 with tensor S16: likewise, 32768 lower
 *   interface = tensor dtype:  copy. Other pairs: convert the number.
 * `perm` orders the axes: stored dimension i is interface dimension perm[i]. NCHW stored as NHWC is
 * {0,2,3,1}. perm = TIGRIS_NO_PERM: the same element order; the ranks may differ (a view). */
typedef struct tigris_port {
  uint16_t tensor;
  uint8_t direction; /* tigris_direction */
  uint8_t dtype;     /* of the interface */
  uint8_t rank;      /* of the interface */
  uint8_t reserved;
  uint16_t state; /* port of the other direction if both form a state, or TIGRIS_NO_PORT */
  uint16_t dims;  /* of the interface: index into INTS */
  uint16_t perm;  /* index into INTS of `rank` axes, or TIGRIS_NO_PERM */
  /* a constant output: offset into WEIGHTS; otherwise io slow: slow offset; io arena: fast offset;
   * io caller: 0 */
  uint32_t offset;
  uint32_t name; /* string or TIGRIS_NONE */
} tigris_port;

/* Two ports that refer to each other form a state: what a run writes to the output is the input of
 * the next run. Their tensors have the same type and size, and the ports swap places after each
 * run, so nothing is copied. io slow: no other tensor ever uses their memory. Not allowed with io
 * arena, where all bytes are reused. */
#define TIGRIS_NO_PORT 0xFFFFu
#define TIGRIS_NO_PERM 0xFFFFu

typedef enum tigris_direction { TIGRIS_INPUT = 0, TIGRIS_OUTPUT = 1 } tigris_direction;

/* --------------------------------------------------------- ops and schedule */

typedef enum tigris_pool {
  TIGRIS_POOL_ABSENT = 0, /* optional operand left out: tensor = TIGRIS_NO_TENSOR, offset = 0 */
  TIGRIS_POOL_FAST = 1,   /* offset into the fast arena */
  TIGRIS_POOL_SLOW = 2,   /* offset into slow memory: the kernel works there directly */
  TIGRIS_POOL_CALLER = 3, /* offset = index into PORTS */
  TIGRIS_POOL_CONST = 4,  /* offset into WEIGHTS, multiple of TIGRIS_WEIGHT_ALIGN */
  TIGRIS_POOL_TILE = 5,   /* tiled and streamed stages only: index into the buffers of the tiling */
  /* packed constants: fast offset inside the most recently unpacked block */
  TIGRIS_POOL_UNPACKED = 6
} tigris_pool;

/* An operand holds its address: the executor keeps no table of tensors. Two tensors may share an
 * address (views). An output must not overlap an input of the same op, except if the opcode is
 * documented as "in place" and address and size are equal. */
typedef struct tigris_operand {
  uint16_t tensor;
  uint8_t pool; /* tigris_pool */
  uint8_t reserved;
  uint32_t offset;
} tigris_operand;

/* The op rounds its result once, halves to even, as ONNX does: tigris_ops.h, "Rounding to even". */
#define TIGRIS_ROUND_EVEN 1u
/* Dense ops: what REQUANT holds (tigris_ops.h, "Requantization of dense ops"). At most one of the
 * two kinds of shifts, and of the two kinds of zero points. */
#define TIGRIS_CHANNEL_PAIRS 2u
#define TIGRIS_CHANNEL_SHIFTS 4u /* only with TIGRIS_CHANNEL_PAIRS */
#define TIGRIS_WIDE_SHIFTS 8u    /* the form that some vendors' kernels read in place */
#define TIGRIS_ONE_ZERO 16u
#define TIGRIS_CHANNEL_ZEROS 32u
/* s16 MUL, REQUANTIZE and means: both roundings of s8, of a product of 32 bits. */
#define TIGRIS_ROUND_TWICE 64u

typedef struct tigris_op {
  uint8_t opcode; /* tigris_opcode */
  uint8_t flags;  /* TIGRIS_ROUND_EVEN or _TWICE, and those of dense ops */
  uint8_t inputs; /* operand count; operands are the inputs followed by the outputs */
  uint8_t outputs;
  uint16_t operands; /* index of the first operand; lists of ops may overlap */
  uint16_t params;   /* offset into PARAMS in words of 4 bytes; TIGRIS_NO_PARAMS: none */
  uint32_t requant;  /* dense ops on integers: index into REQUANT; otherwise TIGRIS_NONE */
} tigris_op;

#define TIGRIS_NO_PARAMS 0xFFFFu

typedef enum tigris_stage_mode {
  TIGRIS_STAGE_WHOLE = 0,   /* each op runs once over whole tensors */
  TIGRIS_STAGE_TILED = 1,   /* all ops run once per tile; detail indexes TILINGS */
  TIGRIS_STAGE_STREAMED = 2 /* all ops run once per step on the new rows; detail as TILED */
} tigris_stage_mode;

/* A stage runs its loads (slow to fast), ops and spills (fast to slow). Stages cover OPS and
 * TRANSFERS in order, without gaps: what belongs to a stage ends where that of the next one starts,
 * or with the table. */
typedef struct tigris_stage {
  uint16_t first_op;
  uint16_t first_transfer; /* into TRANSFERS: the loads, then the spills; tiled: none */
  uint16_t detail;         /* mode 0: number of loads; otherwise index into TILINGS */
  uint16_t mode;           /* tigris_stage_mode */
} tigris_stage;

/* A tiled stage divides its results into boxes and computes one box after the other: it loads the
 * parts of its inputs that the box needs, runs every op on these parts, and stores the box.
 *
 * A box is one range [begin, end) per axis. Tiles are numbered (i0, i1, i2, i3); i3 varies fastest.
 * The box of a STORE buffer's tensor in a tile is, on axis k of size d, the range [i_k * d /
 * tiles[k], (i_k + 1) * d / tiles[k]), rounded down; axes beyond the tensor's rank are ignored. The
 * boxes of all other buffers follow from these through the ops in reverse order
 * (docs/tgrs-format.md, "Boxes"): a buffer holds the smallest box that covers what every reader
 * needs and, with STORE, its own part. A buffer's bytes are that box, packed. An op whose output
 * box is empty does not run.
 *
 * Example: a 3x3 convolution with pads 1 and stride 1 stores 8 rows in tiles[1] = 2. Tile 0 stores
 * rows [0, 4) and loads input rows [0, 5); tile 1 stores rows [4, 8) and loads rows [3, 8).
 *
 * If a reader needs less than the box, it needs a contiguous part of it. Tensors have rank 1..4.
 * The stage has no transfers. All operands are TILE, CONST, UNPACKED or ABSENT. */
typedef struct tigris_tiling {
  uint16_t first_buffer; /* into TILE_BUFFERS */
  uint16_t buffer_count;
  /* fast offset of the executor's bookkeeping, TIGRIS_TILE_BOOKKEEPING bytes per buffer; in a
   * streamed stage TIGRIS_STREAM_BOOKKEEPING, with stripes TIGRIS_STRIPE_BOOKKEEPING */
  uint32_t bookkeeping;
  /* In a tiled stage: tiles along each axis, at most the largest such dimension of the STORE
   * buffers; their product is at most the elements of the largest of these. In a streamed stage:
   * outermost extent, steps, stripes and 1 (tigris_stream_count), with the same limits over LOAD
   * and STORE buffers. Each is >= 1. */
  uint32_t tiles[4];
} tigris_tiling;

/* elements of `tiles` in a streamed stage; the last one is 1 */
typedef enum tigris_stream_count {
  TIGRIS_STREAM_OUTER = 0, /* extent of the outermost axis, whose indices run one by one */
  TIGRIS_STREAM_STEPS = 1, /* steps that load rows, per outermost index and stripe */
  TIGRIS_STREAM_STRIPES = 2
} tigris_stream_count;

/* bytes of the executor's bookkeeping of one buffer: of a tiled stage, a box */
#define TIGRIS_TILE_BOOKKEEPING 32u
/* of a streamed stage: three row numbers of 16 bits */
#define TIGRIS_STREAM_BOOKKEEPING 6u
/* of a streamed stage in stripes: two column numbers in addition */
#define TIGRIS_STRIPE_BOOKKEEPING 10u
/* maximum rows of a tensor of a streamed stage, and columns with stripes */
#define TIGRIS_STREAM_MAX_ROWS UINT16_MAX

/* A streamed stage advances through its rows in steps. Rows are the indices of axis 1.
 *
 * Step i1 of STEPS (elements of `tiles` are named as in tigris_stream_count) loads the rows up to
 * (i1 + 1) * d / STEPS of each LOAD buffer with bit 1 in reload_axes that are not loaded yet. Then
 * every op, in order, computes the further rows for which the rows of its inputs are present. LOAD
 * buffers without bit 1 are always complete. An op computes at most its share of a step, d / STEPS
 * rounded up. If its output's buffer has `start` > 0, the op waits until that many rows more than
 * it needs, or all rows, are present. Further steps follow until all rows are computed. Every row
 * is computed once.
 *
 * A buffer holds, packed, the rows that some reader's next row still needs and the rows that are
 * new in the step. Kept rows move to the start of the buffer, those of the last buffer first. New
 * rows of STORE buffers are stored to the backing memory, where the
 * whole tensor is.
 *
 * Example: two 3x3 convolutions with pads 1, a then b, on 8 rows with STEPS = 4. Steps run as
 * follows:
 *   step 0: load rows 0..1   a computes row 0       b: nothing
 *   step 1: load rows 2..3   a computes rows 1..2   b computes rows 0..1
 *   step 2: load rows 4..5   a computes rows 3..4   b computes rows 2..3
 *   step 3: load rows 6..7   a computes rows 5..6   b computes rows 4..5
 *   step 4: nothing to load  a computes row 7       b computes rows 6..7
 * a's buffer keeps two rows between steps for b's next window.
 *
 * The outermost axis is iterated by i0 of OUTER, one per index; rows restart for each. The backing
 * memory of STORE buffers may overlap that of LOAD buffers where the overlapped rows are no longer
 * read.
 *
 * With one stripe, a buffer whose backing memory is FAST or CALLER may be IN_PLACE: ops read and
 * write its rows there; nothing is moved, loaded or stored.
 *
 * For each i0, all steps are taken once in every stripe i2 of STRIPES; i1 varies faster than i2.
 * With more than one stripe, buffers hold a part of the columns (indices of axis 2). STORE buffers
 * have the columns [i2 * d / STRIPES, (i2 + 1) * d / STRIPES), which are stored. Other buffers
 * have the smallest range that also covers what every reader needs for its columns; LOAD buffers
 * without bit 2 in reload_axes have all columns. No range is empty. An op whose operand holds more
 * columns than it needs runs once per new row.
 *
 * An op that writes a SINK buffer needs the rows of its input only in the step in which they
 * arrive. It runs in every step with such rows and adds them to sums. The sums are in that buffer
 * from the first of these steps to the last. The result, one row, is then written over the start of
 * the sums. */

#define TIGRIS_TILE_LOAD 1u  /* copied from backing memory before op `start` of the stage */
#define TIGRIS_TILE_STORE 2u /* its part is copied to backing memory once an op has written it */
/* in a streamed stage, with LOAD or STORE: `fast` and `bytes` are those of the backing memory, or
 * 0 if that is CALLER */
#define TIGRIS_TILE_IN_PLACE 4u
/* Streamed stages: the buffer holds sums, one per element of one image of the output: f32 or s32,
 * but s8 for MAX and MIN of s8. Written by an op on f32 or s8 from input 0, which has rank 3 or 4,
 * to an output of one row. Both have the stage's outermost extent. These ops can:
 *   GLOBAL_AVERAGE_POOL
 *   REDUCE along axis 1, and others, to an output of the same rank; all kinds but LOG_SUM_EXP */
#define TIGRIS_TILE_SINK 8u

typedef struct tigris_tile_buffer {
  uint16_t tensor;
  /* pool of the whole tensor: SLOW, CALLER or FAST with LOAD or STORE, else ABSENT */
  uint8_t backing;
  /* TIGRIS_TILE_*: LOAD alone, STORE or SINK or both, or none */
  uint8_t flags;
  uint32_t fast;  /* fast offset */
  uint32_t bytes; /* capacity: the largest box of any tile */
  /* SLOW, FAST: offset of the whole tensor; CALLER: index into PORTS; ABSENT: 0 */
  uint32_t backing_offset;
  /* LOAD: index of an op of the stage, from 0. Otherwise, in a streamed stage: number of rows that
   * the op which writes the buffer waits for beyond those it needs; in a tiled stage 0. */
  uint16_t start;
  /* LOAD: bit k is set if the buffer is filled again when index i_k differs from the previous tile
   * (and in the first tile); otherwise the buffer still holds the box it needs. 0xF: in every tile.
   * 0 without LOAD. */
  uint16_t reload_axes;
} tigris_tile_buffer;

typedef enum tigris_block_mode {
  TIGRIS_BLOCK_LZ4 = 1, /* one LZ4 block (github.com/lz4/lz4, doc/lz4_Block_format.md) */
  TIGRIS_BLOCK_RAW = 2  /* the bytes themselves; packed_bytes equals bytes */
} tigris_block_mode;

/* Constants of a stage that are brought together. They are unpacked to the reserved prefix of the
 * fast arena before an op of that stage, in a tiled stage once, before its first op. A block
 * replaces the contents of the prefix: an UNPACKED operand is inside the last block unpacked before
 * its op, in the same stage.
 *
 * In a COPY plan the prefix has space to unpack an LZ4 block in place: the packed bytes are read to
 * its end, at fast_reserved - packed_bytes rounded down to a multiple of `align`, and for every LZ4
 * block fast + bytes + TIGRIS_LZ4_MARGIN + align - 1 <= fast_reserved. */
typedef struct tigris_weight_block {
  uint32_t first_op;     /* unpacked before this op; strictly ascending */
  uint32_t data;         /* offset into WEIGHTS or the weights file, without alignment */
  uint32_t packed_bytes; /* there */
  uint32_t bytes;        /* unpacked */
  uint32_t fast;         /* fast offset; fast + bytes <= fast_reserved */
  uint32_t mode;         /* tigris_block_mode */
} tigris_weight_block;

/* Bytes by which the end of the packed bytes must be behind the end of the output so that a valid
 * LZ4 block can be unpacked in place: what is still to be read is never overwritten. Of any rest of
 * a block, the packed bytes exceed the output by no more: the literals of a sequence cost a byte
 * per 255 of them, a match costs less than it gives, and the last sequence has no match. */
#define TIGRIS_LZ4_MARGIN(packed_bytes) ((packed_bytes) / 255 + 2)

/* Copies a whole tensor between the pools. */
typedef struct tigris_transfer {
  uint16_t tensor;
  uint16_t reserved;
  uint32_t fast; /* offset into the fast arena */
  uint32_t slow; /* offset into slow memory */
} tigris_transfer;

/* What one inference costs in a stage, as the planner predicts and the runtime counts it. For tools
 * only. Each of the first four fields adds up over all stages to that of the same name in
 * tigris_figures. */
typedef struct tigris_stage_stats {
  uint64_t slow_read;  /* bytes read from slow memory */
  uint64_t slow_write; /* bytes written to it */
  uint64_t kernel_calls;
  uint64_t recompute_macs; /* multiply-accumulates that are not done for the first time */
  /* maximum number of rows of a loaded tensor that two adjacent tiles both load; 0 unless TILED */
  uint64_t halo_rows;
  uint64_t peak; /* highest end of any range that the stage uses in the fast arena */
} tigris_stage_stats;

/* ---------------------------------------------------------------- checks */

TIGRIS_CHECK_LAYOUT(header, sizeof(tigris_header) == 32);
TIGRIS_CHECK_LAYOUT(summary, sizeof(tigris_summary) == 32);
TIGRIS_CHECK_LAYOUT(figures, sizeof(tigris_figures) == 128);
TIGRIS_CHECK_LAYOUT(figures_wide, offsetof(tigris_figures, slow_read) == 56);
TIGRIS_CHECK_LAYOUT(tensor, sizeof(tigris_tensor) == 12);
TIGRIS_CHECK_LAYOUT(quant, sizeof(tigris_quant) == 8);
TIGRIS_CHECK_LAYOUT(port, sizeof(tigris_port) == 20);
TIGRIS_CHECK_LAYOUT(operand, sizeof(tigris_operand) == 8);
TIGRIS_CHECK_LAYOUT(op, sizeof(tigris_op) == 12);
TIGRIS_CHECK_LAYOUT(stage, sizeof(tigris_stage) == 8);
TIGRIS_CHECK_LAYOUT(transfer, sizeof(tigris_transfer) == 12);
TIGRIS_CHECK_LAYOUT(tiling, sizeof(tigris_tiling) == 24);
TIGRIS_CHECK_LAYOUT(tile_buffer, sizeof(tigris_tile_buffer) == 20);
TIGRIS_CHECK_LAYOUT(weight_block, sizeof(tigris_weight_block) == 24);
TIGRIS_CHECK_LAYOUT(stage_stats, sizeof(tigris_stage_stats) == 48);

#endif /* TIGRIS_FORMAT_H */
