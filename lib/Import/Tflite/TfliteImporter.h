// Converts a TensorFlow Lite model to a graph in imported form. This is the only entry point for
// TensorFlow Lite.
//
// Operators keep their order, and those that no output needs are left out. Pictures are NHWC at the
// interface and NCHW inside, with Transposes that normalization cancels. Quantized tensors are
// quantized tensors of the graph, and the graph's rounding is that of TensorFlow Lite Micro
// (docs/tflite.md).
//
// Names: inputs, outputs and other tensors keep their names in the file; an operator has the name
// of its first result. Names that are used twice get a number.
#pragma once

#include "tigris/Import/Importer.h"

namespace tigris {

/// Errors for unsupported models are UnsupportedOp, UnsupportedType, BadAttr, BadShape or BadArity;
/// they name the operator, its version, the tensor and the reason. A file that is damaged gives one
/// error, BadModel or BadWeights.
Expected<Graph> importTflite(std::string_view bytes, const ImportOptions& options,
                             DiagnosticEngine& diagnostics);

/// importTflite as an importer, with the manual of its operators.
Importer tfliteImporter();

} // namespace tigris
