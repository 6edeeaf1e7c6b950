// Table-driven in both directions: encodes two characters per lookup, decodes three bytes with four
// lookups, or with AVX2 24 bytes at a time in both directions.
#include "tigris/Serialize/Base64.h"

#include "tigris/Support/Crc32.h"
#include "tigris/Support/StringUtils.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace tigris {

namespace {

constexpr std::string_view Alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr size_t LineCharacters = 1024;
constexpr size_t LineBytes = LineCharacters / 4 * 3;
constexpr std::string_view Indent = "      ";
constexpr size_t LineLength = Indent.size() + LineCharacters + 1;
constexpr uint32_t Invalid = 0x80000000;

constexpr std::array<std::array<char, 2>, 4096> makePairs() {
  std::array<std::array<char, 2>, 4096> pairs{};
  for (size_t i = 0; i < pairs.size(); ++i)
    pairs[i] = {Alphabet[i >> 6], Alphabet[i & 63]};
  return pairs;
}

using DecodeTables = std::array<std::array<uint32_t, 256>, 4>;

/// The value of each character, shifted to the bits of the k-th of four characters.
constexpr DecodeTables makeDecodeTables() {
  DecodeTables tables{};
  for (auto& table : tables)
    for (uint32_t& entry : table)
      entry = Invalid;
  for (uint32_t value = 0; value < 64; ++value)
    for (size_t k = 0; k < 4; ++k)
      tables[k][static_cast<uint8_t>(Alphabet[value])] = value << (6 * (3 - k));
  return tables;
}

constexpr auto Pairs = makePairs();
constexpr auto Decode = makeDecodeTables();

#ifdef __x86_64__

/// The same 16 bytes in both halves.
__attribute__((target("avx2"))) __m256i inBothHalves(const std::array<int8_t, 16>& bytes) {
  __m128i half;
  std::memcpy(&half, bytes.data(), sizeof half);
  return _mm256_broadcastsi128_si256(half);
}

/// Encodes the first bytes, 24 at a time, with the tables of W. Mula and D. Lemire, "Faster Base64
/// Encoding and Decoding Using AVX2 Instructions". Returns how many.
__attribute__((target("avx2"))) size_t encodeVectors(char* to, const uint8_t* from, size_t size) {
  // Each group of three bytes twice, so that every 16-bit word holds two of its four values.
  const __m256i bytesInGroups = inBothHalves({1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10});
  // What to add to a value, by its range: 0 is 26..51, 1 to 10 are the digits, 13 is 0..25.
  const __m256i toCharacter =
      inBothHalves({71, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -19, -16, 65, 0, 0});
  size_t i = 0;
  for (; i + 28 <= size; i += 24, to += 32) {
    __m128i low;
    __m128i high;
    std::memcpy(&low, from + i, sizeof low);
    std::memcpy(&high, from + i + 12, sizeof high);
    const __m256i groups = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), bytesInGroups);
    const __m256i even = _mm256_mulhi_epu16(_mm256_and_si256(groups, _mm256_set1_epi32(0x0FC0FC00)),
                                            _mm256_set1_epi32(0x04000040));
    const __m256i odd = _mm256_mullo_epi16(_mm256_and_si256(groups, _mm256_set1_epi32(0x003F03F0)),
                                           _mm256_set1_epi32(0x01000010));
    const __m256i values = _mm256_or_si256(even, odd);
    const __m256i capital =
        _mm256_and_si256(_mm256_cmpgt_epi8(_mm256_set1_epi8(26), values), _mm256_set1_epi8(13));
    const __m256i range = _mm256_or_si256(_mm256_subs_epu8(values, _mm256_set1_epi8(51)), capital);
    const __m256i text = _mm256_add_epi8(values, _mm256_shuffle_epi8(toCharacter, range));
    std::memcpy(to, &text, sizeof text);
  }
  return i;
}

#endif

