// Model inputs and outputs: types, shapes, and the binding of free dimensions.
#pragma once

#include "tigris/Import/Onnx/GraphBuilder.h"
#include "tigris/Import/Onnx/OnnxImporter.h"
#include "tigris/Import/Onnx/SourceGraph.h"

namespace tigris {

/// Adds a tensor and a port for every input without an initializer. The size of a free dimension
/// comes from options.inputShapes, from another input's dimension with the same name, or is 1 with
/// a warning. Inputs in options.inputValues become constants and have no port.
Status addInputs(const onnx::GraphProto& onnxGraph, const ImportOptions& options,
                 SourceGraph& source, GraphBuilder& builder, DiagnosticEngine& diagnostics);

/// Adds a port for every output; its value must have been imported. An output that is also an
/// input, a constant or another output gets a separate Identity.
Status addOutputs(const onnx::GraphProto& onnxGraph, SourceGraph& source, GraphBuilder& builder,
                  DiagnosticEngine& diagnostics);

} // namespace tigris
