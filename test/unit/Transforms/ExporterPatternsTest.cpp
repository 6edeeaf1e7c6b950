// Recognition of operators that exporters decompose.
#include "PassTesting.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

/// A graph of float tensors of one shape; each constant has one value.
std::string graphOf(const std::vector<std::string>& ops, const std::vector<std::string>& steps,
                    const std::vector<std::pair<std::string, std::string>>& constants) {
  std::string text = "inputs: [{name: x}]\noutputs: [{name: out}]\ntensors:\n";
  for (const char* name : {"x", "out"})
    text += std::string("  - {name: ") + name + ", type: float32, shape: [2, 4]}\n";
  for (const std::string& step : steps)
    text += "  - {name: " + step + ", type: float32, shape: [2, 4]}\n";
  for (const auto& [name, value] : constants)
    text += "  - {name: " + name + ", type: float32, shape: [], const: true}\n";
  text += "ops:\n";
  for (const std::string& op : ops)
    text += "  - {" + op + "}\n";
  text += "blobs:\n";
  for (const auto& [name, value] : constants)
    text += "  - {name: " + name + ", values: [" + value + "]}\n";
  return text;
}

std::string opText(const std::string& kind, const std::string& in, const std::string& out) {
  return "op: " + kind + ", name: o_" + out + ", in: [" + in + "], out: [" + out + "]";
}

/// The pass finds this kind in the graph, and the values do not change.
void checkFound(const std::string& yaml, const std::string& expected) {
  CAPTURE(yaml);
  const std::string text = yaml + "# CHECK: {op: " + expected + "\n";
  checkSameValues(parseGraph(yaml.c_str()), checkPass("exporter-patterns", text.c_str()));
}

} // namespace

TEST_CASE("exporter-patterns: GELU by erf, wherever the half is") {
  const std::vector<std::string> head = {opText("Div", "x, root", "scaled"),
                                         opText("Erf", "scaled", "erf"),
                                         opText("Add", "erf, one", "gate")};
  const std::vector<std::pair<std::string, std::string>> constants = {
      {"root", "1.41421354"}, {"one", "1.0"}, {"half", "0.5"}};
  const auto with = [&](std::vector<std::string> tail) {
    std::vector<std::string> ops = head;
    ops.insert(ops.end(), tail.begin(), tail.end());
    return graphOf(ops, {"scaled", "erf", "gate", "t"}, constants);
  };
  const std::string gelu = "Gelu, name: o_out, in: [x], out: [out]";
  checkFound(with({opText("Mul", "x, gate", "t"), opText("Mul", "t, half", "out")}), gelu);
  checkFound(with({opText("Mul", "gate, half", "t"), opText("Mul", "x, t", "out")}), gelu);
  checkFound(with({opText("Mul", "half, x", "t"), opText("Mul", "t, gate", "out")}), gelu);
}

TEST_CASE("exporter-patterns: GELU by tanh") {
  checkFound(graphOf({opText("Pow", "x, three", "cube"), opText("Mul", "cube, small", "part"),
                      opText("Add", "x, part", "sum"), opText("Mul", "sum, factor", "scaled"),
                      opText("Tanh", "scaled", "tanh"), opText("Add", "tanh, one", "gate"),
                      opText("Mul", "x, half", "h"), opText("Mul", "h, gate", "out")},
                     {"cube", "part", "sum", "scaled", "tanh", "gate", "h"},
                     {{"three", "3.0"},
                      {"small", "0.044715"},
                      {"factor", "0.797884583"},
                      {"one", "1.0"},
                      {"half", "0.5"}}),
             "Gelu, name: o_out, in: [x], out: [out], attrs: {approximate: tanh}");
}

TEST_CASE("exporter-patterns: HardSwish") {
  checkFound(graphOf({opText("Add", "x, three", "sum"),
                      opText("Clip", "sum", "gate") + ", attrs: {max: 6.0, min: 0.0}",
                      opText("Mul", "x, gate", "t"), opText("Div", "t, six", "out")},
                     {"sum", "gate", "t"}, {{"three", "3.0"}, {"six", "6.0"}}),
             "HardSwish, name: o_out, in: [x], out: [out]");
}

TEST_CASE("exporter-patterns: other numbers are left alone") {
  const std::string yaml =
      graphOf({opText("Div", "x, root", "scaled"), opText("Erf", "scaled", "erf"),
               opText("Add", "erf, one", "gate"), opText("Mul", "x, gate", "t"),
               opText("Mul", "t, half", "out")},
              {"scaled", "erf", "gate", "t"}, {{"root", "1.5"}, {"one", "1.0"}, {"half", "0.5"}});
  checkUnchanged("exporter-patterns", yaml);
}

TEST_CASE("exporter-patterns: layer normalization with scale and bias") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: out}]
tensors:
  - {name: x, type: float32, shape: [2, 4]}
  - {name: mean, type: float32, shape: [2, 1]}
  - {name: centered, type: float32, shape: [2, 4]}
  - {name: squares, type: float32, shape: [2, 4]}
  - {name: variance, type: float32, shape: [2, 1]}
  - {name: sum, type: float32, shape: [2, 1]}
  - {name: root, type: float32, shape: [2, 1]}
  - {name: normal, type: float32, shape: [2, 4]}
  - {name: scaled, type: float32, shape: [2, 4]}
  - {name: out, type: float32, shape: [2, 4]}
  - {name: two, type: float32, shape: [], const: true}
  - {name: epsilon, type: float32, shape: [], const: true}
  - {name: scale, type: float32, shape: [4], const: true}
  - {name: bias, type: float32, shape: [1, 4], const: true}
ops:
  - {op: ReduceMean, name: o1, in: [x], out: [mean], attrs: {axes: [1], keepdims: 1}}
  - {op: Sub, name: o2, in: [x, mean], out: [centered]}
  - {op: Pow, name: o3, in: [centered, two], out: [squares]}
  - {op: ReduceMean, name: o4, in: [squares], out: [variance], attrs: {axes: [1], keepdims: 1}}
  - {op: Add, name: o5, in: [variance, epsilon], out: [sum]}
  - {op: Sqrt, name: o6, in: [sum], out: [root]}
  - {op: Div, name: o7, in: [centered, root], out: [normal]}
  - {op: Mul, name: o8, in: [normal, scale], out: [scaled]}
  - {op: Add, name: o9, in: [scaled, bias], out: [out]}
blobs:
  - {name: two, values: [2.0]}
  - {name: epsilon, values: [0.001]}
  - {name: scale, values: [1.0, 2.0, 3.0, 4.0]}
  - {name: bias, values: [0.5, 0.25, 0.0, -1.0]}
# CHECK: {op: LayerNormalization, name: o9, in: [x, scale, {{.*}}], out: [out], attrs: {axis: 1, epsilon: 0.001{{.*}}}
)";
  checkSameValues(parseGraph(yaml), checkPass("exporter-patterns", yaml));
}

TEST_CASE("exporter-patterns: SiLU") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [4]}
  - {name: s, type: float32, shape: [4]}
  - {name: y, type: float32, shape: [4]}
ops:
  - {op: Sigmoid, name: gate, in: [x], out: [s]}
  - {op: Mul, name: mul, in: [s, x], out: [y]}
# CHECK: ops:
# CHECK: {op: Silu, name: mul, in: [x], out: ["y"]}
)";
  checkSameValues(parseGraph(yaml), checkPass("exporter-patterns", yaml));
}
