/* The loops of helium.h: sums in registers, tail-predicated, with requantization of four values at
 * a time. */
#include "helium.h"

#ifdef TIGRIS_CMSIS_NN_OWN_MVE

#include <string.h>

#include "tigris_format.h"

#define BLOCK 16u /* filters whose sums are requantized together; even */

typedef int32_t (*Sums)[BLOCK]; /* one row of sums per input row, TIGRIS_MVE_ROWS of them */

/* The assembly code below uses these offsets. */
TIGRIS_CHECK_LAYOUT(mve_block, BLOCK == 16u);

/* Arguments of threeRows. */
typedef struct Work {
  const int8_t* weights;
  uint32_t depth;
  const int8_t* x[TIGRIS_MVE_ROWS];
  const int32_t* bias;
  int32_t* sums;
  uint32_t pairs; /* >= 1 */
} Work;

#if defined(__ARM_FEATURE_MVE)

#include <arm_mve.h>

static int32_t sumOf(const int8_t* w, uint32_t depth) {
  int32_t sum = 0;
  __asm volatile("wlstp.8 lr, %[n], 1f\n"
                 "2: vldrb.8 q0, [%[w]], #16\n"
                 "vaddva.s8 %[sum], q0\n"
                 "letp lr, 2b\n"
                 "1:\n"
                 : [w] "+r"(w), [sum] "+Te"(sum)
                 : [n] "r"(depth)
                 : "q0", "lr", "memory");
  return sum;
}

static inline void sumsOfFour(const int8_t* w, uint32_t depth, int32_t* sums) {
  const int8_t* w1 = w + depth;
  const int8_t* w2 = w1 + depth;
  const int8_t* w3 = w2 + depth;
  int32_t s0 = 0;
  int32_t s1 = 0;
  int32_t s2 = 0;
  int32_t s3 = 0;
  __asm volatile("wlstp.8 lr, %[n], 1f\n"
                 "2: vldrb.8 q0, [%[w0]], #16\n"
                 "vaddva.s8 %[s0], q0\n"
                 "vldrb.8 q1, [%[w1]], #16\n"
                 "vaddva.s8 %[s1], q1\n"
                 "vldrb.8 q2, [%[w2]], #16\n"
                 "vaddva.s8 %[s2], q2\n"
                 "vldrb.8 q3, [%[w3]], #16\n"
                 "vaddva.s8 %[s3], q3\n"
                 "letp lr, 2b\n"
                 "1:\n"
                 : [w0] "+r"(w), [w1] "+r"(w1), [w2] "+r"(w2), [w3] "+r"(w3), [s0] "+Te"(s0),
                   [s1] "+Te"(s1), [s2] "+Te"(s2), [s3] "+Te"(s3)
                 : [n] "r"(depth)
                 : "q0", "q1", "q2", "q3", "lr", "memory");
  sums[0] = s0;
  sums[1] = s1;
  sums[2] = s2;
  sums[3] = s3;
}

/* folded[o] = bias[o] - zero * folded[o] */
static inline void addBias(const int32_t* bias, uint32_t outputs, int32_t zero, int32_t* folded) {
  uint32_t o;
  for (o = 0; o < outputs; o += 4) {
    const mve_pred16_t lanes = vctp32q(outputs - o);
    const int32x4_t from = bias == NULL ? vdupq_n_s32(0) : vldrwq_z_s32(bias + o, lanes);
    vstrwq_p_s32(folded + o, vmlaq_n_s32(from, vldrwq_z_s32(folded + o, lanes), -zero), lanes);
  }
}

void tigris_mve_copy(int8_t* to, const int8_t* from, uint32_t bytes) {
  __asm volatile("wlstp.8 lr, %[n], 1f\n"
                 "2: vldrb.8 q0, [%[from]], #16\n"
                 "vstrb.8 q0, [%[to]], #16\n"
                 "letp lr, 2b\n"
                 "1:\n"
                 : [to] "+r"(to), [from] "+r"(from)
                 : [n] "r"(bytes)
                 : "q0", "lr", "memory");
}

/* sums[r][0], sums[r][1] of three rows with filters a and b, starting from two biases. Uses all
 * registers. */
