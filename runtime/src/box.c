/* Box arithmetic and strided copies. */
#include "box.h"

#include <string.h>

static int32_t sizeOf(const tigris_box* box, uint32_t axis) {
  return box->end[axis] - box->begin[axis];
}

void tigris_box_whole(tigris_box* box, const int32_t* dims, uint32_t rank) {
  uint32_t i;
  for (i = 0; i < TIGRIS_BOX_RANK; ++i) {
    box->begin[i] = 0;
    box->end[i] = i < rank ? dims[i] : 1;
  }
}

uint32_t tigris_box_elements(const tigris_box* box) {
  uint32_t n = 1;
  uint32_t i;
  for (i = 0; i < TIGRIS_BOX_RANK; ++i)
    n *= (uint32_t)sizeOf(box, i);
  return n;
}

void tigris_box_hull(tigris_box* box, const tigris_box* other) {
  uint32_t i;
  if (tigris_box_elements(other) == 0)
    return;
  if (tigris_box_elements(box) == 0) {
    *box = *other;
    return;
  }
  for (i = 0; i < TIGRIS_BOX_RANK; ++i) {
    if (other->begin[i] < box->begin[i])
      box->begin[i] = other->begin[i];
    if (other->end[i] > box->end[i])
      box->end[i] = other->end[i];
  }
}

int tigris_box_find(const tigris_box* outer, const tigris_box* inner, uint32_t* element) {
  int joined = 1;
  int single = 1; /* all axes so far have one index */
  uint32_t at = 0;
  uint32_t i;
  *element = 0;
  if (tigris_box_elements(inner) == 0)
    return 1;
  for (i = 0; i < TIGRIS_BOX_RANK; ++i) {
    const uint32_t size = (uint32_t)sizeOf(outer, i);
    const uint32_t part = (uint32_t)sizeOf(inner, i);
    const uint32_t from = (uint32_t)(inner->begin[i] - outer->begin[i]);
    if (from > size || part > size - from)
      return -1;
    if (!single && part != size)
      joined = 0;
    if (part != 1)
      single = 0;
    at = at * size + from;
  }
  *element = at;
  return joined;
}

/* Computes the byte strides of a packed box; returns the byte offset of `part` in it. */
static size_t layout(const tigris_box* box, const tigris_box* part, uint32_t elementSize,
                     size_t* steps) {
  size_t step = elementSize;
  size_t start = 0;
  uint32_t i;
  for (i = TIGRIS_BOX_RANK; i-- > 0;) {
    steps[i] = step;
    start += step * (uint32_t)(part->begin[i] - box->begin[i]);
    step *= (uint32_t)sizeOf(box, i);
  }
  return start;
}

void tigris_box_copy(const tigris_box* part, const tigris_box* fromBox, const uint8_t* from,
                     const tigris_box* toBox, uint8_t* to, uint32_t elementSize) {
  size_t fromStep[TIGRIS_BOX_RANK];
  size_t toStep[TIGRIS_BOX_RANK];
  int32_t n[TIGRIS_BOX_RANK - 1]; /* indices of the axes outside a contiguous run */
  size_t run;
  uint32_t axis = TIGRIS_BOX_RANK - 1; /* outermost axis inside a run */
  int32_t i;
  int32_t k;
  int32_t m;
  from += layout(fromBox, part, elementSize, fromStep);
  to += layout(toBox, part, elementSize, toStep);
  run = (size_t)(uint32_t)sizeOf(part, axis) * elementSize;
  while (axis > 0 && run == fromStep[axis - 1] && run == toStep[axis - 1])
    run *= (uint32_t)sizeOf(part, --axis);
  for (i = 0; i < (int32_t)TIGRIS_BOX_RANK - 1; ++i)
    n[i] = (uint32_t)i < axis ? sizeOf(part, (uint32_t)i) : 1;
  for (i = 0; i < n[0]; ++i) {
    for (k = 0; k < n[1]; ++k) {
      for (m = 0; m < n[2]; ++m) {
        const size_t a = (uint32_t)i, b = (uint32_t)k, c = (uint32_t)m;
        memcpy(to + a * toStep[0] + b * toStep[1] + c * toStep[2],
               from + a * fromStep[0] + b * fromStep[1] + c * fromStep[2], run);
      }
    }
  }
}
