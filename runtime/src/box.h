/* Boxes: one range of indices per axis of a tensor of rank 1..4, and copies between packed boxes. */
#ifndef TIGRIS_BOX_H
#define TIGRIS_BOX_H

#include "tigris.h"

#define TIGRIS_BOX_RANK 4u

/* [begin, end) per axis; axes from the tensor's rank on are [0, 1). Empty when any range is: then all
 * numbers are 0. Never outside its tensor, so element counts fit 31 bits. */
typedef struct tigris_box {
  int32_t begin[TIGRIS_BOX_RANK];
  int32_t end[TIGRIS_BOX_RANK];
} tigris_box;

/* All of a tensor with `rank` <= 4 dimensions. */
void tigris_box_whole(tigris_box* box, const int32_t* dims, uint32_t rank);
/* Elements; 0 when the box is empty. */
uint32_t tigris_box_elements(const tigris_box* box);
/* Grows `box` to the smallest one that holds `other`, too; an empty box adds nothing. */
void tigris_box_hull(tigris_box* box, const tigris_box* other);
/* `element`: where `inner`, a part of `outer`, starts when `outer` is packed. 1 when all its elements lie side by
 * side there, -1 when it is no part. An empty box is anywhere. */
int tigris_box_find(const tigris_box* outer, const tigris_box* inner, uint32_t* element);
/* Copies `part`, which lies in both boxes, from where `fromBox` is packed to where `toBox` is. */
void tigris_box_copy(const tigris_box* part, const tigris_box* fromBox, const uint8_t* from,
                     const tigris_box* toBox, uint8_t* to, uint32_t elementSize);

#endif /* TIGRIS_BOX_H */
