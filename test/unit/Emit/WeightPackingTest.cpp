// Compressed and copied weights: which constants are in which block, that outputs stay the same,
// and the reported figures.
#include "EmitTesting.h"

#include <algorithm>

using namespace tigris;
using namespace tigris::test;

namespace {

/// A blob of `count` floats (one more than a multiple of three), all 0.125, or 0.5.
std::string flat(const std::string& name, size_t count, bool half = false) {
  std::string text;
  for (size_t i = 0; i < count / 3; ++i)
    text += half ? "AAAAPwAAAD8AAAA/" : "AAAAPgAAAD4AAAA+";
  return strCat("  - {name: ", name, ", data: !!binary \"", text,
                half ? "AAAAPw==" : "AAAAPg==", "\"}\n");
}

/// Three dense layers with weights of 4096, 1024 and 16384 bytes; `noise` selects one that is
/// incompressible.
std::string layers(const std::string& noise = "") {
  const auto blob = [&](const std::string& name, size_t count) {
    return name == noise ? strCat("  - {name: ", name, ", fill: {seed: 1, amplitude: 1.0}}\n")
                         : flat(name, count);
  };
  return R"(model: {name: tiny, opset: 17}
inputs:
  - {name: x, tensor: x}
outputs:
  - {name: y, tensor: y}
tensors:
  - {name: x, type: float32, shape: [1, 32]}
  - {name: w1, type: float32, shape: [32, 32], const: true}
  - {name: h1, type: float32, shape: [1, 32]}
  - {name: w2, type: float32, shape: [32, 8], const: true}
  - {name: h2, type: float32, shape: [1, 8]}
  - {name: w3, type: float32, shape: [8, 512], const: true}
  - {name: y, type: float32, shape: [1, 512]}
ops:
  - {op: Gemm, name: first, in: [x, w1], out: [h1], act: Relu}
  - {op: Gemm, name: second, in: [h1, w2], out: [h2], act: Relu}
  - {op: Gemm, name: third, in: [h2, w3], out: [y]}
blobs:
)" + blob("w1", 1024) +
         blob("w2", 256) + blob("w3", 4096);
}

std::vector<Bytes> input() {
  std::vector<float> values(32);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i % 5) - 1.5F;
  return {bytesOf(values)};
}

PlanOptions withFree(const std::string& body, uint64_t bytes, IoMode io = IoMode::Caller) {
  PlanOptions options = ample(io);
  options.budget.fast = planned(normalized(body), options).plan()->stats.fastPeakBytes + bytes;
  return options;
}

EmitOptions compressed() {
  EmitOptions options;
  options.compress = Compression::Lz4;
  return options;
}

struct Opened {
  explicit Opened(const std::string& file) : image(file.size()) {
    std::memcpy(image.data(), file.data(), file.size());
    REQUIRE(tigris_plan_open(&plan, image.data(), file.size()) == TIGRIS_OK);
  }
  std::vector<std::pair<uint32_t, uint32_t>> blocks() const {
    std::vector<std::pair<uint32_t, uint32_t>> result;
    for (uint32_t i = 0; i < plan.weight_block_count; ++i)
      result.emplace_back(plan.weight_blocks[i].first_op, plan.weight_blocks[i].bytes);
    return result;
  }
  Aligned image;
  tigris_plan plan;
};

using Blocks = std::vector<std::pair<uint32_t, uint32_t>>;

/// Blocks (first op, unpacked bytes) for this amount of free fast memory, after checks common to
/// all plans.
Blocks blocksWith(const std::string& body, uint64_t bytes, IoMode io = IoMode::Caller) {
  const Graph graph = planned(normalized(body), withFree(body, bytes, io));
  const std::string plain = emitted(graph);
  const std::string file = emitted(graph, compressed());
  CHECK(file == emitted(graph, compressed()));
  CHECK(file.size() <= plain.size());
  CHECK(runFile(file, input()) == runFile(plain, input()));
  const Opened opened(file);
  const tigris_summary& s = *opened.plan.summary;
  CHECK(s.fast_bytes <= graph.plan()->budget.fast);
  uint32_t most = 0;
  for (const auto& [op, size] : opened.blocks())
    most = std::max(most, size);
  CHECK(s.fast_reserved == most);
  return opened.blocks();
}

} // namespace