__attribute__((noinline)) static void threeByTwo(const int8_t* const x[TIGRIS_MVE_ROWS],
                                                 const int8_t* a, const int8_t* b,
                                                 const int32_t* bias, uint32_t depth, Sums sums) {
  const int8_t* x0 = x[0];
  const int8_t* x1 = x[1];
  const int8_t* x2 = x[2];
  int32_t a0 = bias[0];
  int32_t b0 = bias[1];
  int32_t a1;
  int32_t a2;
  int32_t b1;
  int32_t b2;
  __asm volatile(
      "mov %[a1], %[a0]\n"
      "mov %[a2], %[a0]\n"
      "mov %[b1], %[b0]\n"
      "mov %[b2], %[b0]\n"
      "wlstp.8 lr, %[n], 1f\n"
      "2: vldrb.8 q0, [%[a]], #16\n"
      "vldrb.8 q2, [%[x0]], #16\n"
      "vmladava.s8 %[a0], q0, q2\n"
      "vldrb.8 q1, [%[b]], #16\n"
      "vmladava.s8 %[b0], q1, q2\n"
      "vldrb.8 q3, [%[x1]], #16\n"
      "vmladava.s8 %[a1], q0, q3\n"
      "vldrb.8 q4, [%[x2]], #16\n"
      "vmladava.s8 %[b1], q1, q3\n"
      "vmladava.s8 %[a2], q0, q4\n"
      "vmladava.s8 %[b2], q1, q4\n"
      "letp lr, 2b\n"
      "1:\n"
      : [a] "+r"(a), [b] "+r"(b), [x0] "+r"(x0), [x1] "+r"(x1), [x2] "+r"(x2), [a0] "+Te"(a0),
        [a1] "=&Te"(a1), [a2] "=&Te"(a2), [b0] "+Te"(b0), [b1] "=&Te"(b1), [b2] "=&Te"(b2)
      : [n] "r"(depth)
      : "q0", "q1", "q2", "q3", "q4", "lr", "memory");
  sums[0][0] = a0;
  sums[0][1] = b0;
  sums[1][0] = a1;
  sums[1][1] = b1;
  sums[2][0] = a2;
  sums[2][1] = b2;
}

/* sums[0][0 .. 3] of one row with the four filters starting at w. */
static inline void oneByFour(const int8_t* x, const int8_t* w, const int32_t* bias, uint32_t depth,
                             Sums sums) {
  const int8_t* w1 = w + depth;
  const int8_t* w2 = w1 + depth;
  const int8_t* w3 = w2 + depth;
  int32_t s0 = bias[0];
  int32_t s1 = bias[1];
  int32_t s2 = bias[2];
  int32_t s3 = bias[3];
  __asm volatile("wlstp.8 lr, %[n], 1f\n"
                 "2: vldrb.8 q0, [%[x]], #16\n"
                 "vldrb.8 q1, [%[w0]], #16\n"
                 "vmladava.s8 %[s0], q0, q1\n"
                 "vldrb.8 q2, [%[w1]], #16\n"
                 "vmladava.s8 %[s1], q0, q2\n"
                 "vldrb.8 q3, [%[w2]], #16\n"
                 "vmladava.s8 %[s2], q0, q3\n"
                 "vldrb.8 q4, [%[w3]], #16\n"
                 "vmladava.s8 %[s3], q0, q4\n"
                 "letp lr, 2b\n"
                 "1:\n"
                 : [x] "+r"(x), [w0] "+r"(w), [w1] "+r"(w1), [w2] "+r"(w2), [w3] "+r"(w3),
                   [s0] "+Te"(s0), [s1] "+Te"(s1), [s2] "+Te"(s2), [s3] "+Te"(s3)
                 : [n] "r"(depth)
                 : "q0", "q1", "q2", "q3", "q4", "lr", "memory");
  sums[0][0] = s0;
  sums[0][1] = s1;
  sums[0][2] = s2;
  sums[0][3] = s3;
}

/* Written by hand: six sums and five addresses leave a compiler no register for the values that
 * continue from pair to pair. The third row, in q4, is set up with `SET` and advanced with
 * `LOAD`. */
