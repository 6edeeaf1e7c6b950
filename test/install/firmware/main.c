/* Opens both embedded plans and prepares to run them, as a device would. */
#include "digits.h"
#include "embedding.h"

#include "tigris.h"
#include "tigris_backend.h"

#include <stdint.h>
#include <stdio.h>

static uint64_t fast[4096];
static uint64_t slow[4096];

static int prepare(const char* name, const unsigned char* data, size_t size) {
  const tigris_memory memory = {fast, sizeof fast, slow, sizeof slow};
  tigris_plan plan;
  tigris_context context;
  tigris_status status = tigris_plan_open(&plan, data, size);
  if (status == TIGRIS_OK)
    status = tigris_init(&context, &plan, &tigris_backend_reference, &memory);
  printf("%s: %s\n", name, tigris_status_text(status));
  return status == TIGRIS_OK ? 0 : 1;
}

int main(void) {
  const int first = prepare("digits", digits_tgrs, digits_tgrs_size);
  const int second = prepare("embedding", embedding_tgrs, embedding_tgrs_size);
  return first | second;
}
