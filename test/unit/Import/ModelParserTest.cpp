// Files that are not models, or too old, give one clear error.
#include "ImportTesting.h"

#include <doctest/doctest.h>

using namespace tigris;
using namespace tigris::test;

namespace {

Error errorOf(std::string_view bytes) {
  DiagnosticEngine engine;
  Expected<Graph> graph = importOnnx(bytes, {}, engine);
  REQUIRE(!graph);
  CHECK(engine.all().empty());
  return graph.takeError();
}

const char* const Small = "g (float[2] x) => (float[2] y) { y = Relu(x) }";

} // namespace

TEST_CASE("an empty file is told apart from a damaged one") {
  CHECK(errorOf("").id() == DiagId::EmptyInput);
  const Error garbage = errorOf("this is not a model, it is a sentence");
  CHECK(garbage.id() == DiagId::BadModel);
  CHECK(garbage.message().find("not a valid ONNX model") == 0);
}

TEST_CASE("files of other kinds are named") {
  for (const char* const stream : {"tigris: graph/1\nform: imported\n", "---\ntigris: graph/1\n"})
    CHECK(errorOf(stream).message().find("already imported") != std::string::npos);
  CHECK(errorOf(std::string("\x1c\0\0\0TFL3\0\0\0\0", 12)).message().find("TensorFlow Lite") !=
        std::string::npos);
  CHECK(errorOf("version https://git-lfs.github.com/spec/v1\n").message().find("Git LFS") !=
        std::string::npos);
}

TEST_CASE("a model cut short anywhere is an error or still a model") {
  const std::string whole = parseOnnxGraph(Small).SerializeAsString();
  size_t failed = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    DiagnosticEngine engine;
    const Expected<Graph> graph = importOnnx(std::string_view(whole).substr(0, size), {}, engine);
    failed += graph ? 0 : 1;
  }
  CHECK(failed > whole.size() / 2);
}

TEST_CASE("no flipped bit crashes the importer") {
  const std::string whole =
      parseOnnxGraph("g (float[1,4] x) => (float[1,2] y) <float[4,2] w = {1, 2, 3, 4, 5, 6, 7, 8}> "
                     "{ a = MatMul(x, w)  s = Shape(a)  b = Reshape(a, s)  y = Clip(b) }")
          .SerializeAsString();
  for (size_t i = 0; i < whole.size() * 8; ++i) {
    std::string damaged = whole;
    damaged[i / 8] = static_cast<char>(damaged[i / 8] ^ (1 << (i % 8)));
    DiagnosticEngine engine;
    const Expected<Graph> graph = importOnnx(damaged, {}, engine);
    CHECK((graph || !graph.error().message().empty()));
  }
}

TEST_CASE("opset 7 is the oldest") {
  CHECK(importGraph(Small, 7).kinds() == "Relu");
  const Imported old = importGraph(Small, 6);
  CHECK(old.said(DiagId::BadModel, "opset 6, the oldest supported is 7"));
  CHECK(importGraph(Small, 99).kinds() == "Relu");
}

TEST_CASE("a model without outputs or opset is refused") {
  onnx::ModelProto model = parseOnnxGraph(Small);
  model.mutable_graph()->clear_output();
  CHECK(importModel(model).said(DiagId::BadModel, "no outputs"));
  model = parseOnnxGraph(Small);
  model.clear_opset_import();
  CHECK(importModel(model).said(DiagId::BadModel, "declares no operator set"));
  model.clear_graph();
  CHECK(importModel(model).said(DiagId::BadModel, "contains no graph"));
}

TEST_CASE("the header of the graph says where it came from") {
  onnx::ModelProto model = parseOnnxGraph(Small, 13);
  Imported imported = importModel(model);
  CHECK(imported.graph->modelName() == "g");
  CHECK(imported.graph->opset() == 13);
  CHECK(imported.graph->form() == GraphForm::Imported);
  model.mutable_graph()->clear_name();
  CHECK(importModel(model, {{}, "some/dir/net.v2.onnx", false}).graph->modelName() == "net.v2");
  CHECK(importModel(model, {{}, "-", false}).graph->modelName() == "model");
}
