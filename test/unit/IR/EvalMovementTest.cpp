// Values of data movement, counting operators, matrix products, reductions and sliding windows.
#include "IRTesting.h"

#include <cmath>
#include <numeric>

using namespace tigris;
using namespace tigris::test;

namespace {

TensorId counting(GraphBuilder& b, const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(shape.elements()));
  std::iota(values.begin(), values.end(), 0.0F);
  return b.floats(values, shape);
}

} // namespace

TEST_CASE("eval: views keep the bytes, Transpose and slices pick them") {
  GraphBuilder b;
  const TensorId x = counting(b, {2, 3});
  CHECK(valueOf(b, OpKind::Flatten, {x}) == Reals{0, 1, 2, 3, 4, 5});
  CHECK(valueOf(b, OpKind::Unsqueeze, {x}, {{"axes", Ints{0}}}) == Reals{0, 1, 2, 3, 4, 5});
  CHECK(valueOf(b, OpKind::Transpose, {x}) == Reals{0, 3, 1, 4, 2, 5});
  CHECK(valueOf(b, OpKind::Transpose, {counting(b, {2, 2, 2})}, {{"perm", Ints{1, 2, 0}}}) ==
        Reals{0, 4, 1, 5, 2, 6, 3, 7});
  const TensorId bytes = b.constant(Ints{1, 2, 3, 4, 5, 6}, DType::Int8, {2, 3});
  CHECK(valueOf(b, OpKind::Transpose, {bytes}) == Reals{1, 4, 2, 5, 3, 6});
  CHECK(valueOf(b, OpKind::Slice, {x},
                {{"starts", Ints{-1}},
                 {"ends", Ints{INT64_MIN}},
                 {"axes", Ints{1}},
                 {"steps", Ints{-2}}}) == Reals{2, 0, 5, 3});
  CHECK(valueOf(b, OpKind::Slice, {x}, {{"starts", Ints{1, 0}}, {"ends", Ints{2, 2}}}) ==
        Reals{3, 4});
  CHECK(valueOf(b, OpKind::Identity, {b.floats({}, {0})}) == Reals{});
}

TEST_CASE("eval: Split, Concat and Gather") {
  GraphBuilder b;
  const TensorId x = counting(b, {2, 3});
  const auto parts = evaluate(b, OpKind::Split, {x}, {{"axis", 1}, {"split", Ints{1, 2}}}, 2);
  REQUIRE(parts.size() == 2);
  CHECK(parts[0] == Reals{0, 3});
  CHECK(parts[1] == Reals{1, 2, 4, 5});
  CHECK(valueOf(b, OpKind::Concat, {x, b.floats({7, 8}, {2, 1})}, {{"axis", 1}}) ==
        Reals{0, 1, 2, 7, 3, 4, 5, 8});
  CHECK(valueOf(b, OpKind::Gather, {x, b.ints({2, -3}, {2})}, {{"axis", 1}}) == Reals{2, 0, 5, 3});
  CHECK(valueOf(b, OpKind::Gather, {x, b.ints({1}, {})}) == Reals{3, 4, 5});
}

TEST_CASE("eval: Expand, Tile and Pad") {
  GraphBuilder b;
  const TensorId x = counting(b, {2, 1});
  CHECK(valueOf(b, OpKind::Expand, {x}, {{"shape", Ints{1, 3}}}) == Reals{0, 0, 0, 1, 1, 1});
  CHECK(valueOf(b, OpKind::Tile, {x}, {{"repeats", Ints{2, 2}}}) == Reals{0, 0, 1, 1, 0, 0, 1, 1});
  CHECK(valueOf(b, OpKind::Pad, {x}, {{"pads", Ints{0, 1, 1, 0}}, {"value", 9.0}}) ==
        Reals{9, 0, 9, 1, 9, 9});
  CHECK(valueOf(b, OpKind::Pad, {x, b.ints({-1, 0, 1, 0}), b.floats({5}, {})}) == Reals{1, 5});
  CHECK(valueOf(b, OpKind::Pad, {x, b.ints({0, 1}), TensorId(), b.ints({-1})}) ==
        Reals{0, 0, 1, 0});
  CHECK(evaluate(b, OpKind::Pad, {x}, {{"pads", Ints{1, 0, 0, 0}}, {"mode", "edge"}}).empty());
}

