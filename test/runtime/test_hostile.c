/* Damaged plans: truncated at every byte, every single bit flipped, every number set to limits,
 * random mutations. Accepted plans run on the backend under test.
 *
 * All buffers have exactly the size that the plan requests, so that a sanitizer build detects any
 * access outside. Without a sanitizer the test still shows that nothing crashes or hangs. */
#include "one_op.h"
#include "sample_plans.h"
#include "view.h"

/* Maximum memory: a mutation may request a gigabyte. */
#define MOST_MEMORY (1u << 20)

/* Random mutations per sample plan. */
#ifndef TIGRIS_HOSTILE_ROUNDS
#define TIGRIS_HOSTILE_ROUNDS 20000
#endif

static unsigned accepted;
static unsigned dynamicRuns;
static unsigned sink; /* keeps reads of outputs */
static int isSound;   /* the plan is not damaged */

/* A weight reader that delivers anything. */
static int readNoise(void* user, uint32_t offset, uint32_t bytes, void* to) {
  uint8_t* at = (uint8_t*)to;
  (void)user;
  memset(to, (int)(offset & 0x1F), bytes);
  while (bytes-- > 0 && randomBits() % 64 != 0)
    *at++ = (uint8_t)randomBits();
  return 0;
}

/* Runs an accepted plan in memories of exactly these sizes. */
static void runIn(const tigris_plan* plan, uint32_t fast, uint32_t slow) {
  tigris_context ctx;
  tigris_memory memory;
  void* ports[TIGRIS_MAX_PORTS];
  tigris_status status;
  uint32_t count = 0;
  uint32_t i;
  memory.fast_bytes = fast;
  memory.slow_bytes = slow;
  memory.fast = exactly(fast);
  memory.slow = exactly(slow);
  memset(memory.fast, 1, fast);
  memset(memory.slow, 2, slow);
  status = tigris_init(&ctx, plan, &TEST_BACKEND, &memory);
  CHECK(status <= TIGRIS_OK);
  if (status == TIGRIS_OK) {
    if (plan->summary->io_mode == TIGRIS_IO_CALLER) {
      for (; count < plan->port_count; ++count) {
        const uint32_t bytesOf = plan->tensors[plan->ports[count].tensor].bytes;
        ports[count] = exactly(bytesOf);
        memset(ports[count], 3, bytesOf);
      }
      for (i = 0; i < tigris_input_count(plan); ++i)
        CHECK_EQ(tigris_set_input(&ctx, i, ports[i]), TIGRIS_OK);
      for (i = 0; i < tigris_output_count(plan); ++i)
        CHECK_EQ(tigris_set_output(&ctx, i, ports[plan->input_count + i]), TIGRIS_OK);
    } else {
      for (i = 0; i < tigris_input_count(plan); ++i)
        memset(tigris_input(&ctx, i), 4, tigris_input_bytes(plan, i));
    }
    if ((plan->summary->flags & TIGRIS_SUMMARY_COPY) && !isSound)
      CHECK_EQ(tigris_set_weight_reader(&ctx, readNoise, NULL), TIGRIS_OK);
    status = tigris_run(&ctx);
    /* a box too large for its buffer, or a split that the op cannot take, is detected at run
     * time */
    CHECK(status == TIGRIS_OK || status == TIGRIS_E_INDEX || status == TIGRIS_E_WEIGHTS ||
          (!isSound && plan->tiling_count != 0 &&
           (status == TIGRIS_E_OP || status == TIGRIS_E_ADDRESS)));
    CHECK(ctx.statistics.fast_peak <= fast);
    CHECK(ctx.statistics.slow_peak <= slow);
    for (i = 0; i < tigris_output_count(plan); ++i)
      sink += ((const uint8_t*)tigris_output(&ctx, i))[tigris_output_bytes(plan, i) - 1];
    dynamicRuns += ctx.statistics.dynamic;
  }
  for (i = 0; i < count; ++i)
    release(ports[i]);
  release(memory.fast);
  release(memory.slow);
}

/* Opens without checksum; runs an accepted plan with the memory it requests and with less. */
static void tryPlan(const uint8_t* bytes, size_t size) {
  tigris_plan plan;
  tigris_requirements need;
  uint32_t fast;
  tigris_status status = tigris_plan_open_flags(&plan, bytes, size, TIGRIS_OPEN_IGNORE_CRC);
  CHECK(status <= TIGRIS_OK);
  if (status != TIGRIS_OK)
    return;
  ++accepted;
  tigris_plan_requirements(&plan, &TEST_BACKEND, &need);
  if (need.fast_bytes > MOST_MEMORY || need.slow_bytes > MOST_MEMORY)
    return;
  runIn(&plan, need.fast_bytes, need.slow_bytes);
  fast = randomBits() % 2 ? need.fast_bytes : plan.summary->fast_bytes;
  runIn(&plan, randomBits() % (fast + 1), need.slow_bytes + randomBits() % 256 * 32);
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

/* Limits of fields of 8, 16 and 32 bits, and of kernels and checks. */
static const uint32_t values[] = {0,          1,          2,      4,       16,         0x7FFFFFFF,
                                  0x80000000, 0xFFFFFFFF, 0xFFFF, 0x10000, 0x40000000, 0xFFFFFFF0,
                                  0x00FFFFFF, 0x1000000,  255,    256,     0x7FFF,     0x8000};
#define VALUES (sizeof values / sizeof values[0])

static void testLimits(const uint8_t* plan, uint32_t size) {
  uint8_t* copy = (uint8_t*)exactly(size);
  uint32_t at;
  uint32_t i;
  memcpy(copy, plan, size);
  for (at = sizeof(tigris_header); at + 4 <= size; at += 2) {
    const uint32_t bytes = at % 4 == 0 ? 4 : 2;
    for (i = 0; i < VALUES; ++i) {
      memcpy(copy + at, &values[i], bytes);
      tryPlan(copy, size);
    }
    memcpy(copy + at, plan + at, 4);
  }
}

/* The same numbers in random words, and random bytes. */
static void testMutations(const uint8_t* plan, uint32_t size, int rounds) {
  uint8_t* copy = (uint8_t*)exactly(size);
  while (rounds-- > 0) {
    int changes = randomInt(1, 4);
    memcpy(copy, plan, size);
    while (changes-- > 0) {
      const uint32_t at =
          sizeof(tigris_header) + randomBits() % (size - (uint32_t)sizeof(tigris_header));
      const uint32_t value = values[randomBits() % VALUES];
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
    accepted = dynamicRuns = 0;
    if (!CHECK_EQ(tigris_plan_open(&opened, plan, size), TIGRIS_OK))
      printf("sample %u: op %d\n", index, (int)opened.error_op);
    isSound = 1;
    tryPlan(plan, size);
    CHECK_EQ(accepted, 1);
    isSound = 0;
    testTruncation(plan, size);
    testBitFlips(plan, size);
    testLimits(plan, size);
    testMutations(plan, size, TIGRIS_HOSTILE_ROUNDS);
    CHECK(dynamicRuns > accepted / 4);
    printf("sample %u: %u bytes, %u damaged plans accepted and run, %u in less memory (%u)\n",
           index, (unsigned)size, accepted, dynamicRuns, sink & 1u);
    builderFree(&b);
  }
  return finish();
}
