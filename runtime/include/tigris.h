/* The runtime's interface: open a plan, give it memory, run it.
 *
 *   static unsigned char fast[FAST] TIGRIS_ALIGNED;      // arena, see tigris_plan_requirements
 *   tigris_plan plan; tigris_context ctx; tigris_memory memory = {fast, sizeof fast, slow, slow_size};
 *   status = tigris_plan_open(&plan, bytes, size);
 *   status = tigris_init(&ctx, &plan, &tigris_backend_reference, &memory);
 *   memcpy(tigris_input(&ctx, 0), data, tigris_input_bytes(&plan, 0));
 *   status = tigris_run(&ctx);
 *   result = tigris_output(&ctx, 0);
 *
 * No heap, no stdio, no global state. A plan may be shared by any number of contexts; a context holds no
 * pointer into itself and may be copied. Several contexts may share one arena when they run in turn and
 * none relies on what is in it between its own runs.
 *
 * Trust: the bytes of a plan are untrusted. tigris_plan_open checks each of them that matters, once, so
 * that no run of an opened plan reads or writes outside the plan, the two memories and the caller's
 * buffers, whatever the plan says. The bytes must not change while the plan is open. Backends, their
 * tables and this library are trusted. The checksum detects accidents; it is no signature. */
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

/* Errors are negative; numbers are never reused. */
typedef enum tigris_status {
  TIGRIS_MORE = 1, /* tigris_step only: stages remain */
  TIGRIS_OK = 0,
  TIGRIS_E_ARGUMENT = -1,     /* a pointer is NULL or an index out of range */
  TIGRIS_E_MAGIC = -2,        /* not a plan */
  TIGRIS_E_VERSION = -3,      /* written in a format this library does not know */
  TIGRIS_E_TRUNCATED = -4,    /* fewer bytes than the header announces */
  TIGRIS_E_CRC = -5,          /* bytes are damaged */
  TIGRIS_E_FORMAT = -6,       /* directory, summary, stages or ports are inconsistent */
  TIGRIS_E_TENSOR = -7,       /* a tensor record is inconsistent */
  TIGRIS_E_OP = -8,           /* operands or parameters break the opcode's contract */
  TIGRIS_E_ADDRESS = -9,      /* an address is outside its memory, misaligned or overlaps */
  TIGRIS_E_UNSUPPORTED = -10, /* an opcode, dtype or stage mode this library does not know */
  TIGRIS_E_ALIGN = -11,       /* plan, memory, caller buffer or plan alignment too small */
  TIGRIS_E_MEMORY = -12,  /* too little fast memory and nowhere to overflow, or too little slow */
  TIGRIS_E_KERNEL = -13,  /* the backend has no kernel for an op */
  TIGRIS_E_BACKEND = -14, /* the backend was built for another version of its interface */
  TIGRIS_E_STATE = -15,   /* a caller buffer is not set */
  TIGRIS_E_INDEX = -16,   /* GATHER met an index outside its axis */
  TIGRIS_E_LIMIT = -17,   /* more ports or operands than this library was built for */
  TIGRIS_E_SCRATCH = -18, /* no room for the backend's scratch, which is more than the plan's */
  TIGRIS_E_ROWS = -19,    /* the plan does not move this input or output row by row, once */
  TIGRIS_E_CALLBACK = -20 /* a row callback failed */
} tigris_status;

/* An opened plan: pointers into the caller's bytes, which must outlive it, in the order of tigris_section_type. Read
 * only. */
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
  uint32_t file_size; /* from here on in the order of the pointers: how many there are */
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
  uint32_t error_op;    /* op at which tigris_plan_open failed, TIGRIS_NONE when it was no op */
} tigris_plan;

/* Flags of tigris_plan_open_flags. */
#define TIGRIS_OPEN_IGNORE_CRC 1u /* every other check still holds: for tests behind the checksum */

/* `data` at a multiple of TIGRIS_PLAN_ALIGN; `size` may exceed the plan (a flash partition). On an error
 * only plan->error_op is meaningful. */
tigris_status tigris_plan_open(tigris_plan* plan, const void* data, size_t size);
tigris_status tigris_plan_open_flags(tigris_plan* plan, const void* data, size_t size,
                                     uint32_t flags);

/* The string at a reference; "" when the reference is TIGRIS_NONE (names may be stripped). */
const char* tigris_plan_string(const tigris_plan* plan, uint32_t reference);

struct tigris_backend;

/* What a run at the plan's own addresses takes. Bytes; every base address must be a multiple of `align`.
 *
 * With less fast memory the same plan may still run, to the same output bytes: see "The dynamic arena". */
typedef struct tigris_requirements {
  uint32_t fast_bytes;    /* arena including the backend's scratch */
  uint32_t scratch_bytes; /* the backend's part of it, at the top */
  uint32_t slow_bytes;    /* 0: none */
  uint32_t align;
} tigris_requirements;

