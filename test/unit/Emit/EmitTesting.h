// Plans, emits and runs small graphs, so that tests compare outputs instead of the bytes of a file.
#pragma once

#include "PassTesting.h"
#include "tigris/Emit/Emitter.h"
#include "tigris/Plan/Planner.h"
#include "tigris/Plan/PortCopies.h"

#include "tigris.h"
#include "tigris_backend.h"

#include <doctest/doctest.h>

#include <cstring>

namespace tigris::test {

/// Null if the plan has none. STRINGS follows them.
inline const tigris_figures* figuresOf(const tigris_plan& plan) {
  const auto* figures = reinterpret_cast<const tigris_figures*>(plan.summary + 1);
  return reinterpret_cast<const char*>(figures + 1) <= plan.strings ? figures : nullptr;
}

using Bytes = std::vector<uint8_t>;

template <typename T> Bytes bytesOf(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
template <typename T> std::vector<T> valuesOf(const Bytes& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

inline Graph planned(Graph graph, const PlanOptions& options) {
  insertPortCopies(graph);
  Expected<Plan> plan = planGraph(graph, options);
  REQUIRE_MESSAGE(bool(plan), (plan ? "" : plan.error().message()));
  applyPlan(graph, *plan);
  return graph;
}

inline PlanOptions ample(IoMode io = IoMode::Caller) {
  PlanOptions options;
  options.budget = {1 << 24, 1 << 24, {}};
  options.io = io;
  return options;
}

inline std::string emitted(const Graph& graph, const EmitOptions& options = {}) {
  Expected<std::string> file = emitPlan(graph, options);
  REQUIRE_MESSAGE(bool(file), (file ? "" : file.error().message()));
  return *file;
}

/// Memory with the alignment that plans and tensors require.
class Aligned {
public:
  explicit Aligned(size_t size) : words_(size / sizeof(Word) + 1) {}
  uint8_t* data() { return words_.data()->bytes; }

private:
  struct alignas(64) Word {
    uint8_t bytes[64];
  };
  std::vector<Word> words_;
};

/// A weight reader; `user` is the std::string to read.
inline int readWeights(void* user, uint32_t offset, uint32_t bytes, void* to) {
  const std::string& weights = *static_cast<const std::string*>(user);
  if (offset > weights.size() || bytes > weights.size() - offset)
    return 1;
  std::memcpy(to, weights.data() + offset, bytes);
  return 0;
}

/// Opens the file, runs it once on these stored inputs, and returns the stored outputs. Also tests
/// that the runtime counts what the plan predicts. `weights`: what a weight reader reads.
inline std::vector<Bytes> runFile(const std::string& file, const std::vector<Bytes>& inputs,
                                  std::string* weights = nullptr) {
  Aligned image(file.size());
  std::memcpy(image.data(), file.data(), file.size());
  tigris_plan plan;
  const tigris_status opened = tigris_plan_open(&plan, image.data(), file.size());
  REQUIRE_MESSAGE(opened == TIGRIS_OK, tigris_status_text(opened), " at op ", plan.error_op);
  tigris_requirements needs;
  tigris_plan_requirements(&plan, &tigris_backend_reference, &needs);
  Aligned fast(needs.fast_bytes);
  Aligned slow(needs.slow_bytes);
  const tigris_memory memory = {fast.data(), needs.fast_bytes, slow.data(), needs.slow_bytes};
  tigris_context context;
  REQUIRE(tigris_init(&context, &plan, &tigris_backend_reference, &memory) == TIGRIS_OK);

  if (weights != nullptr)
    REQUIRE(tigris_set_weight_reader(&context, readWeights, weights) == TIGRIS_OK);

  const bool caller = plan.summary->io_mode == TIGRIS_IO_CALLER;
  std::vector<Aligned> buffers;
  buffers.reserve(plan.port_count);
  REQUIRE(inputs.size() == tigris_input_count(&plan));
  for (unsigned i = 0; i < inputs.size(); ++i) {
    REQUIRE(inputs[i].size() == tigris_input_bytes(&plan, i));
    uint8_t* target = buffers.emplace_back(inputs[i].size()).data();
    if (caller)
      REQUIRE(tigris_set_input(&context, i, target) == TIGRIS_OK);
    else
      target = static_cast<uint8_t*>(tigris_input(&context, i));
    std::memcpy(target, inputs[i].data(), inputs[i].size());
  }
  for (unsigned i = 0; caller && i < tigris_output_count(&plan); ++i)
    REQUIRE(tigris_set_output(&context, i,
                              buffers.emplace_back(tigris_output_bytes(&plan, i)).data()) ==
            TIGRIS_OK);
  const tigris_status ran = tigris_run(&context);
  REQUIRE_MESSAGE(ran == TIGRIS_OK, tigris_status_text(ran));

  if (const tigris_figures* figures = figuresOf(plan)) {
    CHECK(context.statistics.fast_peak == figures->fast_peak);
    CHECK(context.statistics.slow_peak == figures->slow_peak);
    CHECK(context.statistics.slow_read == figures->slow_read);
    CHECK(context.statistics.slow_write == figures->slow_write);
    CHECK(context.statistics.kernel_calls == figures->kernel_calls);
  }
  std::vector<Bytes> outputs;
  for (unsigned i = 0; i < tigris_output_count(&plan); ++i) {
    const auto* data = static_cast<const uint8_t*>(tigris_output(&context, i));
    outputs.emplace_back(data, data + tigris_output_bytes(&plan, i));
  }
  return outputs;
}

inline std::vector<Bytes> runGraph(const Graph& graph, const std::vector<Bytes>& inputs,
                                   IoMode io = IoMode::Caller) {
  return runFile(emitted(planned(graph, ample(io))), inputs);
}

/// The first output of a model with one float input.
inline std::vector<float> runFloats(const Graph& graph, const std::vector<float>& input) {
  return valuesOf<float>(runGraph(graph, {bytesOf(input)}).at(0));
}

/// The first output of a model with int8 inputs.
inline std::vector<int8_t> runInt8(const Graph& graph,
                                   const std::vector<std::vector<int8_t>>& inputs) {
  std::vector<Bytes> bytes;
  for (const auto& input : inputs)
    bytes.push_back(bytesOf(input));
  return valuesOf<int8_t>(runGraph(graph, bytes).at(0));
}

/// A normalized graph: `body` has inputs, outputs, tensors, ops and blobs.
inline Graph normalized(const std::string& body) {
  return parseGraph("form: normalized\nlayout: channels-last\n" + body);
}

} // namespace tigris::test
