// Windows beyond the runtime's limits are refused with operator and reason; windows at the limits
// open.
#include "EmitTesting.h"

#include "tigris/Support/StringUtils.h"

using namespace tigris;
using namespace tigris::test;

namespace {

/// The error of emitting one op of x to y, int8 with one scale; empty for a plan that the runtime
/// opens. `weights` is the shape of a constant second operand, or empty.
std::string refusal(std::string_view kind, std::string_view attrs, std::string_view x,
                    std::string_view y, std::string_view weights = {}) {
  const bool dense = !weights.empty();
  const std::string_view type = dense ? "float32" : "int8";
  const std::string_view quant = dense ? "" : ", quant: {scale: 0.5}";
  PlanOptions options = ample();
  options.budget = {1U << 31, 1U << 31, {}};
  const Graph graph = planned(
      parseGraph(strCat(
          "form: normalized\nlayout: channels-last\ninputs: [{name: x}]\n"
          "outputs: [{name: y}]\ntensors:\n  - {name: x, type: ",
          type, ", shape: ", x, quant, "}\n  - {name: y, type: ", type, ", shape: ", y, quant,
          "}\n",
          dense ? strCat("  - {name: w, type: float32, shape: ", weights, ", const: true}\n") : "",
          "ops:\n  - {op: ", kind, ", name: wide, in: [x", dense ? ", w" : "",
          "], out: [y], attrs: ", attrs, "}\n",
          dense ? "blobs:\n  - {name: w, fill: {seed: 1, amplitude: 1.0}}\n" : "")),
      options);
  const Expected<std::string> file = emitPlan(graph);
  return file ? "" : file.error().message();
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("a spatial dimension beyond 2^24 is refused") {
  const std::string reason = "op 'wide' (MaxPool): spatial dimension 0 has 16777218 elements";
  CHECK(holds(refusal("MaxPool", "{kernel_shape: [2], strides: [2]}", "[1, 16777218, 1]",
                      "[1, 8388609, 1]"),
              reason));
  CHECK(holds(refusal("GlobalMaxPool", "{}", "[1, 16777217, 1]", "[1, 1, 1]"),
              "op 'wide' (GlobalMaxPool): spatial dimension 0 has 16777217 elements"));
  CHECK(holds(refusal("Conv", "{kernel_shape: [1, 2], strides: [1, 2]}", "[1, 1, 16777218, 1]",
                      "[1, 1, 8388609, 1]", "[1, 1, 1, 2]"),
              "op 'wide' (Conv): spatial dimension 1 has 16777218 elements"));
  CHECK(holds(refusal("ConvTranspose", "{strides: [4]}", "[1, 4194305, 1]", "[1, 16777220, 1]",
                      "[1, 1, 4]"),
              "op 'wide' (ConvTranspose): spatial dimension 0 has 16777220 elements"));
  CHECK(refusal("MaxPool", "{kernel_shape: [2], strides: [2]}", "[1, 16777216, 1]",
                "[1, 8388608, 1]") == "");
}

TEST_CASE("a window that spans more than 2^24 elements is refused") {
  CHECK(holds(refusal("MaxPool",
                      "{kernel_shape: [18], dilations: [1000000], pads: [1000000, 1000000]}",
                      "[1, 15000001, 1]", "[1, 1, 1]"),
              "op 'wide' (MaxPool): the window spans 17000001 elements along spatial dimension 0"));
}

TEST_CASE("a pool of more than 2^24 taps is refused") {
  CHECK(holds(
      refusal("MaxPool", "{kernel_shape: [8192, 4096]}", "[1, 8192, 4096, 1]", "[1, 1, 1, 1]"),
      "op 'wide' (MaxPool): the window has 33554432 taps, at most 16777216"));
  CHECK(holds(
      refusal("AveragePool", "{kernel_shape: [8192, 4096]}", "[1, 8192, 4096, 1]", "[1, 1, 1, 1]"),
      "the window has 33554432 taps"));
  CHECK(holds(refusal("GlobalMaxPool", "{}", "[1, 8192, 4096, 1]", "[1, 1, 1, 1]"),
              "the window has 33554432 taps"));
}

TEST_CASE("a long pool of many taps is counted without visiting each") {
  // 10^12 pairs of position and tap.
  CHECK(refusal("AveragePool", "{kernel_shape: [1000000], pads: [500000, 499999]}",
                "[1, 1000000, 1]", "[1, 1000000, 1]") == "");
}
