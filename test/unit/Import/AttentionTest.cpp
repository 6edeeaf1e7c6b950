// Attention and rotary embeddings are lowered to products, Softmax and data movement; unsupported
// forms are rejected.
#include "ImportTesting.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace tigris;
using namespace tigris::test;

namespace {

constexpr const char* Tokens = "g (float[1,5,8] q, float[1,6,4] k, float[1,6,4] v";

} // namespace

TEST_CASE("Attention: heads are shared in groups, a causal mask is a constant") {
  const Imported imported =
      importGraph(std::string(Tokens) + ") => (float[1,5,8] y) { y = Attention<q_num_heads=4, "
                                        "kv_num_heads=2, is_causal=1>(q, k, v) }",
                  23);
  CHECK(
      imported.kinds() ==
      "Reshape Transpose Reshape Transpose Reshape Transpose Reshape Expand Reshape Mul Transpose "
      "MatMul Add Softmax Reshape Expand Reshape MatMul Transpose Reshape");
  const Op& mul = imported.only(OpKind::Mul);
  CHECK(imported.input(mul, 1).data->values<float>()[0] == doctest::Approx(1 / std::sqrt(2.0)));
  const std::vector<float> mask =
      imported.input(imported.only(OpKind::Add), 1).data->values<float>();
  CHECK(mask.size() == 30);
  CHECK(mask[0] == 0);
  CHECK(std::isinf(mask[1]));
  CHECK(mask[4 * 6 + 4] == 0);
  CHECK(std::isinf(mask[4 * 6 + 5]));
  CHECK(imported.tensor("y").shape == Shape{1, 5, 8});
}

TEST_CASE("Attention: a cache comes before the new keys, and both are results") {
  const Imported imported =
      importGraph("g (float[1,2,1,4] q, float[1,2,1,4] k, float[1,2,1,4] v, float[1,2,7,4] pk, "
                  "float[1,2,7,4] pv, "
                  "bool[1,8] m) => (float[1,2,1,4] y, float[1,2,8,4] nk, float[1,2,8,4] nv) "
                  "{ y, nk, nv = Attention(q, k, v, m, pk, pv) }",
                  23);
  CHECK(imported.kinds() ==
        "Concat Concat Where Mul Transpose MatMul Add Softmax Identity Identity "
        "MatMul");
  CHECK(imported.tensor("nk").shape == Shape{1, 2, 8, 4});
}

TEST_CASE("Attention: what is not supported is refused") {
  CHECK(importGraph(std::string(Tokens) + ") => (float[1,5,8] y) { y = Attention<q_num_heads=3, "
                                          "kv_num_heads=2>(q, k, v) }",
                    23)
            .said(DiagId::BadAttr, "it has 3 heads of queries and 2 of keys"));
}

TEST_CASE("onnxruntime's attention operators") {
  onnx::ModelProto model = parseOnnxText(
      "<ir_version: 8, opset_import: [\"\": 17, \"com.microsoft\": 1]> g (float[1,5,8] x) => "
      "(float[1,5,8] y) { y = com.microsoft.Attention<num_heads=2, unidirectional=1>(x, w, b) }");
  addWeights(model, "w", {8, 24});
  addWeights(model, "b", {24});
  CHECK(importModel(model).kinds() ==
        "MatMul Add Slice Slice Slice Reshape Transpose Reshape Transpose Mul Transpose MatMul Add "
        "Softmax Reshape Transpose MatMul Transpose Reshape");
  model = parseOnnxText("<ir_version: 8, opset_import: [\"\": 17, \"com.microsoft\": 1]> "
                        "g (float[1,5,8] x, float[1,5] m) => (float[1,5,8] y) { y = "
                        "com.microsoft.MultiHeadAttention<num_heads=2>(x, x, x, , m) }");
  CHECK(importModel(model).said(
      DiagId::UnsupportedOp, "input 'key_padding_mask' is not supported; save the model without"));
}

TEST_CASE("RotaryEmbedding turns pairs by the angles of a position") {
  const Imported imported =
      importGraph("g (float[1,2,3,8] x, float[9,2] c, float[9,2] s, int64[1,3] p) => "
                  "(float[1,2,3,8] y) { y = RotaryEmbedding<rotary_embedding_dim=4>(x, c, s, p) }",
                  23);
  CHECK(imported.kinds() ==
        "Gather Reshape Gather Reshape Slice Slice Mul Mul Sub Mul Mul Add Slice "
        "Concat Reshape");
  CHECK(importGraph("g (float[1,2,3,8] x, float[1,3,3] c, float[1,3,3] s) => (float[1,2,3,8] y) "
                    "{ y = RotaryEmbedding(x, c, s) }",
                    23)
            .said(DiagId::BadShape, "its table of angles has shape [1, 3, 3], expected half of 8"));
}
