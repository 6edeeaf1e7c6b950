/* Generates a plan in execution order and tracks the contents of every byte of fast memory. */
#include "random_plan.h"

#include "check.h"

#define MAX_VALUES 200

/* A tensor that may be read again. */
typedef struct Value {
  int tensor;
  int32_t n;    /* floats; the shape is [1, n] */
  int pool;     /* tigris_pool where ops read it; ABSENT: in slow memory, must be loaded */
  uint32_t at;  /* its fast offset, slow offset or port */
  int64_t slow; /* offset of a copy in slow memory, or -1 */
} Value;

typedef struct Generator {
  Builder* b;
  Value values[MAX_VALUES];
  int count;
} Generator;

static int chance(int percent) { return randomInt(0, 99) < percent; }

static int newTensor(Generator* g, int32_t n) {
  const int32_t dims[2] = {1, n};
  const uint32_t used = g->b->fastUsed;
  const int tensor = builderTensor(g->b, TIGRIS_F32, 2, dims, TIGRIS_NONE);
  g->b->fastUsed = used;
  return tensor;
}

/* A gap of the fast arena without readable values: the first one at or above a random offset. */
static uint32_t gap(Generator* g, uint32_t bytes) {
  uint32_t at = chance(50) ? 0 : 16 * (uint32_t)randomInt(0, 12);
  int i;
  for (i = 0; i < g->count;) {
    const Value* v = &g->values[i++];
    const uint32_t end = v->at + (uint32_t)v->n * 4;
    if (v->pool == TIGRIS_POOL_FAST && at < end && v->at < at + bytes) {
      at = (end + 15) / 16 * 16;
      i = 0;
    }
  }
  if (at + bytes > g->b->fastUsed)
    g->b->fastUsed = at + bytes;
  return at;
}

static void setPlace(Generator* g, int tensor, int pool, uint32_t at) {
  g->b->place[tensor].pool = (uint8_t)pool;
  g->b->place[tensor].offset = at;
}

static void addValue(Generator* g, int tensor, int32_t n, int pool, uint32_t at, int64_t slow) {
  Value* v = &g->values[g->count++];
  v->tensor = tensor;
  v->n = n;
  v->pool = pool;
  v->at = at;
  v->slow = slow;
  if (pool != TIGRIS_POOL_ABSENT)
    setPlace(g, tensor, pool, at);
}

static int shareBytes(const Value* v, const Value* w) {
  return v->pool == TIGRIS_POOL_FAST && w->pool == TIGRIS_POOL_FAST &&
         w->at < v->at + (uint32_t)v->n * 4 && v->at < w->at + (uint32_t)w->n * 4;
}

/* Marks the value, and all values that share a byte with it, as no longer readable there: the place
 * is free. */
static void forget(Generator* g, int index) {
  const Value v = g->values[index];
  int kept = 0;
  int i;
  for (i = 0; i < g->count; ++i) {
    Value w = g->values[i];
    const int shares = shareBytes(&v, &w);
    if (i == index || (shares && w.slow < 0))
      continue;
    if (shares)
      w.pool = TIGRIS_POOL_ABSENT;
    g->values[kept++] = w;
  }
  g->count = kept;
}

static tigris_transfer transfer(const Value* v, uint32_t fast, uint32_t slow) {
  tigris_transfer t;
  memset(&t, 0, sizeof t);
  t.tensor = (uint16_t)v->tensor;
  t.fast = fast;
  t.slow = slow;
  return t;
}

static int pickReadable(Generator* g) {
  int index;
  do {
    index = randomInt(0, g->count - 1);
  } while (g->values[index].pool == TIGRIS_POOL_ABSENT);
  return index;
}

static int anyReadable(const Generator* g) {
  int i;
  for (i = 0; i < g->count; ++i) {
    if (g->values[i].pool != TIGRIS_POOL_ABSENT)
      return 1;
  }
  return 0;
}

/* Another tensor in the same place or, at a multiple of 16, in a part of it. */
static void addView(Generator* g) {
  const Value v = g->values[pickReadable(g)];
  const int32_t skip = v.n > 8 && chance(30) ? 4 : 0;
  if (v.pool == TIGRIS_POOL_FAST)
    addValue(g, newTensor(g, v.n - skip), v.n - skip, v.pool, v.at + (uint32_t)skip * 4, -1);
}

