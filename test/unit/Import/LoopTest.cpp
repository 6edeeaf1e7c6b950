// Loops are unrolled: trip counts, conditions, carried values, collected values, limits.
#include "ImportTesting.h"

#include <doctest/doctest.h>

using namespace tigris;
using namespace tigris::test;

namespace {

/// A Loop over x with this trip count and condition; the body adds x to its carried value.
std::string loop(const std::string& count, const std::string& condition, const std::string& go,
                 const std::string& results = "y, rows") {
  return "g (float[2] x, int64 n, bool b) => (float y) { m = Constant<value_int = 3>() "
         "t = Constant<value = bool {1}>() f = Constant<value = bool {0}>() " +
         results + " = Loop<body = body (int64 i, bool c, float[2] v) => (bool d, float[2] w, " +
         "float[2] r) { five = Constant<value_int = 5>() " + go + " w = Add(v, x) r = Relu(w) }>(" +
         count + ", " + condition + ", x)" + (results == "y, rows" ? "" : " y = Identity(rows)") +
         " }";
}

} // namespace

TEST_CASE("a Loop becomes one copy of its body per iteration") {
  const Imported imported = importGraph(loop("m", "t", "d = Identity(c)", ", rows"));
  CHECK(imported.kinds() == "Add Add Relu Relu Add Relu Reshape Reshape Reshape Concat Identity");
  CHECK(imported.only(OpKind::Concat).inputs.size() == 3);
  CHECK(imported.tensor("y").shape == Shape{3, 2});
  // Only what is read is imported.
  const Imported last = importGraph(loop("m", "t", "d = Identity(c)"));
  CHECK(last.kinds() == "Add Add Add");
  CHECK(last.names() == "Loop_0/0/Add_0 Loop_0/1/Add_0 Loop_0/2/Add_0");
}

TEST_CASE("a Loop ends when its condition is false") {
  CHECK(importGraph(loop("", "t", "d = Less(i, five)")).kinds() == "Add Add Add Add Add Add");
  CHECK(importGraph(loop("m", "", "d = Less(i, five)")).kinds() == "Add Add Add");
  CHECK(importGraph(loop("m", "f", "d = Identity(c)")).kinds() == "Identity");
  CHECK(importGraph(loop("m", "f", "d = Identity(c)", ", rows"))
            .said(DiagId::UnsupportedOp, "node 'Loop_0' (Loop): it runs 0 times"));
}

TEST_CASE("loops whose length only run time knows are refused") {
  CHECK(importGraph(loop("n", "t", "d = Identity(c)"))
            .said(DiagId::UnsupportedOp, "its trip count is computed at run time"));
  CHECK(importGraph(loop("m", "b", "d = Identity(c)"))
            .said(DiagId::UnsupportedOp, "its condition after 0 iterations is computed"));
  ImportOptions options;
  options.inputValues = {{"n", 2}};
  CHECK(importGraph(loop("n", "t", "d = Identity(c)"), 17, options).kinds() == "Add Add");
}

TEST_CASE("endless and long loops are refused") {
  CHECK(importGraph(loop("", "t", "d = Identity(c)"))
            .said(DiagId::UnsupportedOp, "exceeds the 32768 nodes"));
}

TEST_CASE("malformed loops are refused") {
  CHECK(importGraph("g (float[2] x) => (float y) { y = Loop(, , x) }")
            .said(DiagId::BadAttr, "attribute 'body' must be a graph"));
  CHECK(importGraph("g (float[2] x) => (float y) "
                    "{ y = Loop<body = b (int64 i) => (bool d) { d = Not(i) }>(, , x) }")
            .said(DiagId::BadArity, "has 3 inputs and 1 outputs, its body 1 and 1"));
  CHECK(importGraph("g (float[2] x) => (float y) "
                    "{ y = Scan<num_scan_inputs = 4, body = b (float v) => (float w) "
                    "{ w = Neg(v) }>(x) }")
            .said(DiagId::BadArity, "has 1 inputs, 4 of them scanned"));
}

