// Random normalized graphs of all operators with kernels, and inputs for them.
#pragma once

#include "tigris/IR/Graph.h"

#include <cstdint>
#include <random>
#include <vector>

namespace tigris::property {

/// Random numbers that do not depend on the standard library.
class Random {
public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  /// 0 .. limit - 1.
  int64_t below(int64_t limit) {
    return static_cast<int64_t>(engine_() % static_cast<uint64_t>(limit));
  }
  /// first .. last.
  int64_t in(int64_t first, int64_t last) { return first + below(last - first + 1); }
  bool percent(int64_t chance) { return below(100) < chance; }
  /// -1 .. 1.
  double real() { return static_cast<double>(below(20001) - 10000) / 10000; }

private:
  std::mt19937_64 engine_;
};

/// The first `ops` operators of seed `seed` (0: as many as the seed gives), with branches,
/// residuals, unused results, and outputs that are inputs or occur twice. The graph passes the
/// verifier. Tensors have at most 4,096 elements.
Graph randomModel(uint64_t seed, unsigned ops = 0);

/// Adds an output "anchors" whose value is a constant.
void addConstantOutput(Graph& graph, Random& random);
bool hasConstantOutputs(const Graph& graph);

/// Stored bytes for each input.
std::vector<std::vector<uint8_t>> randomInputs(const Graph& graph, uint64_t seed);

} // namespace tigris::property
