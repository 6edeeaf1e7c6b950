/* Detections: boxes are taken in the order of their best score, and those that overlap a better one
 * are left out. The choice is that of TensorFlow Lite's operator TFLite_Detection_PostProcess with
 * one class per box ("fast" non-maximum suppression). */
#include <math.h>

#include "kernels.h"

enum { COLUMNS = 6, CLASS = 4, SCORE = 5 };

/* The column of the best score from `first` on, the first of equal ones. */
static uint32_t bestColumn(const float* scores, uint32_t first, uint32_t end) {
  uint32_t best = first;
  uint32_t i;
  for (i = first + 1; i < end; ++i) {
    if (scores[i] > scores[best])
      best = i;
  }
  return best;
}

/* The box behind `last` in the order of scores; `boxes` if there is none. last == boxes: the
 * first one. */
static uint32_t nextBox(const float* best, uint32_t boxes, uint32_t last, float least) {
  uint32_t next = boxes;
  uint32_t i;
  for (i = 0; i < boxes; ++i) {
    const int isBehind =
        last == boxes || best[i] < best[last] || (best[i] == best[last] && i > last);
    if (best[i] >= least && isBehind && (next == boxes || best[i] > best[next]))
      next = i;
  }
  return next;
}

static void decode(const tigris_detect_params* p, const float* box, const float* anchor, float* y) {
  uint32_t i;
  for (i = 0; i < 2; ++i) {
    const float center = box[i] / p->scales[i] * anchor[i + 2] + anchor[i];
    const float half = 0.5f * expf(box[i + 2] / p->scales[i + 2]) * anchor[i + 2];
    y[i] = center - half;
    y[i + 2] = center + half;
  }
}

static float areaOf(const float* box) { return (box[2] - box[0]) * (box[3] - box[1]); }

/* The length that both have along y (0) or x (1). */
static float common(const float* a, const float* b, uint32_t axis) {
  const float begin = a[axis] > b[axis] ? a[axis] : b[axis];
  const float end = a[axis + 2] < b[axis + 2] ? a[axis + 2] : b[axis + 2];
  return end - begin;
}

/* Intersection over union. */
static float overlapOf(const float* a, const float* b) {
  const float areas = areaOf(a) + areaOf(b);
  const float height = common(a, b, 0);
  const float width = common(a, b, 1);
  if (!(areaOf(a) > 0.0f) || !(areaOf(b) > 0.0f) || !(height > 0.0f) || !(width > 0.0f))
    return 0.0f;
  return height * width / (areas - height * width);
}

static int isFree(const float* detections, uint32_t found, float most) {
  const float* box = detections + (size_t)found * COLUMNS;
  uint32_t i;
  for (i = 0; i < found; ++i) {
    if (overlapOf(detections + (size_t)i * COLUMNS, box) > most)
      return 0;
  }
  return 1;
}

tigris_status tigris_detect_f32(const tigris_call* call) {
  const tigris_detect_params* p = (const tigris_detect_params*)call->params;
  const float* coded = (const float*)(const void*)call->in[0].data;
  const float* scores = (const float*)(const void*)call->in[1].data;
  const float* anchors = (const float*)(const void*)call->in[2].data;
  float* y = (float*)(void*)call->out[0].data;
  float* best = (float*)(void*)call->out[1].data + 1;
  const uint32_t boxes = (uint32_t)call->in[0].dims[0];
  const uint32_t width = (uint32_t)call->in[0].dims[1];
  const uint32_t columns = (uint32_t)call->in[1].dims[1];
  const uint32_t most = (uint32_t)call->out[0].dims[0];
  uint32_t found = 0;
  uint32_t i;
  for (i = 0; i < boxes; ++i) {
    const float* line = scores + (size_t)i * columns;
    best[i] = line[bestColumn(line, p->first_column, columns)];
  }
  for (i = nextBox(best, boxes, boxes, p->least_score); i < boxes && found < most;
       i = nextBox(best, boxes, i, p->least_score)) {
    const float* line = scores + (size_t)i * columns;
    float* to = y + (size_t)found * COLUMNS;
    decode(p, coded + (size_t)i * width, anchors + (size_t)i * 4, to);
    if (!isFree(y, found, p->most_overlap))
      continue;
    to[CLASS] = (float)(bestColumn(line, p->first_column, columns) - p->first_column);
    to[SCORE] = best[i];
    ++found;
  }
  best[-1] = (float)found;
  for (i = found * COLUMNS; i < most * COLUMNS; ++i)
    y[i] = 0.0f;
  return TIGRIS_OK;
}
