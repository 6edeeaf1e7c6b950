/* Implementation of the test plan builder. */
#include "plan_builder.h"

#include "check.h"
#include "crc32.h"

static uint32_t append(Builder* b, uint32_t section, const void* data, uint32_t size,
                       uint32_t align) {
  Bytes* s = &b->section[section];
  const uint32_t at = (s->size + align - 1) / align * align;
  if (at + size > s->capacity) {
    s->capacity = (at + size) * 2 + 64;
    s->data = (uint8_t*)realloc(s->data, s->capacity);
    if (s->data == NULL)
      exit(2);
  }
  if (size != 0) {
    memset(s->data + s->size, 0, at - s->size);
    memcpy(s->data + at, data, size);
    s->size = at + size;
  }
  return at;
}

static tigris_tensor* tensorOf(const Builder* b, int id) {
  return (tigris_tensor*)(void*)b->section[TIGRIS_SECTION_TENSORS].data + id;
}

static uint32_t countOf(const Builder* b, uint32_t section, size_t record) {
  return b->section[section].size / (uint32_t)record;
}

void builderInit(Builder* b, uint32_t ioMode) {
  tigris_summary* s = &b->summary;
  memset(b, 0, sizeof *b);
  b->align = 16;
  s->align = 16;
  s->io_mode = (uint8_t)ioMode;
  s->target = TIGRIS_NONE;
  s->flags = TIGRIS_SUMMARY_XIP;
  s->model = builderString(b, "test");
}

void builderFree(Builder* b) {
  uint32_t i;
  for (i = 0; i <= TIGRIS_SECTION_LAST; ++i)
    free(b->section[i].data);
  memset(b, 0, sizeof *b);
}

uint32_t builderString(Builder* b, const char* text) {
  return append(b, TIGRIS_SECTION_STRINGS, text, (uint32_t)strlen(text) + 1, 1);
}

uint32_t builderInts(Builder* b, const int32_t* values, uint32_t n) {
  return append(b, TIGRIS_SECTION_INTS, values, n * 4, 4) / 4;
}

uint32_t builderQuant(Builder* b, float scale, int32_t zeroPoint) {
  tigris_quant q;
  q.scale = scale;
  q.zero_point = zeroPoint;
  return append(b, TIGRIS_SECTION_QUANT, &q, sizeof q, 4) / (uint32_t)sizeof q;
}

uint32_t builderRequant(Builder* b, const int32_t* multipliers, const int32_t* shifts, uint32_t n) {
  const uint32_t at = append(b, TIGRIS_SECTION_REQUANT, multipliers, n * 4, 4) / 4;
  append(b, TIGRIS_SECTION_REQUANT, shifts, n * 4, 4);
  return at;
}

static void addZeros(Builder* b, const int32_t* zeros, uint32_t count) {
  uint32_t i;
  for (i = 0; i < count; ++i) {
    const int8_t zero = (int8_t)zeros[i];
    append(b, TIGRIS_SECTION_REQUANT, &zero, 1, 1);
  }
  if (count != 0)
    b->denseFlags |= count == 1 ? TIGRIS_ONE_ZERO : TIGRIS_CHANNEL_ZEROS;
}

void builderDense(Builder* b, const int32_t* multipliers, const int32_t* shifts, uint32_t pairs,
                  const int32_t* zeros, uint32_t zeroCount) {
  static uint32_t calls;
  const int isWide = calls++ % 2 != 0;
  int isOne = calls % 4 == 3;
  uint32_t i;
  for (i = 1; i < pairs; ++i)
    isOne = isOne && shifts[i] == shifts[0];
  b->requant = append(b, TIGRIS_SECTION_REQUANT, multipliers, pairs * 4, 4) / 4;
  b->denseFlags = pairs == 1 ? 0 : TIGRIS_CHANNEL_PAIRS;
  if (isWide) {
    b->denseFlags |= TIGRIS_WIDE_SHIFTS;
    append(b, TIGRIS_SECTION_REQUANT, shifts, pairs * 4, 4);
  } else {
    if (!isOne && pairs != 1)
      b->denseFlags |= TIGRIS_CHANNEL_SHIFTS;
    for (i = 0; i < (isOne ? 1 : pairs); ++i) {
      const int8_t shift = (int8_t)shifts[i];
      append(b, TIGRIS_SECTION_REQUANT, &shift, 1, 1);
    }
  }
  addZeros(b, zeros, zeroCount);
}

