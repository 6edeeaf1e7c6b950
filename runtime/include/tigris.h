/* The runtime's interface: open a plan, give it memory, run it.
 *
 *   static unsigned char fast[FAST] TIGRIS_ALIGNED;      // arena, see tigris_plan_requirements
 *   tigris_plan plan;
 *   tigris_context ctx;
 *   tigris_memory memory = {fast, sizeof fast, slow, slow_size};
 *   status = tigris_plan_open(&plan, bytes, size);
 *   status = tigris_init(&ctx, &plan, &tigris_backend_reference, &memory);
 *   memcpy(tigris_input(&ctx, 0), data, tigris_input_bytes(&plan, 0));
 *   status = tigris_run(&ctx);
 *   result = tigris_output(&ctx, 0);
 *
 * The library uses no heap, no stdio and no global state. Any number of contexts may share a plan.
 * A context holds no pointer into itself and may be copied. Several contexts may share one arena if
 * they run in turn and none relies on the arena's contents between its own runs.
 *
 * Trust: the bytes of a plan are untrusted. tigris_plan_open checks every byte that matters, once.
 * After that, no run reads or writes outside the plan, the two memories and the caller's buffers,
 * regardless of the plan's contents. The bytes must not change while the plan is open. Backends,
 * their tables and this library are trusted. The checksum detects accidental damage; it is not a
 * signature. */
#ifndef TIGRIS_H
#define TIGRIS_H

#include <stddef.h>
#include <stdint.h>

#include "tigris_config.h"
#include "tigris_format.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TIGRIS_ALIGNED __attribute__((aligned(TIGRIS_TENSOR_ALIGN)))
#else
#define TIGRIS_ALIGNED
#endif

/* Errors are negative. A published number is never reused. */
typedef enum tigris_status {
  TIGRIS_MORE = 1, /* tigris_step only: stages remain */
  TIGRIS_OK = 0,
  TIGRIS_E_ARGUMENT = -1,     /* a pointer is NULL or an index out of range */
  TIGRIS_E_MAGIC = -2,        /* not a plan: wrong magic bytes */
  TIGRIS_E_VERSION = -3,      /* written in a format version that this library does not support */
  TIGRIS_E_TRUNCATED = -4,    /* fewer bytes than the header states */
  TIGRIS_E_CRC = -5,          /* the checksum does not match: bytes are damaged */
  TIGRIS_E_FORMAT = -6,       /* directory, summary, stages or ports are inconsistent */
  TIGRIS_E_TENSOR = -7,       /* a tensor record is inconsistent */
  TIGRIS_E_OP = -8,           /* operands or parameters break the opcode's contract */
  TIGRIS_E_ADDRESS = -9,      /* an address is outside its memory, misaligned or overlaps */
  TIGRIS_E_UNSUPPORTED = -10, /* an opcode, dtype or stage mode is not supported */
  TIGRIS_E_ALIGN = -11,       /* plan, memory, caller buffer or plan alignment is too small */
  /* fast memory too small with no slow memory to overflow to, or slow memory too small */
  TIGRIS_E_MEMORY = -12,
  TIGRIS_E_KERNEL = -13,  /* the backend has no kernel for an op */
  TIGRIS_E_BACKEND = -14, /* the backend was built for another version of its interface */
  TIGRIS_E_STATE = -15,   /* a caller buffer or a weight reader is not set */
  TIGRIS_E_INDEX = -16,   /* an op that takes indices met an index outside its axis */
  TIGRIS_E_LIMIT = -17,   /* more ports or operands than this library was built for */
  /* the backend needs more scratch than there is, and it or the build has no fallback */
  TIGRIS_E_SCRATCH = -18,
  /* the plan does not move this input or output row by row, each row once */
  TIGRIS_E_ROWS = -19,
  TIGRIS_E_CALLBACK = -20, /* a row callback failed */
  TIGRIS_E_WEIGHTS = -21   /* the weight reader failed, or its bytes are not the weights */
} tigris_status;

/* An opened plan: pointers into the caller's bytes, in the order of tigris_section_type. The bytes
 * must outlive it. Read only. */
