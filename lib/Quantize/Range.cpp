// Range selection. The methods treat all values of a histogram cell as its midpoint.
//
// Example: 10,000 values in [-1, 1] and one outlier at 8, asymmetric:
//   MinMax            [-1, 8]    step 0.035: exact outlier, coarse bulk
//   Percentile 99.9   [-1, 1]    the outlier is beyond the cut and saturates
//   MeanSquaredError  compares candidates by the sum of step^2 / 12 per value inside and the
//                     squared distance to the range per value outside
//   Entropy           compares candidates by the divergence of the quantized distribution
#include "tigris/Quantize/Range.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tigris {

namespace {

constexpr std::array<std::string_view, 4> Names = {"minmax", "percentile", "entropy", "mse"};
constexpr int Levels = 256;
/// Number of candidate intervals: the full one shrunk in equal steps down to a twentieth.
constexpr int Candidates = 96;
constexpr double Shrink = 0.95 / Candidates;

/// Prefix sums of count, value and square over cells: the error of any interval takes two lookups.
class Moments {
public:
  explicit Moments(const std::vector<HistogramBin>& bins) {
    double count = 0;
    double sum = 0;
    double squares = 0;
    for (const HistogramBin& bin : bins) {
      middles_.push_back(bin.middle());
      const double n = static_cast<double>(bin.count);
      count += n;
      sum += n * bin.middle();
      squares += n * bin.middle() * bin.middle();
      sums_.push_back({count, sum, squares});
    }
  }

  /// Sum of squared errors when values are clipped to the range and rounded to `Levels` steps.
  double error(const ValueRange& range) const {
    const size_t first = below(range.low);
    const size_t last = below(range.high);
    const Sums all = sums_.empty() ? Sums{} : sums_.back();
    const Sums under = at(first);
    const Sums upTo = at(last);
    const double step = (range.high - range.low) / (Levels - 1);
    const double inside = upTo.count - under.count;
    const double low =
        under.squares - 2 * range.low * under.sum + range.low * range.low * under.count;
    const double high = (all.squares - upTo.squares) - 2 * range.high * (all.sum - upTo.sum) +
                        range.high * range.high * (all.count - upTo.count);
    return inside * step * step / 12 + low + high;
  }

private:
  struct Sums {
    double count = 0;
    double sum = 0;
    double squares = 0;
  };
  size_t below(double value) const {
    return static_cast<size_t>(std::lower_bound(middles_.begin(), middles_.end(), value) -
                               middles_.begin());
  }
  Sums at(size_t cells) const { return cells == 0 ? Sums{} : sums_[cells - 1]; }

