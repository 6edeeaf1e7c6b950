// Prints and reads plans. The tables of IR/PlanStats.h drive both printer and reader, so that they
// agree on the fields.
#include "tigris/Serialize/PlanText.h"

#include "tigris/IR/PlanStats.h"
#include "tigris/Serialize/FlowText.h"

#include <algorithm>
#include <span>
#include <utility>

namespace tigris {

namespace {

/// The keys of a table followed by further ones.
template <typename Record, size_t N, typename... More>
std::array<std::string_view, N + sizeof...(More)>
keysOf(const std::array<StatField<Record>, N>& fields, More... more) {
  std::array<std::string_view, N + sizeof...(More)> keys = {};
  size_t i = 0;
  for (const auto& field : fields)
    keys[i++] = field.key;
  ((keys[i++] = more), ...);
  return keys;
}

template <typename Record, size_t N>
void printNumbers(FlowMap& map, const std::array<StatField<Record>, N>& fields,
                  const Record& record) {
  for (const StatField<Record>& field : fields)
    if (record.*field.member != 0)
      map.number(field.key, record.*field.member);
}

void printLine(std::string& out, std::string_view key, std::string_view value) {
  if (value.empty())
    return;
  out += "  ";
  out += key;
  out += ": ";
  appendString(out, value);
  out += '\n';
}

void printPlacements(std::string& out, std::string_view indent, const Graph& graph,
                     std::span<const Placement> placements) {
  for (const Placement& placement : placements) {
    out += indent;
    out += "- ";
    FlowMap map(out);
    map.string("tensor", graph.tensor(placement.tensor).name);
    map.number("offset", placement.offset);
    map.close();
    out += '\n';
  }
}

void printTensors(std::string& out, std::string_view key, const Graph& graph,
                  const std::vector<TensorId>& tensors) {
  if (tensors.empty())
    return;
  out += "      ";
  out += key;
  out += ": ";
  appendList(out, tensors, [&](TensorId id) { appendString(out, graph.tensor(id).name); });
  out += '\n';
}

void printBuffer(FlowMap& map, const Graph& graph, const PartBuffer& buffer) {
  map.string("tensor", graph.tensor(buffer.tensor).name);
  map.number("offset", buffer.offset);
  map.number("bytes", buffer.bytes);
  if (buffer.reloadAxes != 0)
    map.number("reload_axes", uint64_t{buffer.reloadAxes});
}

void printBuffer(FlowMap& map, const Graph& graph, const StreamBuffer& buffer) {
  printBuffer(map, graph, static_cast<const PartBuffer&>(buffer));
  if (buffer.inPlace)
    map.key("in_place") += "true";
  if (buffer.sink)
    map.key("sink") += "true";
  if (buffer.wait != 0)
    map.number("wait", uint64_t{buffer.wait});
}

/// Of a tiled or streamed stage.
void printParts(std::string& out, const Graph& graph, const Stage& stage) {
  out += "      tiles: ";
  appendList(out, stage.counts(), [&](int64_t count) { appendNumber(out, count); });
  out += "\n      bookkeeping: ";
  appendNumber(out, stage.parts()->bookkeeping);
  out += "\n      buffers:\n";
  stage.eachBuffer([&](const auto& buffer) {
    out += "        - ";
    FlowMap map(out);
    printBuffer(map, graph, buffer);
    map.close();
    out += '\n';
  });
}

void printStage(std::string& out, const Graph& graph, const Stage& stage) {
  out += "    - ops: ";
  appendList(out, stage.ops, [&](OpId id) { appendString(out, graph.op(id).name); });
  out += '\n';
  if (stage.mode() != StageMode::Whole) {
    out += "      mode: ";
    appendString(out, stageModeName(stage.mode()));
    out += '\n';
  }
  printTensors(out, "load", graph, stage.loads);
  printTensors(out, "spill", graph, stage.spills);
  if (!stage.wholeTensors().empty()) {
    out += "      fast:\n";
    printPlacements(out, "        ", graph, stage.wholeTensors());
  }
  if (stage.parts() != nullptr)
    printParts(out, graph, stage);
  if (stage.peak != 0) {
    out += "      peak: ";
    appendNumber(out, stage.peak);
    out += '\n';
  }
  if (stage.stats != StageStats()) {
    out += "      stats: ";
    FlowMap stats(out);
    printNumbers(stats, StageStatFields, stage.stats);
    stats.close();
    out += '\n';
  }
}

class PlanReader {
public:
  PlanReader(const NodeReader& reader, const Graph& graph) : reader_(reader), graph_(graph) {}

