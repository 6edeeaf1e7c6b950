// Lifetimes, addresses and tilings: modules and files agree, and a script needs nothing else.
#include "tigris/Inspect/PlanContent.h"

#include "PassTesting.h"
#include "RandomGraphs.h"
#include "tigris/Emit/Emitter.h"
#include "tigris/Plan/Planner.h"
#include "tigris/Plan/PortCopies.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace tigris;

namespace {

/// A branch around two poolings, and a view of the result.
const char* const Branch = R"(form: normalized
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 16, 8, 4]}
  - {name: a, type: float32, shape: [1, 16, 8, 4]}
  - {name: b, type: float32, shape: [1, 16, 8, 4]}
  - {name: c, type: float32, shape: [1, 16, 8, 4]}
  - {name: flat, type: float32, shape: [1, 512]}
  - {name: y, type: float32, shape: [1, 512]}
ops:
  - {op: MaxPool, name: one, in: [x], out: [a], attrs: {kernel_shape: [3, 3], pads: [1, 1, 1, 1]}}
  - {op: MaxPool, name: two, in: [a], out: [b], attrs: {kernel_shape: [3, 3], pads: [1, 1, 1, 1]}}
  - {op: Add, name: join, in: [a, b], out: [c]}
  - {op: Reshape, name: view, in: [c], out: [flat], attrs: {shape: [1, 512]}}
  - {op: Softmax, name: last, in: [flat], out: [y], attrs: {axis: 1}}
)";

Graph plannedBranch(Graph graph, uint64_t fast, std::optional<uint64_t> slow) {
  insertPortCopies(graph);
  PlanOptions options;
  options.budget = {fast, slow, {}};
  Expected<Plan> plan = planGraph(graph, options);
  REQUIRE(plan);
  applyPlan(graph, std::move(*plan));
  return graph;
}

PlanFile emittedFile(const Graph& graph) {
  const Expected<std::string> bytes = emitPlan(graph);
  REQUIRE(bytes);
  Expected<PlanFile> file = PlanFile::open(*bytes, "p.tgrs");
  REQUIRE(file);
  return std::move(*file);
}

const TensorContent& named(const PlanContent& content, const std::string& name) {
  const auto found = std::find_if(content.tensors.begin(), content.tensors.end(),
                                  [&](const TensorContent& tensor) { return tensor.name == name; });
  REQUIRE(found != content.tensors.end());
  return *found;
}

void checkLife(const PlanContent& content, const std::string& name, size_t birth, size_t death) {
  CAPTURE(name);
  CHECK(named(content, name).birth == birth);
  CHECK(named(content, name).death == death);
}

std::string contentJson(const PlanContent& content, const DumpOptions& parts = {}) {
  JsonWriter json;
  json.beginObject();
  writeContent(json, content, parts);
  json.endObject();
  return json.text();
}

/// Every operand of every operator is somewhere, inside its memory.
void checkAddresses(const PlanContent& content, const PlanStats& stats) {
  for (const OpContent& op : content.ops)
    for (const auto* operands : {&op.inputs, &op.outputs})
      for (const OperandContent& operand : *operands) {
        CAPTURE(op.name);
        REQUIRE(operand.tensor);
        const uint64_t bytes = content.tensors[*operand.tensor].bytes;
        const std::string& memory = operand.memory;
        REQUIRE(memory != "absent");
        if (memory == "fast")
          CHECK(*operand.offset + bytes <= stats.fastPeakBytes);
        if (memory == "slow")
          CHECK(*operand.offset + bytes <= stats.slowPeakBytes);
        if (memory == "tile")
          CHECK(content.stages[*op.stage].buffers[*operand.offset].tensor == *operand.tensor);
      }
}

} // namespace

TEST_CASE("a tensor lives from its producer to its last reader") {
  const PlanContent content = contentOf(parseGraph(Branch));
  checkLife(content, "x", 0, 0);
  checkLife(content, "a", 0, 2);
  checkLife(content, "b", 1, 2);
  checkLife(content, "c", 2, 3);
  checkLife(content, "flat", 3, 4);
  checkLife(content, "y", 4, 4);
  CHECK(content.tensors[*named(content, "flat").viewOf].name == "c");
  CHECK(named(content, "x").role == "input");
  CHECK(named(content, "y").role == "output");
  // x a | a b | a b c | c | c y, of 2 KiB each
  CHECK(content.live == std::vector<uint64_t>{4096, 4096, 6144, 2048, 4096});
  CHECK(content.stages.empty());
  CHECK(!content.picture);
}