void builderDenseEven(Builder* b, const int32_t* words, uint32_t pairs, const int32_t* zeros,
                      uint32_t zeroCount) {
  b->requant = append(b, TIGRIS_SECTION_REQUANT, words, pairs * 16, 4) / 4;
  b->denseFlags = TIGRIS_ROUND_EVEN | (pairs == 1 ? 0 : TIGRIS_CHANNEL_PAIRS);
  addZeros(b, zeros, zeroCount);
}

static int addTensor(Builder* b, uint8_t dtype, uint8_t rank, const int32_t* dims, uint32_t quant) {
  const uint32_t id = countOf(b, TIGRIS_SECTION_TENSORS, sizeof(tigris_tensor));
  tigris_tensor t;
  uint32_t i;
  memset(&t, 0, sizeof t);
  t.dtype = dtype;
  t.rank = rank;
  t.dims = rank == 0 ? 0 : (uint16_t)builderInts(b, dims, rank);
  t.bytes = dtype == TIGRIS_S8 || dtype == TIGRIS_BOOL
                ? 1
                : (dtype == TIGRIS_S16 ? 2 : (dtype == TIGRIS_S64 ? 8 : 4));
  for (i = 0; i < rank; ++i)
    t.bytes *= (uint32_t)dims[i];
  t.quant = (uint16_t)quant;
  if (id >= BUILDER_MAX_TENSORS)
    exit(2);
  append(b, TIGRIS_SECTION_TENSORS, &t, sizeof t, 4);
  return (int)id;
}

int builderTensor(Builder* b, uint8_t dtype, uint8_t rank, const int32_t* dims, uint32_t quant) {
  const int id = addTensor(b, dtype, rank, dims, quant);
  b->place[id].pool = TIGRIS_POOL_FAST;
  b->place[id].offset = (b->fastUsed + b->align - 1) / b->align * b->align;
  b->fastUsed = b->place[id].offset + tensorOf(b, id)->bytes;
  return id;
}

int builderConst(Builder* b, uint8_t dtype, uint8_t rank, const int32_t* dims, uint32_t quant,
                 const void* data) {
  const int id = addTensor(b, dtype, rank, dims, quant);
  tigris_tensor* t = tensorOf(b, id);
  t->flags = TIGRIS_TENSOR_CONST;
  b->place[id].pool = TIGRIS_POOL_CONST;
  b->place[id].offset = append(b, TIGRIS_SECTION_WEIGHTS, data, t->bytes, TIGRIS_WEIGHT_ALIGN);
  return id;
}

void builderReserve(Builder* b, uint32_t bytes) {
  b->summary.fast_reserved = b->fastUsed = bytes;
  b->summary.flags &= ~TIGRIS_SUMMARY_XIP;
}

int builderPacked(Builder* b, uint8_t dtype, uint8_t rank, const int32_t* dims, uint32_t quant,
                  const void* data) {
  const int id = addTensor(b, dtype, rank, dims, quant);
  tigris_tensor* t = tensorOf(b, id);
  t->flags = TIGRIS_TENSOR_CONST;
  b->place[id].pool = TIGRIS_POOL_UNPACKED;
  b->place[id].offset = append(b, 0, data, t->bytes, b->align);
  return id;
}

/* Appends an LZ4 sequence to `to`: a match of 4..18 bytes, or none (0) in the last one. */
static uint8_t* putSequence(uint8_t* to, const uint8_t* literals, uint32_t count, uint32_t distance,
                            uint32_t match) {
  uint8_t* token = to++;
  uint32_t rest = count;
  *token = (uint8_t)((count < 15 ? count : 15) << 4 | (match == 0 ? 0 : match - 4));
  if (count >= 15) {
    for (rest = count - 15; rest >= 255; rest -= 255)
      *to++ = 255;
    *to++ = (uint8_t)rest;
  }
  memcpy(to, literals, count);
  to += count;
  if (match != 0) {
    *to++ = (uint8_t)distance;
    *to++ = (uint8_t)(distance >> 8);
  }
  return to;
}

/* The longest match of 4..18 bytes for those at `at`, or 0; no match starts in the last 12
 * bytes. */
static uint32_t longestMatch(const uint8_t* bytes, uint32_t size, uint32_t at, uint32_t* distance) {
  uint32_t best = 0;
  uint32_t back;
  for (back = 1; back <= at && at + 12 <= size; ++back) {
    uint32_t n = 0;
    while (n < 18 && at + n + 5 < size && bytes[at + n] == bytes[at + n - back])
      ++n;
    if (n >= 4 && n > best) {
      best = n;
      *distance = back;
    }
  }
  return best;
}

