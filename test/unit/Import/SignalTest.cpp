// Fourier transforms and windows; test/e2e compares their numbers with those of onnxruntime.
#include "ImportTesting.h"

#include <doctest/doctest.h>

using namespace tigris;
using namespace tigris::test;

namespace {

std::string stft(const std::string& step, const std::string& length) {
  return "g (float[1,10] x, int64 n) => (float y) { s = Constant<value_int=" + step +
         ">() l = Constant<value_int=" + length + ">() y = STFT(x, s, , l) }";
}

} // namespace

TEST_CASE("DFT is a product, STFT a convolution") {
  Imported imported = importGraph("g (float[2,8,1] x) => (float y) { y = DFT<onesided=1>(x) }");
  CHECK(imported.kinds() == "Reshape MatMul Reshape Identity");
  CHECK(imported.tensor("y").shape == Shape{2, 5, 2});
  imported = importGraph("g (float[2,3,8,2] x) => (float y) { a = Constant<value_int=1>() "
                         "y = DFT<inverse=1>(x, , a) }",
                         20);
  CHECK(imported.kinds() == "Transpose Reshape MatMul Reshape Transpose Identity");
  CHECK(imported.tensor("y").shape == Shape{2, 3, 8, 2});
  imported = importGraph(stft("3", "4"));
  CHECK(imported.kinds() == "Reshape Conv Transpose Reshape");
  CHECK(imported.tensor("y").shape == Shape{1, 3, 3, 2});
}

TEST_CASE("windows are constants") {
  const Imported imported = importGraph("g (float[4] x) => (float y) { n = Constant<value_int=4>() "
                                        "w = HannWindow<periodic=1>(n) y = Mul(x, w) }");
  CHECK(imported.kinds() == "Constant Mul");
  const Tensor& window = imported.input(imported.only(OpKind::Constant), 0);
  CHECK(window.data->values<float>()[2] == 1.0F);
}

TEST_CASE("transforms of unknown or impossible length are refused") {
  CHECK(importGraph("g (float[1,10] x, int64 n) => (float y) { y = STFT(x, n, , n) }")
            .said(DiagId::UnsupportedOp, "(tensor 'n') is computed at run time"));
  CHECK(importGraph(stft("1", "11")).said(DiagId::BadShape, "takes frames of 11 points every 1"));
  CHECK(importGraph(stft("0", "4")).said(DiagId::BadShape, "takes frames of 4 points every 0"));
  CHECK(importGraph("g (float[2,8,1] x) => (float y) { y = DFT<onesided=1, inverse=1>(x) }")
            .said(DiagId::UnsupportedOp, "it is inverse and onesided"));
  CHECK(importGraph("g (float[2,8,3] x) => (float y) { y = DFT(x) }")
            .said(DiagId::BadShape, "8 points of 3 numbers"));
  CHECK(importGraph("g (float[2,8,1] x) => (float y) { y = DFT<axis=2>(x) }")
            .said(DiagId::BadAttr, "axis 2 of shape [2, 8, 1] is no axis of points"));
}
