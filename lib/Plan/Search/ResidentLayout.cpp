// Places residents in two stacks that grow toward each other. A tensor that dies leaves a gap,
// which a later tensor or a stage may fill.
#include "tigris/Plan/Search/ResidentLayout.h"

#include "tigris/Support/MathUtils.h"

#include <algorithm>
#include <set>

namespace tigris {

namespace {

constexpr size_t MaxNodes = 1 << 15;
/// Limit of each attempt to find a lower layout.
constexpr size_t MaxNodesLower = 1 << 9;

struct Block {
  TensorId tensor;
  uint64_t bytes = 0;
  size_t first = 0;
  size_t last = 0;
  /// The block that this one may overwrite: its index, and the distance to it.
  std::optional<size_t> from = {};
  uint64_t distance = 0;
  /// Bytes that the blocks that overwrite this one need below it.
  uint64_t below = 0;
  uint64_t offset = 0;
  bool isLow = true;

  uint64_t end() const { return offset + bytes; }
  bool meets(const Block& other) const { return first <= other.last && other.first <= last; }
};

class ResidentSearch {
public:
  ResidentSearch(std::vector<Block> blocks, std::span<const StageDraft> stages, uint64_t budget,
                 uint64_t align, size_t maxNodes)
      : blocks_(std::move(blocks)), stages_(stages), budget_(budget - budget % align),
        limit_(budget), align_(align), maxNodes_(maxNodes), failed_(blocks_.size()) {}

  bool run() { return place(0); }

  ResidentLayout result(const OrderView& view) const {
    ResidentLayout layout;
    for (const Block& block : blocks_)
      for (const TensorId id : view.views(block.tensor))
        layout.offsets[id] = block.offset;
    for (size_t stage = 0; stage < stages_.size(); ++stage) {
      const Gap gap = largestGap(stage, blocks_.size());
      layout.bases.push_back(gap.begin);
      layout.capacities.push_back(gap.end - gap.begin);
    }
    return layout;
  }

private:
  struct Gap {
    uint64_t begin = 0;
    uint64_t end = 0;
  };

  /// The largest gap that the first `count` blocks leave to a stage; the lowest one of equal gaps.
  Gap largestGap(size_t stage, size_t count) const {
    taken_.clear();
    for (size_t i = 0; i < count; ++i)
      if (blocks_[i].first <= stage && stage <= blocks_[i].last)
        taken_.push_back({blocks_[i].offset, blocks_[i].end()});
    taken_.push_back({limit_, limit_});
    std::sort(taken_.begin(), taken_.end(),
              [](const Gap& a, const Gap& b) { return a.begin < b.begin; });
    Gap largest;
    uint64_t begin = 0;
    for (const Gap& block : taken_) {
      if (block.begin > begin && block.begin - begin > largest.end - largest.begin)
        largest = {begin, block.begin};
      begin = std::max(begin, alignUp(block.end, align_));
    }
    return largest;
  }

  bool leavesSpace(size_t index) const {
    for (size_t stage = blocks_[index].first; stage <= blocks_[index].last; ++stage)
      if (const Gap gap = largestGap(stage, index + 1); gap.end - gap.begin < stages_[stage].height)
        return false;
    return true;
  }

  /// The lowest or highest free offset among the earlier blocks. `raised`: the lowest that also
  /// leaves `below` bytes under the block.
  std::optional<uint64_t> findOffset(size_t index, bool isLow, bool raised) const {
    const Block& block = blocks_[index];
    const uint64_t margin = raised ? block.below : 0;
    std::vector<uint64_t> candidates = {isLow ? margin : endBelow(budget_, block.bytes)};
    for (size_t i = 0; i < index; ++i)
      if (blocks_[i].meets(block))
        candidates.push_back(isLow ? alignUp(blocks_[i].end(), align_) + margin
                                   : endBelow(blocks_[i].offset, block.bytes));
    if (block.from && blocks_[*block.from].offset >= block.distance)
      candidates.push_back(blocks_[*block.from].offset - block.distance);
    std::sort(candidates.begin(), candidates.end());
    if (!isLow)
      std::reverse(candidates.begin(), candidates.end());
    for (const uint64_t offset : candidates) {
      if (offset > limit_ || block.bytes > limit_ - offset)
        continue;
      if (isFree(index, offset))
        return offset;
    }
    return std::nullopt;
  }

  bool isFree(size_t index, uint64_t offset) const {
    const Block& block = blocks_[index];
    for (size_t i = 0; i < index; ++i) {
      const Block& other = blocks_[i];
      const bool mayOverlap = block.from == i && offset + block.distance <= other.offset;
      if (!mayOverlap && other.meets(block) && offset < other.end() &&
          other.offset < offset + block.bytes)
        return false;
    }
    return true;
  }

  /// The highest aligned offset from which `bytes` bytes end at or below `end`; UINT64_MAX if there
  /// is none.
  uint64_t endBelow(uint64_t end, uint64_t bytes) const {
    return bytes > end ? UINT64_MAX : (end - bytes) / align_ * align_;
  }

