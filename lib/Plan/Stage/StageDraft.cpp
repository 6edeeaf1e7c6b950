// Drafts of whole tensors are made from scratch each time; tiles and streams, which take a search, are made once.
#include "tigris/Plan/Stage/StageDraft.h"

#include "tigris/Analysis/MemoryTimeline.h"
#include "tigris/Plan/Stage/StreamModel.h"
#include "tigris/Support/MathUtils.h"

#include <algorithm>
#include <iterator>

namespace tigris {

namespace {

constexpr size_t Never = SIZE_MAX;

bool contains(const std::vector<TensorId>& list, TensorId id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

} // namespace

uint64_t Overlap::saved(const Graph& graph, uint64_t align) const {
  const uint64_t under = alignUp(graph.tensor(from).bytes(), align);
  const uint64_t over = alignUp(graph.tensor(to).bytes(), align);
  return under + over - std::min(under + over, std::max(under + lead, over));
}

StageDrafter::StageDrafter(const Graph& graph, std::span<const OpId> order,
                           const AliasSets& aliases, IoMode io, uint64_t align, Objective objective,
                           const std::vector<TensorId>& rows)
    : graph_(graph), order_(order), aliases_(aliases), io_(io), align_(align),
      objective_(objective), access_(graph), rows_(access_) {
  for (const TensorId id : graph.tensors()) {
    uses_.resize(std::max<size_t>(uses_.size(), id.index() + size_t{1}));
    TensorUse& use = uses_[id.index()];
    use.isConstant = graph.tensor(id).isConstant();
    use.isInterface = static_cast<bool>(aliases.interfaceTensor(id));
    use.bytes = graph.tensor(id).bytes();
  }
  for (size_t step = 0; step < order.size(); ++step) {
    for (const TensorId input : graph.op(order[step]).inputs)
      if (input)
        uses_[input.index()].lastRead = step;
    for (const TensorId output : graph.op(order[step]).outputs)
      if (output)
        uses_[output.index()].produced = step;
  }
  for (const Port& port : graph.outputs())
    uses_[port.tensor.index()].lastRead = Never; // the caller, after the last step
  for (const auto* ports : {&graph.inputs(), &graph.outputs()})
    for (const Port& port : *ports)
      if (io == IoMode::Caller && !contains(rows, port.tensor))
        callers_.push_back(port.tensor);
}

/// What streams find whole, and work on where it lies.
std::set<TensorId> StageDrafter::wholeFor(const Residents& residents) const {
  std::set<TensorId> whole(callers_.begin(), callers_.end());
  if (worksInPlace_)
    whole.insert(residents.begin(), residents.end());
  return whole;
}

void StageDrafter::weighBy(const Objective& objective) {
  if (objective == objective_)
    return;
  objective_ = objective;
  ++weighings_;
}

uint64_t StageDrafter::cost(const StageDraft& stage) const {
  const StageStats& stats = stage.stats;
  return weights(stage).of(stats.trafficBytes(), stats.recomputeMacs, stats.kernelCalls);
}

StageDraft StageDrafter::whole(size_t begin, size_t end, const Residents& residents) const {
  StageDraft stage;
  stage.ops.assign(order_.begin() + static_cast<std::ptrdiff_t>(begin),
                   order_.begin() + static_cast<std::ptrdiff_t>(end));
  std::map<TensorId, size_t> bufferOf;
  for (size_t step = begin; step < end; ++step) {
    const Op& op = graph_.op(order_[step]);
    for (const TensorId input : op.inputs)
      if (livesInArena(input)) {
        const bool comesFromOutside = producedAt(input) == Never || producedAt(input) < begin;
        if (comesFromOutside && !contains(stage.loads, input))
          stage.loads.push_back(input);
        touch(stage, bufferOf, input, comesFromOutside ? 0 : step - begin, step - begin);
      }
    for (const TensorId output : op.outputs)
      if (livesInArena(output)) {
        const bool leaves = lastReadAt(output) >= end && lastReadAt(output) != step;
        if (leaves)
          stage.spills.push_back(output);
        touch(stage, bufferOf, output, step - begin, leaves ? end - 1 - begin : step - begin);
      }
    stage.stats.kernelCalls += aliases_.isView(op) ? 0 : 1;
  }
  const auto isResident = [&](TensorId id) { return residents.count(id) != 0; };
  for (auto* moved : {&stage.loads, &stage.spills}) {
    std::copy_if(moved->begin(), moved->end(), std::back_inserter(stage.residents), isResident);
    moved->erase(std::remove_if(moved->begin(), moved->end(), isResident), moved->end());
  }
  if (!stage.residents.empty()) {
    const auto own = std::stable_partition(
        stage.buffers.begin(), stage.buffers.end(), [&](const LiveBuffer& buffer) {
          return std::none_of(buffer.tensors.begin(), buffer.tensors.end(), isResident);
        });
    stage.pinned.assign(own, stage.buffers.end());
    stage.buffers.erase(own, stage.buffers.end());
  }
  addTraffic(stage);
  return stage;
}

WholeRun& StageDrafter::wholeRun(size_t begin, size_t end) {
  return whole_.find(begin, end, [&] { return WholeRun(*this, begin, end); });
}

WholeRun::WholeRun(const StageDrafter& drafter, size_t begin, size_t end)
    : drafter_(&drafter), begin_(begin), stage_(drafter.whole(begin, end)),
      bound_(drafter.bound(stage_)) {
  stage_.buffers = {};
}

std::optional<uint64_t> WholeRun::heightWithin(uint64_t room, const Residents& residents) {
  std::vector<bool> stays;
  for (const auto* moved : {&stage_.loads, &stage_.spills})
    for (const TensorId id : *moved)
      stays.push_back(residents.count(id) != 0);
  const auto [entry, isNew] = needs_.try_emplace(std::move(stays));
  Need& need = entry->second;
  const bool isKnown = !isNew && (!need.fits || need.bound > room || need.height);
  if (!isKnown) {
    StageDraft draft = drafter_->whole(begin_, begin_ + stage_.ops.size(), residents);
    need.fits = std::none_of(draft.pinned.begin(), draft.pinned.end(), [&](const auto& buffer) {
      return std::count_if(buffer.tensors.begin(), buffer.tensors.end(),
                           [&](TensorId id) { return residents.count(id) != 0; }) > 1;
    });
    need.bound = drafter_->bound(draft);
    if (need.fits && need.bound <= room) {
      drafter_->layOut(draft);
      need.height = draft.height;
    }
  }
  return need.fits && need.height && *need.height <= room ? need.height : std::nullopt;
}

uint64_t StageDrafter::bound(const StageDraft& whole) const {
  return computeTimeline(whole.buffers, whole.ops.size(), align_).bound;
}

void StageDrafter::layOut(StageDraft& whole) const {
  whole.layout = layoutArena(whole.buffers, align_, bound(whole));
  whole.height = whole.layout.height;
}

/// Ops, loads and spills of a stage that works on tensors outside the arena, the caller's included. A result
/// nobody reads has to go somewhere, too.
StageDraft StageDrafter::interface(size_t begin, size_t end) const {
  StageDraft stage;
  for (size_t step = begin; step < end; ++step) {
    const Op& op = graph_.op(order_[step]);
    stage.ops.push_back(order_[step]);
    for (const TensorId input : op.inputs)
      if (input && !graph_.tensor(input).isConstant() && !contains(stage.loads, input) &&
          (producedAt(input) == Never || producedAt(input) < begin))
        stage.loads.push_back(input);
    for (const TensorId output : op.outputs)
      if (output && (lastReadAt(output) >= end || !use(output).lastRead))
        stage.spills.push_back(output);
  }
  return stage;
}

std::optional<StageDraft> StageDrafter::direct(size_t step) const {
  const Op& op = graph_.op(order_[step]);
  if (!onlyMovesBytes(op.kind))
    return std::nullopt;
  StageDraft stage = interface(step, step + 1);
  stage.mode = StageMode::Direct;
  // A model output in slow memory has its own place there.
  if (aliases_.isView(op) && (io_ == IoMode::Caller || !graph_.isGraphOutput(op.output())))
    return stage;
  stage.stats.kernelCalls = 1;
  for (const TensorId input : op.inputs)
    if (input && !graph_.tensor(input).isConstant() && isSlow(input))
      stage.stats.slowReadBytes += graph_.tensor(input).bytes();
  for (const TensorId output : op.outputs)
    if (output && isSlow(output))
      stage.stats.slowWriteBytes += graph_.tensor(output).bytes();
  return stage;
}

template <typename Model>
void StageDrafter::addTiledTraffic(StageDraft& stage, const Model& model,
                                   const TileCost& cost) const {
  for (const TensorId id : stage.loads)
    if (isSlow(id)) {
      const uint64_t bytes = model.loadBytes(cost, [&](TensorId other) { return other == id; });
      stage.loadedBytes[id] = bytes;
      stage.stats.slowReadBytes += bytes;
    }
  for (const TensorId id : stage.spills)
    stage.stats.slowWriteBytes += isSlow(id) ? graph_.tensor(id).bytes() : 0;
}

std::optional<StageDraft> StageDrafter::tiled(size_t begin, size_t end, uint64_t budget,
                                              const Residents& residents) {
  TiledRun& run = tiled_.find(begin, end, [&] {
    TiledRun made;
    made.interface = interface(begin, end);
    const StageDraft& stage = made.interface;
    if (auto model = TileModel::make(access_, stage.ops, stage.loads, stage.spills);
        model && !stage.spills.empty())
      made.search.emplace(std::move(*model), align_);
    return made;
  });
  if (!run.search)
    return std::nullopt;
  if (run.weighing != weighings_) {
    run.found.clear();
    run.weighing = weighings_;
  }
  // What fits more, and is the best there, is the best wherever it fits.
  auto found = run.found.lower_bound(budget);
  if (found == run.found.end() || (found->second && found->second->height > budget))
    found = run.found.insert_or_assign(budget, searchTiled(run, budget)).first;
  std::optional<StageDraft> stage = found->second;
  if (stage)
    makeResident(*stage, residents);
  return stage;
}

std::optional<StageDraft> StageDrafter::searchTiled(TiledRun& run, uint64_t budget) const {
  StageDraft stage = run.interface;
  TileModel& model = run.search->model();
  const std::optional<TileCost> cost =
      run.search->search(budget, objective_.weights(graph_, stage.ops, false));
  if (!cost)
    return std::nullopt;
  const ArenaLayout layout = model.layOut(*cost, align_);
  stage.mode = StageMode::Tiled;
  stage.tiling = model.tiling(*cost, layout);
  stage.height = layout.height;
  stage.stats.kernelCalls = cost->kernelCalls;
  stage.stats.recomputeMacs = cost->recomputeMacs;
  stage.stats.haloRows = model.haloRows(*cost);
  addTiledTraffic(stage, model, *cost);
  return stage;
}

StageDraft StageDrafter::streamDraft(StageDraft stage, const StreamModel& model,
                                     const TileCost& cost) const {
  stage.mode = StageMode::Streamed;
  stage.stats.kernelCalls = cost.kernelCalls;
  stage.stats.recomputeMacs = cost.recomputeMacs;
  stage.overlaps = overlapsOf(cost);
  addTiledTraffic(stage, model, cost);
  return stage;
}

std::vector<Overlap> StageDrafter::overlapsOf(const TileCost& cost) const {
  std::vector<Overlap> result;
  for (const Lead& lead : cost.leads)
    result.push_back({lead.load, lead.store, alignUp(lead.bytes, align_)});
  return result;
}

std::optional<TileCost>
StageDrafter::searchStream(const StreamModel& model, int64_t stripes,
                           const std::function<uint64_t(const std::vector<Overlap>&)>& room,
                           const Residents& residents) const {
  const std::set<TensorId> whole = wholeFor(residents);
  if (!room)
    return model.cost(model.mostSteps(), stripes, whole);
  return model.search([&](const TileCost& cut) { return room(overlapsOf(cut)); }, align_, stripes,
                      whole);
}

std::optional<StageDraft>
StageDrafter::streamed(size_t begin, size_t end, int64_t stripes,
                       const std::function<uint64_t(const std::vector<Overlap>&)>& room,
                       const Residents& residents) {
  const StreamWays* ways = streamWays(begin, end);
  if (ways == nullptr)
    return std::nullopt;
  const StreamModel& model = ways->model_;
  const std::optional<TileCost> cost = searchStream(model, stripes, room, residents);
  if (!cost)
    return std::nullopt;
  StageDraft stage = streamDraft(ways->stage_, model, *cost);
  const ArenaLayout layout = model.layOut(*cost, align_);
  stage.tiling = model.tiling(*cost, layout);
  stage.height = layout.height;
  makeResident(stage, residents);
  return stage;
}

std::optional<uint64_t>
StageDrafter::streamedCalls(size_t begin, size_t end, int64_t stripes,
                            const std::function<uint64_t(const std::vector<Overlap>&)>& room,
                            const Residents& residents) {
  const StreamWays* ways = streamWays(begin, end);
  if (ways == nullptr)
    return std::nullopt;
  const std::optional<TileCost> cost = searchStream(ways->model_, stripes, room, residents);
  return cost ? std::optional(cost->kernelCalls) : std::nullopt;
}

StageDraft StageDrafter::refit(const StageDraft& streamed,
                               const std::function<uint64_t(const std::vector<Overlap>&)>& room) {
  const auto begin = static_cast<size_t>(std::find(order_.begin(), order_.end(), streamed.ops[0]) -
                                         order_.begin());
  const std::optional<StageDraft> stage =
      this->streamed(begin, begin + streamed.ops.size(), streamed.tiling->tiles[2], room,
                     Residents(streamed.residents.begin(), streamed.residents.end()));
  if (!stage)
    return streamed;
  StageDraft result = *stage;
  if (streamed.overlap)
    for (const Overlap& overlap : result.overlaps)
      if (overlap.from == streamed.overlap->from && overlap.to == streamed.overlap->to)
        result.overlap = overlap;
  return result;
}

StreamWays* StageDrafter::streamWays(size_t begin, size_t end) {
  std::optional<StreamWays>& ways = streams_.find(begin, end, [&] {
    std::optional<StreamWays> made;
    StageDraft stage = interface(begin, end);
    stage.mode = StageMode::Streamed;
    if (auto model = StreamModel::make(rows_, stage.ops, stage.loads, stage.spills))
      made = StreamWays(*this, std::move(stage), std::move(*model));
    return made;
  });
  return ways ? &*ways : nullptr;
}

const StreamWays::Way* StreamWays::at(size_t index) {
  for (; ways_.size() <= index && tried_ < counts_.size(); ++tried_) {
    std::optional<TileCost> cost = model_.cost(model_.mostSteps(), counts_[tried_]);
    if (!cost)
      continue;
    Way way;
    way.stripes = counts_[tried_];
    way.stats.kernelCalls = cost->kernelCalls;
    way.stats.recomputeMacs = cost->recomputeMacs;
    for (const TensorId id : stage_.loads) {
      const auto isIt = [&](TensorId other) { return other == id; };
      way.loadedBytes.push_back(drafter_->isSlow(id) ? model_.loadBytes(*cost, isIt) : 0);
      way.stats.slowReadBytes += way.loadedBytes.back();
    }
    for (const TensorId id : stage_.spills)
      way.stats.slowWriteBytes += drafter_->isSlow(id) ? drafter_->bytes(id) : 0;
    if (way.stripes > 1)
      rooms_.emplace(std::pair(ways_.size(), std::vector<bool>()), roomOf(*cost));
    ways_.push_back(std::move(way));
  }
  return index < ways_.size() ? &ways_[index] : nullptr;
}

/// Which loads and spills the stage finds in fast memory and works on there.
std::vector<bool> StreamWays::inPlace(size_t index, const Residents& residents) const {
  std::vector<bool> result;
  if (ways_.at(index).stripes == 1 && drafter_->worksInPlace_)
    for (const auto* moved : {&stage_.loads, &stage_.spills})
      for (const TensorId id : *moved)
        result.push_back(residents.count(id) != 0);
  return result;
}

TileCost StreamWays::cost(size_t index, const Residents& residents) const {
  return *model_.cost(model_.mostSteps(), ways_[index].stripes, drafter_->wholeFor(residents));
}

StreamWays::Room StreamWays::roomOf(const TileCost& cost) const {
  return {drafter_->overlapsOf(cost), model_.lowerBound(cost), {}};
}

const StreamWays::Room& StreamWays::room(size_t index, const Residents& residents) {
  const auto [entry, isNew] = rooms_.try_emplace({index, inPlace(index, residents)});
  if (isNew)
    entry->second = roomOf(cost(index, residents));
  return entry->second;
}

std::optional<uint64_t> StreamWays::heightWithin(uint64_t room, size_t index,
                                                 const Residents& residents, bool lowest) {
  Room& known = rooms_[{index, inPlace(index, residents)}];
  if (known.lowerBound > room)
    return std::nullopt;
  if (!known.height) {
    const TileCost cost = this->cost(index, residents);
    const std::optional<uint64_t> height = model_.heightWithin(cost, drafter_->align_, room);
    if (!height || !lowest)
      return height;
    known.height = model_.height(cost, drafter_->align_);
  }
  return *known.height <= room ? known.height : std::nullopt;
}

void StageDrafter::makeResident(StageDraft& stage, const Residents& residents) const {
  for (const TensorId id : stage.loads)
    if (residents.count(id) != 0) {
      stage.residents.push_back(id);
      stage.stats.slowReadBytes -= stage.loadedBytes.at(id);
    }
  for (const TensorId id : stage.spills)
    if (residents.count(id) != 0) {
      stage.residents.push_back(id);
      stage.stats.slowWriteBytes -= graph_.tensor(id).bytes();
    }
}

std::vector<TensorId> StageDrafter::touched(size_t step) const {
  const Op& op = graph_.op(order_[step]);
  std::vector<TensorId> result;
  for (const auto* operands : {&op.inputs, &op.outputs})
    for (const TensorId id : *operands)
      if (id && !graph_.tensor(id).isConstant())
        result.push_back(id);
  return result;
}

std::vector<TensorId> StageDrafter::crossing(size_t step) const {
  std::vector<TensorId> result;
  for (size_t before = 0; before < step; ++before)
    for (const TensorId id : graph_.op(order_[before]).outputs)
      if (livesInArena(id) && lastReadAt(id) >= step && lastReadAt(id) != Never &&
          aliases_.root(id) == id)
        result.push_back(id);
  return result;
}

std::optional<uint64_t> StageDrafter::finestNeed(size_t step) {
  const StageDraft stage = interface(step, step + 1);
  auto model = TileModel::make(access_, stage.ops, stage.loads, stage.spills);
  if (!model || stage.spills.empty())
    return std::nullopt;
  const std::optional<TileCost> cost = model->cost(model->finest());
  if (!cost)
    return std::nullopt;
  return model->layOut(*cost, align_).height;
}

bool StageDrafter::livesInArena(TensorId id) const {
  return id && !use(id).isConstant && !(io_ == IoMode::Caller && use(id).isInterface);
}

bool StageDrafter::isSlow(TensorId id) const {
  return !(io_ == IoMode::Caller && use(id).isInterface);
}

size_t StageDrafter::producedAt(TensorId id) const { return use(id).produced.value_or(Never); }

size_t StageDrafter::lastReadAt(TensorId id) const { return use(id).lastRead.value_or(0); }

/// Views share the buffer of their source where both are in the stage.
void StageDrafter::touch(StageDraft& stage, std::map<TensorId, size_t>& bufferOf, TensorId id,
                         size_t birth, size_t death) const {
  const auto [entry, isNew] = bufferOf.emplace(aliases_.root(id), stage.buffers.size());
  if (isNew)
    stage.buffers.push_back(
        {{}, bytes(id), static_cast<uint32_t>(birth), static_cast<uint32_t>(death)});
  LiveBuffer& buffer = stage.buffers[entry->second];
  buffer.birth = std::min(buffer.birth, static_cast<uint32_t>(birth));
  buffer.death = std::max(buffer.death, static_cast<uint32_t>(death));
  if (!contains(buffer.tensors, id))
    buffer.tensors.push_back(id);
}

void StageDrafter::addTraffic(StageDraft& stage) const {
  for (const TensorId id : stage.loads)
    stage.stats.slowReadBytes += graph_.tensor(id).bytes();
  for (const TensorId id : stage.spills)
    stage.stats.slowWriteBytes += graph_.tensor(id).bytes();
}

} // namespace tigris
