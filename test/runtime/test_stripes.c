/* A build without stripes (check_tile.c with TIGRIS_STRIPES=0) accepts streamed stages with a
 * single stripe only. */
#include "check.h"
#include "plan_builder.h"

/* x -> CLAMP -> y by rows, with this number of stripes */
static tigris_status opened(uint32_t stripes) {
  const int32_t dims[4] = {1, 4, 4, 2};
  const uint32_t tiles[4] = {1, 4, stripes, 1};
  const tigris_tile_buffer in = {0, TIGRIS_POOL_CALLER, TIGRIS_TILE_LOAD, 0, 0, 0, 0, 0xF};
  const tigris_tile_buffer out = {0, TIGRIS_POOL_CALLER, TIGRIS_TILE_STORE, 0, 0, 1, 0, 0};
  tigris_clamp_params clamp;
  tigris_status status;
  tigris_plan plan;
  uint32_t bytes;
  uint8_t* file;
  Builder b;
  int x;
  int y;
  clamp.lo.f = -1.0f;
  clamp.hi.f = 1.0f;
  builderInit(&b, TIGRIS_IO_CALLER);
  x = builderTensor(&b, TIGRIS_F32, 4, dims, TIGRIS_NONE);
  y = builderTensor(&b, TIGRIS_F32, 4, dims, TIGRIS_NONE);
  builderInput(&b, x);
  builderOutput(&b, y);
  builderTile(&b, x, &in);
  builderTile(&b, y, &out);
  builderOp(&b, TIGRIS_OP_CLAMP, 1, &x, y, &clamp, sizeof clamp);
  builderTiledStage(&b, tiles);
  file = builderFinish(&b, &bytes);
  CHECK_EQ(tigris_plan_open(&plan, file, bytes), TIGRIS_OK); /* in boxes */
  ((tigris_stage*)(uintptr_t)plan.stages)->mode = TIGRIS_STAGE_STREAMED;
  builderSeal(file);
  status = tigris_plan_open(&plan, file, bytes);
  builderFree(&b);
  return status;
}

int main(void) {
  CHECK_EQ(opened(1), TIGRIS_OK);
  CHECK_EQ(opened(2), TIGRIS_E_UNSUPPORTED);
  return finish();
}
