// Reads the clock immediately before and after each kernel, so that the executor's own time is not
// counted.
#include "tigris/Driver/Host/Profile.h"

#include "tigris/Inspect/TextTable.h"
#include "tigris/Support/Printable.h"
#include "tigris/Support/StringUtils.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace tigris {

namespace {

/// The bars of a flame graph, in pixels.
class Flame {
public:
  void add(size_t row, double left, double width, const std::string& label,
           const std::string& title, const char* color) {
    const double top = Margin + static_cast<double>(row) * RowHeight;
    out_ += strCat("<g><title>", escapeMarkup(title), "</title><rect x=\"",
                   formatFixed(Margin + left, 2), "\" y=\"", formatFixed(top, 0), "\" width=\"",
                   formatFixed(width, 2), "\" height=\"", formatFixed(RowHeight - 1, 0),
                   "\" fill=\"", color, "\"/>");
    const auto letters = static_cast<size_t>(width / LetterWidth);
    if (letters >= 3)
      out_ += strCat("<text x=\"", formatFixed(Margin + left + 3, 2), "\" y=\"",
                     formatFixed(top + 14, 0), "\">", escapeMarkup(shortened(label, letters)),
                     "</text>");
    out_ += "</g>\n";
  }

  std::string text(size_t rows) const {
    const std::string width = formatFixed(Width + 2 * Margin, 0);
    const std::string height = formatFixed(2 * Margin + static_cast<double>(rows) * RowHeight, 0);
    return strCat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", width, " ", height,
                  "\" width=\"", width, "\" height=\"", height,
                  "\">\n<style>text{font:11px sans-serif;fill:#222}</style>\n", out_, "</svg>\n");
  }

  static constexpr double Width = 1200;

private:
  static constexpr double Margin = 8;
  static constexpr double RowHeight = 20;
  static constexpr double LetterWidth = 6.5;

  std::string out_;
};

} // namespace

Status Profile::attach(PlanRunner& runner) { return runner.setProfile(&Profile::hook, this); }

void Profile::hook(void* user, const tigris_call* call, int done) {
  auto& profile = *static_cast<Profile*>(user);
  const Clock::time_point now = Clock::now();
  if (done == 0) {
    profile.start_ = Clock::now();
    return;
  }
  OpCost& cost = profile.ops_[static_cast<size_t>(call->op - call->plan->ops)];
  cost.seconds += std::chrono::duration<double>(now - profile.start_).count();
  ++cost.calls;
  cost.fallbackCalls += call->is_fallback;
  cost.outputBytes += uint64_t{call->out[0].rows} * call->out[0].pitch;
  const auto add = [&](const tigris_view& view) {
    if (view.data != nullptr)
      cost.bytes += uint64_t{view.rows} * view.pitch;
  };
  std::for_each(call->in, call->in + call->op->inputs, add);
  std::for_each(call->out, call->out + call->op->outputs, add);
}

double Profile::secondsOf(size_t first, size_t count) const {
  double sum = 0;
  for (size_t i = first; i < first + count; ++i)
    sum += perRun(ops_[i].seconds);
  return sum;
}

std::string Profile::nameOf(size_t op) const {
  const std::string_view name = file_->opName(op);
  return name.empty() ? strCat("op ", op) : std::string(name);
}

std::string Profile::kindOf(size_t op) const { return opcodeName(file_->ops()[op].opcode); }

std::string Profile::table() const {
  const double total = std::max(secondsOf(0, ops_.size()), 1e-12);
  const auto cells = [&](const std::string& name, const std::string& kind, const OpCost& cost) {
    const double seconds = perRun(cost.seconds);
    return std::vector<std::string>{name,
                                    kind,
                                    formatFixed(perRun(static_cast<double>(cost.calls)), 0),
                                    formatFixed(seconds * 1e6, 1),
                                    formatFixed(100 * seconds / total, 1),
                                    formatFixed(perRun(static_cast<double>(cost.bytes)), 0)};
  };
  std::vector<size_t> order(ops_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return ops_[a].seconds > ops_[b].seconds; });
  TextTable ops({"op", "kind", ">calls", ">us", ">%", ">bytes"});
  std::map<std::string, OpCost> kinds;
  for (const size_t op : order) {
    ops.addRow(cells(printableName(nameOf(op)), kindOf(op), ops_[op]));
    OpCost& kind = kinds[kindOf(op)];
    kind.calls += ops_[op].calls;
    kind.bytes += ops_[op].bytes;
    kind.seconds += ops_[op].seconds;
  }
  TextTable sums({"all ops of a kind", "kind", ">calls", ">us", ">%", ">bytes"});
  for (const auto& [name, cost] : kinds)
    sums.addRow(cells("", name, cost));
  return strCat("kernels ", formatFixed(total * 1e3, 3), " ms per run, ", runs_,
                runs_ == 1 ? " run\n" : " runs\n", ops.text(), sums.text());
}

std::vector<CostSample> Profile::samples() const {
  std::vector<CostSample> samples;
  for (size_t op = 0; op < ops_.size(); ++op)
    if (ops_[op].calls != 0)
      samples.push_back(costSample(*file_, op, static_cast<double>(ops_[op].calls),
                                   static_cast<double>(ops_[op].outputBytes),
                                   ops_[op].seconds * 1e9));
  return samples;
}

void Profile::write(JsonWriter& json) const {
  json.beginArray();
  for (size_t op = 0; op < ops_.size(); ++op) {
    const OpCost& cost = ops_[op];
    json.beginObject(JsonWriter::Inline)
        .field("name", nameOf(op))
        .field("kind", kindOf(op))
        .field("calls", cost.calls / static_cast<uint64_t>(runs_))
        .field("fallback_calls", cost.fallbackCalls / static_cast<uint64_t>(runs_))
        .field("seconds", perRun(cost.seconds))
        .field("bytes", cost.bytes / static_cast<uint64_t>(runs_))
        .endObject();
  }
  json.endArray();
}

std::string Profile::svg() const {
  constexpr const char* Colors[] = {"#e8a33d", "#e07b4c", "#d9c04a"};
  const double total = std::max(secondsOf(0, ops_.size()), 1e-12);
  const auto scale = [&](double seconds) { return seconds / total * Flame::Width; };
  const auto titled = [&](const std::string& what, double seconds) {
    return strCat(what, ": ", formatFixed(seconds * 1e6, 1), " us, ",
                  formatFixed(100 * seconds / total, 1), " %");
  };
  Flame flame;
  flame.add(0, 0, Flame::Width, titled("kernels", total), titled("kernels", total), "#cfcfcf");
  double left = 0;
  size_t index = 0;
  for (const tigris_stage& stage : file_->stages()) {
    const std::string name = strCat("stage ", index++);
    const double seconds = secondsOf(stage.first_op, file_->opCount(stage));
    flame.add(1, scale(left), scale(seconds), name, titled(name, seconds), "#b9cfe4");
    for (size_t op = stage.first_op; op < size_t{stage.first_op} + file_->opCount(stage); ++op) {
      const double own = secondsOf(op, 1);
      const std::string label = strCat(kindOf(op), " ", printable(nameOf(op)));
      const std::string title =
          strCat(titled(label, own), ", ", ops_[op].calls / static_cast<uint64_t>(runs_), " calls");
      flame.add(2, scale(left), scale(own), label, title, Colors[op % std::size(Colors)]);
      left += own;
    }
  }
  return flame.text(3);
}

} // namespace tigris
