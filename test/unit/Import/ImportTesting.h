// Helpers of the importer's tests: models in ONNX's text syntax, imported, with all messages.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Import/Onnx/OnnxImporter.h"

#include <onnx/onnx_pb.h>
#include <optional>
#include <string>
#include <vector>

namespace tigris::test {

/// Parses ONNX's text syntax; a syntax error fails the test.
onnx::ModelProto parseOnnxText(const std::string& text);
/// The same, with a header for `opset` of the default domain before the graph.
onnx::ModelProto parseOnnxGraph(const std::string& graph, int opset = 17);

/// Adds a float initializer whose elements are 0, 1, 2, ... divided by 8.
onnx::TensorProto& addWeights(onnx::ModelProto& model, const std::string& name,
                              const std::vector<int64_t>& dims);

struct Imported {
  std::optional<Graph> graph;
  std::optional<Error> error;
  std::vector<Diagnostic> diagnostics;

  /// All messages: the reported ones, then the returned error.
  std::vector<std::string> messages() const;
  /// Whether a message of this id contains the text.
  bool said(DiagId id, const std::string& part) const;
  /// "Conv Relu": kinds in execution order.
  std::string kinds() const;
  /// "conv1 relu1": names in execution order.
  std::string names() const;
  /// The only op of the kind; fails the test otherwise.
  const Op& only(OpKind kind) const;
  const Tensor& tensor(const std::string& name) const;
  const Tensor& input(const Op& op, size_t index) const;
};

Imported importModel(const onnx::ModelProto& model, const ImportOptions& options = {});
Imported importGraph(const std::string& graph, int opset = 17, const ImportOptions& options = {});

} // namespace tigris::test