TEST_CASE("a Scan takes its sequences apart, in both directions") {
  const Imported imported =
      importGraph("g (float[3,2] x, float[2] z) => (float[2] last, float[2,3] y) "
                  "{ last, y = Scan<num_scan_inputs = 1, scan_input_directions = [1], "
                  "scan_output_axes = [-1], body = b (float[2] s, float[2] e) => (float[2] t, "
                  "float[2] r) { t = Add(s, e) r = Neg(t) }>(z, x) }");
  CHECK(imported.kinds() == "Gather Gather Gather Add Add Neg Neg Add Neg Reshape Reshape Reshape "
                            "Concat");
  CHECK(imported.tensor("y").shape == Shape{2, 3});
}

TEST_CASE("what refuses a body refuses its loop once") {
  const Imported imported = importGraph(
      "g (float[2] x) => (float y) { m = Constant<value_int = 3>() y = Loop<body = b (int64 i, "
      "bool c, float[2] v) => (bool d, float[2] w) { d = Identity(c) w = Det(v) }>(m, , x) }");
  CHECK(imported.said(DiagId::UnsupportedOp, "node 'Loop_0/0/Det_0' (Det)"));
  CHECK(imported.diagnostics.empty());
}

namespace {

/// A Scan over 5 steps of [2, 3] with states of [2, 4]; `body` computes t and u from s, c and e.
Imported scan(const std::string& body, const std::string& outputs = "t, u, y",
              const std::string& attributes = "") {
  onnx::ModelProto model = parseOnnxGraph(
      "g (float[5,2,3] x, float[2,4] z, float[2,4] v) => (float " +
      outputs.substr(outputs.rfind(' ') + 1) + ") { " + outputs + " = Scan<num_scan_inputs = 1" +
      attributes + ", body = b (float[2,4] s, float[2,4] c, float[2,3] e) => (float[2,4] t, " +
      "float[2,4] u, float[2,4] r) { p = MatMul(e, k) q = MatMul(s, w) a = Add(p, q) " + body +
      " r = Identity(t) }>(z, v, x) }");
  addWeights(model, "k", {3, 16});
  addWeights(model, "w", {4, 16});
  return importModel(model);
}

const std::string Gates = "i, f, g, o = Split<axis=1>(a) fs = Sigmoid(f) is = Sigmoid(i) "
                          "gt = Tanh(g) os = Sigmoid(o) ig = Mul(is, gt) ";
const std::string Cell = Gates + "fc = Mul(c, fs) u = Add(ig, fc) ut = Tanh(u) t = Mul(os, ut)";

} // namespace

TEST_CASE("the cell of an LSTM over a sequence becomes the layer") {
  Imported imported = scan(Cell);
  CHECK(imported.kinds() == "Reshape Reshape LSTM Reshape Identity");
  const Op& layer = imported.only(OpKind::LSTM);
  CHECK(imported.input(layer, 1).shape == Shape{1, 16, 3});
  // The gates i, o, f, c of ONNX are columns 0, 12, 4 and 8.
  CHECK(imported.input(layer, 1).data->values<float>()[12] == 12.0F / 8);
  CHECK(imported.tensor("y").shape == Shape{5, 2, 4});
  imported = scan(Cell, ", u", ", scan_input_directions = [1]");
  CHECK(imported.kinds() == "Slice Reshape Reshape LSTM Reshape");
  CHECK(imported.only(OpKind::LSTM).attrs.getInt("rows") == 2);
}

TEST_CASE("cells that no layer has are unrolled") {
  const auto layers = [](const Imported& imported) {
    const std::string kinds = imported.kinds();
    return kinds.find("LSTM") != std::string::npos || kinds.find("RNN") != std::string::npos;
  };
  // A peephole, the old state in the output, a sequence of other values.
  CHECK_FALSE(layers(scan("h = Slice<starts=[0], ends=[4], axes=[1]>(a) m = Mul(h, c) "
                          "n = Add(m, h) t = Tanh(n) u = Identity(c)")));
  CHECK_FALSE(layers(scan(Gates + "fc = Mul(c, fs) u = Add(ig, fc) ut = Tanh(c) t = Mul(os, ut)")));
  CHECK_FALSE(layers(scan(Gates + "fc = Mul(s, fs) u = Add(ig, fc) ut = Tanh(u) t = Mul(os, ut)")));
}
