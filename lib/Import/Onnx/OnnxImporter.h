// Turns an ONNX model into a graph of stage `imported`: the only door through which ONNX enters.
//
// What comes out: ONNX operators of every opset from 7 on in one form (the newest opset's, see Ops.def),
// in ONNX's channels-first order, every shape static, weights as blobs, float16, bfloat16 and float64
// imported as float32, 4-bit integers one per byte, operators quantized as a whole (QLinearConv and
// its relatives) spelled as DequantizeLinear, operator, QuantizeLinear. Functions and branches of
// `If` whose condition is static are inlined. Only what the outputs need is imported, in depth-first
// post-order from the outputs, the inputs of a node visited last to first.
//
// Names: tensors keep their ONNX names, ops the names of their nodes; a node without a name is called
// `Conv_k`, the k-th nameless Conv of the file counted from 0; names that repeat get a number.
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
  /// Shapes of model inputs by name. They bind free dimensions and must repeat the fixed ones.
  std::map<std::string, Shape> inputShapes;
  /// Where the model came from: external data lies beside it. Empty or "-" is the current directory.
  std::string modelPath;
  /// Keeps operators Ops.def does not know as OpKind::Unknown, with the shapes the model declares, for a
  /// pass that lowers them.
  bool allowUnknownOps = false;
  /// How int8 results are rounded; unset: as the tool that quantized the model does, judged by the model's
  /// producer (docs/rationale/rounding.md).
  std::optional<IntegerRounding> rounding = std::nullopt;
  /// Called with the path of each file of external data that was read; may be empty.
  std::function<void(const std::string& path)> onFileRead = {};
  /// Model inputs by name that always hold one number, in every element: they become constants. So a
  /// model with a mode or a sample rate as input chooses its branches at compile time.
  std::map<std::string, double> inputValues = {};
};

/// What cannot be executed is refused with DiagId::UnsupportedOp, UnsupportedType, BadAttr, BadShape or
/// DynamicShape, naming the node, its operator and the reason. All refusals up to 20 are told: all but
/// the last are reported to `diagnostics`, the last is the returned error. A file that is not valid ONNX is
/// one error: EmptyInput, BadModel, DuplicateName, BadWeights, IoError. Wrong `inputShapes` and
/// `inputValues` are DiagId::Usage.
///
/// Warns of FreeDimension (an input's free dimension became 1), UnsupportedType (the model computes in
/// another float type than float32) and BadShape (a declared output shape is not what the model computes).
Expected<Graph> importOnnx(std::string_view modelBytes, const ImportOptions& options,
                           DiagnosticEngine& diagnostics);

} // namespace tigris
