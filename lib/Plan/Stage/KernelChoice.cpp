// Compares the need of the largest call of an op with the scratch.
#include "tigris/Plan/Stage/KernelChoice.h"

#include "tigris/Support/MathUtils.h"

#include <algorithm>

namespace tigris {

namespace {

int64_t share(int64_t extent, int64_t parts) { return (extent + parts - 1) / parts; }

} // namespace

StageCut cutOf(const Stage& stage) {
  StageCut cut = {stage.mode(), stage.counts()};
  if (stage.tiled() != nullptr)
    cut.bytes = [&stage](TensorId id) {
      uint64_t bytes = 0;
      stage.eachBuffer([&](const PartBuffer& buffer) {
        if (buffer.tensor == id)
          bytes = buffer.bytes;
      });
      return bytes;
    };
  return cut;
}

CallExtents callExtents(const Graph& graph, const Op& op, const StageCut& cut) {
  const Tensor& result = graph.tensor(op.output());
  const Shape& shape = result.shape;
  if (!worksOnParts(cut.mode) || shape.rank() < 3)
    return {};
  CallExtents extents;
  extents.rows = share(shape[1], cut.counts[1]);
  if (shape.rank() == 4)
    extents.columns = share(shape[2], cut.counts[2]);
  if (cut.mode == StageMode::Tiled && cut.counts[3] > 1)
    extents.channels = share(shape.fromBack(0), cut.counts[shape.rank() - 1]);
  // Chains are cut along rows; inner tensors have the rows that their readers need.
  const uint64_t row = result.bytes() / static_cast<uint64_t>(shape[0] * shape[1]);
  if (cut.bytes && cut.counts[2] == 1 && cut.counts[3] == 1 && row != 0)
    extents.rows = std::max(extents.rows,
                            std::min(shape[1], static_cast<int64_t>(cut.bytes(op.output()) / row)));
  return extents;
}

KernelChoice::KernelChoice(KernelLibrary kernels, uint64_t scratch, const KernelCosts& own) {
  if (scratchDependsOnCall(kernels))
    limited_ = std::make_shared<Limited>(Limited{kernels, scratch, own, {}});
}

bool KernelChoice::operator==(const KernelChoice& other) const {
  if (limited_ == other.limited_)
    return true;
  return limited_ && other.limited_ && limited_->kernels == other.limited_->kernels &&
         limited_->scratch == other.limited_->scratch && limited_->own == other.limited_->own;
}

uint64_t KernelChoice::lacking(const Graph& graph, std::span<const OpId> ops,
                               const StageCut& cut) const {
  if (!limited_ || cut.mode == StageMode::Direct)
    return 0;
  const KernelCosts reference = kernelCosts(KernelLibrary::Reference);
  uint64_t sum = 0;
  for (const OpId id : ops) {
    const Op& op = graph.op(id);
    const CallExtents extents = callExtents(graph, op, cut);
    const auto [entry, isNew] = limited_->known.try_emplace({id, extents});
    if (isNew && kernelScratch(graph, op, limited_->kernels, extents) > limited_->scratch) {
      const WorkClass work = workClass(graph, op);
      const double more = reference.of(work).unit - limited_->own.of(work).unit;
      entry->second = static_cast<uint64_t>(
          std::max(0.0, more) * static_cast<double>(graph.tensor(op.output()).elements()) *
          workPerElement(graph, op));
    }
    sum += entry->second;
  }
  return sum;
}

} // namespace tigris
