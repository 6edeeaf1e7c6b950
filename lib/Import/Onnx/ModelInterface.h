// The model's inputs and outputs: types, shapes, and what becomes of free dimensions.
#pragma once

#include "tigris/Import/Onnx/GraphBuilder.h"
#include "tigris/Import/Onnx/OnnxImporter.h"
#include "tigris/Import/Onnx/SourceGraph.h"

namespace tigris {

/// Adds a tensor and a port for every input that no initializer fills. Free dimensions get their size
/// from options.inputShapes, from another input's dimension of the same name, or 1 with a warning. What
/// options.inputValues names becomes a constant instead and has no port.
Status addInputs(const onnx::GraphProto& onnxGraph, const ImportOptions& options,
                 SourceGraph& source, GraphBuilder& builder, DiagnosticEngine& diagnostics);

/// Adds a port for every output, whose values must have been imported. An output that is an input, a
/// constant or another output as well gets an Identity of its own.
Status addOutputs(const onnx::GraphProto& onnxGraph, SourceGraph& source, GraphBuilder& builder,
                  DiagnosticEngine& diagnostics);

} // namespace tigris
