/* Weights that a reader brings: results and counts of a run, weights outside the plan, errors of
 * the reader, and the rules of the validator. */
#include "check.h"
#include "plan_builder.h"
#include "sample_plans.h"

#define COPIED_SAMPLE 11u
#define RESERVED 224u
#define BLOCKS 4u

/* A weights file, and what the reader saw. */
typedef struct File {
  uint8_t* data;
  uint32_t size;
  uint32_t calls;
  uint32_t failing; /* the call that fails, from 1; 0: none */
  const uint8_t* fast;
  uint32_t odd; /* calls with an odd offset */
} File;

static int readFile(void* user, uint32_t offset, uint32_t bytes, void* to) {
  File* f = (File*)user;
  const uint8_t* at = (const uint8_t*)to;
  ++f->calls;
  f->odd += offset & 1;
  CHECK(f->fast == NULL || (at >= f->fast && at + bytes <= f->fast + RESERVED));
  CHECK(((uintptr_t)to & 15) == 0);
  if (f->calls == f->failing || offset > f->size || bytes > f->size - offset)
    return 7;
  memcpy(to, f->data + offset, bytes);
  return 0;
}

/* The sample with its weights in `file` if it is external. */
typedef struct Model {
  Builder b;
  uint8_t* bytes;
  uint32_t size;
  tigris_plan plan;
  tigris_context ctx;
  tigris_memory memory;
  File file;
} Model;

typedef void (*Change)(Builder* b);

/* Writes the builder's records over those of the plan. */
static void rewrite(Model* m) {
  builderRewrite(&m->b, m->bytes);
  builderSeal(m->bytes);
}

/* Empties the section WEIGHTS. */
static void makeExternal(Model* m) {
  uint32_t* lengths = (uint32_t*)(void*)(m->bytes + sizeof(tigris_header));
  lengths[TIGRIS_SECTION_WEIGHTS - 1] = 0;
  m->b.summary.flags |= TIGRIS_SUMMARY_EXTERNAL;
  rewrite(m);
}

static void make(Model* m, int isExternal, Change change) {
  memset(m, 0, sizeof *m);
  m->bytes = samplePlan(&m->b, COPIED_SAMPLE, &m->size);
  m->file.data = m->b.section[TIGRIS_SECTION_WEIGHTS].data;
  m->file.size = m->b.section[TIGRIS_SECTION_WEIGHTS].size;
  if (change != NULL) {
    change(&m->b);
    rewrite(m);
  }
  if (isExternal)
    makeExternal(m);
}

static void start(Model* m, uint32_t fast, uint32_t slow) {
  CHECK_EQ(tigris_plan_open(&m->plan, m->bytes, m->size), TIGRIS_OK);
  m->memory.fast_bytes = fast != 0 ? fast : m->plan.summary->fast_bytes;
  m->memory.slow_bytes = m->plan.summary->slow_bytes + slow;
  m->memory.fast = exactly(m->memory.fast_bytes);
  m->memory.slow = exactly(m->memory.slow_bytes);
  m->file.fast = fast != 0 ? NULL : (const uint8_t*)m->memory.fast;
  CHECK_EQ(tigris_init(&m->ctx, &m->plan, &tigris_backend_reference, &m->memory), TIGRIS_OK);
}

static void end(Model* m) {
  release(m->memory.fast);
  release(m->memory.slow);
  release(m->bytes);
  builderFree(&m->b);
}

static void runs(Model* m) {
  float* x = (float*)tigris_input(&m->ctx, 0);
  const float* y;
  int i;
  for (i = 0; i < 24; ++i)
    x[i] = (float)i;
  CHECK_EQ(tigris_run(&m->ctx), TIGRIS_OK);
  y = (const float*)tigris_output(&m->ctx, 0);
  for (i = 0; i < 24; ++i)
    CHECK(y[i] == (float)((i + i / 4 * 2) * 5));
  CHECK_EQ(m->ctx.statistics.weight_bytes, 96 + 4 + 192 + 4);
}

