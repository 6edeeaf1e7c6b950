// Shapes of convolutions and pooling; expected values computed by hand from the ONNX formulas.
#include "IRTesting.h"

using namespace tigris;
using namespace tigris::test;

TEST_CASE("shape: Conv with pads, strides, dilations and groups") {
  GraphBuilder b;
  const TensorId x = b.input({1, 4, 11, 9});
  const TensorId w = b.weights({6, 2, 3, 3});
  CHECK(shapeOf(b, OpKind::Conv, {x, w}, {{"group", 2}}) == "[1, 6, 9, 7]");
  CHECK(shapeOf(b, OpKind::Conv, {x, w, b.weights({6})},
                {{"group", 2}, {"pads", Ints{1, 0, 2, 1}}, {"strides", Ints{2, 3}}}) ==
        "[1, 6, 6, 3]");
  CHECK(shapeOf(b, OpKind::Conv, {x, w},
                {{"group", 2}, {"dilations", Ints{2, 4}}, {"kernel_shape", Ints{3, 3}}}) ==
        "[1, 6, 7, 1]");
  CHECK(shapeOf(b, OpKind::Conv, {x, w},
                {{"group", 2}, {"auto_pad", "SAME_UPPER"}, {"strides", Ints{2, 2}}}) ==
        "[1, 6, 6, 5]");
  CHECK(shapeOf(b, OpKind::Conv, {x, w}, {{"group", 2}, {"auto_pad", "VALID"}}) == "[1, 6, 9, 7]");
}

TEST_CASE("shape: Conv in channels-last order and in one dimension") {
  GraphBuilder b;
  b.graph.setLayout(Layout::ChannelsLast);
  CHECK(shapeOf(b, OpKind::Conv, {b.input({1, 11, 9, 4}), b.weights({6, 4, 3, 3})}) ==
        "[1, 9, 7, 6]");
  CHECK(shapeOf(b, OpKind::Conv1D, {b.input({2, 20, 3}), b.weights({5, 3, 4})},
                {{"strides", Ints{2}}}) == "[2, 9, 5]");
  CHECK(shapeOf(b, OpKind::DepthwiseConv, {b.input({1, 8, 8, 3}), b.weights({6, 1, 3, 3})},
                {{"group", 3}, {"pads", Ints{1, 1, 1, 1}}}) == "[1, 8, 8, 6]");
}

TEST_CASE("shape: Conv refuses what does not fit, with both numbers") {
  GraphBuilder b;
  const TensorId x = b.input({1, 4, 5, 5});
  const TensorId w = b.weights({6, 4, 3, 3});
  checkRefused(b, OpKind::Conv, {x, b.weights({6, 3, 3, 3})}, {}, DiagId::BadShape,
               "has 4 channels, but the weights expect 3 in each of 1 groups");
  checkRefused(b, OpKind::Conv, {x, b.weights({5, 2, 3, 3})}, {{"group", 2}}, DiagId::BadShape,
               "5 channels, which do not divide into 2 groups");
  checkRefused(b, OpKind::Conv, {x, w}, {{"strides", Ints{1, 1, 1}}}, DiagId::BadAttr,
               "'strides' has 3 values, expected 2");
  checkRefused(b, OpKind::Conv, {x, w}, {{"strides", Ints{0, 1}}}, DiagId::BadAttr,
               "'strides' has the value 0");
  checkRefused(b, OpKind::Conv, {x, w}, {{"pads", Ints{0, 0, -1, 0}}}, DiagId::BadAttr, "-1");
  checkRefused(b, OpKind::Conv, {x, w}, {{"kernel_shape", Ints{5, 5}}}, DiagId::BadAttr,
               "[5, 5], but the weights are [3, 3]");
  checkRefused(b, OpKind::Conv, {x, w}, {{"dilations", Ints{1, 3}}}, DiagId::BadShape,
               "spans 7 elements of spatial axis 1, which has 5");
  checkRefused(b, OpKind::Conv, {x, w}, {{"auto_pad", "SAME"}}, DiagId::BadAttr,
               "expected one of NOTSET, SAME_UPPER, SAME_LOWER, VALID");
  checkRefused(b, OpKind::Conv, {x, w, b.weights({5})}, {}, DiagId::BadShape,
               "has shape [5], expected [6]");
  checkRefused(b, OpKind::Conv, {x, b.weights({6, 4, 3})}, {}, DiagId::BadShape, "expected rank 4");
  checkRefused(b, OpKind::Conv, {b.input({4, 4}), b.weights({4, 4})}, {}, DiagId::BadShape,
               "expected rank 3 or 4");
  checkRefused(b, OpKind::Conv1D, {x, w}, {}, DiagId::BadShape, "expected rank 3");
  checkRefused(b, OpKind::DepthwiseConv, {x, b.weights({4, 2, 3, 3})}, {{"group", 2}},
               DiagId::BadShape, "expected 1");
}