static void writeOp(Generator* g, int a, int second, int32_t n, int out) {
  const tigris_unary_params unary = {TIGRIS_FN_NEG, 0.0f, 0.0f};
  const Value* v = &g->values[a];
  const Value* w = &g->values[second];
  int in[2];
  in[0] = v->tensor;
  in[1] = w->tensor;
  if (n == v->n + w->n) {
    tigris_axis_params axis = {1};
    builderOp(g->b, TIGRIS_OP_CONCAT, 2, in, out, &axis, sizeof axis);
  } else if (n < v->n) {
    const tigris_slice_params slice = {{0, 0}, {1, 1}};
    builderOp(g->b, TIGRIS_OP_SLICE, 1, in, out, &slice, sizeof slice);
  } else if (v->n == w->n && chance(60)) {
    tigris_binary_params add;
    memset(&add, 0, sizeof add);
    add.lo.f = -4.0f;
    add.hi.f = 4.0f;
    builderOp(g->b, chance(50) ? TIGRIS_OP_ADD : TIGRIS_OP_MUL, 2, in, out, &add, sizeof add);
  } else if (chance(30)) {
    builderOp(g->b, TIGRIS_OP_RESHAPE, 1, in, out, NULL, 0);
  } else {
    builderOp(g->b, TIGRIS_OP_UNARY, 1, in, out, &unary, sizeof unary);
  }
}

static void addOp(Generator* g) {
  const int a = pickReadable(g);
  const int second = chance(50) ? a : pickReadable(g);
  const Value v = g->values[a];
  const int kind = randomInt(0, 9);
  int32_t n = v.n;
  int out;
  if (kind < 2 && v.n + g->values[second].n <= 160)
    n = v.n + g->values[second].n;
  else if (kind == 2 && v.n > 1)
    n = randomInt(1, v.n - 1);
  out = newTensor(g, n);
  if (n == v.n && v.pool == TIGRIS_POOL_FAST && v.n == g->values[second].n && chance(40) &&
      (g->values[second].pool != TIGRIS_POOL_FAST || g->values[second].at == v.at ||
       g->values[second].at >= v.at + (uint32_t)n * 4 ||
       g->values[second].at + (uint32_t)n * 4 <= v.at)) {
    setPlace(g, out, TIGRIS_POOL_FAST, v.at);
    writeOp(g, a, second, n, out);
    forget(g, a);
    addValue(g, out, n, TIGRIS_POOL_FAST, v.at, -1);
    return;
  }
  if (g->b->summary.io_mode == TIGRIS_IO_SLOW && chance(10))
    addValue(g, out, n, TIGRIS_POOL_SLOW, builderSlow(g->b, (uint32_t)n * 4), -1);
  else
    addValue(g, out, n, TIGRIS_POOL_FAST, gap(g, (uint32_t)n * 4), -1);
  writeOp(g, a, second, n, out);
}

/* Spills some values, ends the stage, and loads some values from slow memory into `next` (may be
 * `loads`) for the next stage. */
static uint32_t cutStage(Generator* g, const tigris_transfer* loads, uint32_t loadCount,
                         tigris_transfer* next) {
  tigris_transfer spills[16];
  uint32_t spillCount = 0;
  uint32_t nextCount = 0;
  int i;
  int k;
  for (i = g->count; i-- > 0;) {
    Value* v = &g->values[i];
    if (v->pool != TIGRIS_POOL_FAST || !chance(60) || spillCount == 16)
      continue;
    if (v->slow < 0) {
      v->slow = builderSlow(g->b, (uint32_t)v->n * 4);
      spills[spillCount++] = transfer(v, v->at, (uint32_t)v->slow);
    }
    /* its place is free unless a view of it remains */
    for (k = 0; k < g->count && (k == i || !shareBytes(v, &g->values[k]));)
      ++k;
    if (k == g->count && chance(70))
      v->pool = TIGRIS_POOL_ABSENT;
  }
  builderStage(g->b, loads, loadCount, spills, spillCount);
  for (i = 0; i < g->count && nextCount < 16; ++i) {
    Value* v = &g->values[i];
    if (v->pool != TIGRIS_POOL_ABSENT || (!chance(60) && anyReadable(g)))
      continue;
    v->at = gap(g, (uint32_t)v->n * 4);
    v->pool = TIGRIS_POOL_FAST;
    setPlace(g, v->tensor, v->pool, v->at);
    next[nextCount++] = transfer(v, v->at, (uint32_t)v->slow);
  }
  return nextCount;
}