  Plan read(const YamlNode& node) const {
    const auto [budget, target, planner, optimize, io, align, scratch, weights, compress, stages,
                slow, stats, bounds, proven] =
        reader_.fields(node, "plan",
                       std::array<std::string_view, 14>{"budget", "target", "planner", "optimize",
                                                        "io", "align", "scratch", "weights",
                                                        "compress", "stages", "slow", "stats",
                                                        "bounds", "proven_optimal"});
    Plan plan;
    plan.budget = readBudget(reader_.required(budget, node, "plan", "budget"));
    if (target != nullptr)
      plan.target = reader_.string(*target, "target");
    if (planner != nullptr)
      plan.planner = reader_.string(*planner, "planner");
    if (optimize != nullptr)
      plan.optimize = reader_.string(*optimize, "optimize");
    if (io != nullptr)
      plan.io = reader_.word(*io, "io", parseIoMode, {"slow", "caller", "arena"});
    if (align != nullptr)
      plan.align = reader_.size(*align, "align");
    if (plan.align == 0 || (plan.align & (plan.align - 1)) != 0)
      reader_.fail(DiagId::BadValue, *align, "align is ", plan.align, ", must be a power of two");
    if (scratch != nullptr)
      plan.scratch = reader_.size(*scratch, "scratch");
    if (weights != nullptr)
      plan.weights = reader_.word(*weights, "weights", parseWeightMemory, {"map", "copy"});
    if (compress != nullptr)
      plan.compress = reader_.word(*compress, "compress", parseCompression, {"none", "lz4"});
    if (stages != nullptr)
      for (const YamlNode& item : reader_.list(*stages, "stages"))
        plan.stages.push_back(readStage(item));
    if (slow != nullptr)
      plan.slow = readPlacements(*slow, "slow");
    if (stats != nullptr)
      plan.stats = readStats(*stats);
    if (bounds != nullptr)
      plan.bounds = readBounds(*bounds);
    if (proven != nullptr)
      plan.provenOptimal = reader_.boolean(*proven, "proven_optimal");
    return plan;
  }

private:
  MemoryBudget readBudget(const YamlNode& node) const {
    const auto [fast, slow, flash] =
        reader_.fields(node, "budget", std::array<std::string_view, 3>{"fast", "slow", "flash"});
    MemoryBudget budget;
    budget.fast = reader_.size(reader_.required(fast, node, "budget", "fast"), "fast");
    if (slow != nullptr)
      budget.slow = reader_.size(*slow, "slow");
    if (flash != nullptr)
      budget.flash = reader_.size(*flash, "flash");
    return budget;
  }

  /// The keys of a stage whose meaning depends on its mode; null where absent.
  struct ExecutionKeys {
    const YamlNode* fast;
    const YamlNode* tiles;
    const YamlNode* bookkeeping;
    const YamlNode* buffers;
  };

  Stage readStage(const YamlNode& node) const {
    const auto [ops, modeWord, load, spill, fast, tiles, bookkeeping, buffers, peak, stats,
                oldBookkeeping] =
        reader_.fields(node, "stage",
                       std::array<std::string_view, 11>{"ops", "mode", "load", "spill", "fast",
                                                        "tiles", "bookkeeping", "buffers", "peak",
                                                        "stats", "state"});
    Stage stage;
    for (const YamlNode& item : reader_.list(reader_.required(ops, node, "stage", "ops"), "ops"))
      stage.ops.push_back(op(item));
    StageMode mode = StageMode::Whole;
    if (modeWord != nullptr)
      mode =
          reader_.word(*modeWord, "mode", parseStageMode, {"whole", "direct", "tiled", "streamed"});
    if (load != nullptr)
      stage.loads = tensors(*load, "load");
    if (spill != nullptr)
      stage.spills = tensors(*spill, "spill");
    const ExecutionKeys keys = {
        fast, tiles, reader_.renamed(bookkeeping, "bookkeeping", oldBookkeeping, "state"), buffers};
    if (mode == StageMode::Tiled)
      stage.execution = readTiled(node, keys);
    else if (mode == StageMode::Streamed)
      stage.execution = readStreamed(node, keys);
    else
      readWhole(mode, keys, stage);
    if (peak != nullptr)
      stage.peak = reader_.size(*peak, "peak");
    if (stats != nullptr)
      readNumbers(stage.stats, StageStatFields,
                  reader_.fields(*stats, "stats", keysOf(StageStatFields)));
    return stage;
  }

