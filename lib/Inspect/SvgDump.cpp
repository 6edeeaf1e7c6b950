// The memory map as a static SVG: stages as bands, buffers as blocks, live bytes below.
#include "tigris/Inspect/PictureParts.h"

#include "tigris/Support/Printable.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tigris {

namespace {

constexpr double Width = 960;
constexpr double Left = 70;
constexpr double Right = 10;
constexpr double MapTop = 40;
constexpr double MapHeight = 360;
constexpr double LiveTop = MapTop + MapHeight + 24;
constexpr double LiveHeight = 90;
constexpr double Height = LiveTop + LiveHeight + 34;
/// Space above the highest line for a label.
constexpr double HeadRoom = 1.07;
constexpr size_t Colors = 8;

constexpr const char* Style = R"(<style>
text { font: 11px sans-serif; fill: #1b1f24; }
.soft { fill: #5c6670; } .paper { fill: #ffffff; } .band { fill: #f3f5f7; }
.tiled { fill: #e3e9f2; } .axis { stroke: #d5dae0; } .live { fill: #6b8fc4; }
.budget { stroke: #b3261e; stroke-dasharray: 6 3; }
.bound { stroke: #1a7f37; stroke-dasharray: 2 3; }
.peak { fill: none; stroke: #b3261e; stroke-width: 1.5; } rect.block { stroke: #ffffff; }
.c0 { fill: #9ec5e8; } .c1 { fill: #f2c48d; } .c2 { fill: #a8d8a8; } .c3 { fill: #e8a9a9; }
.c4 { fill: #c9b6e4; } .c5 { fill: #d6c39a; } .c6 { fill: #9fd8d3; } .c7 { fill: #e6b0d2; }
@media (prefers-color-scheme: dark) {
text { fill: #e3e7eb; } .soft { fill: #98a2ad; } .paper { fill: #14171b; } .band { fill: #1b1f25; }
.tiled { fill: #222a36; } .axis { stroke: #353c44; } .live { fill: #41628f; }
.budget { stroke: #ff8a80; } .bound { stroke: #6fd08c; } .peak { stroke: #ff8a80; }
rect.block { stroke: #14171b; }
.c0 { fill: #2f5f88; } .c1 { fill: #85592a; } .c2 { fill: #37683a; } .c3 { fill: #7d3f3f; }
.c4 { fill: #584680; } .c5 { fill: #665730; } .c6 { fill: #2c6560; } .c7 { fill: #743f63; }
}
</style>
)";

/// Two decimals, finer than screen resolution.
std::string px(double value) {
  const auto hundredths = std::llround(value * 100);
  const auto rest = hundredths % 100;
  return strCat(hundredths / 100, ".", rest / 10, rest % 10);
}

/// The part of the text that fits `room` pixels, without splitting a character; empty if too little
/// fits.
std::string fitText(const std::string& text, double room) {
  constexpr double CharWidth = 6.2;
  const auto letters = room < 3 * CharWidth ? size_t{0} : static_cast<size_t>(room / CharWidth);
  size_t used = 0;
  size_t end = 0;
  for (; end < text.size(); ++end) {
    if ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
      continue;
    if (used == letters)
      break;
    ++used;
  }
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    ++end;
  return text.substr(0, letters == 0 ? 0 : end);
}

class SvgMap {
public:
  explicit SvgMap(const PlanPicture& plan) : plan_(plan) {
    uint64_t top = 1;
    for (const PictureBlock& block : plan.fast)
      top = std::max(top, block.offset + block.bytes);
    const auto end = static_cast<double>(top);
    if (const auto budget = plan.report.budgetFast;
        budget && static_cast<double>(*budget) < 1.6 * end)
      top = std::max(top, *budget);
    top_ = static_cast<double>(top) * HeadRoom;
    stepWidth_ =
        (Width - Left - Right) / static_cast<double>(std::max<size_t>(plan.steps.size(), 1));
  }

  std::string make() {
    out_ = strCat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", px(Width), " ",
                  px(Height), "\" width=\"", px(Width), "\" height=\"", px(Height), "\">\n", Style);
    out_ +=
        strCat("<rect class=\"paper\" width=\"", px(Width), "\" height=\"", px(Height), "\"/>\n");
    addTitle();
    addStages();
    addScale();
    addBlocks();
    addTimeline();
    out_ += "</svg>\n";
    return std::move(out_);
  }

private:
  double x(size_t step) const { return Left + static_cast<double>(step) * stepWidth_; }
  double y(uint64_t at) const { return MapTop + MapHeight * (1 - static_cast<double>(at) / top_); }
  double yLive(uint64_t at) const {
    return LiveTop + LiveHeight * (1 - static_cast<double>(at) / top_);
  }

  void rect(const std::string& kind, double left, double top, double width, double height,
            const std::string& title = {}) {
    out_ += strCat("<rect class=\"", kind, "\" x=\"", px(left), "\" y=\"", px(top), "\" width=\"",
                   px(width), "\" height=\"", px(height), "\"");
    out_ += title.empty() ? "/>\n" : strCat("><title>", escapeMarkup(title), "</title></rect>\n");
  }

  void text(double left, double base, const std::string& content, const char* attributes) {
    if (!content.empty())
      out_ += strCat("<text x=\"", px(left), "\" y=\"", px(base), "\" ", attributes, ">",
                     escapeMarkup(content), "</text>\n");
  }

  void level(const char* kind, const std::optional<uint64_t>& at, const std::string& label) {
    if (!at || static_cast<double>(*at) > top_)
      return;
    for (const double height : {y(*at), yLive(*at)})
      out_ += strCat("<path class=\"", kind, "\" d=\"M", px(Left), " ", px(height), "H",
                     px(Width - Right), "\"/>\n");
    text(Left + 4, y(*at) - 3, label, "class=\"soft\"");
  }

  void addTitle() {
    const Report& report = plan_.report;
    std::string title =
        strCat(report.model.empty() ? "plan" : report.model, ": fast peak ",
               formatBytes(report.stats ? report.stats->fastPeakBytes : 0), " of ",
               report.budgetFast ? formatBytes(*report.budgetFast) : "any size", ", ",
               plan_.stages.size(), plan_.stages.size() == 1 ? " stage, " : " stages, ",
               plan_.steps.size(), plan_.steps.size() == 1 ? " operator" : " operators");
    if (!plan_.steps.empty())
      title += strCat("; peak at ", plan_.steps[plan_.peakStep].name);
    text(Left, 16, fitText(title, Width - Left), "");
  }

  void addStages() {
    for (size_t i = 0; i < plan_.stages.size(); ++i) {
      const PictureStage& stage = plan_.stages[i];
      const std::string& tiles = plan_.report.stages[i].tiles;
      const double width = static_cast<double>(std::max<size_t>(stage.count, 1)) * stepWidth_;
      const char* kind = stage.mode == "tiled" ? "tiled" : i % 2 == 0 ? "paper" : "band";
      rect(kind, x(stage.first), MapTop - 16, width, LiveTop + LiveHeight - MapTop + 16);
      text(x(stage.first) + 2, MapTop - 4,
           fitText(strCat(i, " ", stage.mode, tiles.empty() ? "" : " ", tiles), width - 4),
           "class=\"soft\"");
    }
  }

  void addScale() {
    constexpr uint64_t Ticks = 4;
    for (uint64_t i = 0; i <= Ticks; ++i) {
      const auto at = static_cast<uint64_t>(top_ / HeadRoom) * i / Ticks;
      out_ += strCat("<path class=\"axis\" d=\"M", px(Left - 5), " ", px(y(at)), "H",
                     px(Width - Right), "\"/>\n");
      text(Left - 8, y(at) + 4, formatBytes(at), "text-anchor=\"end\"");
    }
    text(Left - 8, LiveTop + 12, "live", "class=\"soft\" text-anchor=\"end\"");
    const size_t every = std::max<size_t>(1, static_cast<size_t>(60 / stepWidth_));
    for (size_t step = 0; step < plan_.steps.size(); step += every)
      text(x(step) + 1, LiveTop + LiveHeight + 14, strCat(step), "class=\"soft\"");
    text(Left, Height - 6, "step (operators in execution order)", "class=\"soft\"");
  }

  void addBlocks() {
    std::map<std::string, size_t> colors;
    for (const PictureBlock& block : plan_.fast) {
      const size_t color = colors.try_emplace(block.name, colors.size() % Colors).first->second;
      const double left = x(block.first);
      const double width = x(block.last + 1) - left;
      const double top = y(block.offset + block.bytes);
      const double height = std::max(y(block.offset) - top, 0.5);
      rect(strCat("block c", color), left, top, width, height,
           strCat(block.name, ", ", block.type, ", ", block.bytes, " bytes at ", block.offset,
                  ", steps ", block.first, " to ", block.last, ", ", block.role));
      if (height >= 12)
        text(left + 3, top + height / 2 + 4, fitText(block.name, width - 6), "");
    }
  }

  void addTimeline() {
    std::string path = strCat("M", px(Left), " ", px(yLive(0)));
    for (size_t step = 0; step < plan_.steps.size(); ++step)
      path +=
          strCat("L", px(x(step)), " ", px(yLive(plan_.steps[step].live)), "H", px(x(step + 1)));
    out_ += strCat("<path class=\"live\" d=\"", path, "V", px(yLive(0)), "Z\"/>\n");
    const Report& report = plan_.report;
    level("budget", report.budgetFast,
          strCat("budget ", formatBytes(report.budgetFast.value_or(0))));
    level("bound", report.bounds ? std::optional(report.bounds->fastPeakBytes) : std::nullopt, "");
    if (!plan_.steps.empty())
      rect("peak", x(plan_.peakStep), MapTop, stepWidth_, LiveTop + LiveHeight - MapTop);
  }

  const PlanPicture& plan_;
  double top_ = 1;
  double stepWidth_ = 1;
  std::string out_;
};

} // namespace

std::string svgOf(const PlanPicture& plan) { return SvgMap(withPrintableNames(plan)).make(); }

} // namespace tigris