  bool place(size_t index) {
    if (index == blocks_.size())
      return true;
    std::vector<uint64_t> around = offsetsAround(index);
    if (failed_[index].count(around) != 0 || ++nodes_ > maxNodes_)
      return false;
    Block& block = blocks_[index];
    // Prefer the end opposite to that of the previous block, so that the freed space joins the
    // middle, or the end of the block that it may overlap.
    const bool preferLow =
        block.from ? blocks_[*block.from].isLow : index == 0 || !blocks_[index - 1].isLow;
    for (const bool raised : {false, true})
      for (const bool isLow : {preferLow, !preferLow}) {
        if (raised && (!isLow || block.below == 0))
          continue;
        const std::optional<uint64_t> offset = findOffset(index, isLow, raised);
        if (!offset)
          continue;
        block.offset = *offset;
        block.isLow = isLow;
        if (leavesSpace(index) && place(index + 1))
          return true;
      }
    failed_[index].insert(std::move(around));
    return false;
  }

  /// Offsets of the earlier blocks that still exist when block `index` begins. Only these affect it
  /// and later blocks.
  std::vector<uint64_t> offsetsAround(size_t index) const {
    std::vector<uint64_t> offsets;
    for (size_t i = 0; i < index; ++i)
      if (blocks_[i].last >= blocks_[index].first)
        offsets.push_back(blocks_[i].offset);
    return offsets;
  }

  std::vector<Block> blocks_;
  std::span<const StageDraft> stages_;
  uint64_t budget_;
  uint64_t limit_;
  uint64_t align_;
  size_t maxNodes_;
  size_t nodes_ = 0;
  /// Per block: the offsets around it for which it and the later blocks had no place.
  std::vector<std::set<std::vector<uint64_t>>> failed_;
  /// Bytes in use in the current stage (a buffer of largestGap()).
  mutable std::vector<Gap> taken_;
};

std::vector<Block> blocksOf(const OrderView& view, std::span<const StageDraft> stages) {
  std::vector<Block> blocks;
  std::map<TensorId, size_t> index;
  const auto use = [&](TensorId id, size_t stage) {
    const auto [entry, isNew] = index.emplace(view.resident(id), blocks.size());
    if (isNew)
      blocks.push_back({entry->first, view.bytes(id), stage, stage});
    blocks[entry->second].last = stage;
  };
  for (const TensorId input : view.crossing(0))
    use(input, 0);
  for (size_t stage = 0; stage < stages.size(); ++stage)
    for (const TensorId id : stages[stage].residents)
      use(id, stage);
  for (const TensorId output : view.crossing(view.order().size()))
    use(output, stages.size() - 1);
  for (size_t stage = stages.size(); stage-- > 0;)
    if (const auto overlap = stages[stage].overlap()) {
      Block& from = blocks[index.at(view.resident(overlap->from))];
      Block& to = blocks[index.at(view.resident(overlap->to))];
      to.from = index.at(from.tensor);
      to.distance = overlap->distance;
      from.below = overlap->distance + to.below;
    }
  return blocks;
}

/// A lower bound for every layout: what a stage needs, together with the residents at that time,
/// for the fullest stage. The topmost piece is not rounded up.
uint64_t leastHeight(const Graph& graph, const std::vector<Block>& blocks,
                     std::span<const StageDraft> stages, uint64_t align) {
  uint64_t least = 0;
  for (size_t stage = 0; stage < stages.size(); ++stage) {
    uint64_t bytes = alignUp(stages[stage].height, align);
    for (const Block& block : blocks)
      if (block.first <= stage && stage <= block.last)
        bytes += alignUp(block.bytes, align);
    if (const auto overlap = stages[stage].overlap())
      bytes -= overlap->saved(graph, align);
    least = std::max(least, bytes - std::min(bytes, align - 1));
  }
  return least;
}

} // namespace

std::optional<ResidentLayout> layOutResidents(const OrderView& view,
                                              std::span<const StageDraft> stages, uint64_t budget) {
  ResidentSearch search(blocksOf(view, stages), stages, budget, view.align(), MaxNodes);
  return search.run() ? std::optional(search.result(view)) : std::nullopt;
}

uint64_t heightOf(const Graph& graph, std::span<const StageDraft> stages,
                  const ResidentLayout& layout) {
  uint64_t height = 0;
  for (const auto& [tensor, offset] : layout.offsets)
    height = std::max(height, offset + graph.tensor(tensor).bytes());
  for (size_t i = 0; i < stages.size(); ++i)
    if (stages[i].height != 0)
      height = std::max(height, layout.bases[i] + stages[i].height);
  return height;
}

ResidentLayout lowerResidents(const OrderView& view, std::span<const StageDraft> stages,
                              ResidentLayout layout) {
  const Graph& graph = view.graph();
  const uint64_t align = view.align();
  const std::vector<Block> blocks = blocksOf(view, stages);
  uint64_t high = heightOf(graph, stages, layout);
  uint64_t low = alignUp(leastHeight(graph, blocks, stages, align), align);
  for (uint64_t height = low; low < high; height = low + (high - low) / 2 / align * align) {
    ResidentSearch search(blocks, stages, height, align, MaxNodesLower);
    if (search.run()) {
      layout = search.result(view);
      high = heightOf(graph, stages, layout);
    } else {
      low = height + align;
    }
  }
  return layout;
}

} // namespace tigris