typedef struct tigris_plan {
  const tigris_summary* summary;
  const char* strings;
  const int32_t* ints;
  const tigris_quant* quant;
  const int32_t* requant;
  const tigris_tensor* tensors;
  const tigris_port* ports;
  const tigris_operand* operands;
  const uint8_t* params;
  const tigris_op* ops;
  const tigris_transfer* transfers;
  const tigris_stage* stages;
  const uint8_t* weights;
  const tigris_tiling* tilings;
  const tigris_tile_buffer* tile_buffers;
  const tigris_weight_block* weight_blocks;
  /* element counts of the arrays above, in the same order */
  uint32_t file_size;
  uint32_t string_bytes;
  uint32_t int_count;
  uint32_t quant_count;
  uint32_t requant_count;
  uint32_t tensor_count;
  uint32_t port_count;
  uint32_t operand_count;
  uint32_t param_bytes;
  uint32_t op_count;
  uint32_t transfer_count;
  uint32_t stage_count;
  uint32_t weight_bytes;
  uint32_t tiling_count;
  uint32_t tile_buffer_count;
  uint32_t weight_block_count;
  uint32_t input_count; /* ports [0, input_count) are inputs, the rest outputs */
  uint32_t error_op;    /* op at which tigris_plan_open failed; TIGRIS_NONE if it was not an op */
} tigris_plan;

/* Flags of tigris_plan_open_flags. */
#define TIGRIS_OPEN_IGNORE_CRC 1u /* skips the checksum only, so that tests reach other checks */

/* Opens and checks a plan. `data` must be at a multiple of TIGRIS_PLAN_ALIGN. `size` is in bytes
 * and may exceed the plan (a flash partition). On an error only plan->error_op is meaningful. */
tigris_status tigris_plan_open(tigris_plan* plan, const void* data, size_t size);
tigris_status tigris_plan_open_flags(tigris_plan* plan, const void* data, size_t size,
                                     uint32_t flags);

/* The string at a reference; "" if the reference is TIGRIS_NONE (names may be stripped). */
const char* tigris_plan_string(const tigris_plan* plan, uint32_t reference);

struct tigris_backend;

/* Memory with which a run uses the plan's own addresses and, for every op, the backend's own
 * kernel. Sizes in bytes; every base address must be a multiple of `align`. With less fast memory
 * the same plan may still run and give the same output bytes: see "Scratch" and "The dynamic
 * arena". */
typedef struct tigris_requirements {
  uint32_t fast_bytes;    /* arena including the backend's scratch */
  uint32_t scratch_bytes; /* the part for the backend's scratch, at the top of the arena */
  uint32_t slow_bytes;    /* 0: no slow memory needed */
  uint32_t align;
  /* size of the weights file, which a reader must bring; 0: the plan contains its weights */
  uint32_t weight_bytes;
} tigris_requirements;

/* `backend` may be NULL: the requirements of the plan alone, without scratch. */
void tigris_plan_requirements(const tigris_plan* plan, const struct tigris_backend* backend,
                              tigris_requirements* out);