  std::vector<double> middles_;
  std::vector<Sums> sums_;
};

/// A symmetric scale uses the same interval on both sides of zero.
ValueRange widened(ValueRange range, bool symmetric) {
  if (!symmetric)
    return range;
  const double reach = std::max(-range.low, range.high);
  return {-reach, reach};
}

ValueRange leastSquares(const TensorStatistics& statistics, const ValueRange& full,
                        bool symmetric) {
  const Moments moments(statistics.histogram());
  ValueRange best = full;
  double least = moments.error(widened(full, symmetric));
  for (int i = 0; i <= Candidates; ++i)
    for (int j = 0; j <= Candidates; ++j) {
      const ValueRange tried = {full.low * (1 - Shrink * i), full.high * (1 - Shrink * j)};
      const double error = moments.error(widened(tried, symmetric));
      if (error < least) {
        least = error;
        best = tried;
      }
      if (full.high == 0)
        break;
    }
  return best;
}

ValueRange percentile(const TensorStatistics& statistics, const ValueRange& full, double percent) {
  const double cut = (100 - percent) / 200 * static_cast<double>(statistics.count());
  const std::vector<HistogramBin> bins = statistics.histogram();
  const double zeros = static_cast<double>(statistics.zeros());
  // Removes the values beyond the cut from one end; zeros count at their position.
  const auto walk = [&](auto first, auto last, bool up) {
    double seen = 0;
    bool passedZero = false;
    for (auto at = first; at != last; ++at) {
      if (!passedZero && (up ? at->low >= 0 : at->high <= 0)) {
        passedZero = true;
        seen += zeros;
        if (seen > cut)
          return 0.0;
      }
      seen += static_cast<double>(at->count);
      if (seen > cut)
        return up ? at->low : at->high;
    }
    return 0.0;
  };
  return {std::max(full.low, std::min(0.0, walk(bins.begin(), bins.end(), true))),
          std::min(full.high, std::max(0.0, walk(bins.rbegin(), bins.rend(), false)))};
}

/// The distribution in cells wide enough for several values each. If most cells are empty or hold a
/// single value, fewer cells per step always look like a better match, regardless of clipping.
std::vector<HistogramBin> coarse(const TensorStatistics& statistics) {
  constexpr uint64_t MostCells = 512;
  constexpr uint64_t ValuesPerCell = 64;
  const uint64_t values = statistics.count() - statistics.zeros();
  const auto cells =
      static_cast<double>(std::clamp<uint64_t>(values / ValuesPerCell, 1, MostCells));
  const double low = statistics.min();
  const double width = (static_cast<double>(statistics.max()) - low) / cells;
  std::vector<HistogramBin> result;
  for (const HistogramBin& bin : statistics.histogram()) {
    const double at = std::min(std::floor((bin.middle() - low) / width), cells - 1);
    if (result.empty() || result.back().low != low + at * width)
      result.push_back({low + at * width, low + (at + 1) * width, 0});
    result.back().count += bin.count;
  }
  return result;
}

/// KL(P || Q). P is the distribution clipped to the range. Q is the same distribution spread evenly
/// over the nonempty cells of each of `Levels` steps.
double divergence(const std::vector<HistogramBin>& bins, const ValueRange& range) {
  const double step = (range.high - range.low) / (Levels - 1);
  const auto level = [&](double value) {
    const double clipped = std::clamp(value, range.low, range.high);
    return static_cast<size_t>(
        std::clamp(std::nearbyint((clipped - range.low) / step), 0.0, Levels - 1.0));
  };
  // Clipped values are added to the outermost cells of P inside the range; Q does not include them.
  std::vector<double> p;
  std::vector<size_t> levels;
  std::array<double, Levels> mass{};
  std::array<double, Levels> cells{};
  double clippedLow = 0;
  double clippedHigh = 0;
  double total = 0;
  double kept = 0;
  for (const HistogramBin& bin : bins) {
    const double n = static_cast<double>(bin.count);
    total += n;
    if (bin.middle() < range.low) {
      clippedLow += n;
    } else if (bin.middle() > range.high) {
      clippedHigh += n;
    } else {
      const size_t at = level(bin.middle());
      p.push_back(n);
      levels.push_back(at);
      mass[at] += n;
      cells[at] += 1;
      kept += n;
    }
  }
  if (p.empty())
    return std::numeric_limits<double>::infinity();
  p.front() += clippedLow;
  p.back() += clippedHigh;
  double sum = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    const double q = mass[levels[i]] / cells[levels[i]] / kept;
    sum += p[i] / total * std::log(p[i] / total / q);
  }
  return sum;
}

ValueRange leastDivergence(const TensorStatistics& statistics, const ValueRange& full,
                           bool symmetric) {
  const std::vector<HistogramBin> bins = coarse(statistics);
  ValueRange best = full;
  double least = divergence(bins, widened(full, symmetric));
  for (int i = 1; i <= Candidates; ++i) {
    const ValueRange tried = {full.low * (1 - Shrink * i), full.high * (1 - Shrink * i)};
    const double value = divergence(bins, widened(tried, symmetric));
    if (value < least) {
      least = value;
      best = tried;
    }
  }
  return best;
}

} // namespace

std::string_view rangeMethodName(RangeMethod method) { return Names[static_cast<size_t>(method)]; }

std::optional<RangeMethod> parseRangeMethod(std::string_view name) {
  for (size_t i = 0; i < Names.size(); ++i)
    if (Names[i] == name)
      return static_cast<RangeMethod>(i);
  return std::nullopt;
}

ValueRange chooseRange(const TensorStatistics& statistics, const RangeOptions& options) {
  const ValueRange full = {std::min<double>(statistics.min(), 0),
                           std::max<double>(statistics.max(), 0)};
  if (full.low == full.high)
    return full;
  switch (options.method) {
  case RangeMethod::MinMax:
    break;
  case RangeMethod::Percentile:
    return percentile(statistics, full, options.percentile);
  case RangeMethod::Entropy:
    return leastDivergence(statistics, full, options.symmetric);
  case RangeMethod::MeanSquaredError:
    return leastSquares(statistics, full, options.symmetric);
  }
  return full;
}

QuantParam int8Param(const ValueRange& range, bool symmetric) {
  const double low = std::min(range.low, 0.0);
  const double high = std::max(range.high, 0.0);
  const double scale = symmetric ? std::max(-low, high) / 127 : (high - low) / 255;
  const auto stored = static_cast<float>(scale);
  // Reciprocals overflow below the smallest normal number.
  if (!(stored >= std::numeric_limits<float>::min()))
    return {{1.0F}, {0}, -1};
  if (symmetric)
    return {{stored}, {0}, -1};
  const double zeroPoint = std::clamp(std::nearbyint(-128 - low / stored), -128.0, 127.0);
  return {{stored}, {static_cast<int32_t>(zeroPoint)}, -1};
}

} // namespace tigris