TEST_CASE("shape: types of convolutions") {
  GraphBuilder b;
  const TensorId x = b.input({1, 4, 5, 5}, DType::Int8);
  const TensorId w = b.constant(Ints(6 * 4), DType::Int8, {6, 4, 1, 1});
  const TensorId bias = b.constant(Ints(6), DType::Int32, {6});
  CHECK(b.graph.tensor(b.inferred(OpKind::Conv, {x, w, bias})).type == DType::Int8);
  checkRefused(b, OpKind::Conv, {x, b.weights({6, 4, 1, 1})}, {}, DiagId::BadType,
               "is int8, but operand 'W'");
  CHECK(b.graph.tensor(b.inferred(OpKind::Conv, {x, w, b.weights({6})})).type == DType::Int8);
  const TensorId wide = b.constant(Ints(6), DType::Int64, {6});
  checkRefused(b, OpKind::Conv, {x, w, wide}, {}, DiagId::BadType, "is int64");
}

TEST_CASE("shape: padding of SAME puts the odd element on the named side") {
  GraphBuilder b;
  const TensorId x = b.input({1, 1, 6, 7});
  const TensorId w = b.weights({1, 1, 4, 2});
  const auto pads = [&](const char* mode) {
    const OpId id = b.op(OpKind::Conv, {x, w}, {{"auto_pad", mode}, {"strides", Ints{2, 3}}});
    const auto window = resolveWindow(b.graph.op(id), b.graph);
    REQUIRE(window);
    return window->pads;
  };
  // Height: 3 positions span 2*2+4 = 8, so 2 in all; width: 3 positions span 8, so 1.
  CHECK(pads("SAME_UPPER") == Ints{1, 0, 1, 1});
  CHECK(pads("SAME_LOWER") == Ints{1, 1, 1, 0});
  CHECK(pads("VALID") == Ints{0, 0, 0, 0});
}

TEST_CASE("shape: window defaults are filled in") {
  GraphBuilder b;
  const OpId id = b.op(OpKind::Conv, {b.input({1, 2, 8, 8}), b.weights({3, 2, 5, 3})},
                       {{"pads", Ints{1, 2, 3, 4}}});
  const auto window = resolveWindow(b.graph.op(id), b.graph);
  REQUIRE(window);
  CHECK(window->kernel == Ints{5, 3});
  CHECK(window->strides == Ints{1, 1});
  CHECK(window->dilations == Ints{1, 1});
  CHECK(window->pads == Ints{1, 2, 3, 4});
  CHECK(window->outputPadding == Ints{0, 0});
}