/* Ends the stage without moving data. */
static uint32_t endStage(Generator* g, const tigris_transfer* loads, uint32_t loadCount) {
  builderStage(g->b, loads, loadCount, NULL, 0);
  return 0;
}

static void addConstant(Generator* g) {
  const float data[3] = {0.5f, -2.0f, 1.0f};
  const int32_t dims[2] = {1, 3};
  const int tensor = builderConst(g->b, TIGRIS_F32, 2, dims, TIGRIS_NONE, data);
  addValue(g, tensor, 3, TIGRIS_POOL_CONST, g->b->place[tensor].offset, -1);
}

static int addInputs(Generator* g, tigris_transfer* loads) {
  const uint32_t mode = g->b->summary.io_mode;
  const int inputs = randomInt(1, 3);
  int i;
  for (i = 0; i < inputs; ++i) {
    const int32_t n = randomInt(1, 60);
    const int tensor = newTensor(g, n);
    if (mode != TIGRIS_IO_CALLER)
      addValue(g, tensor, n, TIGRIS_POOL_FAST, gap(g, (uint32_t)n * 4), -1);
    builderInput(g->b, tensor);
    if (mode == TIGRIS_IO_CALLER) {
      addValue(g, tensor, n, TIGRIS_POOL_CALLER, g->b->place[tensor].offset, -1);
    } else if (mode == TIGRIS_IO_SLOW) {
      const tigris_port* ports =
          (const tigris_port*)(const void*)g->b->section[TIGRIS_SECTION_PORTS].data;
      Value* v = &g->values[g->count - 1];
      v->slow = ports[i].offset;
      loads[i] = transfer(v, v->at, (uint32_t)v->slow);
    }
  }
  return inputs;
}

uint8_t* randomPlan(Builder* b, uint32_t ioMode, int ops, uint32_t* size) {
  const tigris_unary_params magnitude = {TIGRIS_FN_ABS, 0.0f, 0.0f};
  static Generator generator;
  Generator* g = &generator;
  tigris_transfer loads[16];
  tigris_transfer spills[16];
  uint32_t loadCount = 0;
  uint32_t spillCount = 0;
  int outputs = randomInt(1, 3);
  int i;
  memset(g, 0, sizeof *g);
  g->b = b;
  builderInit(b, ioMode);
  i = addInputs(g, loads);
  loadCount = ioMode == TIGRIS_IO_SLOW ? (uint32_t)i : 0;
  for (i = 0; i < ops; ++i) {
    if (chance(15) && ioMode != TIGRIS_IO_ARENA)
      loadCount = cutStage(g, loads, loadCount, loads);
    else if (chance(10))
      loadCount = endStage(g, loads, loadCount);
    if (chance(15))
      addView(g);
    addOp(g);
    while (g->count > 3 && (chance(60) || g->count > 12))
      forget(g, randomInt(0, g->count - 1));
    if (g->count == 0)
      addConstant(g);
    if (!anyReadable(g))
      loadCount = cutStage(g, loads, loadCount, loads);
  }
  for (i = 0; i < outputs; ++i) {
    const Value v = g->values[pickReadable(g)];
    const int out = newTensor(g, v.n);
    if (ioMode != TIGRIS_IO_CALLER)
      addValue(g, out, v.n, TIGRIS_POOL_FAST, gap(g, (uint32_t)v.n * 4), -1);
    builderOutput(b, out);
    builderOp(b, TIGRIS_OP_UNARY, 1, &v.tensor, out, &magnitude, sizeof magnitude);
    if (ioMode == TIGRIS_IO_SLOW) {
      const tigris_port* ports =
          (const tigris_port*)(const void*)b->section[TIGRIS_SECTION_PORTS].data;
      const uint32_t count = b->section[TIGRIS_SECTION_PORTS].size / (uint32_t)sizeof *ports;
      const Value* made = &g->values[g->count - 1];
      spills[spillCount++] = transfer(made, made->at, ports[count - 1].offset);
    }
  }
  builderStage(b, loads, loadCount, spills, spillCount);
  return builderFinish(b, size);
}
