/* Damaged plans: truncation at every byte, every single bit flipped, random mutations; run what is accepted.
 *
 * All buffers have exactly the size the plan asks for, so that a sanitizer build sees any access
 * outside. Without a sanitizer the test still shows that nothing crashes or hangs. */
#include "check.h"
#include "plan_builder.h"
#include "sample_plans.h"
#include "view.h"

/* More than this is not handed over: a mutation may ask for a gigabyte. */
#define MOST_MEMORY (1u << 20)

/* Random mutations per sample plan. */
#ifndef TIGRIS_HOSTILE_ROUNDS
#define TIGRIS_HOSTILE_ROUNDS 20000
#endif

static unsigned accepted;

/* Opens without checksum; runs it with exact buffers when it is accepted. */
static void tryPlan(const uint8_t* bytes, size_t size) {
  tigris_plan plan;
  tigris_context ctx;
  tigris_memory memory;
  tigris_requirements need;
  void* ports[TIGRIS_MAX_PORTS];
  tigris_status status = tigris_plan_open_flags(&plan, bytes, size, TIGRIS_OPEN_IGNORE_CRC);
  uint32_t count = 0;
  uint32_t i;
  CHECK(status <= TIGRIS_OK);
  if (status != TIGRIS_OK)
    return;
  ++accepted;
  tigris_plan_requirements(&plan, &tigris_backend_reference, &need);
  if (need.fast_bytes > MOST_MEMORY || need.slow_bytes > MOST_MEMORY)
    return;
  memory.fast_bytes = need.fast_bytes;
  memory.slow_bytes = need.slow_bytes;
  memory.fast = exactly(need.fast_bytes);
  memory.slow = exactly(need.slow_bytes);
  memset(memory.fast, 1, need.fast_bytes);
  memset(memory.slow, 2, need.slow_bytes);
  status = tigris_init(&ctx, &plan, &tigris_backend_reference, &memory);
  CHECK(status <= TIGRIS_OK);
  if (status == TIGRIS_OK) {
    if (plan.summary->io_mode == TIGRIS_IO_CALLER) {
      for (; count < plan.port_count; ++count) {
        const uint32_t bytesOf = plan.tensors[plan.ports[count].tensor].bytes;
        ports[count] = exactly(bytesOf);
        memset(ports[count], 3, bytesOf);
      }
      for (i = 0; i < tigris_input_count(&plan); ++i)
        CHECK_EQ(tigris_set_input(&ctx, i, ports[i]), TIGRIS_OK);
      for (i = 0; i < tigris_output_count(&plan); ++i)
        CHECK_EQ(tigris_set_output(&ctx, i, ports[plan.input_count + i]), TIGRIS_OK);
    }
    status = tigris_run(&ctx);
    CHECK(status == TIGRIS_OK || status == TIGRIS_E_INDEX);
    CHECK(ctx.statistics.fast_peak <= need.fast_bytes);
    CHECK(ctx.statistics.slow_peak <= need.slow_bytes);
  }
  for (i = 0; i < count; ++i)
    release(ports[i]);
  release(memory.fast);
  release(memory.slow);
}

static void testTruncation(const uint8_t* plan, uint32_t size) {
  uint32_t n;
  for (n = 0; n < size; ++n) {
    uint8_t* copy = (uint8_t*)exactly(n);
    tigris_plan opened;
    memcpy(copy, plan, n);
    CHECK(tigris_plan_open(&opened, copy, n) < TIGRIS_OK);
    CHECK(tigris_plan_open_flags(&opened, copy, n, TIGRIS_OPEN_IGNORE_CRC) < TIGRIS_OK);
    if (n >= sizeof(tigris_header)) { /* the header agrees with the shorter file */
      ((tigris_header*)(void*)copy)->file_size = n;
      tryPlan(copy, n);
    }
    release(copy);
  }
}

static void testBitFlips(const uint8_t* plan, uint32_t size) {
  uint8_t* copy = (uint8_t*)exactly(size);
  uint32_t bit;
  memcpy(copy, plan, size);
  for (bit = 0; bit < size * 8; ++bit) {
    tigris_plan opened;
    copy[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    CHECK(tigris_plan_open(&opened, copy, size) < TIGRIS_OK);
    tryPlan(copy, size);
    copy[bit / 8] ^= (uint8_t)(1u << (bit % 8));
  }
}

/* Interesting numbers in random words and bytes. */
static void testMutations(const uint8_t* plan, uint32_t size, int rounds) {
  static const uint32_t values[] = {0,          1,          2,          4,         16,
                                    0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFF,    0x10000,
                                    0x40000000, 0xFFFFFFF0, 0x00FFFFFF, 0x1000000, 255};
  uint8_t* copy = (uint8_t*)exactly(size);
  while (rounds-- > 0) {
    int changes = randomInt(1, 4);
    memcpy(copy, plan, size);
    while (changes-- > 0) {
      const uint32_t at =
          sizeof(tigris_header) + randomBits() % (size - (uint32_t)sizeof(tigris_header));
      const uint32_t value = values[randomBits() % (sizeof values / sizeof values[0])];
      if (randomInt(0, 1) && at / 4 * 4 + 4 <= size)
        memcpy(copy + at / 4 * 4, &value, 4);
      else
        copy[at] = (uint8_t)randomBits();
    }
    tryPlan(copy, size);
  }
}

int main(void) {
  Builder b;
  uint8_t* plan;
  uint32_t size;
  unsigned index;
  for (index = 0; (plan = samplePlan(&b, index, &size)) != NULL; ++index) {
    tigris_plan opened;
    accepted = 0;
    if (!CHECK_EQ(tigris_plan_open(&opened, plan, size), TIGRIS_OK))
      printf("sample %u: op %d\n", index, (int)opened.error_op);
    tryPlan(plan, size);
    CHECK_EQ(accepted, 1);
    testTruncation(plan, size);
    testBitFlips(plan, size);
    testMutations(plan, size, TIGRIS_HOSTILE_ROUNDS);
    printf("sample %u: %u bytes, %u damaged plans accepted and run\n", index, (unsigned)size,
           accepted);
    builderFree(&b);
  }
  return finish();
}