/// Writes the characters of one line; `to` must have space for them.
char* encode(char* to, const uint8_t* from, size_t size) {
#ifdef __x86_64__
  if (size >= 28 && __builtin_cpu_supports("avx2")) {
    const size_t done = encodeVectors(to, from, size);
    from += done;
    size -= done;
    to += done / 3 * 4;
  }
#endif
  for (; size >= 3; size -= 3, from += 3, to += 4) {
    const uint32_t bits = uint32_t{from[0]} << 16 | uint32_t{from[1]} << 8 | from[2];
    std::memcpy(to, Pairs[bits >> 12].data(), 2);
    std::memcpy(to + 2, Pairs[bits & 0xFFF].data(), 2);
  }
  if (size == 0)
    return to;
  const uint32_t bits = uint32_t{from[0]} << 16 | (size == 2 ? uint32_t{from[1]} << 8 : 0);
  std::memcpy(to, Pairs[bits >> 12].data(), 2);
  to[2] = size == 2 ? Pairs[bits & 0xFFF][0] : '=';
  to[3] = '=';
  return to + 4;
}

bool isSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

#ifdef __x86_64__

/// Decodes the first characters of a run, 32 at a time, as encodeVectors. Returns how many;
/// `isGood` becomes false if one is invalid. Writes 8 bytes too many, over which the rest is then
/// decoded.
__attribute__((target("avx2"))) size_t decodeVectors(std::string_view run, uint8_t* to,
                                                     bool& isGood) {
  // A character is valid if the entries for its two halves have no bit in common.
  const __m256i ofLow = inBothHalves({0x15, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11,
                                      0x13, 0x1A, 0x1B, 0x1B, 0x1B, 0x1A});
  const __m256i ofHigh = inBothHalves({0x10, 0x10, 0x01, 0x02, 0x04, 0x08, 0x04, 0x08, 0x10, 0x10,
                                       0x10, 0x10, 0x10, 0x10, 0x10, 0x10});
  // What to add to a character, by its high half; '/' has an entry of its own.
  const __m256i toValue = inBothHalves({0, 16, 19, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0});
  const __m256i bytesInOrder =
      inBothHalves({2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1});
  const __m256i wordsInOrder = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, -1, -1);
  const __m256i slash = _mm256_set1_epi8('/');
  __m256i bad = _mm256_setzero_si256();
  size_t i = 0;
  for (; i + 44 <= run.size(); i += 32, to += 24) {
    __m256i text;
    std::memcpy(&text, run.data() + i, sizeof text);
    const __m256i high = _mm256_and_si256(_mm256_srli_epi32(text, 4), slash);
    const __m256i low = _mm256_and_si256(text, slash);
    bad = _mm256_or_si256(
        bad, _mm256_and_si256(_mm256_shuffle_epi8(ofLow, low), _mm256_shuffle_epi8(ofHigh, high)));
    const __m256i row = _mm256_add_epi8(_mm256_cmpeq_epi8(text, slash), high);
    const __m256i values = _mm256_add_epi8(text, _mm256_shuffle_epi8(toValue, row));
    const __m256i pairs = _mm256_maddubs_epi16(values, _mm256_set1_epi32(0x01400140));
    const __m256i groups = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00011000));
    const __m256i bytes =
        _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(groups, bytesInOrder), wordsInOrder);
    std::memcpy(to, &bytes, sizeof bytes);
  }
  isGood = _mm256_testz_si256(bad, bad) != 0;
  return i;
}

#endif

/// Decodes groups of four characters without padding; false if one is invalid.
bool decodeRun(std::string_view run, uint8_t* to) {
#ifdef __x86_64__
  if (run.size() >= 128 && __builtin_cpu_supports("avx2")) {
    bool isGood = true;
    const size_t done = decodeVectors(run, to, isGood);
    if (!isGood)
      return false;
    run.remove_prefix(done);
    to += done / 4 * 3;
  }
#endif
  const auto* from = reinterpret_cast<const uint8_t*>(run.data());
  uint32_t seen = 0;
  for (size_t i = 0; i + 4 <= run.size(); i += 4, to += 3) {
    const uint32_t bits = Decode[0][from[i]] | Decode[1][from[i + 1]] | Decode[2][from[i + 2]] |
                          Decode[3][from[i + 3]];
    seen |= bits;
    to[0] = static_cast<uint8_t>(bits >> 16);
    to[1] = static_cast<uint8_t>(bits >> 8);
    to[2] = static_cast<uint8_t>(bits);
  }
  return (seen & Invalid) == 0;
}