/* `backend` NULL: the plan alone, without scratch. */
void tigris_plan_requirements(const tigris_plan* plan, const struct tigris_backend* backend,
                              tigris_requirements* out);

/* ## The dynamic arena
 * Given less fast memory than required (the slow bytes and the scratch must be there in full, and the scratch
 * be no more than the plan was made for, otherwise it is TIGRIS_E_SCRATCH), tigris_init chooses dynamic mode. Tensors
 * are then placed while the plan runs: one behind the other in the fast arena, shifted together when its end is reached, and in the slow memory behind the plan's slow_bytes when that
 * does not help. Kernels work on such overflowed tensors where they lie: slower, never other bytes. The prefix for
 * unpacked weights keeps its place; if the fast arena is smaller than it, it goes to slow memory as a whole.
 * The buffers of a tiled stage move as one block, which counts as written once when it overflows.
 * A table of 16 bytes per tensor alive at once lies at the end of the slow memory, or of the fast arena
 * when there is no slow memory beyond the plan's. No other RAM is needed.
 *
 * Whether the memory suffices does not depend on data, so tigris_init finds out: when it returns TIGRIS_OK,
 * no run returns TIGRIS_E_MEMORY. When it does not suffice, error_op is the op for which there was
 * no room (TIGRIS_NONE: a model input or a load). With at least the required memory none of this
 * happens: addresses are the plan's. TIGRIS_DYNAMIC_ARENA = 0 leaves the whole mode out. */

/* The memory a context works in. The two regions must not overlap. Both belong to the caller and must
 * live as long as the context is used. */
typedef struct tigris_memory {
  void* fast;        /* fast arena; may be NULL when fast_bytes is 0 */
  size_t fast_bytes; /* its size in bytes; less than required: dynamic mode */
  void* slow;        /* slow memory; may be NULL when slow_bytes is 0 */
  size_t slow_bytes; /* its size in bytes; 0: there is none; less than required: TIGRIS_E_MEMORY */
} tigris_memory;

/* Counted anew with each run. Bytes. In dynamic mode slow traffic includes each read and write a kernel, load
 * or spill makes of an overflowed tensor (its size once per operand), and both for each tensor
 * shifted there; the table is in none of the figures but its own. */
typedef struct tigris_statistics {
  uint64_t slow_read;  /* read from slow memory by loads and kernels */
  uint64_t slow_write; /* written to it */
  uint32_t fast_peak;  /* highest end of anything used in the fast arena, without scratch */
  uint32_t slow_peak;  /* highest end of anything used in slow memory */
  uint32_t kernel_calls;
  uint32_t dynamic;        /* 1 in dynamic mode; the following are 0 otherwise */
  uint32_t overflow_bytes; /* slow memory used beyond the plan's slow_bytes */
  uint32_t table_bytes;    /* largest size of the table */
} tigris_statistics;

struct tigris_call;
struct tigris_context;

/* Called before (done 0) and after (done 1) each kernel call, also of tiles: reads a cycle counter, adds it up per
 * `call->op - call->plan->ops`, ... The call is described in tigris_backend.h. */
typedef void (*tigris_profile_hook)(void* user, const struct tigris_call* call, int done);

/* One running instance. Treat as opaque except `statistics`, `error_op` and `error_stage`. */
typedef struct tigris_context {
  const tigris_plan* plan;
  const struct tigris_backend* backend;
  uint8_t* fast;
  uint8_t* slow;
  uint8_t* scratch;
  uint8_t* unpacked; /* where weight blocks are unpacked: fast, or a part of slow in dynamic mode */
  uint32_t scratch_bytes;
  uint32_t stage;       /* next stage to run */
  uint32_t error_op;    /* op of the last error, or TIGRIS_NONE */
  uint32_t error_stage; /* stage of the last error, or TIGRIS_NONE */
  tigris_statistics statistics;
  /* there in any build: a library and a program may differ in TIGRIS_DYNAMIC_ARENA */
  struct tigris_block* blocks; /* end of the table; NULL: the plan's addresses are used */
  uint32_t block_count;
  uint32_t blocks_slow;        /* 1: the table is in slow memory */
  uint32_t limit[2];           /* usable bytes of fast and slow memory */
  uint32_t exchanged;          /* 1: the two places of each state have changed roles */
  uint32_t next_weight_block;  /* first that has not been unpacked in this run */
  uint32_t rehearsal;          /* 1: tigris_init counts a run without moving a byte */
  tigris_profile_hook profile; /* NULL: none */
  void* profile_user;
  /* Last, so that the members above stay in place in a program built with a larger TIGRIS_MAX_PORTS than
   * the library. */
  void* ports[TIGRIS_MAX_PORTS]; /* caller buffers; in dynamic mode also ports in the arena */
  /* callbacks of inputs and outputs by rows, whose entry in `ports` is what they are given; NULL: a buffer */
  int (*rows[TIGRIS_MAX_PORTS])(void* user, uint32_t first, uint32_t count, void* rows);
} tigris_context;

