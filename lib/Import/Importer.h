// The interface of importers, which convert a model file of some format to a graph in imported
// form.
//
// A new format is a folder lib/Import/Name with a function `Importer nameImporter()`, and a line in
// Importers.def:
//
//   Importer toyImporter() {
//     return {.name = "toy",
//             .matches = [](std::string_view bytes) { return bytes.starts_with("TOY1"); },
//             .importModel = importToy};
//   }
//
// An importer returns a graph that verifyGraph accepts: static shapes, weights as blobs, operators
// of Ops.def in the newest opset's form, channels first. It rejects what it cannot express, with
// operator, node and reason.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/Diagnostics.h"
#include "tigris/Support/Expected.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tigris {

/// The user's options for importing a model, for all formats.
struct ImportOptions {
  /// Shapes of model inputs by name. They set free dimensions and must agree with fixed ones.
  std::map<std::string, Shape> inputShapes;
  /// Path of the model: external data must be beside it. Empty or "-" is the current directory.
  std::string modelPath;
  /// Keeps operators that Ops.def does not list as OpKind::Unknown, with the shapes that the model
  /// declares, for a pass that lowers them.
  bool allowUnknownOps = false;
  /// Rounding of int8 results; nullopt: that of the tool that quantized the model, derived from the
  /// model's producer (docs/rationale/rounding.md).
  std::optional<IntegerRounding> rounding = std::nullopt;
  /// Called with the path of each file of external data that has been read; may be empty.
  std::function<void(const std::string& path)> onFileRead = {};
  /// Model inputs, by name, with the same number in every element: they become constants. A model
  /// with a mode or a sample rate as input then chooses its branches at compile time.
  std::map<std::string, double> inputValues = {};
  /// Tensors of the model that become its outputs instead of the declared ones; empty: the declared
  /// ones. Operators that only other outputs need are left out.
  std::vector<std::string> outputs = {};
  /// The entry point of a TensorFlow Lite model with several; empty: the first subgraph.
  std::string signature = {};
  /// "INPUT=OUTPUT" each: OUTPUT becomes INPUT of the next run (StateBinding.h). The registry binds
  /// them after the import.
  std::vector<std::string> states = {};
};

struct Importer {
  /// One word in lower case, unique in a registry: "onnx".
  std::string name;
  /// Whether the bytes are of this format, judged by their content.
  std::function<bool(std::string_view bytes)> matches;
  /// Also rejects bytes of other formats. All errors but the last go to `diagnostics`, as do
  /// warnings; the last one is returned. Wrong options are DiagId::Usage.
  std::function<Expected<Graph>(std::string_view bytes, const ImportOptions& options,
                                DiagnosticEngine& diagnostics)>
      importModel;
  /// The supported operators, one per line, and their manual in Markdown; may be empty.
  std::function<std::string()> operatorNames = {};
  std::function<std::string()> operatorManual = {};
};

} // namespace tigris
