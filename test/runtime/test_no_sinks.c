/* A build without sinks (check_tile.c with TIGRIS_SINKS=0) rejects plans that have them. */
#include "check.h"
#include "plan_builder.h"
#include "sample_parts.h"

int main(void) {
  tigris_plan plan;
  uint32_t bytes;
  uint8_t* file;
  Builder b;
  file = sampleReducedRows(&b, &bytes);
  CHECK_EQ(tigris_plan_open(&plan, file, bytes), TIGRIS_E_UNSUPPORTED);
  builderFree(&b);
  file = sampleReusedRows(&b, &bytes);
  CHECK_EQ(tigris_plan_open(&plan, file, bytes), TIGRIS_OK);
  builderFree(&b);
  return finish();
}