TEST_CASE("the file of a plan has the lifetimes and addresses of its module") {
  for (const auto& budget : {std::pair<uint64_t, std::optional<uint64_t>>{1 << 16, {}},
                             {1 << 16, 1 << 16},
                             {3000, 1 << 16},
                             {1500, 1 << 16}}) {
    const auto fast = budget.first;
    const auto& slow = budget.second;
    CAPTURE(fast);
    const Graph graph = plannedBranch(parseGraph(Branch), fast, slow);
    const PlanContent ofModule = contentOf(graph);
    const PlanContent ofFile = contentOf(emittedFile(graph));
    checkAddresses(ofModule, graph.plan()->stats);
    checkAddresses(ofFile, graph.plan()->stats);
    REQUIRE(ofModule.stages.size() == ofFile.stages.size());
    for (size_t i = 0; i < ofFile.stages.size(); ++i) {
      const StageContent& a = ofModule.stages[i];
      const StageContent& b = ofFile.stages[i];
      CHECK(a.parts == b.parts);
      CHECK(a.bookkeepingOffset == b.bookkeepingOffset);
      CHECK(a.bookkeepingBytes == b.bookkeepingBytes);
      CHECK(a.loads.size() == b.loads.size());
      CHECK(a.spills.size() == b.spills.size());
      REQUIRE(a.buffers.size() == b.buffers.size());
      for (size_t k = 0; k < a.buffers.size(); ++k) {
        CHECK(a.buffers[k].offset == b.buffers[k].offset);
        CHECK(a.buffers[k].load == b.buffers[k].load);
        CHECK(a.buffers[k].backing.memory == b.buffers[k].backing.memory);
        CHECK(a.buffers[k].backing.offset == b.buffers[k].backing.offset);
      }
    }
    if (ofFile.ops.size() == ofModule.ops.size()) // no view, which a file does not execute
      for (const TensorContent& tensor : ofFile.tensors)
        checkLife(ofModule, tensor.name, *tensor.birth, *tensor.death);
  }
}

TEST_CASE("a view in a plan file is found by its address") {
  const Graph graph = plannedBranch(parseGraph(Branch), 1 << 16, {});
  const PlanContent content = contentOf(emittedFile(graph));
  REQUIRE(content.ops.size() == 4);
  CHECK(content.tensors[*named(content, "flat").viewOf].name == "c");
  checkLife(content, "a", 0, 2);
  checkLife(content, "c", 2, 3);
  checkLife(content, "y", 3, 3);
  CHECK(content.live == std::vector<uint64_t>{4096, 4096, 6144, 4096});
}

TEST_CASE("constants of one type, which share a record of the file, are tensors of their own") {
  const PlanContent content = contentOf(emittedFile(plannedBranch(parseGraph(R"(form: normalized
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 4]}
  - {name: k1, type: float32, shape: [4], const: true}
  - {name: k2, type: float32, shape: [4], const: true}
  - {name: t, type: float32, shape: [1, 4]}
  - {name: u, type: float32, shape: [1, 4]}
  - {name: y, type: float32, shape: [1, 4]}
ops:
  - {op: Add, name: a, in: [x, k1], out: [t]}
  - {op: Mul, name: b, in: [t, k2], out: [u]}
  - {op: Sub, name: c, in: [u, k1], out: [y]}
blobs:
  - {name: k1, values: [1.0, 2.0, 3.0, 4.0]}
  - {name: k2, values: [4.0, 3.0, 2.0, 1.0]}
)"),
                                                                  1 << 16, {})));
  CHECK(content.tensors.size() == 6);
  CHECK(named(content, "k1").role == "constant");
  CHECK(named(content, "k2").role == "constant");
  REQUIRE(content.ops.size() == 3);
  for (const auto& [op, name] : {std::pair(0, "k1"), {1, "k2"}, {2, "k1"}})
    CHECK(content.tensors[*content.ops[static_cast<size_t>(op)].inputs[1].tensor].name == name);
}

TEST_CASE("parts of the JSON are chosen; without a choice there are all") {
  const PlanContent content = contentOf(plannedBranch(parseGraph(Branch), 3000, 1 << 16));
  const auto has = [](const std::string& json, const char* key) {
    return json.find(strCat("\"", key, "\"")) != std::string::npos;
  };
  const std::string all = contentJson(content);
  for (const char* key : {"tensors", "birth_step", "death_step", "operators", "attributes",
                          "stage_details", "tiling", "buffers", "memory", "timeline", "peak"})
    CHECK_MESSAGE(has(all, key), key);
  DumpOptions parts;
  parts.memory = true;
  const std::string memory = contentJson(content, parts);
  CHECK(has(memory, "tensors"));
  CHECK(has(memory, "timeline"));
  CHECK_FALSE(has(memory, "operators"));
  CHECK_FALSE(has(memory, "stage_details"));
  parts = {};
  parts.stages = true;
  CHECK(has(contentJson(content, parts), "stage_details"));
  CHECK_FALSE(has(contentJson(content, parts), "timeline"));
}

TEST_CASE("random graphs: every operand of module and file has an address") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    Graph graph = plannedBranch(test::randomGraph(seed, 12), 1 << 14, 1 << 20);
    checkAddresses(contentOf(graph), graph.plan()->stats);
    checkAddresses(contentOf(emittedFile(graph)), graph.plan()->stats);
  }
}