TEST_CASE("eval: DepthToSpace and SpaceToDepth in both modes and layouts") {
  GraphBuilder b;
  const TensorId deep = counting(b, {1, 8, 1, 1});
  CHECK(valueOf(b, OpKind::DepthToSpace, {deep}, {{"blocksize", 2}}) ==
        Reals{0, 2, 4, 6, 1, 3, 5, 7});
  CHECK(valueOf(b, OpKind::DepthToSpace, {deep}, {{"blocksize", 2}, {"mode", "CRD"}}) ==
        Reals{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(valueOf(b, OpKind::SpaceToDepth, {counting(b, {1, 2, 2, 2})}, {{"blocksize", 2}}) ==
        Reals{0, 4, 1, 5, 2, 6, 3, 7});
  b.graph.setLayout(Layout::ChannelsLast);
  const TensorId last = counting(b, {1, 1, 1, 8});
  CHECK(valueOf(b, OpKind::DepthToSpace, {last}, {{"blocksize", 2}}) ==
        Reals{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(valueOf(b, OpKind::DepthToSpace, {last}, {{"blocksize", 2}, {"mode", "CRD"}}) ==
        Reals{0, 4, 1, 5, 2, 6, 3, 7});
  CHECK(valueOf(b, OpKind::SpaceToDepth, {counting(b, {1, 2, 2, 2})}, {{"blocksize", 2}}) ==
        Reals{0, 1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("eval: tensors made from numbers") {
  GraphBuilder b;
  const TensorId x = b.input({2, 3, 4});
  CHECK(valueOf(b, OpKind::Shape, {x}, {{"start", -2}}) == Reals{3, 4});
  CHECK(valueOf(b, OpKind::Range, {b.ints({5}, {}), b.ints({-1}, {}), b.ints({-2}, {})}) ==
        Reals{5, 3, 1});
  CHECK(valueOf(b, OpKind::Range, {b.floats({0}, {}), b.floats({1}, {}), b.floats({0.5F}, {})}) ==
        Reals{0, 0.5});
  CHECK(valueOf(b, OpKind::ConstantOfShape, {b.ints({3})}) == Reals{0, 0, 0});
  CHECK(valueOf(b, OpKind::ConstantOfShape, {b.ints({2}), b.ints({-7})}) == Reals{-7, -7});
}

TEST_CASE("eval: Gemm and MatMul") {
  GraphBuilder b;
  const TensorId a = counting(b, {2, 3});
  const TensorId c = counting(b, {3, 2});
  CHECK(valueOf(b, OpKind::MatMul, {a, c}) == Reals{10, 13, 28, 40});
  CHECK(valueOf(b, OpKind::Gemm, {a, c, b.floats({1, 2})}, {{"alpha", 2.0}, {"beta", 10.0}}) ==
        Reals{30, 46, 66, 100});
  CHECK(valueOf(b, OpKind::Gemm, {a, c}, {{"transA", 1}, {"transB", 1}}) ==
        Reals{3, 9, 15, 4, 14, 24, 5, 19, 33});
  CHECK(valueOf(b, OpKind::MatMul, {b.floats({1, 2, 3}), c}) == Reals{16, 22});
  CHECK(valueOf(b, OpKind::MatMul, {b.floats({1, 2}), b.floats({3, 4})}) == Reals{11});
  CHECK(valueOf(b, OpKind::MatMul, {counting(b, {2, 1, 2}), counting(b, {2, 1})}) == Reals{1, 3});
  CHECK(valueOf(b, OpKind::MatMul, {b.ints({1, 2}, {1, 2}), b.ints({3, 4}, {2, 1})}) == Reals{11});
}

TEST_CASE("eval: reductions, softmax and layer normalization") {
  GraphBuilder b;
  const TensorId x = counting(b, {2, 3});
  CHECK(valueOf(b, OpKind::ReduceSum, {x}, {{"axes", Ints{0}}}) == Reals{3, 5, 7});
  CHECK(valueOf(b, OpKind::ReduceMean, {x, b.ints({-1})}) == Reals{1, 4});
  CHECK(valueOf(b, OpKind::ReduceMax, {x}) == Reals{5});
  CHECK(valueOf(b, OpKind::ReduceMin, {x}, {{"axes", Ints{1}}, {"keepdims", 0}}) == Reals{0, 3});
  CHECK(valueOf(b, OpKind::ReduceProd, {b.ints({2, 3, 4})}) == Reals{24});
  CHECK(valueOf(b, OpKind::ReduceMean, {b.ints({2, 5})}) == Reals{3});
  CHECK(valueOf(b, OpKind::ReduceSum, {x}, {{"noop_with_empty_axes", 1}}) ==
        Reals{0, 1, 2, 3, 4, 5});
  const Reals soft = valueOf(b, OpKind::Softmax, {b.floats({0, std::log(3.0F)}, {1, 2})});
  CHECK(soft[0] == doctest::Approx(0.25));
  CHECK(soft[1] == doctest::Approx(0.75));
  CHECK(valueOf(b, OpKind::Softmax, {b.floats({5, 5, 5, 5}, {2, 2})}, {{"axis", 0}}) ==
        Reals{0.5, 0.5, 0.5, 0.5});
  CHECK(valueOf(b, OpKind::LogSoftmax, {b.floats({1, 1}, {1, 2})})[0] ==
        doctest::Approx(-0.69314718));
  const Reals normal =
      valueOf(b, OpKind::LayerNormalization,
              {b.floats({1, 3}, {1, 2}), b.floats({2, 2}), b.floats({10, 10})}, {{"epsilon", 0.0}});
  CHECK(normal == Reals{8, 12});
}

TEST_CASE("eval: convolutions") {
  GraphBuilder b;
  const TensorId x = counting(b, {1, 1, 3, 3});
  const TensorId w = b.floats({1, 0, 0, 2}, {1, 1, 2, 2});
  const TensorId bias = b.floats({100});
  CHECK(valueOf(b, OpKind::Conv, {x, w, bias}) == Reals{108, 111, 117, 120});
  CHECK(valueOf(b, OpKind::Conv, {x, w}, {{"pads", Ints{1, 1, 0, 0}}, {"strides", Ints{2, 2}}}) ==
        Reals{0, 4, 12, 20});
  CHECK(valueOf(b, OpKind::Conv, {x, w}, {{"dilations", Ints{2, 2}}}) == Reals{16});
  const TensorId two = b.floats({1, 10}, {2, 1, 1, 1});
  CHECK(valueOf(b, OpKind::DepthwiseConv, {counting(b, {1, 2, 1, 2}), two}, {{"group", 2}}) ==
        Reals{0, 1, 20, 30});
  CHECK(valueOf(b, OpKind::Conv1D, {counting(b, {1, 1, 4}), b.floats({1, 1}, {1, 1, 2})}) ==
        Reals{1, 3, 5});
  CHECK(valueOf(b, OpKind::ConvTranspose, {b.floats({1, 2}, {1, 1, 1, 2}), w, bias}) ==
        Reals{101, 102, 100, 100, 102, 104});
  CHECK(valueOf(b, OpKind::ConvTranspose,
                {b.floats({1, 2}, {1, 1, 2}), b.floats({1, 5}, {1, 1, 2})},
                {{"strides", Ints{2}}}) == Reals{1, 5, 2, 10});
  b.graph.setLayout(Layout::ChannelsLast);
  const TensorId pixels = b.floats({1, 2, 3, 4}, {1, 1, 2, 2});
  const TensorId mix = b.floats({1, 10, 100, 1000}, {2, 2, 1, 1});
  CHECK(valueOf(b, OpKind::Conv, {pixels, mix}) == Reals{21, 2100, 43, 4300});
}

TEST_CASE("eval: pooling") {
  GraphBuilder b;
  const TensorId x = counting(b, {1, 1, 3, 3});
  const AttrMap window = {{"kernel_shape", Ints{2, 2}}};
  CHECK(valueOf(b, OpKind::MaxPool, {x}, window) == Reals{4, 5, 7, 8});
  CHECK(valueOf(b, OpKind::AveragePool, {x}, window) == Reals{2, 3, 5, 6});
  AttrMap padded = window;
  padded.set("pads", Ints{1, 1, 0, 0});
  padded.set("strides", Ints{2, 2});
  CHECK(valueOf(b, OpKind::AveragePool, {x}, padded) == Reals{0, 1.5, 4.5, 6});
  padded.set("count_include_pad", 1);
  CHECK(valueOf(b, OpKind::AveragePool, {x}, padded) == Reals{0, 0.75, 2.25, 6});
  AttrMap ceiling = {{"kernel_shape", Ints{2, 2}},
                     {"strides", Ints{2, 2}},
                     {"ceil_mode", 1},
                     {"count_include_pad", 1}};
  CHECK(valueOf(b, OpKind::AveragePool, {x}, ceiling) == Reals{2, 3.5, 6.5, 8});
  CHECK(valueOf(b, OpKind::GlobalAveragePool, {x}) == Reals{4});
  CHECK(valueOf(b, OpKind::GlobalMaxPool, {x}) == Reals{8});
}

TEST_CASE("eval: Resize in each mode") {
  GraphBuilder b;
  const TensorId x = b.floats({1, 2, 3, 4}, {1, 1, 1, 4});
  const auto resized = [&](double scale, AttrMap attrs) {
    attrs.set("scales", Reals{1, 1, 1, scale});
    return valueOf(b, OpKind::Resize, {x}, attrs);
  };
  CHECK(resized(2, {}) == Reals{1, 1, 2, 2, 3, 3, 4, 4});
  CHECK(resized(0.5, {}) == Reals{1, 3});
  CHECK(resized(0.5, {{"nearest_mode", "ceil"}}) == Reals{2, 4});
  CHECK(resized(0.5, {{"coordinate_transformation_mode", "asymmetric"}}) == Reals{1, 3});
  CHECK(resized(2, {{"mode", "linear"}}) == Reals{1, 1.25, 1.75, 2.25, 2.75, 3.25, 3.75, 4});
  CHECK(resized(1.75, {{"mode", "linear"}, {"coordinate_transformation_mode", "align_corners"}}) ==
        Reals{1, 1.5, 2, 2.5, 3, 3.5, 4});
  // Halfway between two elements the cubic weights are -3/32, 19/32, 19/32, -3/32.
  CHECK(resized(0.5, {{"mode", "cubic"}}) == Reals{1.40625, 3.59375});
  CHECK(
      evaluate(b, OpKind::Resize, {x}, {{"scales", Reals{1, 1, 1, 2}}, {"antialias", 1}}).empty());
}
