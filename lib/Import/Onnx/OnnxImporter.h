// Converts an ONNX model to a graph in imported form. This is the only entry point for ONNX.
//
// The result has ONNX operators of all opsets from 7 on in one form (that of the newest opset, see
// Ops.def), in channels-first order, with static shapes and weights as blobs. float16, bfloat16 and
// float64 become float32; 4-bit integers are stored one per byte; quantized operators (QLinearConv
// and related ones) become DequantizeLinear, operator, QuantizeLinear. Functions, and branches of
// `If` with a static condition, are inlined. Only nodes that the outputs need are imported, in
// depth-first post-order from the outputs, with the inputs of a node visited from last to first.
//
// Names: tensors keep their ONNX names; ops have the names of their nodes. A node without a name is
// called `Conv_k`, the k-th unnamed Conv of the file counted from 0. Repeated names get a number.
#pragma once

#include "tigris/Import/Importer.h"

namespace tigris {

/// Errors for unsupported models are UnsupportedOp, UnsupportedType, BadAttr, BadShape or
/// DynamicShape; they name the node, its operator and the reason. Up to 20 errors are reported: all
/// but the last go to `diagnostics`, and the last is returned. For a file that is not valid ONNX
/// there is one error: EmptyInput, BadModel, DuplicateName, BadWeights or IoError. Wrong
/// `inputShapes` and `inputValues` are DiagId::Usage.
///
/// Warnings: FreeDimension (a free dimension of an input became 1), UnsupportedType (the model
/// computes in a float type other than float32) and BadShape (a declared output shape differs from
/// the computed one).
Expected<Graph> importOnnx(std::string_view modelBytes, const ImportOptions& options,
                           DiagnosticEngine& diagnostics);

/// importOnnx as an importer, with the manual of its operators.
Importer onnxImporter();

} // namespace tigris
