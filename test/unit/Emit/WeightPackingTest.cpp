// Compressed weights: which constants are packed, that outputs stay the same, and the reported
// figures.
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
  CHECK(s.fast_peak == plain.plan.summary->fast_peak + shift);
  CHECK(s.fast_bytes == s.fast_peak);
  CHECK(s.bound_fast_peak == plain.plan.summary->bound_fast_peak + shift);
  CHECK(packed.plan.stages[0].peak == plain.plan.stages[0].peak + shift);
  CHECK(s.weight_bytes == packed.plan.weight_blocks[0].packed_bytes);
  CHECK(s.budget_fast == plain.plan.summary->budget_fast);
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
