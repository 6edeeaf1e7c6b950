// Lifetimes are read off the plan itself: from the first to the last operator of the stage that touches the bytes.
#include "tigris/Inspect/PlanPicture.h"

#include "tigris/Inspect/Overview.h"
#include "tigris/Inspect/StageCosts.h"
#include "tigris/Support/Printable.h"

#include <algorithm>
#include <map>
#include <set>

namespace tigris {

namespace {

struct Span {
  size_t first = 0;
  size_t last = 0;

  void touch(size_t step) {
    first = std::min(first, step);
    last = std::max(last, step);
  }
};

constexpr const char* StreamedMode = "streamed";

std::string typeText(DType type, const std::vector<int64_t>& dims) {
  return strCat(dtypeName(type), " ", shapeText(dims));
}

std::string tilesText(const std::array<int64_t, Tiling::MaxRank>& tiles) {
  return join(tiles, "x");
}

/// Loaded parts that are not loaded again in every tile have their bytes for the whole stage.
bool isKept(uint32_t reloadAxes) {
  constexpr uint32_t AllAxes = (1U << Tiling::MaxRank) - 1;
  return reloadAxes != AllAxes;
}

struct TileBytes {
  uint64_t offset;
  uint64_t bytes;
};

/// A streamed stage's buffer that shares no bytes may keep rows from step to step. One that does is drawn from its first to
/// its last op of a step only, as is what it keeps where others reach into it.
bool mayRoll(const std::vector<TileBytes>& buffers, size_t index) {
  const TileBytes& self = buffers[index];
  return std::none_of(buffers.begin(), buffers.end(), [&](const TileBytes& other) {
    return &other != &self && other.offset < self.offset + self.bytes &&
           self.offset < other.offset + other.bytes;
  });
}

/// Nothing touches what is resident between two stages that do.
void extendResidents(std::vector<PictureBlock>& blocks) {
  for (const PictureBlock& block : blocks) {
    PictureBlock* before = nullptr;
    const auto key = [&](const PictureBlock& other) {
      return std::pair(other.last, other.name == block.name); // views have names of their own
    };
    for (PictureBlock& other : blocks)
      if (block.isThere && other.offset == block.offset && other.last < block.first &&
          (before == nullptr || key(other) > key(*before)))
        before = &other;
    if (before != nullptr)
      before->last = block.first - 1;
  }
}

/// The steps at which the block holds something.
Span aliveAt(const PlanPicture& picture, const PictureBlock& block) {
  Span span{block.first, block.last};
  const PictureStage& first = picture.stages[picture.steps[block.first].stage];
  const PictureStage& last = picture.stages[picture.steps[block.last].stage];
  if (first.mode == StreamedMode)
    span.first = first.first;
  if (last.mode == StreamedMode)
    span.last = last.first + last.count - 1;
  return span;
}

/// The bytes of blocks that have been added, each counted once.
class Coverage {
public:
  /// How many of them are new.
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

/// What is alive at each step, how high it reaches, and the highest of the steps.
void sweep(PlanPicture& picture) {
  extendResidents(picture.fast);
  if (picture.steps.empty())
    return;
  std::vector<std::vector<size_t>> alive(picture.steps.size());
  for (size_t i = 0; i < picture.fast.size(); ++i)
    if (picture.fast[i].last < alive.size()) { // of a stage with ops
      const Span span = aliveAt(picture, picture.fast[i]);
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

/// "0.0039215689", or the range of a tensor that has a scale per channel.
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

// --- from a stream

class GraphPicture {
public:
  GraphPicture(const Graph& graph, const Plan& plan) : graph_(graph), plan_(plan) {}

  PlanPicture make() {
    picture_.report = reportOf(graph_);
    for (size_t stage = 0; stage < plan_.stages.size(); ++stage)
      addStage(stage);
    addSlow();
    addQuants();
    sweep(picture_);
    return std::move(picture_);
  }

private:
  std::string typeOf(TensorId id) const {
    const Tensor& tensor = graph_.tensor(id);
    return typeText(tensor.type, tensor.shape.dims());
  }

  std::vector<std::string> namesOf(const std::vector<TensorId>& ids) const {
    std::vector<std::string> names;
    for (const TensorId id : ids)
      names.push_back(graph_.tensor(id).name);
    return names;
  }

  std::vector<std::string> operandsOf(const std::vector<TensorId>& ids) const {
    std::vector<std::string> texts;
    for (const TensorId id : ids)
      texts.push_back(id ? strCat(graph_.tensor(id).name, " ", typeOf(id)) : "-");
    return texts;
  }

  void addBlock(std::string role, TensorId id, uint64_t offset, uint64_t bytes, const Span& span,
                bool isThere = false) {
    picture_.fast.push_back({graph_.tensor(id).name, typeOf(id), offset, bytes, span.first,
                             span.last, std::move(role), isThere});
  }

  /// An earlier stage has left the tensor in fast memory.
  bool isThere(const Stage& stage, TensorId id) const {
    const auto makesIt = [&](OpId op) {
      const std::vector<TensorId>& outputs = graph_.op(op).outputs;
      return std::find(outputs.begin(), outputs.end(), id) != outputs.end();
    };
    const bool isLoaded =
        !stage.tiling && std::find(stage.loads.begin(), stage.loads.end(), id) != stage.loads.end();
    return !isLoaded && std::none_of(stage.ops.begin(), stage.ops.end(), makesIt);
  }

  void addStage(size_t index) {
    const Stage& stage = plan_.stages[index];
    const size_t begin = picture_.steps.size();
    const size_t last = begin + std::max<size_t>(stage.ops.size(), 1) - 1;
    std::map<TensorId, Span> spans;
    const auto touch = [&](TensorId id, size_t step) {
      if (id)
        spans.try_emplace(id, Span{step, step}).first->second.touch(step);
    };
    for (const OpId id : stage.ops) {
      const Op& op = graph_.op(id);
      const size_t step = picture_.steps.size();
      for (const auto* operands : {&op.inputs, &op.outputs})
        for (const TensorId operand : *operands)
          touch(operand, step);
      picture_.steps.push_back({op.name, std::string(op.kindName()), index, 0, 0});
      picture_.ops.push_back({op.name, std::string(op.kindName()),
                              op.act == Activation::None ? "" : std::string(activationName(op.act)),
                              operandsOf(op.inputs), operandsOf(op.outputs), op.origin});
    }
    // Of tiles, parts are loaded before the op that reads them and stored after the one that writes them.
    if (!stage.tiling) {
      for (const TensorId id : stage.loads)
        touch(id, begin);
      for (const TensorId id : stage.spills)
        touch(id, last);
    }
    if (plan_.io == IoMode::Arena) {
      // The caller fills inputs before the first stage and fetches outputs after the last one.
      if (index == 0)
        for (const Port& port : graph_.inputs())
          touch(port.tensor, begin);
      if (index + 1 == plan_.stages.size())
        for (const Port& port : graph_.outputs())
          touch(port.tensor, last);
    }
    const auto roleOf = [&](TensorId id, const char* otherwise) {
      const auto has = [&](const std::vector<TensorId>& ids) {
        return std::find(ids.begin(), ids.end(), id) != ids.end();
      };
      return std::string(has(stage.loads) ? "load" : has(stage.spills) ? "spill" : otherwise);
    };
    for (const Placement& placement : stage.fast)
      if (const auto span = spans.find(placement.tensor); span != spans.end())
        addBlock(roleOf(placement.tensor, "whole"), placement.tensor, placement.offset,
                 graph_.tensor(placement.tensor).bytes(),
                 stage.tiling ? Span{begin, last} : span->second, isThere(stage, placement.tensor));
    if (stage.tiling) {
      std::vector<TileBytes> places;
      for (const TileBuffer& buffer : stage.tiling->buffers)
        places.push_back({buffer.offset, buffer.bytes});
      for (size_t i = 0; i < places.size(); ++i) {
        const TileBuffer& buffer = stage.tiling->buffers[i];
        if (buffer.inPlace) // drawn where it is resident
          continue;
        const std::string role = buffer.sink ? "sums" : roleOf(buffer.tensor, "tile");
        const auto span = spans.find(buffer.tensor);
        const bool whole = span == spans.end() || (role == "load" && isKept(buffer.reloadAxes)) ||
                           (stage.mode == StageMode::Streamed && mayRoll(places, i));
        addBlock(role, buffer.tensor, buffer.offset, buffer.bytes,
                 whole ? Span{begin, last} : span->second);
      }
      picture_.fast.push_back({"(boxes)", "executor's state", stage.tiling->state,
                               tileStateBytes(stage), begin, last, "state"});
    }
    picture_.stages.push_back({std::string(stageModeName(stage.mode)), begin, stage.ops.size(),
                               stage.tiling ? tilesText(stage.tiling->tiles) : "", stage.peak,
                               namesOf(stage.loads), namesOf(stage.spills),
                               stage.stats.slowReadBytes, stage.stats.slowWriteBytes,
                               stage.tiling ? std::optional(stage.stats.haloRows) : std::nullopt,
                               stage.stats.recomputeMacs, stage.stats.kernelCalls});
  }

  /// From the stage that writes the tensor to the last one that reads it; the interface stays throughout.
  void addSlow() {
    const size_t end = picture_.steps.empty() ? 0 : picture_.steps.size() - 1;
    for (const Placement& placement : plan_.slow) {
      const Tensor& tensor = graph_.tensor(placement.tensor);
      Span span{end, 0};
      for (size_t i = 0; i < plan_.stages.size(); ++i) {
        const Stage& stage = plan_.stages[i];
        const PictureStage& shown = picture_.stages[i];
        const auto has = [&](const std::vector<TensorId>& ids) {
          return std::find(ids.begin(), ids.end(), placement.tensor) != ids.end();
        };
        const size_t last = shown.first + std::max<size_t>(shown.count, 1) - 1;
        const bool whole = stage.mode == StageMode::Whole;
        if (has(stage.loads)) {
          span.touch(shown.first);
          span.touch(whole ? shown.first : last);
        }
        if (has(stage.spills)) {
          span.touch(whole ? last : shown.first);
          span.touch(last);
        }
      }
      if (graph_.isGraphInput(placement.tensor))
        span.first = 0;
      if (graph_.isGraphOutput(placement.tensor))
        span.last = end;
      if (span.first > span.last)
        span = {0, end};
      picture_.slow.push_back({tensor.name, typeOf(placement.tensor), placement.offset,
                               tensor.bytes(), span.first, span.last, "slow"});
    }
  }

  void addQuants() {
    for (const TensorId id : graph_.tensors())
      if (const Tensor& tensor = graph_.tensor(id); tensor.quant && !tensor.quant->scale.empty())
        picture_.quants.push_back(
            {tensor.name, typeOf(id), scaleText(*tensor.quant), zeroPointText(*tensor.quant)});
  }

  const Graph& graph_;
  const Plan& plan_;
  PlanPicture picture_;
};

// --- from a file

class FilePicture {
public:
  explicit FilePicture(const PlanFile& file)
      : file_(file), plan_(file.plan()), costs_(stageCosts(file)) {}

  PlanPicture make() {
    picture_.report = reportOf(file_);
    for (uint32_t i = 0; i < plan_.op_count; ++i)
      addOp(i);
    for (uint32_t i = 0; i < plan_.stage_count; ++i)
      addStage(i);
    addWeightBlocks();
    if (file_.summary().io_mode == TIGRIS_IO_SLOW)
      for (uint32_t i = 0; i < plan_.port_count; ++i)
        touch(slow_, {plan_.ports[i].offset, plan_.ports[i].tensor},
              i < plan_.input_count || plan_.op_count == 0 ? 0 : plan_.op_count - 1);
    for (const auto& [key, span] : slow_)
      picture_.slow.push_back({nameOf(key.second), typeOf(key.second), key.first,
                               file_.tensor(key.second).bytes, span.first, span.last, "slow"});
    for (uint32_t i = 0; i < plan_.tensor_count; ++i)
      if (const tigris_quant* quant = file_.quant(file_.tensor(i)))
        picture_.quants.push_back(
            {nameOf(i), typeOf(i), formatFloat(quant->scale), strCat(quant->zero_point)});
    sweep(picture_);
    return std::move(picture_);
  }

private:
  /// Address and tensor.
  using Place = std::pair<uint32_t, uint32_t>;

  std::string nameOf(uint32_t tensor) const {
    const std::string_view name = file_.string(file_.tensor(tensor).name);
    return name.empty() ? strCat("t", tensor) : std::string(name);
  }

  std::string typeOf(uint32_t tensor) const {
    const auto dims = file_.dims(file_.tensor(tensor));
    return typeText(planDType(file_.tensor(tensor).dtype), {dims.begin(), dims.end()});
  }

  static void touch(std::map<Place, Span>& spans, Place place, size_t step) {
    spans.try_emplace(place, Span{step, step}).first->second.touch(step);
  }

  void addOp(uint32_t index) {
    const tigris_op& op = plan_.ops[index];
    PictureOp out;
    out.name = file_.string(op.name);
    out.kind = opcodeName(op.opcode);
    if (out.name.empty())
      out.name = strCat("op ", index);
    for (const tigris_operand& operand : file_.operands(op)) {
      auto& texts = out.inputs.size() < op.inputs ? out.inputs : out.outputs;
      texts.push_back(operand.pool == TIGRIS_POOL_ABSENT
                          ? "-"
                          : strCat(nameOf(operand.tensor), " ", typeOf(operand.tensor)));
    }
    picture_.steps.push_back({out.name, out.kind, 0, 0, 0});
    picture_.ops.push_back(std::move(out));
  }

  void addStage(uint32_t index) {
    const tigris_stage& stage = plan_.stages[index];
    const size_t begin = stage.first_op;
    const size_t last = begin + std::max<uint32_t>(stage.op_count, 1) - 1;
    PictureStage out;
    out.mode = stage.mode == TIGRIS_STAGE_STREAMED ? "streamed"
               : stage.mode == TIGRIS_STAGE_TILED  ? "tiled"
                                                   : "whole";
    out.first = begin;
    out.count = stage.op_count;
    out.peak = stage.peak;
    std::map<Place, Span> fast;
    std::map<Place, std::string> roles;
    std::set<Place> there; // from an earlier stage
    const auto addTransfers = [&](uint32_t first, uint32_t count, size_t step, const char* role,
                                  std::vector<std::string>& names) {
      for (uint32_t i = first; i < first + count; ++i) {
        const tigris_transfer& transfer = plan_.transfers[i];
        touch(fast, {transfer.fast, transfer.tensor}, step);
        touch(slow_, {transfer.slow, transfer.tensor}, step);
        roles.try_emplace({transfer.fast, transfer.tensor}, role);
        names.push_back(nameOf(transfer.tensor));
      }
    };
    addTransfers(stage.first_load, stage.load_count, begin, "load", out.loads);
    addTransfers(stage.first_spill, stage.spill_count, last, "spill", out.spills);
    for (uint32_t i = 0; i < stage.op_count; ++i) {
      const size_t step = begin + i;
      picture_.steps[step].stage = index;
      const auto operands = file_.operands(plan_.ops[step]);
      for (size_t k = 0; k < operands.size(); ++k) {
        const Place place = {operands[k].offset, operands[k].tensor};
        if (operands[k].pool == TIGRIS_POOL_FAST) {
          if (fast.count(place) == 0 && k < plan_.ops[step].inputs)
            there.insert(place);
          touch(fast, place, step);
        }
        if (operands[k].pool == TIGRIS_POOL_SLOW)
          touch(slow_, place, step);
      }
    }
    if (!costs_.empty()) {
      out.read = costs_[index].readBytes;
      out.written = costs_[index].writtenBytes;
      out.kernelCalls = costs_[index].kernelCalls;
    }
    if (file_.summary().io_mode == TIGRIS_IO_ARENA)
      for (uint32_t i = 0; i < plan_.port_count; ++i) {
        const bool input = i < plan_.input_count;
        if (input ? index == 0 : index + 1 == plan_.stage_count)
          touch(fast, {plan_.ports[i].offset, plan_.ports[i].tensor}, input ? begin : last);
      }
    for (const auto& [place, span] : fast)
      addBlock(place, span, roles.count(place) != 0 ? roles[place] : "whole",
               file_.tensor(place.second).bytes, there.count(place) != 0);
    if (stage.mode != TIGRIS_STAGE_WHOLE)
      addTiling(stage, {begin, last}, out);
    picture_.stages.push_back(std::move(out));
  }

  void addTiling(const tigris_stage& stage, const Span& span, PictureStage& out) {
    const tigris_tiling& tiling = plan_.tilings[stage.detail];
    const bool streams = stage.mode == TIGRIS_STAGE_STREAMED;
    std::vector<TileBytes> places;
    for (uint32_t i = 0; i < tiling.buffer_count; ++i) {
      const tigris_tile_buffer& buffer = plan_.tile_buffers[tiling.first_buffer + i];
      places.push_back({buffer.fast, buffer.bytes});
    }
    std::map<uint32_t, Span> uses;
    for (size_t step = span.first; step <= span.last && step < plan_.op_count; ++step)
      for (const tigris_operand& operand : file_.operands(plan_.ops[step]))
        if (operand.pool == TIGRIS_POOL_TILE)
          uses.try_emplace(operand.offset, Span{step, step}).first->second.touch(step);
    out.tiles = tilesText({tiling.tiles[0], tiling.tiles[1], tiling.tiles[2], tiling.tiles[3]});
    for (uint32_t i = 0; i < tiling.buffer_count; ++i) {
      const tigris_tile_buffer& buffer = plan_.tile_buffers[tiling.first_buffer + i];
      const bool load = (buffer.flags & TIGRIS_TILE_LOAD) != 0;
      const bool store = (buffer.flags & TIGRIS_TILE_STORE) != 0;
      const std::string home = load ? "load" : "spill";
      const bool inPlace = (buffer.flags & TIGRIS_TILE_IN_PLACE) != 0;
      if (inPlace && buffer.home == TIGRIS_POOL_CALLER)
        continue;
      if (buffer.home == TIGRIS_POOL_FAST)
        addBlock({buffer.home_offset, buffer.tensor}, span, home, file_.tensor(buffer.tensor).bytes,
                 load);
      Span use = span;
      if (const auto found = uses.find(i); found != uses.end() &&
                                           !(load && isKept(buffer.reload_axes)) &&
                                           !(streams && mayRoll(places, i)))
        use = found->second;
      if (!inPlace)
        addBlock({buffer.fast, buffer.tensor}, use,
                 (buffer.flags & TIGRIS_TILE_SINK) != 0 ? "sums"
                 : load || store                        ? home
                                                        : "tile",
                 buffer.bytes);
      if (load)
        out.loads.push_back(nameOf(buffer.tensor));
      if (store)
        out.spills.push_back(nameOf(buffer.tensor));
      if (buffer.home == TIGRIS_POOL_SLOW) {
        touch(slow_, {buffer.home_offset, buffer.tensor}, span.first);
        touch(slow_, {buffer.home_offset, buffer.tensor}, span.last);
      }
    }
    const uint64_t streamState = tiling.tiles[2] > 1 ? TIGRIS_STRIPE_STATE : TIGRIS_STREAM_STATE;
    picture_.fast.push_back({"(boxes)", "executor's state", tiling.state,
                             tiling.buffer_count * (streams ? streamState : TIGRIS_TILE_STATE),
                             span.first, span.last, "state"});
  }

  void addBlock(const Place& place, const Span& span, std::string role, uint64_t bytes,
                bool isThere = false) {
    picture_.fast.push_back({nameOf(place.second), typeOf(place.second), place.first, bytes,
                             span.first, span.last, std::move(role), isThere});
  }

  /// Unpacked weights stay until the next block replaces them or their stage ends.
  void addWeightBlocks() {
    for (uint32_t i = 0; i < plan_.weight_block_count; ++i) {
      const tigris_weight_block& block = plan_.weight_blocks[i];
      const tigris_stage& stage = plan_.stages[picture_.steps[block.first_op].stage];
      size_t last = stage.first_op + stage.op_count - 1;
      if (i + 1 < plan_.weight_block_count)
        last = std::min<size_t>(last, plan_.weight_blocks[i + 1].first_op - 1);
      picture_.fast.push_back({strCat("(weights ", i, ")"), "unpacked constants", block.fast,
                               block.bytes, block.first_op, last, "weights"});
    }
  }

  const PlanFile& file_;
  const tigris_plan& plan_;
  std::vector<StageCost> costs_;
  std::map<Place, Span> slow_;
  PlanPicture picture_;
};

/// Every text that a model chose, as it can be shown.
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

} // namespace

PlanPicture pictureOf(const PlanFile& file) { return withPrintableNames(FilePicture(file).make()); }

Expected<PlanPicture> pictureOf(const Graph& graph) {
  if (!graph.plan())
    return makeError(DiagId::BadPlan, "the graph has no plan to show; run tigris-plan first");
  return withPrintableNames(GraphPicture(graph, *graph.plan()).make());
}

} // namespace tigris
