/* Tiles of float products for the numbers of pixels and channels that are held in registers. */
#ifndef TIGRIS_HOST_PRODUCT_F32_H
#define TIGRIS_HOST_PRODUCT_F32_H

#include "vectors.h"

/* Kernel rows whose input rows are held at once. */
#define MAX_ROWS 32

/* A product over runs of taps: rowCount * columns runs per output. Distances in floats. */
typedef struct Product {
  const float* rows[MAX_ROWS]; /* input rows of the kernel rows */
  uint32_t rowCount;
  uint32_t columns; /* runs per row */
  uint32_t run;     /* taps per run */
  size_t columnStep;
  size_t pixelStep; /* distance between the inputs of adjacent pixels */
  size_t outStep;
  size_t weightRow; /* distance between the weights of adjacent kernel rows */
  size_t weightColumn;
  size_t weightStep;
  float lo;
  float hi;
} Product;

#define TILE_NAME wide6
#define PIXELS 6
#define VECTORS 2
#define LANES HOST_FLOATS
#include "tile_f32.h"
#define TILE_NAME wide3
#define PIXELS 3
#define VECTORS 2
#define LANES HOST_FLOATS
#include "tile_f32.h"
#define TILE_NAME wide2
#define PIXELS 2
#define VECTORS 2
#define LANES HOST_FLOATS
#include "tile_f32.h"
#define TILE_NAME wide1
#define PIXELS 1
#define VECTORS 2
#define LANES HOST_FLOATS
#include "tile_f32.h"
#define TILE_NAME full6
#define PIXELS 6
#define VECTORS 1
#define LANES HOST_FLOATS
#include "tile_f32.h"
#define TILE_NAME full3
#define PIXELS 3
#define VECTORS 1
#define LANES HOST_FLOATS
#include "tile_f32.h"
#define TILE_NAME full2
#define PIXELS 2
#define VECTORS 1
#define LANES HOST_FLOATS
#include "tile_f32.h"
#define TILE_NAME full1
#define PIXELS 1
#define VECTORS 1
#define LANES HOST_FLOATS
#include "tile_f32.h"
#define TILE_NAME line
#define PIXELS 1
#define VECTORS 8
#define LANES HOST_FLOATS
#include "tile_f32.h"
#if HOST_FLOATS > 8
#define TILE_NAME eight6
#define PIXELS 6
#define VECTORS 1
#define LANES 8
#include "tile_f32.h"
#define TILE_NAME eight3
#define PIXELS 3
#define VECTORS 1
#define LANES 8
#include "tile_f32.h"
#define TILE_NAME eight2
#define PIXELS 2
#define VECTORS 1
#define LANES 8
#include "tile_f32.h"
#define TILE_NAME eight1
#define PIXELS 1
#define VECTORS 1
#define LANES 8
#include "tile_f32.h"
#endif
#if HOST_FLOATS > 4
#define TILE_NAME four6
#define PIXELS 6
#define VECTORS 1
#define LANES 4
#include "tile_f32.h"
#define TILE_NAME four3
#define PIXELS 3
#define VECTORS 1
#define LANES 4
#include "tile_f32.h"
#define TILE_NAME four2
#define PIXELS 2
#define VECTORS 1
#define LANES 4
#include "tile_f32.h"
#define TILE_NAME four1
#define PIXELS 1
#define VECTORS 1
#define LANES 4
#include "tile_f32.h"
#endif
#define TILE_NAME one6
#define PIXELS 6
#define VECTORS 1
#define LANES 1
#include "tile_f32.h"
#define TILE_NAME one3
#define PIXELS 3
#define VECTORS 1
#define LANES 1
#include "tile_f32.h"
#define TILE_NAME one2
#define PIXELS 2
#define VECTORS 1
#define LANES 1
#include "tile_f32.h"
#define TILE_NAME one1
#define PIXELS 1
#define VECTORS 1
#define LANES 1
#include "tile_f32.h"

typedef void (*Tile)(const Product* t, size_t at, const float* w, const float* bias, float* y);

/* Tiles of one channel width for 6, 3, 2 and 1 pixels. */
typedef struct Width {
  uint32_t channels;
  Tile tiles[4];
} Width;

/* Widest first. */
static const Width widths[] = {{2 * HOST_FLOATS, {wide6, wide3, wide2, wide1}},
                               {HOST_FLOATS, {full6, full3, full2, full1}},
#if HOST_FLOATS > 8
                               {8, {eight6, eight3, eight2, eight1}},
#endif
#if HOST_FLOATS > 4
                               {4, {four6, four3, four2, four1}},
#endif
                               {1, {one6, one3, one2, one1}}};

/* `pixels` adjacent outputs of `channels` channels each. `at`: offset from the start of the input
 * rows to the first tap of the first pixel. */
static void multiply(const Product* t, size_t at, uint32_t pixels, const float* w,
                     const float* bias, uint32_t channels, float* y) {
  static const uint32_t counts[4] = {6, 3, 2, 1};
  const Width* width = widths;
  uint32_t o = 0;
  for (; pixels == 1 && channels - o >= 8 * HOST_FLOATS; o += 8 * HOST_FLOATS)
    line(t, at, w + o, bias == NULL ? NULL : bias + o, y + o);
  while (o < channels) {
    uint32_t p = 0;
    uint32_t k;
    while (width->channels > channels - o)
      ++width;
    for (k = 0; k < 4; ++k) {
      for (; pixels - p >= counts[k]; p += counts[k])
        width->tiles[k](t, at + p * t->pixelStep, w + o, bias == NULL ? NULL : bias + o,
                        y + p * t->outStep + o);
    }
    o += width->channels;
  }
}

#endif /* TIGRIS_HOST_PRODUCT_F32_H */
