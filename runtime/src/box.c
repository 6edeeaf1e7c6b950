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

/* A packed box beside a part of it: the byte that is copied next, and bytes from index to index of each axis. */
typedef struct Cursor {
  size_t at;
  size_t step[TIGRIS_BOX_RANK];
} Cursor;

static void enter(Cursor* c, const tigris_box* box, const tigris_box* part, uint32_t elementSize) {
  size_t step = elementSize;
  uint32_t i;
  c->at = 0;
  for (i = TIGRIS_BOX_RANK; i-- > 0;) {
    c->step[i] = step;
    c->at += step * (uint32_t)(part->begin[i] - box->begin[i]);
    step *= (uint32_t)sizeOf(box, i);
  }
}

void tigris_box_copy(const tigris_box* part, const tigris_box* fromBox, const uint8_t* from,
                     const tigris_box* toBox, uint8_t* to, uint32_t elementSize) {
  Cursor source;
  Cursor target;
  int32_t index[TIGRIS_BOX_RANK] = {0, 0, 0, 0};
  size_t run = elementSize;
  uint32_t inner = TIGRIS_BOX_RANK; /* the axes from here on are in one run */
  uint32_t i;
  enter(&source, fromBox, part, elementSize);
  enter(&target, toBox, part, elementSize);
  while (inner > 0 && run == source.step[inner - 1] && run == target.step[inner - 1])
    run *= (uint32_t)sizeOf(part, --inner);
  do {
    memcpy(to + target.at, from + source.at, run);
    for (i = inner; i-- > 0;) {
      source.at += source.step[i];
      target.at += target.step[i];
      if (++index[i] < sizeOf(part, i))
        break;
      source.at -= source.step[i] * (uint32_t)index[i];
      target.at -= target.step[i] * (uint32_t)index[i];
      index[i] = 0;
    }
  } while (i != UINT32_MAX);
}
