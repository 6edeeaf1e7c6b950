// Imported modules: results have the shapes that their operators determine, whatever the module
// declares.
#include "ModuleTesting.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

/// x [1, 2, 8, 8] -> Conv -> c -> Relu -> y; the three lines are as given.
std::string convModule(const std::string& attrs, const std::string& c, const std::string& y,
                       const std::string& port = "{name: out, tensor: r}",
                       const std::string& input = "type: float32, shape: [1, 2, 8, 8]") {
  return "tigris: graph/1\nform: imported\ninputs: [{name: x}]\noutputs: [" + port +
         "]\ntensors:\n  - {name: x, " + input +
         "}\n  - {name: w, type: float32, shape: [3, 2, 3, 3], const: true}\n  - {name: c" + c +
         "}\n  - {name: r" + y +
         "}\nops:\n  - {op: Conv, name: conv, in: [x, w], out: [c], attrs: {" + attrs +
         "}}\n  - {op: Relu, name: relu, in: [c], out: [r]}\n---\ntigris: weights/1\nblobs:\n" +
         "  - {name: w, fill: {seed: 1, amplitude: 1.0}}\n";
}

/// The shape of output r, after checking that the port agrees; warnings are appended to `said`.
std::string shapeOf(const std::string& text, std::string* said = nullptr) {
  DiagnosticEngine warnings;
  const Expected<Graph> graph =
      readModule(std::make_shared<const std::string>(text), "t.yaml", &warnings);
  if (!graph)
    return graph.error().message();
  for (const Diagnostic& warning : warnings.all())
    if (said != nullptr)
      *said += warning.message;
  const Tensor& tensor = graph->tensor(graph->outputs()[0].tensor);
  CHECK(tensor.hasShape);
  CHECK(tensor.type == DType::Float32);
  CHECK(graph->outputs()[0].shape == tensor.shape);
  CHECK(graph->outputs()[0].type == DType::Float32);
  return tensor.shape.str();
}

} // namespace

TEST_CASE("shapes that are left out are inferred") {
  std::string said;
  CHECK(shapeOf(convModule("", "", ""), &said) == "[1, 3, 6, 6]");
  CHECK(shapeOf(convModule("", ", type: float32", ", shape: [1, 3, 6, 6]"), &said) ==
        "[1, 3, 6, 6]");
  CHECK(shapeOf(convModule("", "", "", "{name: out, tensor: r, shape: [1, 3, 6, 6]}"), &said) ==
        "[1, 3, 6, 6]");
  CHECK(said.empty());
}

TEST_CASE("shapes behind an edited attribute follow, and the interface with a warning") {
  const std::string stated = ", type: float32, shape: [1, 3, 6, 6]";
  std::string said;
  CHECK(shapeOf(convModule("strides: [2, 2]", stated, stated), &said) == "[1, 3, 3, 3]");
  CHECK(said ==
        "model output 'out' is stated as float32 [1, 3, 6, 6], but shape inference derives float32 "
        "[1, 3, 3, 3]");
  said.clear();
  CHECK(shapeOf(convModule("strides: [2, 2]", stated, ""), &said) == "[1, 3, 3, 3]");
  CHECK(said.empty());
  CHECK(shapeOf(convModule("", ", type: int8, shape: [7]", ", shape: [2, 2]")) == "[1, 3, 6, 6]");
  CHECK(shapeOf(convModule("", "", "", "{name: out, tensor: r, shape: [5]}"), &said) ==
        "[1, 3, 6, 6]");
  CHECK(said.find("is stated as") != std::string::npos);
}

TEST_CASE("inputs and constants stay as they are stated") {
  CHECK(shapeOf(
            convModule("", "", "", "{name: out, tensor: r}", "type: float32, shape: [1, 5, 8, 8]"))
            .find("op 'conv' (Conv)") == 0);
  CHECK(shapeOf(convModule("kernel_shape: [9, 9]", "", "")).find("op 'conv' (Conv)") == 0);
}
