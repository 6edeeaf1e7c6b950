/* Tiles of a depthwise convolution, included once per number of LANES. */
#define VEC TIGRIS_HOST_JOIN(Vec, LANES)
#define MASK TIGRIS_HOST_JOIN(Mask, LANES)
#define TILE TIGRIS_HOST_JOIN(tile, LANES)
#define TILES TIGRIS_HOST_JOIN(tiles, LANES)

/* Channels [0, LANES) of `pixels` <= PIXELS pixels; `pixels` is a constant where this is
 * inlined. */
static inline __attribute__((always_inline)) void
TILE(const Depthwise* k, size_t at, const float* w, const float* bias, float* y, int pixels) {
  VEC sum[PIXELS];
  uint32_t r;
  uint32_t c;
  int p;
  UNROLL
  for (p = 0; p < pixels; ++p) {
    if (bias == NULL)
      sum[p] = (VEC){0};
    else
      sum[p] = *(const VEC*)(const void*)bias;
  }
  for (r = 0; r < k->rowCount; ++r) {
    for (c = 0; c < k->columns; ++c) {
      const float* x = k->rows[r] + at + c * k->columnStep;
      const VEC weights = *(const VEC*)(const void*)(w + r * k->weightRow + c * k->weightStep);
      UNROLL
      for (p = 0; p < pixels; ++p)
        sum[p] += *(const VEC*)(const void*)(x + (size_t)p * k->pixelStep) * weights;
    }
  }
  UNROLL
  for (p = 0; p < pixels; ++p) {
    const VEC lo = (VEC){0} + k->lo;
    const VEC hi = (VEC){0} + k->hi;
    VEC out = sum[p];
    out = SELECT(MASK, out < lo, lo, out);
    out = SELECT(MASK, out > hi, hi, out);
    *(VEC*)(void*)(y + (size_t)p * k->outStep) = out;
  }
}

/* The same for 1 to PIXELS pixels. */
static void TILES(const Depthwise* k, size_t at, const float* w, const float* bias, float* y,
                  uint32_t pixels) {
  switch (pixels) {
  case 1:
    TILE(k, at, w, bias, y, 1);
    break;
  case 2:
    TILE(k, at, w, bias, y, 2);
    break;
  case 3:
    TILE(k, at, w, bias, y, 3);
    break;
  default:
    TILE(k, at, w, bias, y, PIXELS);
    break;
  }
}

#undef VEC
#undef MASK
#undef TILE
#undef TILES
#undef LANES
