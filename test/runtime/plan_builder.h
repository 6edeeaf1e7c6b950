/* Builds small plans in memory for the runtime's tests: every activation gets its own fast
 * offset. */
#ifndef TIGRIS_TEST_PLAN_BUILDER_H
#define TIGRIS_TEST_PLAN_BUILDER_H

#include "tigris_backend.h"

typedef struct Bytes {
  uint8_t* data;
  uint32_t size;
  uint32_t capacity;
} Bytes;

typedef struct Place {
  uint8_t pool;
  uint32_t offset;
} Place;

#define BUILDER_MAX_TENSORS (256 + TIGRIS_MAX_PORTS)

typedef struct Builder {
  tigris_summary summary;
  /* by section type; 0: the weight block under construction */
  Bytes section[TIGRIS_SECTION_LAST + 1];
  Place place[BUILDER_MAX_TENSORS];
  uint32_t align;
  uint32_t fastUsed;
  uint32_t slowUsed;
  uint32_t stageStart; /* first op of the stage under construction */
  uint32_t tileStart;  /* first tile buffer of the stage under construction */
  /* of dense ops on integers */
  uint32_t requant;
  uint8_t denseFlags;
} Builder;

/* io mode as tigris_io_mode; alignment 16. */
void builderInit(Builder* b, uint32_t ioMode);
void builderFree(Builder* b);

uint32_t builderString(Builder* b, const char* text);
uint32_t builderInts(Builder* b, const int32_t* values, uint32_t n);
uint32_t builderQuant(Builder* b, float scale, int32_t zeroPoint);
/* n multipliers, n shifts; returns the index of the first. */
uint32_t builderRequant(Builder* b, const int32_t* multipliers, const int32_t* shifts, uint32_t n);

/* Appends the constants of dense ops on integers and makes all further such ops refer to them:
 * `pairs` multipliers and shifts, and `zeroCount` zero points of weights (0: none). Successive
 * calls store shifts in different forms. */
void builderDense(Builder* b, const int32_t* multipliers, const int32_t* shifts, uint32_t pairs,
                  const int32_t* zeros, uint32_t zeroCount);
/* The same with TIGRIS_ROUND_EVEN; `words` are numerators, denominators, and the low and the high
 * words of the offsets. */
void builderDenseEven(Builder* b, const int32_t* words, uint32_t pairs, const int32_t* zeros,
                      uint32_t zeroCount);

/* An activation at a new fast offset; quant = TIGRIS_NONE for no quantization. */
int builderTensor(Builder* b, uint8_t dtype, uint8_t rank, const int32_t* dims, uint32_t quant);
int builderConst(Builder* b, uint8_t dtype, uint8_t rank, const int32_t* dims, uint32_t quant,
                 const void* data);
/* Reserves the first `bytes` of the fast arena for weight blocks. Call it before adding tensors. */
void builderReserve(Builder* b, uint32_t bytes);
/* Appends a constant to the weight block under construction. */
int builderPacked(Builder* b, uint8_t dtype, uint8_t rank, const int32_t* dims, uint32_t quant,
                  const void* data);
/* Ends the block, which is at the arena's start and is unpacked before the next op added. */
void builderBlock(Builder* b);
/* The same for a block that is not compressed. */
void builderRawBlock(Builder* b);
uint32_t builderBytesOf(const Builder* b, int tensor);

/* Declares a model input or output, inputs first. With io slow it gets a slow offset. */
void builderInput(Builder* b, int tensor);
void builderOutput(Builder* b, int tensor);
/* Makes two declared ports, given by index, a state. */
void builderState(Builder* b, uint16_t input, uint16_t output);

/* inputs: tensor ids, -1 for an absent operand. */
void builderOp(Builder* b, uint16_t opcode, int inputs, const int* in, int out, const void* params,
               uint32_t paramsSize);
void builderOpOutputs(Builder* b, uint16_t opcode, int inputs, const int* in, int outputs,
                      const int* out, const void* params, uint32_t paramsSize);

/* Ends a stage with the ops added since the previous one, with transfers. */
void builderStage(Builder* b, const tigris_transfer* loads, uint32_t loadCount,
                  const tigris_transfer* spills, uint32_t spillCount);
uint32_t builderSlow(Builder* b, uint32_t bytes);

/* Makes a tensor a buffer of the tiled stage under construction, with capacity for all of it. The
 * buffer is at the tensor's fast offset, or at a new one if it has none or if like->bytes requests
 * more capacity. `like` gives home, backing_offset, flags, start and reload_axes. */
void builderTile(Builder* b, int tensor, const tigris_tile_buffer* like);
/* Ends a tiled or a streamed stage; its bookkeeping gets a new fast offset. */
void builderTiledStage(Builder* b, const uint32_t* tiles);
void builderStreamedStage(Builder* b, const uint32_t* tiles);

/* The finished plan in a buffer of exactly its size. Ops outside stages get one; with io slow it
 * loads all model inputs and spills all outputs. */
uint8_t* builderFinish(Builder* b, uint32_t* size);

/* Writes the sections, which have been changed but not resized, into the finished plan. */
void builderRewrite(const Builder* b, uint8_t* plan);

/* Updates the checksum after bytes were changed. */
void builderSeal(uint8_t* plan);

#endif /* TIGRIS_TEST_PLAN_BUILDER_H */
