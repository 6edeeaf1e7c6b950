/* A runtime built with -DTIGRIS_TENSOR_ALIGN=32 rejects plans with a smaller alignment; plans with
 * a larger one need memory of that alignment. */
#include "check.h"
#include "plan_builder.h"

typedef union Arena {
  uint64_t words[64];
  uint8_t bytes[512];
} Arena;

/* x -> RESHAPE -> y in the arena, at a plan alignment of `align` and an address that is a multiple
 * of `address`, but not of twice that. */
static tigris_status started(uint32_t align, uint32_t address) {
  static Arena arena;
  const int32_t dims[1] = {4};
  const uintptr_t base = (uintptr_t)arena.bytes;
  uint8_t* at = arena.bytes + (128 - base % 128) + address;
  const tigris_memory memory = {at, (size_t)(arena.bytes + sizeof arena - at), NULL, 0};
  tigris_status status;
  tigris_context ctx;
  tigris_plan plan;
  uint32_t bytes;
  uint8_t* file;
  Builder b;
  int x;
  int y;
  builderInit(&b, TIGRIS_IO_ARENA);
  b.align = b.summary.align = align;
  x = builderTensor(&b, TIGRIS_F32, 1, dims, TIGRIS_NONE);
  y = builderTensor(&b, TIGRIS_F32, 1, dims, TIGRIS_NONE);
  builderInput(&b, x);
  builderOutput(&b, y);
  builderOp(&b, TIGRIS_OP_RESHAPE, 1, &x, y, NULL, 0);
  file = builderFinish(&b, &bytes);
  CHECK_EQ(tigris_plan_open(&plan, file, bytes), TIGRIS_OK);
  status = tigris_init(&ctx, &plan, &tigris_backend_reference, &memory);
  builderFree(&b);
  return status;
}

int main(void) {
  static const struct {
    char first;
    uint8_t arena[4] TIGRIS_ALIGNED;
  } declared = {0, {0}};
  CHECK_EQ((uintptr_t)declared.arena % 32, 0);
  CHECK_EQ(started(16, 64), TIGRIS_E_ALIGN);
  CHECK_EQ(started(32, 32), TIGRIS_OK);
  CHECK_EQ(started(32, 16), TIGRIS_E_ALIGN);
  CHECK_EQ(started(64, 64), TIGRIS_OK);
  CHECK_EQ(started(64, 32), TIGRIS_E_ALIGN);
  return finish();
}
