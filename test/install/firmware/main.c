/* Opens both embedded plans, as a device would. */
#include "digits.h"
#include "embedding.h"

#include "tigris.h"

#include <stdio.h>

static int open_plan(const char* name, const unsigned char* data, size_t size) {
  tigris_plan plan;
  const tigris_status status = tigris_plan_open(&plan, data, size);
  printf("%s: %s\n", name, tigris_status_text(status));
  return status == TIGRIS_OK ? 0 : 1;
}

int main(void) {
  return open_plan("digits", digits_tgrs, digits_tgrs_size) |
         open_plan("embedding", embedding_tgrs, embedding_tgrs_size);
}
