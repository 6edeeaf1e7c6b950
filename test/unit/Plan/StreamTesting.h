// Graphs whose stages are streamed, and the model of such a stage.
#pragma once

#include "tigris/Plan/Stage/StreamModel.h"
#include "tigris/Support/StringUtils.h"

#include <doctest/doctest.h>

namespace tigris {

/// A graph from x to y over maps of 8 rows of 4 bytes with these names.
inline std::string graphOf(const std::vector<std::string>& maps,
                           const std::vector<std::string>& ops) {
  std::string text = "form: normalized\nlayout: channels-last\ninputs: [{name: x}]\n"
                     "outputs: [{name: y}]\ntensors:\n";
  for (const std::string& map : maps)
    text += strCat("  - {name: ", map, ", type: int8, shape: [1, 8, 4, 1], quant: {scale: 1.0}}\n");
  text += "ops:\n";
  for (const std::string& op : ops)
    text += strCat("  - {", op, "}\n");
  return text;
}

/// A window of 3x3.
inline std::string window(const char* in, const char* out) {
  return strCat("op: MaxPool, name: to_", out, ", in: [", in, "], out: [", out,
                "], attrs: {kernel_shape: [3, 3], strides: [1, 1], pads: [1, 1, 1, 1]}");
}

/// Two windows; the second one has a residual connection around it.
inline const std::string Residual =
    graphOf({"x", "a", "b", "y"},
            {window("x", "a"), window("a", "b"), "op: Add, name: join, in: [a, b], out: [y]"});

/// The average over 8 rows of 4 bytes from a pooling.
inline const char* const Average = R"(form: normalized
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: int8, shape: [1, 8, 4, 1], quant: {scale: 1.0}}
  - {name: a, type: int8, shape: [1, 8, 4, 1], quant: {scale: 1.0}}
  - {name: y, type: int8, shape: [1, 1, 1, 1], quant: {scale: 1.0}}
ops:
  - {op: MaxPool, name: window, in: [x], out: [a], attrs: {kernel_shape: [3, 3], strides: [1, 1], pads: [1, 1, 1, 1]}}
  - {op: GlobalAveragePool, name: average, in: [a], out: [y]}
)";

inline std::vector<TensorId> loadsOf(const Graph& graph) {
  std::vector<TensorId> loads;
  for (const Port& input : graph.inputs())
    loads.push_back(input.tensor);
  return loads;
}

inline StreamModel modelOf(RowTable& rows) {
  const Graph& graph = rows.graph();
  const std::vector<TensorId> loads = loadsOf(graph);
  const std::vector<TensorId> stores = {*graph.findTensor("y")};
  std::optional<StreamModel> model = StreamModel::make(rows, graph.order(), loads, stores);
  REQUIRE(model);
  return std::move(*model);
}

} // namespace tigris
