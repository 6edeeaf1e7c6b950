// Fits costs by least squares, with two unknowns for each class of work.
#include "tigris/Target/CostFile.h"

#include "tigris/Support/StringUtils.h"

#include <algorithm>
#include <vector>

namespace tigris {

namespace {

/// Minimizes the sum of squares of (call * calls + unit * units) / cost - 1 for call and unit >= 0.
class Fit {
public:
  void add(const CostSample& sample) {
    const double calls = sample.calls / sample.cost;
    const double units = sample.units / sample.cost;
    aa_ += calls * calls;
    ab_ += calls * units;
    bb_ += units * units;
    a_ += calls;
    b_ += units;
  }

  bool isEmpty() const { return aa_ == 0; }

  WorkCost solve() const {
    const double determinant = aa_ * bb_ - ab_ * ab_;
    // Samples of one kind do not separate the two costs; fit a line through the origin then.
    if (determinant > 1e-9 * aa_ * bb_) {
      const WorkCost both = {(a_ * bb_ - b_ * ab_) / determinant,
                             (b_ * aa_ - a_ * ab_) / determinant};
      if (both.call >= 0 && both.unit >= 0)
        return both;
      if (both.unit < 0)
        return {a_ / aa_, 0};
    }
    return {0, b_ / bb_};
  }

private:
  double aa_ = 0;
  double ab_ = 0;
  double bb_ = 0;
  double a_ = 0;
  double b_ = 0;
};

std::string number(double value) { return formatSignificant(value, 6); }

/// The costs on a line of the file, selected by its first word.
struct Field {
  std::string_view name;
  std::vector<double*> values;
};

std::vector<Field> fieldsOf(KernelCosts& costs) {
  std::vector<Field> fields;
  for (size_t i = 0; i < WorkClasses; ++i)
    fields.push_back(
        {workClassName(static_cast<WorkClass>(i)), {&costs.work[i].call, &costs.work[i].unit}});
  fields.push_back({"executor", {&costs.wholeCall, &costs.partCall}});
  fields.push_back({"slow-byte", {&costs.slowByte}});
  return fields;
}

} // namespace

KernelCosts fitCosts(std::span<const CostSample> samples, const KernelCosts& base) {
  std::array<Fit, WorkClasses> fits;
  double measured = 0;
  double expected = 0;
  for (const CostSample& sample : samples) {
    if (sample.cost <= 0 || sample.units <= 0)
      continue;
    const WorkCost& cost = base.of(sample.work);
    fits[static_cast<size_t>(sample.work)].add(sample);
    measured += sample.cost;
    expected += cost.call * sample.calls + cost.unit * sample.units;
  }
  KernelCosts costs = base;
  const double scale = expected > 0 ? measured / expected : 1;
  for (const Field& field : fieldsOf(costs))
    for (double* value : field.values)
      *value *= scale;
  for (size_t i = 0; i < WorkClasses; ++i)
    if (!fits[i].isEmpty())
      costs.work[i] = fits[i].solve();
  return costs;
}

std::string printCosts(const KernelCosts& costs) {
  std::string text = "# What kernel calls cost: tigris-plan --costs=FILE\n";
  KernelCosts copy = costs;
  for (const Field& field : fieldsOf(copy)) {
    text += field.name;
    for (const double* value : field.values)
      text += strCat(" ", number(*value));
    text += "\n";
  }
  return text;
}

Expected<KernelCosts> parseCosts(std::string_view text, const std::string& name) {
  KernelCosts costs;
  std::vector<Field> missing = fieldsOf(costs);
  int number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (line.empty() || line.front() == '#')
      continue;
    const std::vector<std::string_view> words = split(line, ' ');
    const auto field = std::find_if(missing.begin(), missing.end(),
                                    [&](const Field& f) { return f.name == words.front(); });
    bool isGood = field != missing.end() && words.size() == field->values.size() + 1;
    for (size_t i = 1; isGood && i < words.size(); ++i) {
      const std::optional<double> value = parseDouble(words[i]);
      isGood = value && *value >= 0 && *value < 1e18;
      if (isGood)
        *field->values[i - 1] = *value;
    }
    if (!isGood)
      return makeError(
                 DiagId::BadValue, quotedLine(line),
                 " is not a valid cost; each of conv, depthwise, dense, pool, elements, executor "
                 "(two numbers) and slow-byte (one) must occur exactly once")
          .at({name, number, 0});
    missing.erase(field);
  }
  if (!missing.empty())
    return makeError(DiagId::BadValue, "no line '", missing.front().name, " ...'").at({name, 0, 0});
  return costs;
}

std::string quotedLine(std::string_view line) {
  const bool isText = std::all_of(line.begin(), line.end(),
                                  [](char c) { return c == '\t' || (c >= ' ' && c <= '~'); });
  return isText && line.size() <= 80 ? strCat("'", line, "'") : "this line";
}

} // namespace tigris