/* Compresses to LZ4, slowly. `to` must have space for size + size / 255 + 16 bytes. */
static uint32_t pack(const uint8_t* bytes, uint32_t size, uint8_t* to) {
  uint8_t* end = to;
  uint32_t literals = 0;
  uint32_t at = 0;
  while (at < size) {
    uint32_t distance = 0;
    const uint32_t match = longestMatch(bytes, size, at, &distance);
    if (match != 0) {
      end = putSequence(end, bytes + at - literals, literals, distance, match);
      literals = 0;
      at += match;
    } else {
      ++literals;
      ++at;
    }
  }
  return (uint32_t)(putSequence(end, bytes + size - literals, literals, 0, 0) - to);
}

/* `stored`: the bytes of the block in the file. */
static void endBlock(Builder* b, const uint8_t* stored, uint32_t size, uint32_t mode) {
  tigris_weight_block block;
  block.first_op = countOf(b, TIGRIS_SECTION_OPS, sizeof(tigris_op));
  block.packed_bytes = size;
  block.data = append(b, TIGRIS_SECTION_WEIGHTS, stored, size, 1);
  block.bytes = b->section[0].size;
  block.fast = 0;
  block.mode = mode;
  append(b, TIGRIS_SECTION_BLOCKS, &block, sizeof block, 4);
  b->section[0].size = 0;
}

void builderBlock(Builder* b) {
  const Bytes* content = &b->section[0];
  uint8_t* packed = (uint8_t*)exactly(content->size + content->size / 255 + 16);
  endBlock(b, packed, pack(content->data, content->size, packed), TIGRIS_BLOCK_LZ4);
  release(packed);
}

void builderRawBlock(Builder* b) {
  endBlock(b, b->section[0].data, b->section[0].size, TIGRIS_BLOCK_RAW);
}

uint32_t builderBytesOf(const Builder* b, int tensor) { return tensorOf(b, tensor)->bytes; }

uint32_t builderSlow(Builder* b, uint32_t bytes) {
  const uint32_t at = (b->slowUsed + b->align - 1) / b->align * b->align;
  b->slowUsed = at + bytes;
  return at;
}

static void addPort(Builder* b, int tensor, uint8_t direction) {
  tigris_tensor* t = tensorOf(b, tensor);
  tigris_port p;
  memset(&p, 0, sizeof p);
  t->flags |= direction == TIGRIS_INPUT ? TIGRIS_TENSOR_INPUT : TIGRIS_TENSOR_OUTPUT;
  p.tensor = (uint16_t)tensor;
  p.direction = direction;
  p.dtype = t->dtype;
  p.rank = t->rank;
  p.dims = t->dims;
  p.perm = TIGRIS_NO_PERM;
  p.name = TIGRIS_NONE;
  p.state = TIGRIS_NO_PORT;
  if (t->flags & TIGRIS_TENSOR_CONST)
    p.offset = b->place[tensor].offset;
  else if (b->summary.io_mode == TIGRIS_IO_SLOW)
    p.offset = builderSlow(b, t->bytes);
  else if (b->summary.io_mode == TIGRIS_IO_ARENA)
    p.offset = b->place[tensor].offset;
  append(b, TIGRIS_SECTION_PORTS, &p, sizeof p, 4);
  if (b->summary.io_mode == TIGRIS_IO_CALLER && !(t->flags & TIGRIS_TENSOR_CONST)) {
    b->place[tensor].pool = TIGRIS_POOL_CALLER;
    b->place[tensor].offset = countOf(b, TIGRIS_SECTION_PORTS, sizeof p) - 1;
  }
}

void builderState(Builder* b, uint16_t input, uint16_t output) {
  tigris_port* ports = (tigris_port*)(void*)b->section[TIGRIS_SECTION_PORTS].data;
  ports[input].state = output;
  ports[output].state = input;
}

void builderInput(Builder* b, int tensor) { addPort(b, tensor, TIGRIS_INPUT); }

void builderOutput(Builder* b, int tensor) { addPort(b, tensor, TIGRIS_OUTPUT); }

static void addOperand(Builder* b, int tensor) {
  tigris_operand o;
  memset(&o, 0, sizeof o);
  o.tensor = tensor < 0 ? TIGRIS_NO_TENSOR : (uint16_t)tensor;
  o.pool = tensor < 0 ? TIGRIS_POOL_ABSENT : b->place[tensor].pool;
  o.offset = tensor < 0 ? 0 : b->place[tensor].offset;
  append(b, TIGRIS_SECTION_OPERANDS, &o, sizeof o, 4);
}

