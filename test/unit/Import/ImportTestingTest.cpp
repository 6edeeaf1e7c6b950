// The helpers of ImportTesting.h.
#include "ImportTesting.h"

#include <doctest/doctest.h>
#include <onnx/defs/parser.h>

namespace tigris::test {

onnx::ModelProto parseOnnxText(const std::string& text) {
  onnx::ModelProto model;
  onnx::OnnxParser parser(text.c_str());
  const auto status = parser.Parse(model);
  REQUIRE_MESSAGE(status.IsOK(), status.ErrorMessage());
  return model;
}

onnx::ModelProto parseOnnxGraph(const std::string& graph, int opset) {
  return parseOnnxText(strCat("<ir_version: 8, opset_import: [\"\" : ", opset,
                              ", \"com.microsoft\" : 1]>\n", graph));
}

onnx::TensorProto& addWeights(onnx::ModelProto& model, const std::string& name,
                              const std::vector<int64_t>& dims) {
  onnx::TensorProto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  int64_t count = 1;
  for (const int64_t dim : dims) {
    tensor.add_dims(dim);
    count *= dim;
  }
  for (int64_t i = 0; i < count; ++i)
    tensor.add_float_data(static_cast<float>(i) / 8);
  return tensor;
}

Imported importModel(const onnx::ModelProto& model, const ImportOptions& options) {
  Imported result;
  DiagnosticEngine engine;
  Expected<Graph> graph = importOnnx(model.SerializeAsString(), options, engine);
  result.diagnostics = engine.all();
  if (graph)
    result.graph = std::move(*graph);
  else
    result.error = graph.takeError();
  return result;
}

Imported importGraph(const std::string& graph, int opset, const ImportOptions& options) {
  return importModel(parseOnnxGraph(graph, opset), options);
}

std::vector<std::string> Imported::messages() const {
  std::vector<std::string> all;
  for (const Diagnostic& diagnostic : diagnostics)
    all.push_back(diagnostic.message);
  if (error)
    all.push_back(error->message());
  return all;
}

bool Imported::said(DiagId id, const std::string& part) const {
  std::vector<Diagnostic> all = diagnostics;
  if (error)
    all.push_back(error->diagnostic());
  for (const Diagnostic& diagnostic : all)
    if (diagnostic.id == id && diagnostic.message.find(part) != std::string::npos)
      return true;
  for (const Diagnostic& diagnostic : all)
    MESSAGE(std::string(formatDiagnostic(diagnostic, "said")));
  return false;
}

std::string Imported::kinds() const {
  REQUIRE_MESSAGE(graph, join(messages(), "\n"));
  std::vector<std::string_view> kinds;
  for (const OpId id : graph->order())
    kinds.push_back(graph->op(id).kindName());
  return join(kinds, " ");
}

std::string Imported::names() const {
  REQUIRE_MESSAGE(graph, join(messages(), "\n"));
  std::vector<std::string> names;
  for (const OpId id : graph->order())
    names.push_back(graph->op(id).name);
  return join(names, " ");
}

const Op& Imported::only(OpKind kind) const {
  REQUIRE_MESSAGE(graph, join(messages(), "\n"));
  const Op* found = nullptr;
  for (const OpId id : graph->order())
    if (graph->op(id).kind == kind) {
      REQUIRE(found == nullptr);
      found = &graph->op(id);
    }
  REQUIRE(found != nullptr);
  return *found;
}

const Tensor& Imported::tensor(const std::string& name) const {
  REQUIRE_MESSAGE(graph, join(messages(), "\n"));
  const std::optional<TensorId> id = graph->findTensor(name);
  REQUIRE_MESSAGE(id.has_value(), name);
  return graph->tensor(*id);
}

const Tensor& Imported::input(const Op& op, size_t index) const {
  REQUIRE(op.input(index));
  return graph->tensor(op.input(index));
}

TEST_CASE("models of the tests come from ONNX text") {
  const onnx::ModelProto model = parseOnnxGraph("g (float[2] x) => (float[2] y) { y = Relu(x) }");
  CHECK(model.graph().node_size() == 1);
  CHECK(importGraph("g (float[2] x) => (float[2] y) { y = Relu(x) }").kinds() == "Relu");
}

} // namespace tigris::test