/* ## Scratch
 * Kernels that need scratch share the top of the fast arena. tigris_init gives them what they need
 * or, if that is more than the plan's addresses leave, as much as is left (at least what the plan
 * reserves for scratch). A kernel call for which this is too little is computed by the backend's
 * fallback, the reference kernels, with the same bytes. So a plan runs on any backend in its own
 * memory. tigris_context.fallback_ops is the number of ops that need more scratch for whole tensors
 * than there is; tigris_statistics.fallback_calls counts the calls of a run, as tiles of such an op
 * may need less. The profiling hook sees them as tigris_call.is_fallback. With
 * TIGRIS_SCRATCH_FALLBACK = 0 all scratch is required; otherwise the error is TIGRIS_E_SCRATCH.
 *
 * ## The dynamic arena
 * tigris_init chooses dynamic mode when it is given less fast memory than the plan's addresses and
 * its scratch span. The slow memory must still be provided in full.
 *
 * In dynamic mode tensors are placed while the plan runs:
 *  - In fast memory, one after the other. When the end of the arena is reached, the live tensors
 *    are compacted.
 *  - In slow memory after the plan's slow_bytes, if that does not free enough (overflow). Kernels
 *    work on overflowed tensors in place: slower, but with the same output bytes.
 *  - The prefix for unpacked weights keeps its address. If the fast arena is smaller than the
 *    prefix, all of it goes to slow memory.
 *  - The buffers of a tiled stage are moved as one block, which counts as written once if it
 *    overflows.
 *  - A table of 16 bytes per live tensor is at the end of the slow memory, or of the fast arena if
 *    there is no slow memory beyond the plan's. No other RAM is needed.
 *
 * Whether the memory suffices does not depend on data, so tigris_init determines it: once it
 * returns TIGRIS_OK, no run returns TIGRIS_E_MEMORY. If the memory does not suffice, error_op is
 * the op whose tensors do not fit (TIGRIS_NONE: a model input or a load). With at least the
 * required memory, the plan's addresses are used. TIGRIS_DYNAMIC_ARENA = 0 leaves dynamic mode out
 * of the build. */

/* The memory that a context uses. The two regions must not overlap. Both belong to the caller and
 * must live as long as the context is used. */
typedef struct tigris_memory {
  void* fast;        /* fast arena; may be NULL when fast_bytes is 0 */
  size_t fast_bytes; /* size in bytes; less than required: dynamic mode */
  void* slow;        /* slow memory; may be NULL when slow_bytes is 0 */
  size_t slow_bytes; /* size in bytes; 0: there is none; less than required: TIGRIS_E_MEMORY */
} tigris_memory;

/* Statistics of one run, reset when a run starts. Sizes in bytes. In dynamic mode, slow traffic
 * includes every read and write of an overflowed tensor by a kernel, load or spill (its size, once
 * per operand), and one read and one write for each overflowed tensor that is moved. The table
 * counts in table_bytes only. */
typedef struct tigris_statistics {
  uint64_t slow_read;  /* read from slow memory by loads and kernels */
  uint64_t slow_write; /* written to it */
  uint32_t fast_peak;  /* highest end of any range used in the fast arena, without scratch */
  uint32_t slow_peak;  /* highest end of any range used in slow memory */
  uint32_t kernel_calls;
  uint32_t fallback_calls; /* of these, computed by the fallback for lack of scratch */
  uint32_t weight_bytes;   /* copied or unpacked to the prefix of weight blocks */
  /* 1 in dynamic mode; the members below are 0 otherwise */
  uint32_t dynamic;
  uint32_t overflow_bytes; /* slow memory used beyond the plan's slow_bytes */
  uint32_t table_bytes;    /* largest size of the table */
} tigris_statistics;

struct tigris_call;
struct tigris_context;

/* Profiling hook: called before (done 0) and after (done 1) each kernel call, including those of
 * tiles. It may read a cycle counter and accumulate the difference per `call->op -
 * call->plan->ops`. The call is described in tigris_backend.h. */
typedef void (*tigris_profile_hook)(void* user, const struct tigris_call* call, int done);

/* One running instance of a plan. Treat it as opaque except `statistics`, `error_op`, `error_stage`
 * and `fallback_ops`. */