void builderOp(Builder* b, uint16_t opcode, int inputs, const int* in, int out, const void* params,
               uint32_t paramsSize) {
  builderOpOutputs(b, opcode, inputs, in, 1, &out, params, paramsSize);
}

void builderOpOutputs(Builder* b, uint16_t opcode, int inputs, const int* in, int outputs,
                      const int* out, const void* params, uint32_t paramsSize) {
  tigris_op op;
  int i;
  memset(&op, 0, sizeof op);
  op.opcode = (uint8_t)opcode;
  op.inputs = (uint8_t)inputs;
  op.outputs = (uint8_t)outputs;
  op.operands = (uint16_t)countOf(b, TIGRIS_SECTION_OPERANDS, sizeof(tigris_operand));
  op.params = paramsSize == 0
                  ? TIGRIS_NO_PARAMS
                  : (uint16_t)(append(b, TIGRIS_SECTION_PARAMS, params, paramsSize, 4) / 4);
  op.requant = TIGRIS_NONE;
  if (opcode <= TIGRIS_OP_FULLY_CONNECTED && tensorOf(b, in[0])->dtype != TIGRIS_F32) {
    op.requant = b->requant;
    op.flags = b->denseFlags;
  }
  append(b, TIGRIS_SECTION_OPS, &op, sizeof op, 4);
  for (i = 0; i < inputs; ++i)
    addOperand(b, in[i]);
  for (i = 0; i < outputs; ++i)
    addOperand(b, out[i]);
}

static void addTransfers(Builder* b, const tigris_transfer* t, uint32_t n) {
  append(b, TIGRIS_SECTION_TRANSFERS, t, n * (uint32_t)sizeof *t, 4);
}

void builderStage(Builder* b, const tigris_transfer* loads, uint32_t loadCount,
                  const tigris_transfer* spills, uint32_t spillCount) {
  const uint32_t ops = countOf(b, TIGRIS_SECTION_OPS, sizeof(tigris_op));
  tigris_stage s;
  memset(&s, 0, sizeof s);
  s.first_op = (uint16_t)b->stageStart;
  s.first_transfer = (uint16_t)countOf(b, TIGRIS_SECTION_TRANSFERS, sizeof *loads);
  s.detail = (uint16_t)loadCount;
  addTransfers(b, loads, loadCount);
  addTransfers(b, spills, spillCount);
  append(b, TIGRIS_SECTION_STAGES, &s, sizeof s, 4);
  b->stageStart = ops;
}

void builderTile(Builder* b, int tensor, const tigris_tile_buffer* like) {
  tigris_tile_buffer t = *like;
  const uint32_t index = countOf(b, TIGRIS_SECTION_TILE_BUFFERS, sizeof t);
  t.tensor = (uint16_t)tensor;
  t.bytes = builderBytesOf(b, tensor);
  if (like->bytes > t.bytes)
    t.bytes = like->bytes;
  if (b->place[tensor].pool == TIGRIS_POOL_FAST && like->bytes < t.bytes) {
    t.fast = b->place[tensor].offset;
  } else {
    t.fast = (b->fastUsed + b->align - 1) / b->align * b->align;
    b->fastUsed = t.fast + t.bytes;
  }
  append(b, TIGRIS_SECTION_TILE_BUFFERS, &t, sizeof t, 4);
  b->place[tensor].pool = TIGRIS_POOL_TILE;
  b->place[tensor].offset = index - b->tileStart;
}

static void stageInParts(Builder* b, const uint32_t* tiles, uint16_t mode) {
  const uint32_t buffers = countOf(b, TIGRIS_SECTION_TILE_BUFFERS, sizeof(tigris_tile_buffer));
  const uint32_t index = countOf(b, TIGRIS_SECTION_TILINGS, sizeof(tigris_tiling));
  tigris_tiling t;
  tigris_stage* s;
  memset(&t, 0, sizeof t);
  t.first_buffer = (uint16_t)b->tileStart;
  t.buffer_count = (uint16_t)(buffers - b->tileStart);
  t.bookkeeping = (b->fastUsed + b->align - 1) / b->align * b->align;
  memcpy(t.tiles, tiles, sizeof t.tiles);
  b->fastUsed = t.bookkeeping + t.buffer_count * TIGRIS_TILE_BOOKKEEPING;
  b->tileStart = buffers;
  append(b, TIGRIS_SECTION_TILINGS, &t, sizeof t, 4);
  builderStage(b, NULL, 0, NULL, 0);
  s = (tigris_stage*)(void*)(b->section[TIGRIS_SECTION_STAGES].data +
                             b->section[TIGRIS_SECTION_STAGES].size) -
      1;
  s->mode = mode;
  s->detail = (uint16_t)index;
}