TEST_CASE("shape: ConvTranspose from pads, output_padding, output_shape and SAME") {
  GraphBuilder b;
  const TensorId x = b.input({1, 4, 5, 5});
  const TensorId w = b.weights({4, 3, 3, 3});
  CHECK(shapeOf(b, OpKind::ConvTranspose, {x, w}) == "[1, 3, 7, 7]");
  CHECK(shapeOf(b, OpKind::ConvTranspose, {x, w},
                {{"strides", Ints{2, 3}},
                 {"pads", Ints{1, 0, 1, 2}},
                 {"output_padding", Ints{1, 0}}}) == "[1, 3, 10, 13]");
  CHECK(shapeOf(b, OpKind::ConvTranspose, {x, w, b.weights({6})}, {{"group", 2}}) ==
        "[1, 6, 7, 7]");
  const AttrMap shaped = {{"strides", Ints{2, 2}}, {"output_shape", Ints{10, 8}}};
  CHECK(shapeOf(b, OpKind::ConvTranspose, {x, w}, shaped) == "[1, 3, 10, 8]");
  CHECK(shapeOf(b, OpKind::ConvTranspose, {x, w},
                {{"strides", Ints{2, 2}}, {"auto_pad", "SAME_LOWER"}}) == "[1, 3, 10, 10]");
  // SAME never pads outputs: windows of 3 with stride 4 cover 4 * 4 + 3.
  CHECK(shapeOf(b, OpKind::ConvTranspose, {x, w},
                {{"strides", Ints{4, 4}}, {"auto_pad", "SAME_UPPER"}}) == "[1, 3, 19, 19]");
  // Natural size 11: one element to remove in height, three in width; an odd one is removed at the
  // beginning.
  const auto window =
      resolveWindow(b.graph.op(b.op(OpKind::ConvTranspose, {x, w}, shaped)), b.graph);
  REQUIRE(window);
  CHECK(window->pads == Ints{1, 2, 0, 1});
  // Elements beyond the natural size are output padding.
  const auto larger = resolveWindow(
      b.graph.op(b.op(OpKind::ConvTranspose, {x, w}, {{"output_shape", Ints{9, 7}}})), b.graph);
  REQUIRE(larger);
  CHECK(larger->outputPadding == Ints{2, 0});
  checkRefused(b, OpKind::ConvTranspose, {x, b.weights({3, 4, 3, 3})}, {}, DiagId::BadShape,
               "has 4 channels, but the weights expect 3");
  checkRefused(b, OpKind::ConvTranspose, {x, w}, {{"pads", Ints{4, 4, 4, 4}}}, DiagId::BadShape,
               "'pads' are too large");
}

TEST_CASE("shape: pooling drops a ceil_mode window that begins in the end padding") {
  GraphBuilder b;
  const auto pooled = [&](int64_t size, AttrMap attrs) {
    attrs.set("kernel_shape", Ints{2, 2});
    attrs.set("strides", Ints{2, 2});
    return shapeOf(b, OpKind::MaxPool, {b.input({1, 3, size, size})}, attrs);
  };
  CHECK(pooled(7, {}) == "[1, 3, 3, 3]");
  CHECK(pooled(7, {{"ceil_mode", 1}}) == "[1, 3, 4, 4]");
  // 6 elements + 1 padding: the fourth window would begin at 6, in the padding only.
  CHECK(pooled(6, {{"ceil_mode", 1}, {"pads", Ints{0, 0, 1, 1}}}) == "[1, 3, 3, 3]");
  CHECK(pooled(7, {{"auto_pad", "SAME_UPPER"}}) == "[1, 3, 4, 4]");
  CHECK(shapeOf(b, OpKind::AveragePool, {b.input({1, 3, 9})},
                {{"kernel_shape", Ints{3}}, {"dilations", Ints{2}}}) == "[1, 3, 5]");
  checkRefused(b, OpKind::MaxPool, {b.input({1, 3, 9, 9})}, {}, DiagId::BadAttr,
               "'kernel_shape' is missing");
}

TEST_CASE("shape: MaxPool indices are int64 of the same shape") {
  GraphBuilder b;
  const OpId id = b.op(OpKind::MaxPool, {b.input({1, 3, 4, 4})}, {{"kernel_shape", Ints{2, 2}}}, 2);
  const auto types = inferResults(b.graph.op(id), KnownValues(b.graph));
  REQUIRE(types);
  REQUIRE(types->size() == 2);
  CHECK((*types)[1].type == DType::Int64);
  CHECK((*types)[1].shape == Shape{1, 3, 3, 3});
}

TEST_CASE("shape: global pooling keeps batch and channels of either layout") {
  GraphBuilder b;
  CHECK(shapeOf(b, OpKind::GlobalAveragePool, {b.input({2, 3, 4, 5})}) == "[2, 3, 1, 1]");
  CHECK(shapeOf(b, OpKind::GlobalMaxPool, {b.input({2, 3, 4})}) == "[2, 3, 1]");
  b.graph.setLayout(Layout::ChannelsLast);
  CHECK(shapeOf(b, OpKind::GlobalAveragePool, {b.input({2, 4, 5, 3})}) == "[2, 1, 1, 3]");
}
