/* A build without states and without tiled stages (check_tables.c and check_stages.c with their
 * macros 0) rejects plans that have them. */
#include "check.h"
#include "plan_builder.h"

typedef enum Extra { NOTHING, STATE, BOXES } Extra;

/* x -> RESHAPE -> y */
static tigris_status opened(Extra extra) {
  const int32_t dims[2] = {3, 4};
  const uint32_t one[4] = {1, 1, 1, 1};
  const tigris_tile_buffer in = {0, TIGRIS_POOL_CALLER, TIGRIS_TILE_LOAD, 0, 0, 0, 0, 0xF};
  const tigris_tile_buffer out = {0, TIGRIS_POOL_CALLER, TIGRIS_TILE_STORE, 0, 0, 1, 0, 0};
  tigris_status status;
  tigris_plan plan;
  uint32_t bytes;
  uint8_t* file;
  Builder b;
  int x;
  int y;
  builderInit(&b, TIGRIS_IO_CALLER);
  x = builderTensor(&b, TIGRIS_F32, 2, dims, TIGRIS_NONE);
  y = builderTensor(&b, TIGRIS_F32, 2, dims, TIGRIS_NONE);
  builderInput(&b, x);
  builderOutput(&b, y);
  if (extra == STATE)
    builderState(&b, 0, 1);
  if (extra == BOXES) {
    builderTile(&b, x, &in);
    builderTile(&b, y, &out);
  }
  builderOp(&b, TIGRIS_OP_RESHAPE, 1, &x, y, NULL, 0);
  if (extra == BOXES)
    builderTiledStage(&b, one);
  file = builderFinish(&b, &bytes);
  status = tigris_plan_open(&plan, file, bytes);
  builderFree(&b);
  return status;
}

int main(void) {
  CHECK_EQ(opened(NOTHING), TIGRIS_OK);
  CHECK_EQ(opened(STATE), TIGRIS_E_UNSUPPORTED);
  CHECK_EQ(opened(BOXES), TIGRIS_E_UNSUPPORTED);
  return finish();
}