void builderTiledStage(Builder* b, const uint32_t* tiles) {
  stageInParts(b, tiles, TIGRIS_STAGE_TILED);
}

void builderStreamedStage(Builder* b, const uint32_t* tiles) {
  stageInParts(b, tiles, TIGRIS_STAGE_STREAMED);
}

static void defaultStage(Builder* b) {
  tigris_transfer loads[16];
  tigris_transfer spills[16];
  uint32_t loadCount = 0;
  uint32_t spillCount = 0;
  uint32_t i;
  if (b->summary.io_mode == TIGRIS_IO_SLOW) {
    for (i = 0; i < countOf(b, TIGRIS_SECTION_PORTS, sizeof(tigris_port)); ++i) {
      const tigris_port* p = (tigris_port*)(void*)b->section[TIGRIS_SECTION_PORTS].data + i;
      tigris_transfer t;
      if (tensorOf(b, p->tensor)->flags & TIGRIS_TENSOR_CONST)
        continue;
      memset(&t, 0, sizeof t);
      t.tensor = p->tensor;
      t.fast = b->place[p->tensor].offset;
      t.slow = p->offset;
      if (p->direction == TIGRIS_INPUT)
        loads[loadCount++] = t;
      else
        spills[spillCount++] = t;
    }
  }
  builderStage(b, loads, loadCount, spills, spillCount);
}

/* Start of a section that follows what ends at `end`. */
static uint32_t startOf(uint32_t end, uint32_t type, uint32_t length) {
  const uint32_t align = TIGRIS_SECTION_ALIGN(type);
  return length == 0 ? end : (end + align - 1) / align * align;
}

void builderRewrite(const Builder* b, uint8_t* plan) {
  const uint32_t* lengths = (const uint32_t*)(const void*)(plan + sizeof(tigris_header));
  uint32_t at = (uint32_t)sizeof(tigris_header) + 4 * TIGRIS_SECTION_LAST;
  uint32_t i;
  for (i = 1; i <= TIGRIS_SECTION_LAST; ++i) {
    const void* from = i == TIGRIS_SECTION_SUMMARY ? (const void*)&b->summary : b->section[i].data;
    at = startOf(at, i, lengths[i - 1]);
    if (lengths[i - 1] != 0)
      memcpy(plan + at, from, lengths[i - 1]);
    at += lengths[i - 1];
  }
}

uint8_t* builderFinish(Builder* b, uint32_t* size) {
  const uint32_t none = 0;
  tigris_header header;
  uint32_t directory[TIGRIS_SECTION_LAST];
  uint32_t at = (uint32_t)(sizeof header + sizeof directory);
  uint8_t* plan;
  uint32_t i;
  if (b->stageStart != countOf(b, TIGRIS_SECTION_OPS, sizeof(tigris_op)) ||
      b->section[TIGRIS_SECTION_STAGES].size == 0)
    defaultStage(b);
  append(b, TIGRIS_SECTION_REQUANT, &none, (4 - b->section[TIGRIS_SECTION_REQUANT].size % 4) % 4,
         1);
  b->summary.fast_bytes = b->fastUsed;
  b->summary.slow_bytes = b->slowUsed;
  for (i = 1; i <= TIGRIS_SECTION_LAST; ++i) {
    directory[i - 1] =
        i == TIGRIS_SECTION_SUMMARY ? (uint32_t)sizeof b->summary : b->section[i].size;
    at = startOf(at, i, directory[i - 1]) + directory[i - 1];
  }
  plan = (uint8_t*)exactly(at);
  memset(plan, 0, at);
  memset(&header, 0, sizeof header);
  memcpy(header.magic, "TGRS", 4);
  header.version = TIGRIS_FORMAT_VERSION;
  header.header_size = sizeof header;
  header.file_size = at;
  header.section_count = TIGRIS_SECTION_LAST;
  memcpy(plan, &header, sizeof header);
  memcpy(plan + sizeof header, directory, sizeof directory);
  builderRewrite(b, plan);
  builderSeal(plan);
  *size = at;
  return plan;
}

void builderSeal(uint8_t* plan) {
  tigris_header header;
  memcpy(&header, plan, sizeof header);
  header.crc32 = tigris_crc32(plan + 16, header.file_size - 16);
  memcpy(plan, &header, sizeof header);
}