static void testRun(int isExternal) {
  tigris_requirements need;
  Model m;
  make(&m, isExternal, NULL);
  start(&m, 0, 0);
  CHECK_EQ(m.plan.weight_block_count, BLOCKS);
  tigris_plan_requirements(&m.plan, NULL, &need);
  CHECK_EQ(need.weight_bytes, isExternal ? m.file.size : 0);
  if (isExternal) {
    memset(tigris_input(&m.ctx, 0), 0, 96);
    CHECK_EQ(tigris_run(&m.ctx), TIGRIS_E_STATE);
    CHECK_EQ(m.ctx.error_op, 0);
  } else {
    runs(&m);
  }
  CHECK_EQ(tigris_set_weight_reader(&m.ctx, readFile, &m.file), TIGRIS_OK);
  runs(&m);
  runs(&m);
  CHECK_EQ(m.file.calls, 2 * BLOCKS);
  CHECK(m.file.odd != 0);
  CHECK(m.ctx.statistics.fast_peak <= m.plan.summary->fast_bytes);
  if (!isExternal) {
    CHECK_EQ(tigris_set_weight_reader(&m.ctx, NULL, NULL), TIGRIS_OK);
    runs(&m);
    CHECK_EQ(m.file.calls, 2 * BLOCKS);
  }
  end(&m);
}

/* The prefix in slow memory. */
static void testDynamic(void) {
  Model m;
  make(&m, 1, NULL);
  start(&m, RESERVED - 1, RESERVED + 4096);
  CHECK_EQ(tigris_set_weight_reader(&m.ctx, readFile, &m.file), TIGRIS_OK);
  runs(&m);
  CHECK_EQ(m.ctx.statistics.dynamic, 1);
  CHECK(m.ctx.statistics.overflow_bytes >= RESERVED);
  end(&m);
}

/* A call that fails, a file that is too short, and bytes that are no block. After each the context
 * can be used again. */
static void testErrors(void) {
  static const uint32_t op[BLOCKS] = {0, 1, 2, 4};
  static const uint32_t stage[BLOCKS] = {0, 0, 0, 1};
  Model m;
  uint32_t i;
  make(&m, 1, NULL);
  start(&m, 0, 0);
  CHECK_EQ(tigris_set_weight_reader(&m.ctx, readFile, &m.file), TIGRIS_OK);
  for (i = 0; i < BLOCKS; ++i) {
    m.file.calls = 0;
    m.file.failing = i + 1;
    CHECK_EQ(tigris_run(&m.ctx), TIGRIS_E_WEIGHTS);
    CHECK_EQ(m.ctx.error_op, op[i]);
    CHECK_EQ(m.ctx.error_stage, stage[i]);
    CHECK_EQ(m.file.calls, i + 1);
  }
  m.file.failing = 0;
  runs(&m);
  --m.file.size;
  CHECK_EQ(tigris_run(&m.ctx), TIGRIS_E_WEIGHTS);
  CHECK_EQ(m.ctx.error_op, 4);
  ++m.file.size;
  m.file.data[0] = 0xFF;
  CHECK_EQ(tigris_run(&m.ctx), TIGRIS_E_WEIGHTS);
  CHECK_EQ(m.ctx.error_op, 0);
  CHECK_EQ(m.ctx.error_stage, 0);
  end(&m);
}

/* A plan whose weights are read in place has no use for a reader. */
static void testMapped(void) {
  Model m;
  memset(&m, 0, sizeof m);
  m.bytes = samplePlan(&m.b, 3, &m.size);
  start(&m, 0, 0);
  CHECK_EQ(tigris_set_weight_reader(&m.ctx, readFile, &m.file), TIGRIS_E_UNSUPPORTED);
  CHECK_EQ(tigris_set_weight_reader(&m.ctx, NULL, NULL), TIGRIS_OK);
  end(&m);
}

