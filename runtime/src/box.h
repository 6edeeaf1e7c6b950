/* Boxes (one index range per axis of a tensor of rank 1..4) and copies between packed boxes. */
#ifndef TIGRIS_BOX_H
#define TIGRIS_BOX_H

#include "tigris.h"

#define TIGRIS_BOX_RANK 4u

/* [begin, end) per axis; axes beyond the tensor's rank are [0, 1). A box is empty if any range is;
 * then all numbers are 0. A box never extends beyond its tensor, so element counts fit 31 bits. */
typedef struct tigris_box {
  int32_t begin[TIGRIS_BOX_RANK];
  int32_t end[TIGRIS_BOX_RANK];
} tigris_box;

/* The whole of a tensor with `rank` <= 4 dimensions. */
void tigris_box_whole(tigris_box* box, const int32_t* dims, uint32_t rank);
/* Number of elements; 0 if the box is empty. */
uint32_t tigris_box_elements(const tigris_box* box);
/* Grows `box` to the smallest box that also contains `other`; an empty box adds nothing. */
void tigris_box_hull(tigris_box* box, const tigris_box* other);
/* Sets `element` to the index at which `inner`, a part of `outer`, starts when `outer` is packed.
 * Returns 1 if the elements of `inner` are contiguous there, 0 if they are not, -1 if `inner` is
 * not a part of `outer`. An empty box is a part of every box. */
int tigris_box_find(const tigris_box* outer, const tigris_box* inner, uint32_t* element);
/* Copies `part`, which is inside both boxes, from the packed `fromBox` to the packed `toBox`. */
void tigris_box_copy(const tigris_box* part, const tigris_box* fromBox, const uint8_t* from,
                     const tigris_box* toBox, uint8_t* to, uint32_t elementSize);

#endif /* TIGRIS_BOX_H */