  /// A whole or direct stage.
  void readWhole(StageMode mode, const ExecutionKeys& keys, Stage& stage) const {
    for (const YamlNode* extra : {keys.tiles, keys.bookkeeping, keys.buffers})
      if (extra != nullptr)
        reader_.fail(DiagId::BadPlan, *extra, "a ", stageModeName(mode),
                     " stage has no tiles, bookkeeping or buffers");
    if (mode == StageMode::Direct) {
      if (keys.fast != nullptr)
        reader_.fail(DiagId::BadPlan, *keys.fast, "a direct stage has no tensors in fast memory");
      stage.execution = DirectStage();
    } else if (keys.fast != nullptr) {
      stage.execution = WholeStage{readPlacements(*keys.fast, "fast")};
    }
  }

  TiledStage readTiled(const YamlNode& node, const ExecutionKeys& keys) const {
    TiledStage stage;
    stage.tiles = readParts(node, keys, stage);
    return stage;
  }

  StreamedStage readStreamed(const YamlNode& node, const ExecutionKeys& keys) const {
    StreamedStage stage;
    const TileCounts counts = readParts(node, keys, stage);
    stage.outer = counts[0];
    stage.steps = counts[RowAxis];
    stage.stripes = counts[ColumnAxis];
    if (counts != stage.counts())
      reader_.fail(DiagId::BadPlan, *keys.tiles, "tiles of a streamed stage end with ",
                   counts.back(), ", expected 1");
    return stage;
  }

  /// What tiled and streamed stages share. Returns the four numbers of tiles.
  template <typename Parts>
  TileCounts readParts(const YamlNode& node, const ExecutionKeys& keys, Parts& stage) const {
    if (keys.fast != nullptr)
      stage.residents = readPlacements(*keys.fast, "fast");
    const TileCounts counts = readCounts(reader_.required(keys.tiles, node, "stage", "tiles"));
    stage.bookkeeping = reader_.size(
        reader_.required(keys.bookkeeping, node, "stage", "bookkeeping"), "bookkeeping");
    const YamlNode& buffers = reader_.required(keys.buffers, node, "stage", "buffers");
    for (const YamlNode& item : reader_.list(buffers, "buffers"))
      readBuffer(item, stage.buffers.emplace_back());
    return counts;
  }

  TileCounts readCounts(const YamlNode& node) const {
    TileCounts counts = {};
    const auto& numbers = reader_.list(node, "tiles");
    if (numbers.size() != counts.size())
      reader_.fail(DiagId::BadPlan, node, "tiles has ", numbers.size(), " numbers, expected ",
                   counts.size());
    for (size_t i = 0; i < counts.size(); ++i)
      counts.at(i) = static_cast<int64_t>(reader_.size(numbers[i], "tiles"));
    return counts;
  }

  void readBuffer(const YamlNode& node, PartBuffer& buffer) const {
    readPart(
        node,
        reader_.fields(node, "buffer of a tiled stage",
                       std::array<std::string_view, 4>{"tensor", "offset", "bytes", "reload_axes"}),
        buffer);
  }

  void readBuffer(const YamlNode& node, StreamBuffer& buffer) const {
    const auto [name, offset, bytes, reload, inPlace, sink, wait] =
        reader_.fields(node, "buffer of a streamed stage",
                       std::array<std::string_view, 7>{"tensor", "offset", "bytes", "reload_axes",
                                                       "in_place", "sink", "wait"});
    readPart(node, {name, offset, bytes, reload}, buffer);
    buffer.inPlace = inPlace != nullptr && reader_.boolean(*inPlace, "in_place");
    buffer.sink = sink != nullptr && reader_.boolean(*sink, "sink");
    buffer.wait = word(wait, "wait");
  }

  void readPart(const YamlNode& node, const std::array<const YamlNode*, 4>& values,
                PartBuffer& buffer) const {
    const auto [name, offset, bytes, reload] = values;
    buffer.tensor = tensor(reader_.required(name, node, "buffer", "tensor"));
    buffer.offset = reader_.size(reader_.required(offset, node, "buffer", "offset"), "offset");
    buffer.bytes = reader_.size(reader_.required(bytes, node, "buffer", "bytes"), "bytes");
    buffer.reloadAxes = word(reload, "reload_axes");
  }

  /// 0 if absent. What is too large stays too large.
  uint32_t word(const YamlNode* node, std::string_view what) const {
    return node == nullptr
               ? 0
               : static_cast<uint32_t>(std::min<uint64_t>(reader_.size(*node, what), UINT32_MAX));
  }

