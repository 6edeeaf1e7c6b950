/* Random graphs of a few ops with four-dimensional tensors, as plans of one stage: whole or
 * tiled. */
#ifndef TIGRIS_TEST_TILE_GRAPHS_H
#define TIGRIS_TEST_TILE_GRAPHS_H

#include "plan_builder.h"

#define MAX_VALUES 24
#define MAX_NODES 12

typedef struct Value {
  uint8_t dtype;
  int32_t dims[4];
  int isConst;
  uint32_t rank;
  int32_t constDims[5];
  uint32_t quant;
  const void* data;
  int readers;
  int maker; /* node, or -1 */
} Value;

typedef struct Node {
  uint16_t opcode;
  int inputs;
  int in[3];
  int out;
  uint32_t paramsSize;
  union {
    tigris_conv_params conv;
    tigris_pool_params pool;
    tigris_binary_params binary;
    tigris_resize_params resize;
    tigris_slice_params slice;
    tigris_pad_params pad;
    tigris_axis_params axis;
    tigris_clamp_params clamp;
  } params;
} Node;

typedef struct Graph {
  Value values[MAX_VALUES];
  Node nodes[MAX_NODES];
  int valueCount;
  int nodeCount;
  uint8_t dtype;
  int32_t ints[256];
  uint32_t intCount;
} Graph;

/* Offsets of the values of constants, which the test fills. */
extern float graphFloats[4096];
extern int8_t graphBytes[4096];
extern int32_t graphBiases[64];

/* Adds a tensor, written by node `maker` or, if that is -1, an input; returns its index. */
int graphAddValue(Graph* g, const int32_t* dims, int maker);
int graphAddConst(Graph* g, uint8_t dtype, uint32_t rank, const int32_t* dims, const void* data);
/* Bounds that clamp some values. */
void graphSetBounds(const Graph* g, tigris_scalar* lo, tigris_scalar* hi);
/* One or two inputs and up to seven ops. */
void graphMake(Graph* g);
/* Outputs are the values that no op reads, and sometimes one more. */
int graphIsOutput(const Graph* g, int index, uint32_t extra);
/* The graph as a plan: whole (io arena), or tiled when `tiles` is given. */
uint8_t* graphBuild(Builder* b, const Graph* g, uint32_t mode, uint32_t extra,
                    const uint32_t* tiles, uint32_t* size);

#endif /* TIGRIS_TEST_TILE_GRAPHS_H */