TEST_CASE("a stage's weights are one block where they fit, runs of ops where not") {
  const std::string body = layers();
  CHECK(blocksWith(body, 32768) == Blocks{{0, 4096 + 1024 + 16384}});
  CHECK(blocksWith(body, 4096 + 1024 + 16384) == Blocks{{0, 4096 + 1024 + 16384}});
  CHECK(blocksWith(body, 4096 + 1024 + 16383) == Blocks{{0, 4096 + 1024}, {2, 16384}});
  CHECK(blocksWith(body, 16383) == Blocks{{0, 4096 + 1024}});
  CHECK(blocksWith(body, 4096) == Blocks{{0, 4096}, {1, 1024}});
  CHECK(blocksWith(body, 4095) == Blocks{{0, 1024}});
  CHECK(blocksWith(body, 1000) == Blocks{});
  CHECK(blocksWith(body, 0) == Blocks{});
}

TEST_CASE("every interface mode takes compressed weights") {
  CHECK(blocksWith(layers(), 32768, IoMode::Slow).size() == 1);
  CHECK(blocksWith(layers(), 32768, IoMode::Arena).size() == 1);
  CHECK(blocksWith(layers(), 5200, IoMode::Arena).size() == 1);
}

TEST_CASE("weights that do not shrink stay where they are") {
  CHECK(blocksWith(layers("w3"), 32768) == Blocks{{0, 4096 + 1024}});
  CHECK(blocksWith(layers("w1"), 32768) == Blocks{{0, 1024 + 16384}});
}

TEST_CASE("a constant that two groups need is not packed twice") {
  std::string body = layers();
  // the first layer's weights are used again, last
  const auto replace = [&](const std::string& from, const std::string& to) {
    REQUIRE(body.find(from) != std::string::npos);
    body.replace(body.find(from), from.size(), to);
  };
  replace("shape: [8, 512], const", "shape: [8, 32], const");
  replace(
      "{name: y, type: float32, shape: [1, 512]}",
      "{name: h3, type: float32, shape: [1, 32]}\n  - {name: y, type: float32, shape: [1, 32]}");
  replace("in: [h2, w3], out: [y]}",
          "in: [h2, w3], out: [h3]}\n  - {op: Gemm, name: again, in: [h3, w1], out: [y]}");
  replace(flat("w3", 4096), flat("w3", 256, true));
  CHECK(blocksWith(body, 16384) == Blocks{{0, 4096 + 1024 + 1024}});
  CHECK(blocksWith(body, 4096) == Blocks{{1, 1024 + 1024}});
}

TEST_CASE("stages have blocks of their own") {
  // two stages: the constants of the second do not all fit beside the first stage's tensors
  const std::string body = layers();
  PlanOptions options = ample(IoMode::Slow);
  options.budget.fast = 2048 + 32 + 8192;
  const Graph graph = planned(normalized(body), options);
  const std::string file = emitted(graph, compressed());
  CHECK(runFile(file, input()) == runFile(emitted(graph), input()));
}

TEST_CASE("figures of fast memory include the prefix") {
  const Graph graph = planned(normalized(layers()), withFree(layers(), 32768));
  const Opened plain(emitted(graph));
  const Opened packed(emitted(graph, compressed()));
  const uint32_t shift = 4096 + 1024 + 16384;
  const tigris_summary& s = *packed.plan.summary;
  const tigris_figures& f = *figuresOf(packed.plan);
  CHECK(f.fast_peak == figuresOf(plain.plan)->fast_peak + shift);
  CHECK(s.fast_bytes == f.fast_peak);
  CHECK(f.bound_fast_peak == figuresOf(plain.plan)->bound_fast_peak + shift);
  CHECK(f.weight_bytes == packed.plan.weight_blocks[0].packed_bytes);
  CHECK(f.budget_fast == figuresOf(plain.plan)->budget_fast);
}

