// Slice-by-8, eight table lookups per eight bytes, and on x86-64 folding by carry-less products
// (V. Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ"), which is
// several times as fast. Every tool checks all weights, so this is a part of a pipeline's time.
#include "tigris/Support/Crc32.h"

#include <array>
#include <bit>
#include <cstring>
#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace tigris {

namespace {

using Table = std::array<std::array<uint32_t, 256>, 8>;

constexpr Table makeTable() {
  Table table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit)
      value = (value >> 1) ^ ((value & 1) != 0 ? 0xEDB88320U : 0U);
    table[0][i] = value;
  }
  for (uint32_t i = 0; i < 256; ++i)
    for (size_t k = 1; k < 8; ++k)
      table[k][i] = (table[k - 1][i] >> 8) ^ table[0][table[k - 1][i] & 0xFF];
  return table;
}

constexpr Table Crc = makeTable();

/// Continues the inverted checksum `crc`.
uint32_t crcBySlices(uint32_t crc, const uint8_t* bytes, size_t size) {
  static_assert(std::endian::native == std::endian::little,
                "the sliced loop reads little-endian words");
  for (; size >= 8; size -= 8, bytes += 8) {
    uint32_t low = 0;
    uint32_t high = 0;
    std::memcpy(&low, bytes, 4);
    std::memcpy(&high, bytes + 4, 4);
    low ^= crc;
    crc = Crc[7][low & 0xFF] ^ Crc[6][(low >> 8) & 0xFF] ^ Crc[5][(low >> 16) & 0xFF] ^
          Crc[4][low >> 24] ^ Crc[3][high & 0xFF] ^ Crc[2][(high >> 8) & 0xFF] ^
          Crc[1][(high >> 16) & 0xFF] ^ Crc[0][high >> 24];
  }
  for (; size > 0; --size, ++bytes)
    crc = (crc >> 8) ^ Crc[0][(crc ^ *bytes) & 0xFF];
  return crc;
}

#ifdef __x86_64__

__m128i bitsAt(const uint8_t* bytes) {
  __m128i bits;
  std::memcpy(&bits, bytes, sizeof bits);
  return bits;
}

/// 16 bytes with the remainder of `bits`, moved by the distance that belongs to `by`, plus `next`.
__attribute__((target("pclmul"))) __m128i fold(__m128i bits, __m128i by, __m128i next) {
  const __m128i moved =
      _mm_xor_si128(_mm_clmulepi64_si128(bits, by, 0x00), _mm_clmulepi64_si128(bits, by, 0x11));
  return _mm_xor_si128(moved, next);
}

/// As crcBySlices, for at least 64 bytes.
__attribute__((target("pclmul"))) uint32_t crcByFolding(uint32_t crc, const uint8_t* bytes,
                                                        size_t size) {
  const __m128i by64 = _mm_set_epi64x(0x1C6E41596, 0x154442BD4);
  const __m128i by16 = _mm_set_epi64x(0x0CCAA009E, 0x1751997D0);
  __m128i a = _mm_xor_si128(bitsAt(bytes), _mm_cvtsi32_si128(static_cast<int>(crc)));
  __m128i b = bitsAt(bytes + 16);
  __m128i c = bitsAt(bytes + 32);
  __m128i d = bitsAt(bytes + 48);
  for (bytes += 64, size -= 64; size >= 64; bytes += 64, size -= 64) {
    a = fold(a, by64, bitsAt(bytes));
    b = fold(b, by64, bitsAt(bytes + 16));
    c = fold(c, by64, bitsAt(bytes + 32));
    d = fold(d, by64, bitsAt(bytes + 48));
  }
  a = fold(fold(fold(a, by16, b), by16, c), by16, d);
  std::array<uint8_t, sizeof a> rest{};
  std::memcpy(rest.data(), &a, sizeof a);
  return crcBySlices(crcBySlices(0, rest.data(), rest.size()), bytes, size);
}

#endif

} // namespace

uint32_t crc32(const void* data, size_t size, uint32_t seed) {
  const auto* bytes = static_cast<const uint8_t*>(data);
#ifdef __x86_64__
  if (size >= 64 && __builtin_cpu_supports("pclmul"))
    return ~crcByFolding(~seed, bytes, size);
#endif
  return ~crcBySlices(~seed, bytes, size);
}

} // namespace tigris
