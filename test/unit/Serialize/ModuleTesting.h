// Graphs and helpers for the tests of the module.
#pragma once

#include "tigris/Serialize/Module.h"

#include <doctest/doctest.h>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

namespace tigris {

inline Expected<Graph> parse(std::string text, const std::string& fileName = "t.yaml") {
  return readModule(std::make_shared<const std::string>(std::move(text)), fileName);
}

/// The diagnostic in its printed form; "ok" if there is none.
inline std::string parseError(std::string text, const std::string& fileName = "t.yaml") {
  const Expected<Graph> graph = parse(std::move(text), fileName);
  return graph ? "ok" : formatDiagnostic(graph.error().diagnostic(), "test");
}

inline std::string print(const Graph& graph, const WriteOptions& options = {}) {
  const Expected<std::string> text = writeModule(graph, options);
  REQUIRE_MESSAGE(text, text.error().message());
  return *text;
}

/// print(parse(print(graph))) == print(graph); returns the text.
inline std::string roundTrip(const Graph& graph) {
  std::string text = print(graph);
  const Expected<Graph> again = parse(text);
  REQUIRE_MESSAGE(again, formatDiagnostic(again.error().diagnostic(), ""), text);
  CHECK(print(*again) == text);
  return text;
}

inline TensorId addActivation(Graph& graph, const std::string& name, Shape shape = {2, 3},
                              DType type = DType::Float32) {
  Tensor tensor;
  tensor.name = name;
  tensor.type = type;
  tensor.shape = std::move(shape);
  return graph.addTensor(std::move(tensor));
}

inline void expose(Graph& graph, TensorId input, TensorId output) {
  const Tensor& in = graph.tensor(input);
  graph.addInput({in.name, input, in.type, in.shape, {}});
  const Tensor& out = graph.tensor(output);
  graph.addOutput({out.name, output, out.type, out.shape, {}});
}

inline Op makeOp(OpKind kind, std::string name, std::vector<TensorId> inputs,
                 std::vector<TensorId> outputs) {
  Op op;
  op.kind = kind;
  op.name = std::move(name);
  op.inputs = std::move(inputs);
  op.outputs = std::move(outputs);
  return op;
}

/// x -> Relu -> b, the smallest legal graph.
inline Graph tinyGraph() {
  Graph graph;
  const TensorId x = addActivation(graph, "x");
  const TensorId y = addActivation(graph, "b");
  graph.addOp(makeOp(OpKind::Relu, "relu", {x}, {y}));
  expose(graph, x, y);
  return graph;
}

/// tinyGraph() plus one constant that an unknown op reads.
inline Graph graphWithConstant(DType type, Shape shape, BlobRef data) {
  Graph graph = tinyGraph();
  const TensorId w = graph.addConstant("w", type, std::move(shape), std::move(data));
  Op op = makeOp(OpKind::Unknown, "use", {w}, {addActivation(graph, "z")});
  op.unknownKind = "test::Use";
  graph.addOp(std::move(op));
  return graph;
}

inline BlobRef floatRamp(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(i) * 0.37F - 5.0F;
  return makeBlobOf(values);
}

inline BlobRef constantOf(const Graph& graph, std::string_view name) {
  const auto id = graph.findTensor(name);
  REQUIRE(id);
  REQUIRE(graph.tensor(*id).isConstant());
  return graph.tensor(*id).data;
}

} // namespace tigris