TEST_CASE("a file too large says what compression would give") {
  const std::string body = layers();
  const auto message = [&](uint64_t free, uint64_t flash, const EmitOptions& emit = {}) {
    PlanOptions options = withFree(body, free);
    options.budget.flash = flash;
    const Expected<std::string> file = emitPlan(planned(normalized(body), options), emit);
    REQUIRE_FALSE(bool(file));
    CHECK(file.error().id() == DiagId::OverBudget);
    std::string text = file.error().message();
    for (const std::string& note : file.error().diagnostic().notes)
      text += "; " + note;
    return text;
  };
  const auto has = [](const std::string& text, const std::string& part) {
    CHECK_MESSAGE(text.find(part) != std::string::npos, text);
  };
  const uint64_t plain = emitted(planned(normalized(body), ample())).size();
  has(message(32768, plain - 7), "; that is 7 bytes over budget");
  has(message(32768, plain - 7), "with --compress=lz4 it is ");
  has(message(32768, plain - 7), ", which fits");
  has(message(32768, 100), "over budget");
  has(message(0, 4000),
      "--compress=lz4 does not make it smaller; with tigris-plan --reserve=21504 it "
      "would be ");
  has(message(4096, 4000), "with --compress=lz4 it is ");
  has(message(4096, 4000), "; with tigris-plan --reserve=21504 it would be ");
  const std::string tooLate = message(32768, 100, compressed());
  CHECK_MESSAGE(tooLate.find("--compress") == std::string::npos, tooLate);
}

namespace {

/// The plan with this much free fast memory, for copied weights.
Graph copying(const std::string& body, uint64_t bytes, IoMode io = IoMode::Caller) {
  Graph graph = planned(normalized(body), withFree(body, bytes, io));
  Plan plan = *graph.plan();
  plan.weights = WeightMemory::Copy;
  graph.setPlan(std::move(plan));
  return graph;
}

/// Modes and sizes of the blocks, after checks common to all plans: every constant is in a block,
/// and outputs are those of the mapped plan, with the weights in the plan or in a file.
Blocks copiesWith(const std::string& body, uint64_t bytes, Compression compress,
                  IoMode io = IoMode::Caller) {
  const Graph graph = copying(body, bytes, io);
  EmitOptions options;
  options.compress = compress;
  const std::string file = emitted(graph, options);
  const Opened opened(file);
  CHECK((opened.plan.summary->flags & TIGRIS_SUMMARY_COPY) != 0);
  for (uint32_t i = 0; i < opened.plan.operand_count; ++i)
    CHECK(opened.plan.operands[i].pool != TIGRIS_POOL_CONST);
  const std::vector<Bytes> expected =
      runFile(emitted(planned(normalized(body), withFree(body, bytes, io))), input());
  CHECK(runFile(file, input()) == expected);

  std::string weights;
  options.weightsFile = &weights;
  const std::string split = emitted(graph, options);
  CHECK(split.size() + weights.size() <= file.size() + TIGRIS_PLAN_ALIGN);
  CHECK(runFile(split, input(), &weights) == expected);
  CHECK(Opened(split).plan.weight_bytes == 0);

  Blocks blocks;
  for (uint32_t i = 0; i < opened.plan.weight_block_count; ++i)
    blocks.emplace_back(opened.plan.weight_blocks[i].mode, opened.plan.weight_blocks[i].bytes);
  return blocks;
}

constexpr uint32_t Raw = TIGRIS_BLOCK_RAW;
constexpr uint32_t Lz4 = TIGRIS_BLOCK_LZ4;

} // namespace

