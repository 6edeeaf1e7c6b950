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

#include "tigris/IR/Graph.h"
#include "tigris/Support/Expected.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tigris {

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
};

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

} // namespace tigris