static tigris_weight_block* blockAt(Builder* b, int i) {
  return (tigris_weight_block*)(void*)b->section[TIGRIS_SECTION_BLOCKS].data + i;
}
static void nothing(Builder* b) { (void)b; }
static void rawShort(Builder* b) { --blockAt(b, 1)->packed_bytes; }
static void rawEmpty(Builder* b) { blockAt(b, 1)->packed_bytes = blockAt(b, 1)->bytes = 0; }
static void dataFar(Builder* b) { blockAt(b, 1)->data = 0x7FFFFFFFu; }
static void dataWraps(Builder* b) { blockAt(b, 1)->data = 0xFFFFFFFEu; }
/* bytes + margin + alignment - 1 = 192 + 2 + 15 */
static void marginLeast(Builder* b) { b->summary.fast_reserved = 209; }
static void marginSmall(Builder* b) { b->summary.fast_reserved = 208; }
static void packedLarge(Builder* b) { blockAt(b, 0)->packed_bytes = RESERVED + 1; }
static void bytesNone(Builder* b) { blockAt(b, 0)->bytes = 0; }
static void modeUnknown(Builder* b) { blockAt(b, 0)->mode = 3; }
static void inPlace(Builder* b) { b->summary.flags |= TIGRIS_SUMMARY_XIP; }
/* Points the constants of all ops into WEIGHTS. */
static void constInWeights(Builder* b) {
  const Bytes* operands = &b->section[TIGRIS_SECTION_OPERANDS];
  tigris_operand* o = (tigris_operand*)(void*)operands->data;
  uint32_t i;
  for (i = 0; i < operands->size / sizeof *o; ++i) {
    if (o[i].pool == TIGRIS_POOL_UNPACKED) {
      o[i].pool = TIGRIS_POOL_CONST;
      o[i].offset = 0;
    }
  }
}
static void notCopied(Builder* b) { b->summary.flags &= ~TIGRIS_SUMMARY_COPY; }

static void testRules(void) {
  static const struct {
    Change change;
    tigris_status inPlan;
    tigris_status external;
  } cases[] = {
      {nothing, TIGRIS_OK, TIGRIS_OK},
      {rawShort, TIGRIS_E_FORMAT, TIGRIS_E_FORMAT},
      {rawEmpty, TIGRIS_E_FORMAT, TIGRIS_E_FORMAT},
      {dataFar, TIGRIS_E_ADDRESS, TIGRIS_E_ADDRESS},
      {dataWraps, TIGRIS_E_ADDRESS, TIGRIS_E_ADDRESS},
      {marginLeast, TIGRIS_OK, TIGRIS_OK},
      {marginSmall, TIGRIS_E_ADDRESS, TIGRIS_E_ADDRESS},
      {packedLarge, TIGRIS_E_ADDRESS, TIGRIS_E_ADDRESS},
      {bytesNone, TIGRIS_E_FORMAT, TIGRIS_E_FORMAT},
      {modeUnknown, TIGRIS_E_UNSUPPORTED, TIGRIS_E_UNSUPPORTED},
      {inPlace, TIGRIS_E_FORMAT, TIGRIS_E_FORMAT},
      {constInWeights, TIGRIS_E_ADDRESS, TIGRIS_E_ADDRESS},
      {notCopied, TIGRIS_OK, TIGRIS_E_FORMAT},
  };
  uint32_t i;
  for (i = 0; i < 2 * sizeof cases / sizeof cases[0]; ++i) {
    const int isExternal = (int)(i % 2);
    tigris_plan plan;
    Model m;
    make(&m, isExternal, cases[i / 2].change);
    if (!CHECK_EQ(tigris_plan_open(&plan, m.bytes, m.size),
                  isExternal ? cases[i / 2].external : cases[i / 2].inPlan))
      printf("  case %u, external %d\n", (unsigned)(i / 2), isExternal);
    release(m.bytes);
    builderFree(&m.b);
  }
}

int main(void) {
  testRun(0);
  testRun(1);
  testDynamic();
  testErrors();
  testMapped();
  testRules();
  return finish();
}
