// Replaces libFuzzer where it is not available: runs every seed, truncated and damaged in a fixed
// sequence.
//
// usage: fuzz_NAME ROUNDS SEED-FILE...

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

// Marsaglia's xorshift: the same damage in every run and on every host.
class Random {
public:
  size_t below(size_t bound) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<size_t>(state_ % bound);
  }

private:
  uint64_t state_ = 0x9E3779B97F4A7C15u;
};

/// Sets a number of 16 or 32 bits to a limit of some type.
void setNumber(std::vector<uint8_t>& bytes, size_t at, Random& random) {
  constexpr std::array<uint32_t, 9> Limits = {0,       1,           255,         256,        0xFFFF,
                                              0x10000, 0x7FFFFFFFU, 0x80000000U, 0xFFFFFFFFU};
  const size_t width = random.below(3) == 0 ? 2 : 4;
  at -= at % width;
  if (at + width <= bytes.size())
    std::memcpy(&bytes[at], &Limits[random.below(Limits.size())], width);
}

void damage(std::vector<uint8_t>& bytes, Random& random) {
  const size_t changes = 1 + random.below(4);
  for (size_t i = 0; i < changes && !bytes.empty(); ++i) {
    // Most structure is at the beginning, so half of the damage is there.
    size_t reach = random.below(2) != 0 ? bytes.size() : bytes.size() / 8 + 1;
    size_t at = random.below(reach);
    switch (random.below(7)) {
    case 0:
      bytes[at] ^= static_cast<uint8_t>(1u << random.below(8));
      break;
    case 1:
      bytes[at] = static_cast<uint8_t>(random.below(256));
      break;
    case 2:
      bytes[at] = random.below(2) != 0 ? 0xFF : 0;
      break;
    case 3:
      setNumber(bytes, at, random);
      break;
    case 4:
      bytes.resize(at);
      break;
    case 5:
      bytes.erase(bytes.begin() + static_cast<ptrdiff_t>(at));
      break;
    default:
      bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(at), bytes[random.below(bytes.size())]);
    }
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s ROUNDS SEED-FILE...\n", argv[0]);
    return 2;
  }
  const long rounds = std::strtol(argv[1], nullptr, 10);
  Random random;
  for (int i = 2; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "%s: cannot read it\n", argv[i]);
      return 1;
    }
    const std::vector<uint8_t> seed{std::istreambuf_iterator<char>(file), {}};
    LLVMFuzzerTestOneInput(seed.data(), seed.size());
    for (long round = 0; round < rounds; ++round) {
      std::vector<uint8_t> bytes = seed;
      damage(bytes, random);
      LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    }
  }
  return 0;
}