typedef struct tigris_context {
  const tigris_plan* plan;
  const struct tigris_backend* backend;
  uint8_t* fast;
  uint8_t* slow;
  uint8_t* scratch;
  uint8_t* unpacked; /* where weight blocks are unpacked: fast memory, or slow in dynamic mode */
  uint32_t scratch_bytes;
  uint32_t fallback_ops; /* ops that need more scratch for whole tensors */
  uint32_t stage;        /* next stage to run */
  uint32_t error_op;     /* op of the last error, or TIGRIS_NONE */
  uint32_t error_stage;  /* stage of the last error, or TIGRIS_NONE */
  tigris_statistics statistics;
  /* Present in every build: the library and the program may differ in TIGRIS_DYNAMIC_ARENA. */
  struct tigris_block* blocks; /* end of the table; NULL: the plan's addresses are used */
  uint32_t block_count;
  uint32_t blocks_slow;        /* 1: the table is in slow memory */
  uint32_t limit[2];           /* usable bytes of fast and slow memory */
  uint32_t exchanged;          /* 1: the input and output memory of each state have swapped roles */
  uint32_t next_weight_block;  /* first block that has not been unpacked in this run */
  uint32_t rehearsal;          /* 1: tigris_init simulates a run without moving a byte */
  tigris_profile_hook profile; /* NULL: none */
  void* profile_user;
  int (*reader)(void* user, uint32_t offset, uint32_t bytes, void* to); /* NULL: none */
  void* reader_user;
  /* Last, so that the members above keep their offsets in a program built with a larger
   * TIGRIS_MAX_PORTS than the library. */
  void* ports[TIGRIS_MAX_PORTS]; /* caller buffers; in dynamic mode also ports in the arena */
  /* Callbacks of inputs and outputs by rows; `ports` then holds their `user` pointer. NULL: a
   * buffer. */
  int (*rows[TIGRIS_MAX_PORTS])(void* user, uint32_t first, uint32_t count, void* rows);
} tigris_context;

/* Most bytes of a tigris_plan and a tigris_context together on a processor with addresses of 32
 * bits, in a build whose TIGRIS_MAX_PORTS is `ports`. */
#define TIGRIS_INSTANCE_BYTES(ports) (280u + 8u * (ports))
TIGRIS_CHECK_LAYOUT(instance, sizeof(void*) > 4 || sizeof(tigris_plan) + sizeof(tigris_context) <=
                                                       TIGRIS_INSTANCE_BYTES(TIGRIS_MAX_PORTS));

/* Checks the memory, its alignment, and that the backend has a kernel for every op. Keeps pointers
 * to `plan` and `backend`; copies `memory`. In dynamic mode it writes to the memory (below the
 * plan's slow_bytes to states only) and rejects plans with more than TIGRIS_MAX_PORTS ports in the
 * arena (TIGRIS_E_LIMIT). */
tigris_status tigris_init(tigris_context* ctx, const tigris_plan* plan,
                          const struct tigris_backend* backend, const tigris_memory* memory);

unsigned tigris_input_count(const tigris_plan* plan);
unsigned tigris_output_count(const tigris_plan* plan);
/* The stored tensor of an input or output; NULL if the index is out of range. */
const tigris_tensor* tigris_input_tensor(const tigris_plan* plan, unsigned index);
const tigris_tensor* tigris_output_tensor(const tigris_plan* plan, unsigned index);
const tigris_port* tigris_input_port(const tigris_plan* plan, unsigned index);
const tigris_port* tigris_output_port(const tigris_plan* plan, unsigned index);
/* The size of an input or output in bytes; 0 if the index is out of range. */
uint32_t tigris_input_bytes(const tigris_plan* plan, unsigned index);
uint32_t tigris_output_bytes(const tigris_plan* plan, unsigned index);

/* The stored bytes of an input or output; NULL if the index is out of range or a caller buffer is
 * not set. Inputs other than states must be written before every run, because their memory may be
 * reused. Outputs stay valid from the end of a complete run until the next run starts. The bytes of
 * constant outputs are in the plan. */
void* tigris_input(tigris_context* ctx, unsigned index);
const void* tigris_output(const tigris_context* ctx, unsigned index);

/* Sets the buffer of an input or output. Only for plans with io mode "caller". A buffer holds
 * tigris_input_bytes or tigris_output_bytes bytes, at a multiple of tigris_backend.alignment, and
 * is kept until it is set again. Inputs are only read. Buffers must not overlap each other or the
 * memories. A constant output (its tensor has TIGRIS_TENSOR_CONST) needs no buffer: without one,
 * tigris_output points to its bytes in the plan. A run copies them to a buffer that is set. */
tigris_status tigris_set_input(tigris_context* ctx, unsigned index, const void* data);
tigris_status tigris_set_output(tigris_context* ctx, unsigned index, void* data);

