// Lifetimes follow from the plan itself: from the first to the last operator of the stage that uses
// the bytes.
#include "tigris/Inspect/PictureParts.h"

#include "tigris/Inspect/Overview.h"
#include "tigris/Support/Printable.h"

namespace tigris {

std::string typeText(DType type, const std::vector<int64_t>& dims) {
  return strCat(dtypeName(type), " ", shapeText(dims));
}

bool isKept(uint32_t reloadAxes) { return reloadAxes != PartStage::EveryAxis; }

std::string scaleText(const QuantParam& quant) {
  const auto [low, high] = std::minmax_element(quant.scale.begin(), quant.scale.end());
  if (!quant.perChannel())
    return formatFloat(quant.scale[0]);
  return strCat(formatFloat(*low), " to ", formatFloat(*high), " (", quant.scale.size(),
                " channels of axis ", quant.axis, ")");
}

std::string zeroPointText(const QuantParam& quant) {
  const auto [low, high] = std::minmax_element(quant.zeroPoint.begin(), quant.zeroPoint.end());
  return *low == *high ? strCat(*low) : strCat(*low, " to ", *high);
}

bool mayRoll(const std::vector<TileBytes>& buffers, size_t index) {
  const TileBytes& self = buffers[index];
  return std::none_of(buffers.begin(), buffers.end(), [&](const TileBytes& other) {
    return &other != &self && other.offset < self.offset + self.bytes &&
           self.offset < other.offset + other.bytes;
  });
}

namespace {

/// A resident tensor keeps its bytes between two stages that use it.
void extendResidents(std::vector<PictureBlock>& blocks) {
  for (const PictureBlock& block : blocks) {
    PictureBlock* before = nullptr;
    const auto key = [&](const PictureBlock& other) {
      return std::pair(other.last, other.name == block.name); // views have other names
    };
    for (PictureBlock& other : blocks)
      if (block.isThere && other.offset == block.offset && other.last < block.first &&
          (before == nullptr || key(other) > key(*before)))
        before = &other;
    if (before != nullptr)
      before->last = block.first - 1;
  }
}

/// The steps at which the block holds data.
StepSpan aliveAt(const PlanPicture& picture, const PictureBlock& block) {
  StepSpan span{block.first, block.last};
  const PictureStage& first = picture.stages[picture.steps[block.first].stage];
  const PictureStage& last = picture.stages[picture.steps[block.last].stage];
  if (first.mode == StreamedMode)
    span.first = first.first;
  if (last.mode == StreamedMode)
    span.last = last.first + last.count - 1;
  return span;
}

/// The union of the bytes of the added blocks.
class Coverage {
public:
  /// Adds a block; returns the number of bytes not covered before.
  uint64_t add(const PictureBlock& block) {
    uint64_t fresh = block.bytes;
    uint64_t reached = block.offset;
    const uint64_t end = block.offset + block.bytes;
    for (const auto& [start, stop] : ranges_) {
      const uint64_t from = std::max(start, reached);
      const uint64_t to = std::min(stop, end);
      if (from >= to)
        continue;
      fresh -= to - from;
      reached = to;
    }
    ranges_.emplace_back(block.offset, end);
    std::sort(ranges_.begin(), ranges_.end());
    return fresh;
  }

private:
  std::vector<std::pair<uint64_t, uint64_t>> ranges_;
};

/// Computes the live bytes and the highest address of each step, and the step with the highest.
void sweep(PlanPicture& picture) {
  extendResidents(picture.fast);
  if (picture.steps.empty())
    return;
  std::vector<std::vector<size_t>> alive(picture.steps.size());
  for (size_t i = 0; i < picture.fast.size(); ++i)
    if (picture.fast[i].last < alive.size()) { // of a stage with ops
      const StepSpan span = aliveAt(picture, picture.fast[i]);
      for (size_t step = span.first; step <= span.last; ++step)
        alive[step].push_back(i);
    }
  for (size_t step = 0; step < alive.size(); ++step) {
    PictureStep& out = picture.steps[step];
    Coverage covered;
    for (const size_t i : alive[step]) {
      const PictureBlock& block = picture.fast[i];
      out.live += covered.add(block);
      out.top = std::max(out.top, block.offset + block.bytes);
    }
  }
  const auto before = [](const PictureStep& a, const PictureStep& b) {
    return a.top != b.top ? a.top < b.top : a.live < b.live;
  };
  const auto peak = std::max_element(picture.steps.begin(), picture.steps.end(), before);
  picture.peakStep = static_cast<size_t>(peak - picture.steps.begin());
  std::vector<size_t>& blocks = alive[picture.peakStep];
  std::stable_sort(blocks.begin(), blocks.end(), [&](size_t a, size_t b) {
    return picture.fast[a].bytes > picture.fast[b].bytes;
  });
  Coverage covered;
  for (const size_t i : blocks)
    if (const uint64_t bytes = covered.add(picture.fast[i]); bytes != 0)
      picture.peakParts.push_back({i, bytes});
}

} // namespace

void addArenaPort(PlanPicture& picture, PictureBlock whole, bool isInput) {
  const size_t end = picture.steps.empty() ? 0 : picture.steps.size() - 1;
  PictureBlock* nearest = nullptr;
  for (PictureBlock& block : picture.fast)
    if (block.name == whole.name && block.offset == whole.offset && block.bytes == whole.bytes &&
        (nearest == nullptr ||
         (isInput ? block.first < nearest->first : block.last > nearest->last)))
      nearest = &block;
  if (nearest == nullptr) { // not read, or a view of a tensor at the same place
    whole.first = whole.last = isInput ? 0 : end;
    whole.isThere = !isInput;
    picture.fast.push_back(std::move(whole));
  } else {
    (isInput ? nearest->first : nearest->last) = isInput ? 0 : end;
  }
}

PlanPicture withPrintableNames(PlanPicture picture) {
  const auto fix = [](std::string& text) { text = printable(text); };
  const auto fixAll = [&](std::vector<std::string>& texts) {
    std::for_each(texts.begin(), texts.end(), fix);
  };
  Report& report = picture.report;
  fix(report.model);
  for (auto* ports : {&report.inputs, &report.outputs})
    for (PortReport& port : *ports)
      fix(port.name);
  for (PictureStep& step : picture.steps) {
    fix(step.name);
    fix(step.kind);
  }
  for (auto* blocks : {&picture.fast, &picture.slow})
    for (PictureBlock& block : *blocks)
      fix(block.name);
  for (PictureStage& stage : picture.stages) {
    fixAll(stage.loads);
    fixAll(stage.spills);
  }
  for (PictureOp& op : picture.ops) {
    fix(op.name);
    fix(op.kind);
    fixAll(op.inputs);
    fixAll(op.outputs);
    fixAll(op.origin);
  }
  for (PictureQuant& quant : picture.quants)
    fix(quant.tensor);
  return picture;
}

PlanPicture finishPicture(PlanPicture picture) {
  sweep(picture);
  return picture;
}

} // namespace tigris