/* Checks memory, alignment and that the backend has a kernel for every op. Keeps pointers to `plan` and
 * `backend`, copies `memory`. In dynamic mode it writes to the memory (nothing below the plan's slow_bytes but states)
 * and refuses plans with more than TIGRIS_MAX_PORTS ports in the arena (TIGRIS_E_LIMIT). */
tigris_status tigris_init(tigris_context* ctx, const tigris_plan* plan,
                          const struct tigris_backend* backend, const tigris_memory* memory);

unsigned tigris_input_count(const tigris_plan* plan);
unsigned tigris_output_count(const tigris_plan* plan);
/* The stored tensor of an input or output; NULL when the index is out of range. */
const tigris_tensor* tigris_input_tensor(const tigris_plan* plan, unsigned index);
const tigris_tensor* tigris_output_tensor(const tigris_plan* plan, unsigned index);
const tigris_port* tigris_input_port(const tigris_plan* plan, unsigned index);
const tigris_port* tigris_output_port(const tigris_plan* plan, unsigned index);
/* Its size in bytes; 0 when the index is out of range. */
uint32_t tigris_input_bytes(const tigris_plan* plan, unsigned index);
uint32_t tigris_output_bytes(const tigris_plan* plan, unsigned index);

/* Where the stored bytes of an input or output lie; NULL when the index is out of range or a caller
 * buffer is not set. Inputs (but states) must be written again before each run: their memory may be reused. Outputs
 * hold after a complete run until the next one starts. */
void* tigris_input(tigris_context* ctx, unsigned index);
const void* tigris_output(const tigris_context* ctx, unsigned index);

/* Only for plans with io mode "caller": the buffers, of tigris_input_bytes / tigris_output_bytes bytes, at
 * a multiple of tigris_backend.alignment. Inputs are only read. Buffers must not overlap each other
 * or the memories, and are kept until set again. */
tigris_status tigris_set_input(tigris_context* ctx, unsigned index, const void* data);
tigris_status tigris_set_output(tigris_context* ctx, unsigned index, void* data);

/* Inputs and outputs by rows: instead of a buffer for the whole tensor, a callback brings (input) or takes (output,
 * which it must not change) rows as they come: from a sensor, to a display. A row is an index of the stored tensor's
 * axis 1; the rows of further indices of axis 0 are numbered on. They come in order, each once in a run, `count`
 * of them from `first` on, packed at `rows`. A result other than 0 stops the run with TIGRIS_E_CALLBACK.
 *
 * Only for plans with io mode "caller" in which one streamed stage alone moves the tensor, as those of
 * `tigris-plan --input-rows` and `--output-rows` do; otherwise TIGRIS_E_ROWS: the plan reads the rows twice, all at
 * once or in the caller's buffer, or the tensor is a state. tigris_input and tigris_output are NULL then.
 * tigris_set_input and tigris_set_output replace the callback by a buffer. */
typedef int (*tigris_row_hook)(void* user, uint32_t first, uint32_t count, void* rows);
tigris_status tigris_set_input_rows(tigris_context* ctx, unsigned index, tigris_row_hook hook,
                                    void* user);
tigris_status tigris_set_output_rows(tigris_context* ctx, unsigned index, tigris_row_hook hook,
                                     void* user);

/* States: outputs that the next run gets as inputs (tigris-import --state). A run reads a state at its input
 * and writes it at its output; when it is complete, the two places change roles, so that nothing is copied.
 *  - tigris_input of a state is what the next run will read, and so is tigris_output of it.
 *  - They need not be written; tigris_reset makes them real zeros. tigris_init does that where they
 *    are in slow memory; with io mode "caller", set both buffers once, then call tigris_reset.
 *  - A run that fails leaves states as they were before it.
 *  - Contexts that run in turn need slow memory of their own if their plan has states there. */
tigris_status tigris_reset(tigris_context* ctx);

/* Runs the whole plan. After an error the context may be used again; error_op and error_stage say where. */
tigris_status tigris_run(tigris_context* ctx);

/* Runs the next stage only: TIGRIS_MORE while stages remain, TIGRIS_OK after the last one (the next call
 * starts over). */
tigris_status tigris_step(tigris_context* ctx);

/* Sets the hook, or removes it (NULL). TIGRIS_E_UNSUPPORTED when the library was built without
 * TIGRIS_PROFILE. Call it after tigris_init. */
tigris_status tigris_set_profile(tigris_context* ctx, tigris_profile_hook hook, void* user);

/* A short English text; never NULL. */
const char* tigris_status_text(tigris_status status);

#ifdef __cplusplus
}
#endif

#endif /* TIGRIS_H */