  std::vector<Placement> readPlacements(const YamlNode& node, std::string_view what) const {
    std::vector<Placement> placements;
    for (const YamlNode& item : reader_.list(node, what)) {
      const auto [name, offset] =
          reader_.fields(item, "placement", std::array<std::string_view, 2>{"tensor", "offset"});
      placements.push_back(
          {tensor(reader_.required(name, item, "placement", "tensor")),
           reader_.size(reader_.required(offset, item, "placement", "offset"), "offset")});
    }
    return placements;
  }

  template <typename Record, size_t N, size_t Values>
  void readNumbers(Record& record, const std::array<StatField<Record>, N>& fields,
                   const std::array<const YamlNode*, Values>& values) const {
    for (size_t i = 0; i < N; ++i)
      if (values[i] != nullptr)
        record.*fields[i].member = reader_.size(*values[i], fields[i].key);
  }

  PlanStats readStats(const YamlNode& node) const {
    const auto values = reader_.fields(node, "stats", keysOf(PlanStatFields, "peak_op"));
    PlanStats stats;
    readNumbers(stats, PlanStatFields, values);
    if (values.back() != nullptr)
      stats.peakOp = op(*values.back());
    return stats;
  }

  PlanBounds readBounds(const YamlNode& node) const {
    const auto values = reader_.fields(node, "bounds", keysOf(PlanBoundFields, "class"));
    PlanBounds bounds;
    readNumbers(bounds, PlanBoundFields, values);
    if (values.back() != nullptr)
      bounds.planClass = reader_.string(*values.back(), "class");
    return bounds;
  }

  TensorId tensor(const YamlNode& node) const {
    const std::string name = reader_.name(node, "name of a tensor");
    const auto found = graph_.findTensor(name);
    if (!found)
      reader_.fail(DiagId::UnknownTensor, node, "the plan names tensor '", name,
                   "', which the graph does not have");
    return *found;
  }

  std::vector<TensorId> tensors(const YamlNode& node, std::string_view what) const {
    std::vector<TensorId> ids;
    for (const YamlNode& item : reader_.list(node, what))
      ids.push_back(tensor(item));
    return ids;
  }

  OpId op(const YamlNode& node) const {
    const std::string name = reader_.name(node, "name of an op");
    const auto found = graph_.findOp(name);
    if (!found)
      reader_.fail(DiagId::BadPlan, node, "the plan names op '", name,
                   "', which the graph does not have");
    return *found;
  }

  const NodeReader& reader_;
  const Graph& graph_;
};

} // namespace

void printPlan(std::string& out, const Graph& graph, const Plan& plan) {
  out += "plan:\n  budget: ";
  FlowMap budget(out);
  budget.number("fast", plan.budget.fast);
  if (plan.budget.slow)
    budget.number("slow", *plan.budget.slow);
  if (plan.budget.flash)
    budget.number("flash", *plan.budget.flash);
  budget.close();
  out += '\n';
  printLine(out, "target", plan.target);
  printLine(out, "planner", plan.planner);
  printLine(out, "optimize", plan.optimize);
  printLine(out, "io", ioModeName(plan.io));
  if (plan.align != 1) {
    out += "  align: ";
    appendNumber(out, plan.align);
    out += '\n';
  }
  if (plan.scratch != 0) {
    out += "  scratch: ";
    appendNumber(out, plan.scratch);
    out += '\n';
  }
  if (plan.weights != WeightMemory::Map)
    printLine(out, "weights", weightMemoryName(plan.weights));
  if (plan.compress != Compression::None)
    printLine(out, "compress", compressionName(plan.compress));
  if (!plan.stages.empty()) {
    out += "  stages:\n";
    for (const Stage& stage : plan.stages)
      printStage(out, graph, stage);
  }
  if (!plan.slow.empty()) {
    out += "  slow:\n";
    printPlacements(out, "    ", graph, plan.slow);
  }

  out += "  stats: ";
  FlowMap stats(out);
  printNumbers(stats, PlanStatFields, plan.stats);
  if (plan.stats.peakOp)
    stats.string("peak_op", graph.op(plan.stats.peakOp).name);
  stats.close();
  out += "\n  bounds: ";
  FlowMap bounds(out);
  printNumbers(bounds, PlanBoundFields, plan.bounds);
  if (!plan.bounds.planClass.empty())
    bounds.string("class", plan.bounds.planClass);
  bounds.close();
  out += '\n';
  if (plan.provenOptimal)
    out += "  proven_optimal: true\n";
}

Plan readPlan(const NodeReader& reader, const YamlNode& node, const Graph& graph) {
  return PlanReader(reader, graph).read(node);
}

} // namespace tigris