/* Inputs and outputs by rows: instead of a buffer for the whole tensor, a callback supplies the
 * rows of an input (from a sensor) or receives the rows of an output (for a display), which it must
 * not change.
 *
 * A row is one index of axis 1 of the stored tensor; the numbering continues through axis 0. They
 * come in order, each once per run: `count` rows starting at row `first`, packed at `rows`. A
 * result other than 0 stops the run with TIGRIS_E_CALLBACK.
 *
 * Only for plans with io mode "caller" in which exactly one streamed stage moves the tensor, such
 * as plans made with `tigris-plan --input-rows` and `--output-rows`. Otherwise the error is
 * TIGRIS_E_ROWS: the plan moves a row twice, moves all rows at once, works in the caller's buffer,
 * or the tensor is a state. tigris_input and tigris_output return NULL for such a port.
 * tigris_set_input and tigris_set_output replace the callback by a buffer. */
typedef int (*tigris_row_hook)(void* user, uint32_t first, uint32_t count, void* rows);
tigris_status tigris_set_input_rows(tigris_context* ctx, unsigned index, tigris_row_hook hook,
                                    void* user);
tigris_status tigris_set_output_rows(tigris_context* ctx, unsigned index, tigris_row_hook hook,
                                     void* user);

/* States: outputs that become inputs of the next run (tigris-import --state). A run reads a state
 * at its input and writes it at its output. When the run is complete, the two swap roles, so
 * nothing is copied.
 *  - tigris_input and tigris_output of a state both return what the next run will read.
 *  - States need not be written before a run. tigris_reset sets them to real zeros. tigris_init
 *    does that for states in slow memory; with io mode "caller", set both buffers once and then
 *    call tigris_reset.
 *  - A run that fails leaves states as they were before it.
 *  - Contexts that run in turn need separate slow memory if their plan has states there. */
tigris_status tigris_reset(tigris_context* ctx);

/* Runs the whole plan. After an error, error_op and error_stage identify the op and the stage; the
 * context may be used again. */
tigris_status tigris_run(tigris_context* ctx);

/* Runs the next stage only. Returns TIGRIS_MORE while stages remain and TIGRIS_OK after the last
 * one; the next call then starts over. */
tigris_status tigris_step(tigris_context* ctx);

/* Sets the profiling hook, or removes it (NULL). Call it after tigris_init. TIGRIS_E_UNSUPPORTED if
 * the library was built without TIGRIS_PROFILE. */
tigris_status tigris_set_profile(tigris_context* ctx, tigris_profile_hook hook, void* user);

/* Weights that are not in the processor's address space: a reader brings them from external flash,
 * a card or a file. It copies `bytes` bytes of the weights from `offset` on to `to`, which is in
 * the memory of the context and at a multiple of the plan's alignment. Any result other than 0
 * stops the run with TIGRIS_E_WEIGHTS.
 *
 * The weights are the file of `tigris-emit --weights-file` or, in a plan without one, the section
 * WEIGHTS. Every run reads each weight block once, in the order of the stages and also in tiled and
 * streamed ones, and offsets do not descend unless blocks with equal bytes are stored once. Without
 * a reader, blocks are copied from the plan. The library checks that the bytes of an LZ4 block are
 * one, but no checksum: the reader answers for what it delivers.
 *
 * Call it after tigris_init; NULL removes the reader. TIGRIS_E_UNSUPPORTED if the plan's kernels
 * read weights in place (it was made without --weight-memory=copy), or if the library was built
 * without TIGRIS_WEIGHT_READER. A run of a plan whose weights are in a file of their own is
 * TIGRIS_E_STATE without a reader. */
typedef int (*tigris_weight_reader)(void* user, uint32_t offset, uint32_t bytes, void* to);
tigris_status tigris_set_weight_reader(tigris_context* ctx, tigris_weight_reader reader,
                                       void* user);

/* A short English text; never NULL. */
const char* tigris_status_text(tigris_status status);

#ifdef __cplusplus
}
#endif

#endif /* TIGRIS_H */
