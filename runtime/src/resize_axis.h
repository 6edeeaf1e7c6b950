/* Source positions of RESIZE, for the kernel and for whoever needs to know what it reads. */
#ifndef TIGRIS_RESIZE_AXIS_H
#define TIGRIS_RESIZE_AXIS_H

#include "tigris_ops.h"

/* The first position that output position `o` of the view reads, perhaps outside the axis; `first`
 * is the axis's table. */
static inline int32_t tigris_resize_first(const tigris_resize_axis* axis, const int32_t* first,
                                          int32_t o) {
  const uint32_t at = (uint32_t)(axis->begin + o);
  return first[at % axis->period] + (int32_t)(at / axis->period * axis->advance);
}

/* `position`, or the nearest one on an axis of `size` positions. */
static inline int32_t tigris_resize_inside(int32_t position, int32_t size) {
  if (position < 0)
    return 0;
  return position < size ? position : size - 1;
}

#endif
