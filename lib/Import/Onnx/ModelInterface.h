// Model inputs and outputs: types, shapes, and the binding of free dimensions.
#pragma once

#include "tigris/Import/GraphBuilder.h"
#include "tigris/Import/Onnx/OnnxImporter.h"
#include "tigris/Import/Onnx/SourceGraph.h"
#include "tigris/Import/Onnx/TensorReader.h"

namespace tigris {

/// Adds a tensor and a port for every input without an initializer. The size of a free dimension
/// comes from options.inputShapes, from another input's dimension with the same name, or is 1 with
/// a warning. Inputs in options.inputValues, and inputs without elements, become constants and have
/// no port.
Status addInputs(const onnx::GraphProto& onnxGraph, const ImportOptions& options,
                 SourceGraph& source, GraphBuilder& builder, DiagnosticEngine& diagnostics);

/// An output of the model: one that the file declares, or a tensor that the user has chosen.
struct ModelOutput {
  std::string name;
  ValueId value;
  /// The declared type; null if there is none.
  const onnx::TypeProto* type = nullptr;
};

/// The tensors in options.outputs, or the declared outputs if it is empty.
Expected<std::vector<ModelOutput>> modelOutputs(const onnx::GraphProto& onnxGraph,
                                                const ImportOptions& options, SourceGraph& source);

/// Adds a port for every output; its value must have been imported. An output that is also an
/// input, a constant or another output gets a separate Identity. An output without elements is
/// refused.
Status addOutputs(const std::vector<ModelOutput>& outputs, SourceGraph& source,
                  GraphBuilder& builder, DiagnosticEngine& diagnostics);

} // namespace tigris