#define THREE_ROWS(SET, LOAD)                                                                      \
  __asm volatile("push {r4-r11, lr}\n"                                                             \
                 "vpush {d8-d9}\n"                                                                 \
                 "mov r11, r0\n" SET "1: ldrd r1, r12, [r11]\n"                                    \
                 "ldrd r5, r7, [r11, #8]\n"                                                        \
                 "ldrd r9, r3, [r11, #16]\n"                                                       \
                 "ldrd r0, r2, [r3], #8\n" /* biases */                                            \
                 "str r3, [r11, #20]\n"                                                            \
                 "add r3, r1, r12\n" /* the second filter */                                       \
                 "mov r4, r0\n"                                                                    \
                 "mov r8, r0\n"                                                                    \
                 "mov r6, r2\n"                                                                    \
                 "mov r10, r2\n"                                                                   \
                 "wlstp.8 lr, r12, 3f\n"                                                           \
                 "2: vldrb.8 q0, [r1], #16\n"                                                      \
                 "vldrb.8 q2, [r5], #16\n"                                                         \
                 "vmladava.s8 r0, q0, q2\n"                                                        \
                 "vldrb.8 q1, [r3], #16\n"                                                         \
                 "vmladava.s8 r2, q1, q2\n"                                                        \
                 "vldrb.8 q3, [r7], #16\n"                                                         \
                 "vmladava.s8 r4, q0, q3\n" LOAD "vmladava.s8 r6, q1, q3\n"                        \
                 "vmladava.s8 r8, q0, q4\n"                                                        \
                 "vmladava.s8 r10, q1, q4\n"                                                       \
                 "letp lr, 2b\n"                                                                   \
                 "3: ldrd r3, r5, [r11, #24]\n"                                                    \
                 "strd r4, r6, [r3, #64]\n" /* 4 * BLOCK */                                        \
                 "strd r8, r10, [r3, #128]\n"                                                      \
                 "strd r0, r2, [r3], #8\n"                                                         \
                 "ldr r1, [r11]\n"                                                                 \
                 "add r1, r1, r12, lsl #1\n"                                                       \
                 "str r1, [r11]\n"                                                                 \
                 "subs r5, #1\n"                                                                   \
                 "strd r3, r5, [r11, #24]\n"                                                       \
                 "bne 1b\n"                                                                        \
                 "vpop {d8-d9}\n"                                                                  \
                 "pop {r4-r11, pc}\n")

/* sums[r][i] of three rows with 2 * pairs filters. */
__attribute__((naked)) static void threeRows(Work* work) {
  (void)work;
  THREE_ROWS("", "vldrb.8 q4, [r9], #16\n");
}

/* The same for two rows and a constant row of `zero`. */
__attribute__((naked)) static void twoRows(Work* work, int32_t zero) {
  (void)work;
  (void)zero;
  THREE_ROWS("vdup.8 q4, r1\n", "");
}

/* folded = bias - sums of the third row, added to the sums of the two others as well; for 2 * pairs
 * outputs. */
static inline void addFolded(const int32_t* bias, uint32_t outputs, Sums sums, int32_t* folded) {
  uint32_t o;
  for (o = 0; o < outputs; o += 4) {
    const mve_pred16_t lanes = vctp32q(outputs - o);
    const int32x4_t from = bias == NULL ? vdupq_n_s32(0) : vldrwq_z_s32(bias + o, lanes);
    const int32x4_t fold = vsubq_s32(from, vldrwq_s32(&sums[2][o]));
    vstrwq_p_s32(folded + o, fold, lanes);
    vstrwq_p_s32(&sums[0][o], vaddq_s32(fold, vldrwq_s32(&sums[0][o])), lanes);
    vstrwq_p_s32(&sums[1][o], vaddq_s32(fold, vldrwq_s32(&sums[1][o])), lanes);
  }
}

static inline int32x4_t requantized(const tigris_mve_product* p, const int32_t* sums,
                                    int32x4_t multiplier, int32x4_t left, int32x4_t right) {
  int32x4_t v = vqrdmulhq_s32(vshlq_s32(vldrwq_s32(sums), left), multiplier);
  /* halves away from zero, as the reference kernel rounds */
  v = vqaddq_s32(v, vshrq_n_s32(vandq_s32(v, right), 31));
  v = vaddq_n_s32(vrshlq_s32(v, right), p->out_zero);
  return vminq_s32(vmaxq_s32(v, vdupq_n_s32(p->lo)), vdupq_n_s32(p->hi));
}