/// Decodes the last group: one or two bytes with padding, or three.
bool decodeLast(std::string_view group, uint8_t* to, size_t size) {
  std::array<char, 4> filled{};
  std::copy(group.begin(), group.end(), filled.begin());
  for (size_t k = size + 1; k < 4; ++k) {
    if (filled[k] != '=')
      return false;
    filled[k] = 'A';
  }
  std::array<uint8_t, 3> bytes{};
  if (!decodeRun({filled.data(), 4}, bytes.data()))
    return false;
  // Bits that an encoder leaves zero must be zero; otherwise two texts would encode the same bytes.
  for (size_t k = size; k < 3; ++k)
    if (bytes[k] != 0)
      return false;
  std::copy_n(bytes.begin(), size, to);
  return true;
}

/// Decodes one line of complete groups to `size` bytes.
bool decodeLine(std::string_view line, uint8_t* to, size_t size) {
  const size_t full = line.size() - 4;
  return decodeRun(line.substr(0, full), to) &&
         decodeLast(line.substr(full), to + full / 4 * 3, size - full / 4 * 3);
}

/// Decodes lines that hold complete groups.
bool decodeLines(std::string_view text, std::vector<uint8_t>& bytes) {
  size_t done = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.size() % 4 != 0)
      return false;
    if (line.empty())
      continue;
    const size_t size = std::min(line.size() / 4 * 3, bytes.size() - done);
    if (size <= line.size() / 4 * 3 - 3 || !decodeLine(line, &bytes[done], size))
      return false;
    done += size;
  }
  return done == bytes.size();
}

} // namespace

size_t base64Length(size_t size) { return (size + 2) / 3 * 4; }

size_t base64BlockLength(size_t size) {
  const size_t characters = base64Length(size);
  const size_t lines = (characters + LineCharacters - 1) / LineCharacters;
  return characters + lines * (Indent.size() + 1);
}

std::string base64Block(std::span<const uint8_t> bytes) {
  std::string block;
  block.reserve(base64BlockLength(bytes.size()));
  std::array<char, LineLength> text{};
  std::copy(Indent.begin(), Indent.end(), text.begin());
  while (!bytes.empty()) {
    const auto line = bytes.first(std::min(bytes.size(), LineBytes));
    char* end = encode(text.data() + Indent.size(), line.data(), line.size());
    *end++ = '\n';
    block.append(text.data(), end);
    bytes = bytes.subspan(line.size());
  }
  return block;
}

bool isBase64Block(std::string_view block, size_t size) {
  if (block.size() != base64BlockLength(size))
    return false;
  for (size_t at = 0; at < block.size(); at += LineLength) {
    const std::string_view line = block.substr(at, LineLength);
    if (!line.starts_with(Indent) || !line.ends_with('\n'))
      return false;
  }
  // A damaged short block may be followed by lines that end at the right place.
  const std::string_view last = block.substr(block.size() - block.size() % LineLength);
  return last.find('\n') == last.size() - 1 || last.empty();
}

std::optional<std::vector<uint8_t>> decodeBase64(std::string_view text, size_t size) {
  std::vector<uint8_t> bytes(size);
  if (decodeLines(text, bytes))
    return bytes;
  // Groups that straddle line breaks (handwritten modules), or damage: join the lines and decode
  // again.
  std::string joined;
  std::copy_if(text.begin(), text.end(), std::back_inserter(joined),
               [](char c) { return !isSpace(c); });
  if (decodeLines(joined, bytes))
    return bytes;
  return std::nullopt;
}

std::optional<uint32_t> crcOfBase64Block(std::string_view block, size_t size) {
  std::array<uint8_t, LineBytes> bytes{};
  uint32_t crc = 0;
  for (size_t line = 0; size > 0; ++line) {
    const size_t count = std::min(size, LineBytes);
    if (!decodeLine(block.substr(line * LineLength + Indent.size(), base64Length(count)),
                    bytes.data(), count))
      return std::nullopt;
    crc = crc32(bytes.data(), count, crc);
    size -= count;
  }
  return crc;
}

size_t countBase64(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !isSpace(c); }));
}

} // namespace tigris