TEST_CASE("all weights are copied, stage by stage or by runs of ops") {
  const auto raw = [](uint64_t bytes) { return copiesWith(layers(), bytes, Compression::None); };
  CHECK(raw(32768) == Blocks{{Raw, 4096 + 1024 + 16384}});
  CHECK(raw(4096 + 1024 + 16383) == Blocks{{Raw, 4096 + 1024}, {Raw, 16384}});
  CHECK(raw(16384) == Blocks{{Raw, 4096 + 1024}, {Raw, 16384}});
  for (const IoMode io : {IoMode::Slow, IoMode::Arena})
    CHECK(copiesWith(layers(), 32768, Compression::None, io).size() == 1);
}

TEST_CASE("a copied block is compressed if it can be unpacked in place") {
  const auto packed = [](uint64_t bytes, const std::string& noise = "") {
    return copiesWith(layers(noise), bytes, Compression::Lz4);
  };
  CHECK(packed(32768) == Blocks{{Lz4, 4096 + 1024 + 16384}});
  CHECK(packed(16384 + 64) == Blocks{{Lz4, 4096 + 1024}, {Lz4, 16384}});
  CHECK(packed(16384) == Blocks{{Lz4, 4096 + 1024}, {Raw, 16384}});
  CHECK(packed(16384 + 64, "w3") == Blocks{{Lz4, 4096 + 1024}, {Raw, 16384}});
}

TEST_CASE("constants of several blocks are in each of them") {
  std::string body = layers();
  const auto replace = [&](const std::string& from, const std::string& to) {
    REQUIRE(body.find(from) != std::string::npos);
    body.replace(body.find(from), from.size(), to);
  };
  replace("shape: [8, 512], const", "shape: [8, 32], const");
  replace(
      "{name: y, type: float32, shape: [1, 512]}",
      "{name: h3, type: float32, shape: [1, 32]}\n  - {name: y, type: float32, shape: [1, 32]}");
  replace("in: [h2, w3], out: [y]}",
          "in: [h2, w3], out: [h3]}\n  - {op: Gemm, name: again, in: [h3, w1], out: [y]}");
  replace(flat("w3", 4096), flat("w3", 256, true));
  CHECK(copiesWith(body, 4096, Compression::None) == Blocks{{Raw, 4096}, {Raw, 2048}, {Raw, 4096}});
  // The first and the last block have the same bytes, which are stored once.
  const std::string file = emitted(copying(body, 4096));
  const Opened opened(file);
  CHECK(opened.plan.weight_blocks[2].data == opened.plan.weight_blocks[0].data);
}

TEST_CASE("an op whose weights do not fit is named") {
  const Expected<std::string> file = emitPlan(copying(layers(), 16383), {});
  REQUIRE_FALSE(bool(file));
  CHECK(file.error().id() == DiagId::OverBudget);
  CHECK(file.error().message().find("op 'third' (Gemm): copying its weights, or those of its "
                                    "stage, takes 16 KiB (16384 bytes) of fast memory") !=
        std::string::npos);
}

TEST_CASE("executing in place and copying exclude each other") {
  const auto refusal = [](const Graph& graph, const EmitOptions& options) {
    const Expected<std::string> file = emitPlan(graph, options);
    REQUIRE_FALSE(bool(file));
    CHECK(file.error().id() == DiagId::Usage);
  };
  EmitOptions inPlace;
  inPlace.xip = true;
  refusal(copying(layers(), 32768), inPlace);
  const Graph mapped = planned(normalized(layers()), withFree(layers(), 32768));
  CHECK((Opened(emitted(mapped, inPlace)).plan.summary->flags & TIGRIS_SUMMARY_XIP) != 0);
  inPlace.compress = Compression::Lz4;
  refusal(mapped, inPlace);
  std::string weights;
  EmitOptions split;
  split.weightsFile = &weights;
  refusal(mapped, split);
}

TEST_CASE("the plan says whether its weights are compressed") {
  Graph graph = planned(normalized(layers()), withFree(layers(), 32768));
  Plan plan = *graph.plan();
  plan.compress = Compression::Lz4;
  graph.setPlan(plan);
  CHECK(Opened(emitted(graph)).plan.weight_block_count == 1);
  EmitOptions raw;
  raw.compress = Compression::None;
  CHECK(Opened(emitted(graph, raw)).plan.weight_block_count == 0);
}