/* The outputs from `o` on, for at most BLOCK filters and for each row. */
static inline void finish(const tigris_mve_product* p, uint32_t o, Sums sums, uint32_t rows,
                          int8_t* y) {
  const uint32_t count = p->outputs - o < BLOCK ? p->outputs - o : BLOCK;
  uint32_t i;
  uint32_t r;
  for (i = 0; i < count; i += 4) {
    const mve_pred16_t lanes = vctp32q(count - i);
    const int32x4_t multiplier = vldrwq_z_s32(p->multiplier + o + i, lanes);
    const int32x4_t shift = vldrwq_z_s32(p->shift + o + i, lanes);
    const int32x4_t left = vmaxq_s32(shift, vdupq_n_s32(0));
    const int32x4_t right = vminq_s32(shift, vdupq_n_s32(0));
    const int32_t* sum = &sums[0][i];
    int8_t* to = y + o + i;
    if (count - i >= 4) {
      for (r = rows; r != 0; --r, sum += BLOCK, to += p->outputs)
        vstrbq_s32(to, requantized(p, sum, multiplier, left, right));
    } else {
      for (r = rows; r != 0; --r, sum += BLOCK, to += p->outputs)
        vstrbq_p_s32(to, requantized(p, sum, multiplier, left, right), lanes);
    }
  }
}

#else

#include "fixed_point.h"

static int32_t dot(const int8_t* a, const int8_t* b, uint32_t depth) {
  uint32_t sum = 0;
  uint32_t i;
  for (i = 0; i < depth; ++i)
    sum += (uint32_t)(a[i] * b[i]);
  return (int32_t)sum;
}

static int32_t sumOf(const int8_t* w, uint32_t depth) {
  int32_t sum = 0;
  uint32_t i;
  for (i = 0; i < depth; ++i)
    sum += w[i];
  return sum;
}

static void sumsOfFour(const int8_t* w, uint32_t depth, int32_t* sums) {
  uint32_t i;
  for (i = 0; i < 4; ++i)
    sums[i] = sumOf(w + i * depth, depth);
}

static void addBias(const int32_t* bias, uint32_t outputs, int32_t zero, int32_t* folded) {
  uint32_t o;
  for (o = 0; o < outputs; ++o)
    folded[o] =
        (int32_t)((bias == NULL ? 0 : (uint32_t)bias[o]) - (uint32_t)zero * (uint32_t)folded[o]);
}

void tigris_mve_copy(int8_t* to, const int8_t* from, uint32_t bytes) { memcpy(to, from, bytes); }

static void threeByTwo(const int8_t* const x[TIGRIS_MVE_ROWS], const int8_t* a, const int8_t* b,
                       const int32_t* bias, uint32_t depth, Sums sums) {
  uint32_t r;
  for (r = 0; r < TIGRIS_MVE_ROWS; ++r) {
    sums[r][0] = tigris_add_wrap(dot(x[r], a, depth), bias[0]);
    sums[r][1] = tigris_add_wrap(dot(x[r], b, depth), bias[1]);
  }
}

static void threeRows(Work* work) {
  uint32_t i;
  for (i = 0; i < 2 * work->pairs; i += 2)
    threeByTwo(work->x, work->weights + i * work->depth, work->weights + (i + 1) * work->depth,
               work->bias + i, work->depth, (Sums)(void*)(work->sums + i));
}

static void twoRows(Work* work, int32_t zero) {
  Sums sums = (Sums)(void*)work->sums;
  uint32_t i;
  for (i = 0; i < 2 * work->pairs; ++i) {
    const int8_t* w = work->weights + i * work->depth;
    sums[0][i] = tigris_add_wrap(dot(work->x[0], w, work->depth), work->bias[i]);
    sums[1][i] = tigris_add_wrap(dot(work->x[1], w, work->depth), work->bias[i]);
    sums[2][i] = (int32_t)((uint32_t)zero * (uint32_t)sumOf(w, work->depth)) + work->bias[i];
  }
}

static void addFolded(const int32_t* bias, uint32_t outputs, Sums sums, int32_t* folded) {
  uint32_t o;
  for (o = 0; o < outputs; ++o) {
    folded[o] = (int32_t)((bias == NULL ? 0 : (uint32_t)bias[o]) - (uint32_t)sums[2][o]);
    sums[0][o] = tigris_add_wrap(sums[0][o], folded[o]);
    sums[1][o] = tigris_add_wrap(sums[1][o], folded[o]);
  }
}

