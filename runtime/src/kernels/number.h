/* Access to single elements of all dtypes but float. int64 elements are aligned to 4 only, hence
 * memcpy. */
#ifndef TIGRIS_NUMBER_H
#define TIGRIS_NUMBER_H

#include <string.h>

#include "view.h"

/* An element of S32, S64, S16, S8 or BOOL. */
static inline int64_t tigris_load_int(const uint8_t* at, uint32_t dtype) {
  int64_t wide;
  int32_t narrow;
  int16_t half;
  switch (dtype) {
  case TIGRIS_S64:
    memcpy(&wide, at, 8);
    return wide;
  case TIGRIS_S32:
    memcpy(&narrow, at, 4);
    return narrow;
  case TIGRIS_S16:
    memcpy(&half, at, 2);
    return half;
  case TIGRIS_S8:
    return *(const int8_t*)(const void*)at;
  default:
    return *at;
  }
}

/* Stores the low bits; BOOL is "not zero". */
static inline void tigris_store_int(uint8_t* at, uint32_t dtype, int64_t value) {
  const uint32_t low = (uint32_t)((uint64_t)value & 0xFFFFFFFFu);
  switch (dtype) {
  case TIGRIS_S64:
    memcpy(at, &value, 8);
    break;
  case TIGRIS_S32:
    memcpy(at, &low, 4);
    break;
  default:
    *at = value != 0;
    break;
  }
}

static inline float tigris_load_float(const uint8_t* at) {
  float value;
  memcpy(&value, at, 4);
  return value;
}

/* Element `i` of a tensor of indices as a position on an axis of `size`. A negative index counts
 * from the end; -1 if it is out of range. */
static inline int64_t tigris_position(const uint8_t* indices, uint32_t dtype, uint32_t i,
                                      int32_t size) {
  int64_t value = tigris_load_int(indices + (size_t)i * tigris_element_size(dtype), dtype);
  if (value < 0 && value >= -(int64_t)size)
    value += size;
  return value >= 0 && value < size ? value : -1;
}

#endif /* TIGRIS_NUMBER_H */
