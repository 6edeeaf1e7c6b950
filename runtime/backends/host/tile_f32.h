/* One tile of a float product; included once per size: PIXELS pixels times VECTORS vectors of LANES
 * channels.
 *
 * The sum of each output is bias, then fused multiply-adds over the taps in ascending order. */
#define TILE_VEC TIGRIS_HOST_JOIN(Vec, LANES)
#define TILE_MASK TIGRIS_HOST_JOIN(Mask, LANES)

static void TILE_NAME(const Product* t, size_t at, const float* w, const float* bias, float* y) {
  TILE_VEC sum[PIXELS][VECTORS];
  uint32_t r;
  uint32_t c;
  int p;
  int v;
  UNROLL
  for (p = 0; p < PIXELS; ++p) {
    UNROLL
    for (v = 0; v < VECTORS; ++v) {
      if (bias == NULL)
        sum[p][v] = (TILE_VEC){0};
      else
        sum[p][v] = *(const TILE_VEC*)(const void*)(bias + v * LANES);
    }
  }
  for (r = 0; r < t->rowCount; ++r) {
    for (c = 0; c < t->columns; ++c) {
      const float* x = t->rows[r] + at + c * t->columnStep;
      const float* wt = w + r * t->weightRow + c * t->weightColumn;
      uint32_t i;
      for (i = 0; i < t->run; ++i) {
        TILE_VEC weights[VECTORS];
        UNROLL
        for (v = 0; v < VECTORS; ++v)
          weights[v] = *(const TILE_VEC*)(const void*)(wt + v * LANES);
        UNROLL
        for (p = 0; p < PIXELS; ++p) {
          const float xp = x[(size_t)p * t->pixelStep];
          UNROLL
          for (v = 0; v < VECTORS; ++v)
            sum[p][v] += weights[v] * xp;
        }
        ++x;
        wt += t->weightStep;
      }
    }
  }
  UNROLL
  for (p = 0; p < PIXELS; ++p) {
    UNROLL
    for (v = 0; v < VECTORS; ++v) {
      const TILE_VEC lo = (TILE_VEC){0} + t->lo;
      const TILE_VEC hi = (TILE_VEC){0} + t->hi;
      TILE_VEC out = sum[p][v];
      out = SELECT(TILE_MASK, out < lo, lo, out);
      out = SELECT(TILE_MASK, out > hi, hi, out);
      *(TILE_VEC*)(void*)(y + (size_t)p * t->outStep + v * LANES) = out;
    }
  }
}

#undef TILE_VEC
#undef TILE_MASK
#undef TILE_NAME
#undef PIXELS
#undef VECTORS
#undef LANES