static void oneByFour(const int8_t* x, const int8_t* w, const int32_t* bias, uint32_t depth,
                      Sums sums) {
  uint32_t i;
  for (i = 0; i < 4; ++i)
    sums[0][i] = tigris_add_wrap(dot(x, w + i * depth, depth), bias[i]);
}

static void finish(const tigris_mve_product* p, uint32_t o, Sums sums, uint32_t rows, int8_t* y) {
  uint32_t r;
  uint32_t i;
  for (r = 0; r < rows; ++r) {
    for (i = o; i < o + BLOCK && i < p->outputs; ++i) {
      const int32_t v =
          tigris_requantize(sums[r][i - o], p->multiplier[i], p->shift[i]) + p->out_zero;
      y[r * p->outputs + i] = (int8_t)tigris_clamp_s32(v, p->lo, p->hi);
    }
  }
}

#endif

/* Folds a block of outputs starting at `o` while computing two rows. */
__attribute__((noinline)) static void foldWithRows(Work* work, const tigris_mve_folding* f,
                                                   uint32_t o, int32_t* folded) {
  static const int32_t none[BLOCK] = {0};
  const uint32_t outputs = 2 * work->pairs;
  Sums sums = (Sums)(void*)work->sums;
  work->bias = none;
  twoRows(work, f->zero);
  addFolded(f->bias == NULL ? NULL : f->bias + o, outputs, sums, folded);
}

/* Folds output `o` alone. */
__attribute__((noinline)) static void fold(const tigris_mve_product* p, const tigris_mve_folding* f,
                                           uint32_t o) {
  const int32_t sum = sumOf(p->weights + (size_t)o * p->depth, p->depth);
  p->bias[o] =
      (int32_t)((f->bias == NULL ? 0 : (uint32_t)f->bias[o]) - (uint32_t)f->zero * (uint32_t)sum);
}

void tigris_mve_fold(const tigris_mve_product* p, const tigris_mve_folding* f) {
  uint32_t o;
  for (o = 0; o + 4 <= p->outputs; o += 4)
    sumsOfFour(p->weights + (size_t)o * p->depth, p->depth, p->bias + o);
  for (; o < p->outputs; ++o)
    p->bias[o] = sumOf(p->weights + (size_t)o * p->depth, p->depth);
  addBias(f->bias, p->outputs, f->zero, p->bias);
}

void tigris_mve_rows(const tigris_mve_product* p, const int8_t* const x[TIGRIS_MVE_ROWS],
                     uint32_t rows, const tigris_mve_folding* f, int8_t* y) {
  const uint32_t depth = p->depth;
  int32_t sums[TIGRIS_MVE_ROWS][BLOCK];
  uint32_t o;
  for (o = 0; o < p->outputs; o += BLOCK) {
    const uint32_t count = p->outputs - o < BLOCK ? p->outputs - o : BLOCK;
    /* a missing row repeats the first one and its result is not stored; likewise a missing
     * filter */
    Work work = {p->weights + (size_t)o * depth,
                 depth,
                 {x[0], x[rows > 1 ? 1 : 0], x[rows > 2 ? 2 : 0]},
                 p->bias + o,
                 &sums[0][0],
                 count / 2};
    uint32_t done = 0;
    if (rows > 1 && work.pairs != 0) {
      done = 2 * work.pairs;
      if (f == NULL)
        threeRows(&work);
      else
        foldWithRows(&work, f, o, p->bias + o);
    }
    for (; rows == 1 && done + 4 <= count; done += 4)
      oneByFour(x[0], p->weights + (size_t)(o + done) * depth, p->bias + o + done, depth,
                (Sums)(void*)&sums[0][done]);
    for (; done < count; ++done) {
      const int8_t* w = p->weights + (size_t)(o + done) * depth;
      if (f != NULL)
        fold(p, f, o + done);
      threeByTwo(work.x, w, w, p->bias + o + done, depth, (Sums)(void*)&sums[0][done]);
    }
    finish(p, o, sums, rows, y);
  }
}

#endif /* TIGRIS_CMSIS_NN_OWN_MVE */
