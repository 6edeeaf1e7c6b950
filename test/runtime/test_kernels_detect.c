/* DETECT against a plain definition: sort all boxes, then cross out the overlapping ones. */
#include <math.h>

#include "one_op.h"

#define MOST 24 /* boxes */
#define COLUMNS 4
#define ROWS 9 /* most detections */

typedef struct Detector {
  int boxes;
  int rows;
  tigris_detect_params params;
  float anchors[MOST * 4];
} Detector;

typedef struct Candidate {
  int box;
  int class;
  float score;
  float corners[4];
  int isOut;
} Candidate;

static void randomDetector(Detector* d) {
  int i;
  memset(d, 0, sizeof *d);
  d->boxes = randomInt(1, MOST);
  d->rows = randomInt(1, ROWS);
  d->params.scales[0] = d->params.scales[1] = 10.0f;
  d->params.scales[2] = d->params.scales[3] = 5.0f;
  d->params.least_score = randomFloat(0.0f, 0.5f);
  d->params.most_overlap = randomFloat(0.1f, 0.9f);
  d->params.first_column = (uint32_t)randomInt(0, 1);
  for (i = 0; i < MOST * 4; ++i)
    d->anchors[i] = i % 4 < 2 ? randomFloat(0.0f, 1.0f) : randomFloat(0.2f, 0.6f);
}

static void addDetector(Builder* b, const Detector* d) {
  const int32_t boxes[2] = {d->boxes, 4};
  const int32_t scores[2] = {d->boxes, COLUMNS};
  const int32_t rows[2] = {d->rows, 6};
  const int32_t work[1] = {d->boxes + 1};
  int in[3];
  int out[2];
  in[0] = builderTensor(b, TIGRIS_F32, 2, boxes, TIGRIS_NONE);
  in[1] = builderTensor(b, TIGRIS_F32, 2, scores, TIGRIS_NONE);
  in[2] = builderConst(b, TIGRIS_F32, 2, boxes, TIGRIS_NONE, d->anchors);
  out[0] = builderTensor(b, TIGRIS_F32, 2, rows, TIGRIS_NONE);
  out[1] = builderTensor(b, TIGRIS_F32, 1, work, TIGRIS_NONE);
  builderInput(b, in[0]);
  builderInput(b, in[1]);
  builderOutput(b, out[0]);
  builderOutput(b, out[1]);
  builderOpOutputs(b, TIGRIS_OP_DETECT, 3, in, 2, out, &d->params, sizeof d->params);
}

static Candidate candidateOf(const Detector* d, int box, const float* codes, const float* scores) {
  const float* anchor = d->anchors + box * 4;
  Candidate c;
  int i;
  memset(&c, 0, sizeof c);
  c.box = box;
  c.score = -1.0f;
  for (i = (int)d->params.first_column; i < COLUMNS; ++i) {
    if (scores[box * COLUMNS + i] > c.score) {
      c.class = i - (int)d->params.first_column;
      c.score = scores[box * COLUMNS + i];
    }
  }
  for (i = 0; i < 2; ++i) {
    const float center = codes[box * 4 + i] / 10.0f * anchor[i + 2] + anchor[i];
    const float size = expf(codes[box * 4 + i + 2] / 5.0f) * anchor[i + 2];
    c.corners[i] = center - 0.5f * size;
    c.corners[i + 2] = center + 0.5f * size;
  }
  return c;
}

static int isBetter(const Candidate* a, const Candidate* b) {
  return a->score > b->score || (a->score == b->score && a->box < b->box);
}

static float side(const Candidate* a, const Candidate* b, int i) {
  const float v = fminf(a->corners[i + 2], b->corners[i + 2]) - fmaxf(a->corners[i], b->corners[i]);
  return v > 0.0f ? v : 0.0f;
}

static float overlap(const Candidate* a, const Candidate* b) {
  const float common = side(a, b, 0) * side(a, b, 1);
  return common / (side(a, a, 0) * side(a, a, 1) + side(b, b, 0) * side(b, b, 1) - common);
}

static void checkDetections(const Detector* d, OneOp* run) {
  const float* codes = (const float*)tigris_input(&run->ctx, 0);
  const float* scores = (const float*)tigris_input(&run->ctx, 1);
  const float* y = (const float*)tigris_output(&run->ctx, 0);
  Candidate all[MOST];
  int found = 0;
  int i;
  int k;
  for (i = 0; i < d->boxes; ++i)
    all[i] = candidateOf(d, i, codes, scores);
  for (i = 0; i < d->boxes; ++i) {
    for (k = i + 1; k < d->boxes; ++k) {
      if (isBetter(&all[k], &all[i])) {
        const Candidate swapped = all[i];
        all[i] = all[k];
        all[k] = swapped;
      }
    }
  }
  for (i = 0; i < d->boxes && found < d->rows && all[i].score >= d->params.least_score; ++i) {
    if (all[i].isOut)
      continue;
    for (k = i + 1; k < d->boxes; ++k)
      all[k].isOut |= overlap(&all[i], &all[k]) > d->params.most_overlap;
    for (k = 0; k < 4; ++k)
      CHECK(fabsf(y[found * 6 + k] - all[i].corners[k]) <= 1e-5f);
    CHECK_EQ((int)y[found * 6 + 4], all[i].class);
    CHECK(y[found * 6 + 5] == all[i].score);
    ++found;
  }
  CHECK_EQ((int)((const float*)tigris_output(&run->ctx, 1))[0], found);
  for (i = found * 6; i < d->rows * 6; ++i)
    CHECK(y[i] == 0.0f);
}

static void testDetections(void) {
  int round;
  int i;
  for (round = 0; round < 300; ++round) {
    Detector d;
    Builder b;
    OneOp run;
    float* codes;
    float* scores;
    randomDetector(&d);
    builderInit(&b, TIGRIS_IO_ARENA);
    addDetector(&b, &d);
    if (!oneOpOpen(&run, &b))
      break;
    codes = (float*)tigris_input(&run.ctx, 0);
    scores = (float*)tigris_input(&run.ctx, 1);
    randomFloats(codes, (size_t)d.boxes * 4);
    /* few different scores, so that some are equal */
    for (i = 0; i < d.boxes * COLUMNS; ++i)
      scores[i] = (float)randomInt(0, 32) / 32.0f;
    if (runWhole(&run))
      checkDetections(&d, &run);
    builderFree(&b);
  }
}

/* Each of these changes must be refused. */
static void testRules(void) {
  int fault;
  for (fault = 0; fault < 4; ++fault) {
    Detector d;
    Builder b;
    tigris_plan plan;
    uint32_t size;
    uint8_t* bytes;
    randomDetector(&d);
    if (fault == 1)
      d.params.scales[3] = 0.0f;
    else if (fault == 2)
      d.params.scales[0] = NAN;
    else if (fault == 3)
      d.params.first_column = COLUMNS;
    builderInit(&b, TIGRIS_IO_ARENA);
    addDetector(&b, &d);
    bytes = builderFinish(&b, &size);
    CHECK_EQ(tigris_plan_open(&plan, bytes, size), fault == 0 ? TIGRIS_OK : TIGRIS_E_OP);
    release(bytes);
    builderFree(&b);
  }
}

int main(void) {
  testDetections();
  testRules();
  return finish();
}
