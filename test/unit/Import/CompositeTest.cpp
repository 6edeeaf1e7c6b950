// Operators that are lowered to several others, and recurrent layers.
#include "ImportTesting.h"

#include <doctest/doctest.h>

using namespace tigris;
using namespace tigris::test;

namespace {

/// An LSTM over 7 steps of a batch of 2, with W, R and B for one direction.
Imported lstm(const std::string& attributes, const std::string& results, const std::string& outputs,
              const std::string& operands = "b") {
  onnx::ModelProto model =
      parseOnnxGraph("g (float[7,2,3] x) => (" + outputs + ") { " + results +
                     " = LSTM<hidden_size=5" + attributes + ">(x, w, r, " + operands + ") }");
  addWeights(model, "w", {1, 20, 3});
  addWeights(model, "r", {1, 20, 5});
  addWeights(model, "b", {1, 40});
  return importModel(model);
}

} // namespace

TEST_CASE("an LSTM without readers of its sequence keeps two steps") {
  const Imported state = lstm("", ", h", "float[1,2,5] h");
  CHECK(state.kinds() == "LSTM Slice Reshape Identity");
  CHECK(state.only(OpKind::LSTM).attrs.getInt("rows") == 2);
  CHECK(state.only(OpKind::Slice).attrs.getInts("starts") == std::vector<int64_t>{0}); // step 6
  CHECK(state.tensor("h").shape == Shape{1, 2, 5});

  const Imported all = lstm("", "y, h, c", "float[7,1,2,5] y, float[1,2,5] h, float[1,2,5] c");
  CHECK(all.only(OpKind::LSTM).attrs.getInt("rows") == 0);
  CHECK(all.only(OpKind::Slice).attrs.getInts("starts") == std::vector<int64_t>{6});
  CHECK(all.tensor("y").shape == Shape{7, 1, 2, 5});
  CHECK(all.tensor("c").shape == Shape{1, 2, 5});
}

TEST_CASE("what an LSTM cannot do is refused") {
  const std::string y = "float[7,1,2,5] y";
  CHECK(lstm(", activations=[\"Relu\",\"Tanh\",\"Tanh\"]", "y", y)
            .said(DiagId::UnsupportedOp, "its activations are relu, tanh, tanh"));
  CHECK(lstm(", input_forget=1", "y", y).said(DiagId::UnsupportedOp, "'input_forget' is 1"));
  CHECK(lstm(", layout=2", "y", y).said(DiagId::BadAttr, "'layout' is 2, expected 0 or 1"));
  onnx::ModelProto model =
      parseOnnxGraph("g (float[7,2,3] x, float[1,20,3] w, float[1,20,5] r) => (float[7,1,2,5] y) "
                     "{ y = LSTM<hidden_size=5>(x, w, r) }");
  CHECK(importModel(model).said(DiagId::UnsupportedOp,
                                "operand 'W' (tensor 'w') is computed at run time"));
  model =
      parseOnnxGraph("g (float[7,2,3] x) => (float[7,1,2,5] y) "
                     "{ n = Constant<value_ints=[7,6]>() y = LSTM<hidden_size=5>(x, w, r, , n) }");
  addWeights(model, "w", {1, 20, 3});
  addWeights(model, "r", {1, 20, 5});
  CHECK(importModel(model).said(DiagId::UnsupportedOp, "'sequence_lens' contains 6"));
}

TEST_CASE("batch-first layers are transposed, both ends of two directions are joined") {
  onnx::ModelProto model =
      parseOnnxGraph("g (float[2,7,3] x) => (float[2,2,5] h) { , h = GRU<hidden_size=5, layout=1, "
                     "direction=\"bidirectional\">(x, w, r) }");
  addWeights(model, "w", {2, 15, 3});
  addWeights(model, "r", {2, 15, 5});
  const Imported imported = importModel(model);
  CHECK(imported.kinds() == "Transpose GRU Slice Slice Slice Slice Concat Reshape Transpose");
  CHECK(imported.tensor("h").shape == Shape{2, 2, 5});
}

TEST_CASE("normalizations are made of reductions") {
  CHECK(importGraph("g (float[1,4,8] x, float[4] s, float[4] b) => (float[1,4,8] y) "
                    "{ y = InstanceNormalization(x, s, b) }")
            .kinds() == "Reshape LayerNormalization Reshape Mul Reshape Add Reshape");
  CHECK(importGraph("g (float[2,4] x) => (float[2,4] y) { y = LpNormalization<p=1>(x) }").kinds() ==
        "ReduceL1 Max Div");
  CHECK(importGraph("g (float[1,4,3,3] x) => (float[1,4,3,3] y) { y = LRN<size=3>(x) }").kinds() ==
        "Mul Reshape AveragePool Reshape Mul Add Pow Div");
  CHECK(
      importGraph("g (float[1,4,4] x) => (float[1,4,2] y) { y = LpPool<p=3, kernel_shape=[3]>(x) }")
          .said(DiagId::UnsupportedOp, "'p' is 3, 1 and 2 are supported"));
}

TEST_CASE("Einsum is a product of matrices") {
  const Imported imported = importGraph("g (float[2,3,4] a, float[2,4,5] b) => (float[5,2,3] y) "
                                        "{ y = Einsum<equation=\"bij,bjk->kbi\">(a, b) }");
  CHECK(imported.kinds() == "Reshape Reshape MatMul Reshape Transpose Identity");
  CHECK(imported.tensor("y").shape == Shape{5, 2, 3});
  const auto refused = [](const std::string& equation, const std::string& reason) {
    CHECK(importGraph("g (float[3,3] a, float[3,3] b) => (float[3] y) { y = Einsum<equation=\"" +
                      equation + "\">(a, b) }")
              .said(DiagId::UnsupportedOp, reason));
  };
  refused("ii,ij->j", "repeats 'i' in one operand");
  refused("...i,ij->j", "has an ellipsis");
}

TEST_CASE("masks and one-hot codes") {
  const Imported mask = importGraph("g (float[3,3] x) => (float[3,3] y) { y = Trilu<upper=0>(x) }");
  CHECK(mask.kinds() == "Where");
  CHECK(mask.input(mask.only(OpKind::Where), 0).type == DType::Bool);
  CHECK(importGraph("g (int64[3] i, float[2] v) => (float[3,4] y) "
                    "{ d = Constant<value_int=4>() y = OneHot(i, d, v) }")
            .tensor("y")
            .shape == Shape{3, 4});
  CHECK(importGraph("g (float[2] x) => (bool[2] y) { y = IsNaN(x) }").kinds() == "Equal Not");
  CHECK(importGraph("g (int64[2] x, int64 lo) => (int64[2] y) { y = Clip(x, lo) }").kinds() ==
        "Max Identity");
  CHECK(importGraph("g (float[2] x, int64[2] e) => (float[2] y) { y = Pow(x, e) }").kinds() ==
        "Cast Pow");
}

TEST_CASE("TopK has both results, whoever reads them") {
  const Imported imported = importGraph("g (float[2,6] x) => (int64[2,3] i) "
                                        "{ k = Constant<value_ints=[3]>() , i = TopK(x, k) }");
  CHECK(imported.only(OpKind::TopK).outputs.size() == 2);
  CHECK(imported.tensor("i").type == DType::Int64);
}
