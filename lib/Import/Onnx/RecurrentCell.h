// Recognizes the cell of an LSTM, a GRU or a simple RNN in the operators of one step of a loop.
//
//   LSTM  c' = sigmoid(f) * c + sigmoid(i) * tanh(g)    h' = sigmoid(o) * tanh(c')
//   GRU   h' = sigmoid(z) * h + (1 - sigmoid(z)) * n    n = tanh(a + sigmoid(r) * b), where b is a
//         product of h, or n = tanh(a), where a is a product of x and of sigmoid(r) * h
//   RNN   h' = tanh(a) or Relu(a)
//
// All letters before the equations' functions are sums of products x W and h R with constant
// matrices, and of constants. Exporters write one product per gate, or one for all gates that a
// Split or Slices take apart, or one for x and h that a Concat joins.
#pragma once

#include "tigris/IR/ShapeInference.h"

#include <optional>
#include <vector>

namespace tigris {

/// A recognized cell with its weights in the form of the ops LSTM, GRU and RNN, for one direction:
/// W [1, gates * hidden, features], R [1, gates * hidden, hidden], B [1, 2 * gates * hidden], the
/// gates in ONNX's order.
struct RecurrentCell {
  OpKind kind = OpKind::RNN;
  /// The operand of the step: [batch, features].
  TensorId x;
  int64_t features = 0;
  int64_t hidden = 0;
  std::vector<float> w;
  std::vector<float> r;
  std::vector<float> b;
  /// A GRU whose reset gate multiplies the product, not the state.
  bool resetAfter = false;
  /// The function of an RNN.
  bool isRelu = false;
};

/// One step of a loop in the graph: the states before and after it. An LSTM has two, h and c.
struct RecurrentStep {
  TensorId h;
  TensorId nextH;
  TensorId c = {};
  TensorId nextC = {};
};

/// nullopt if the operators between the states are not such a cell.
std::optional<RecurrentCell> recognizeCell(const Graph& graph, const KnownValues& values,
                                           const RecurrentStep& step);

} // namespace tigris
