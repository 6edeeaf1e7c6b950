// A second format of one line besides ONNX: the choice of an importer, and the steps common to all
// formats.
#include "ImportTesting.h"
#include "tigris/IR/Verifier.h"
#include "tigris/Import/Importers.h"

#include <doctest/doctest.h>

using namespace tigris;
using namespace tigris::test;

namespace {

Tensor vectorOf(const std::string& name) {
  Tensor tensor;
  tensor.name = name;
  tensor.type = DType::Float32;
  tensor.shape = Shape({4});
  tensor.hasShape = true;
  return tensor;
}

/// "TOY1 Relu": one operator from `x` to `y`. Anything but Relu is rejected.
Expected<Graph> importToy(std::string_view bytes, const ImportOptions& options,
                          DiagnosticEngine& diagnostics) {
  if (!bytes.starts_with("TOY1 "))
    return makeError(DiagId::BadModel, "not a toy");
  if (!options.inputShapes.empty())
    return makeError(DiagId::Usage, "a toy has one shape");
  if (bytes.substr(5) != "Relu") {
    diagnostics.warn(DiagId::BadShape, "a toy is small");
    return makeError(DiagId::UnsupportedOp, "op '", bytes.substr(5), "' is no toy");
  }
  Graph graph;
  const TensorId x = graph.addTensor(vectorOf("x"));
  const TensorId y = graph.addTensor(vectorOf("y"));
  graph.addInput({"x", x, DType::Float32, Shape({4}), {}});
  Op op;
  op.kind = OpKind::Relu;
  op.name = "relu";
  op.inputs = {x};
  op.outputs = {y};
  graph.addOp(std::move(op));
  graph.addOutput({"y", y, DType::Float32, Shape({4}), {}});
  return graph;
}

Importer toyImporter() {
  return {.name = "toy",
          .matches = [](std::string_view bytes) { return bytes.starts_with("TOY1 "); },
          .importModel = importToy};
}

ImporterRegistry onnxAndToy() {
  ImporterRegistry registry = builtinImporters();
  REQUIRE(bool(registry.add(toyImporter())));
  return registry;
}

std::string onnxBytes() {
  return parseOnnxGraph("g (float[1, 4] x) => (float[1, 4] y) { y = Sigmoid(x) }")
      .SerializeAsString();
}

} // namespace

TEST_CASE("importers: the content of a file decides") {
  const ImporterRegistry registry = onnxAndToy();
  REQUIRE(registry.importers().size() == builtinImporters().importers().size() + 1);
  CHECK(registry.find(onnxBytes())->name == "onnx");
  CHECK(registry.find("TOY1 Relu")->name == "toy");
  // No importer recognizes these bytes, so the first one is chosen.
  CHECK(registry.find("\x89PNG\r\n")->name == "onnx");
  CHECK(registry.find("")->name == "onnx");
  CHECK(ImporterRegistry().find("TOY1 Relu") == nullptr);
}

TEST_CASE("importers: a name is taken once") {
  ImporterRegistry registry = onnxAndToy();
  const Status status = registry.add(toyImporter());
  REQUIRE(!status);
  CHECK(status.error().id() == DiagId::DuplicateName);
  CHECK(registry.importers().size() == builtinImporters().importers().size() + 1);
}

TEST_CASE("importers: both formats give graphs") {
  const ImporterRegistry registry = onnxAndToy();
  DiagnosticEngine diagnostics;
  const Expected<Graph> onnx = registry.importModel(onnxBytes(), {}, diagnostics);
  REQUIRE(bool(onnx));
  CHECK(onnx->op(onnx->order()[0]).kind == OpKind::Sigmoid);
  const Expected<Graph> toy = registry.importModel("TOY1 Relu", {}, diagnostics);
  REQUIRE(bool(toy));
  CHECK(toy->op(toy->order()[0]).kind == OpKind::Relu);
  CHECK(verifyGraph(*toy, diagnostics));
  CHECK(diagnostics.all().empty());
}

TEST_CASE("importers: states are bound whatever the format") {
  const ImporterRegistry registry = onnxAndToy();
  DiagnosticEngine diagnostics;
  ImportOptions options;
  options.states = {"x=y"};
  const Expected<Graph> toy = registry.importModel("TOY1 Relu", options, diagnostics);
  REQUIRE(bool(toy));
  CHECK(toy->outputs()[0].state == "x");
  options.states = {"x=z"};
  const Expected<Graph> wrong = registry.importModel("TOY1 Relu", options, diagnostics);
  REQUIRE(!wrong);
  CHECK(wrong.error().id() == DiagId::Usage);
}

TEST_CASE("importers: what is said names the file, a wrong option does not") {
  const ImporterRegistry registry = onnxAndToy();
  DiagnosticEngine diagnostics;
  ImportOptions options;
  options.modelPath = "toys/a.toy";
  const Expected<Graph> refused = registry.importModel("TOY1 Sin", options, diagnostics);
  REQUIRE(!refused);
  CHECK(refused.error().id() == DiagId::UnsupportedOp);
  CHECK(refused.error().diagnostic().loc.file == "toys/a.toy");
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all()[0].loc.file == "toys/a.toy");
  options.inputShapes["x"] = Shape({5});
  const Expected<Graph> usage = registry.importModel("TOY1 Relu", options, diagnostics);
  REQUIRE(!usage);
  CHECK(usage.error().id() == DiagId::Usage);
  CHECK(usage.error().diagnostic().loc.file.empty());
}
