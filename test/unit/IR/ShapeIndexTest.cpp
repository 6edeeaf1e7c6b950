// Shapes of searches, indexing operators and recurrent layers.
#include "IRTesting.h"

#include <doctest/doctest.h>

using namespace tigris;
using namespace tigris::test;

TEST_CASE("shape: ArgMax, TopK and CumSum") {
  GraphBuilder b;
  const TensorId x = b.input({2, 3, 4});
  CHECK(shapeOf(b, OpKind::ArgMax, {x}, {{"axis", 1}}) == "[2, 1, 4]");
  CHECK(shapeOf(b, OpKind::ArgMin, {x}, {{"axis", -1}, {"keepdims", 0}}) == "[2, 3]");
  CHECK(b.graph.tensor(b.inferred(OpKind::ArgMax, {x})).type == DType::Int64);
  checkRefused(b, OpKind::ArgMax, {x}, {{"axis", 3}}, DiagId::BadAttr, "'axis' is 3");
  CHECK(shapeOf(b, OpKind::TopK, {x, b.ints({2})}) == "[2, 3, 2]");
  CHECK(shapeOf(b, OpKind::TopK, {x}, {{"K", 3}, {"axis", 1}}) == "[2, 3, 4]");
  checkRefused(b, OpKind::TopK, {x, b.ints({5})}, {}, DiagId::BadAttr,
               "'K' is 5, but axis 2 has 4 elements");
  CHECK(shapeOf(b, OpKind::CumSum, {x, b.ints({1}, {})}) == "[2, 3, 4]");
  checkRefused(b, OpKind::CumSum, {x, b.ints({0, 1})}, {}, DiagId::BadAttr, "'axis' has 2 values");
}

TEST_CASE("shape: GatherND indexes the axes after the batch") {
  GraphBuilder b;
  const TensorId x = b.input({2, 3, 4});
  const auto indices = [&](const Shape& shape) { return b.input(shape, DType::Int64); };
  CHECK(shapeOf(b, OpKind::GatherND, {x, indices({5, 1})}) == "[5, 3, 4]");
  CHECK(shapeOf(b, OpKind::GatherND, {x, indices({5, 6, 3})}) == "[5, 6]");
  CHECK(shapeOf(b, OpKind::GatherND, {x, indices({2, 1})}, {{"batch_dims", 1}}) == "[2, 4]");
  checkRefused(b, OpKind::GatherND, {x, indices({5, 4})}, {}, DiagId::BadShape,
               "cannot index [2, 3, 4] behind 0 batch axes");
  checkRefused(b, OpKind::GatherND, {x, indices({3, 1})}, {{"batch_dims", 1}}, DiagId::BadShape,
               "differ in batch axis 0");
  checkRefused(b, OpKind::GatherND, {x, x}, {}, DiagId::BadType, "expected int64 or int32");
}

TEST_CASE("shape: positions by element") {
  GraphBuilder b;
  const TensorId x = b.input({2, 3});
  const TensorId indices = b.input({2, 5}, DType::Int64);
  const TensorId updates = b.input({2, 5});
  CHECK(shapeOf(b, OpKind::GatherElements, {x, indices}, {{"axis", 1}}) == "[2, 5]");
  checkRefused(b, OpKind::GatherElements, {x, indices}, {{"axis", 0}}, DiagId::BadShape,
               "larger than [2, 3] along axis 1");
  CHECK(shapeOf(b, OpKind::ScatterElements, {x, indices, updates}, {{"axis", 1}}) == "[2, 3]");
  checkRefused(b, OpKind::ScatterElements, {x, indices, x}, {{"axis", 1}}, DiagId::BadShape,
               "but the indices have [2, 5]");
  const TensorId rows = b.input({4, 1}, DType::Int64);
  CHECK(shapeOf(b, OpKind::ScatterND, {x, rows, b.input({4, 3})}) == "[2, 3]");
  checkRefused(b, OpKind::ScatterND, {x, rows, b.input({4, 2})}, {}, DiagId::BadShape,
               "expected [4, 3]");
}

TEST_CASE("shape: detections") {
  GraphBuilder b;
  const TensorId boxes = b.input({7, 4});
  const TensorId scores = b.input({7, 3});
  CHECK(shapeOf(b, OpKind::DetectionPostProcess, {boxes, scores, boxes},
                {{"max_detections", 5}, {"first_column", 1}}) == "[5, 6]");
  checkRefused(b, OpKind::DetectionPostProcess, {boxes, scores, boxes},
               {{"max_detections", 5}, {"first_column", 3}}, DiagId::BadAttr,
               "'first_column' is 3, but there are 3 columns");
  checkRefused(b, OpKind::DetectionPostProcess, {boxes, scores, boxes}, {}, DiagId::BadAttr,
               "'max_detections' is 0");
  checkRefused(b, OpKind::DetectionPostProcess, {boxes, scores, scores}, {}, DiagId::BadShape,
               "have shapes [7, 4], [7, 3] and [7, 3]");
}

TEST_CASE("shape: integer LSTM and SVDF") {
  GraphBuilder b;
  const TensorId x = b.input({7, 2, 3}, DType::Int8);
  const TensorId w = b.input({1, 20, 3}, DType::Int8);
  const TensorId r = b.input({1, 20, 5}, DType::Int8);
  const TensorId bias = b.input({1, 20}, DType::Int32);
  const TensorId h = b.input({1, 2, 5}, DType::Int8);
  const TensorId c = b.input({1, 2, 5}, DType::Int16);
  CHECK(shapeOf(b, OpKind::IntegerLSTM, {x, w, r, bias, h, c}) == "[7, 1, 2, 5]");
  checkRefused(b, OpKind::IntegerLSTM, {x, w, r, bias, h, h}, {}, DiagId::UnsupportedType,
               "is int8, expected int16");
  checkRefused(b, OpKind::IntegerLSTM, {x, r, r, bias, h, c}, {}, DiagId::BadShape,
               "expected [1, 20, 3]");
  const TensorId one = b.input({2, 3}, DType::Int8);
  const TensorId feature = b.input({4, 3}, DType::Int8);
  const TensorId time = b.input({4, 6}, DType::Int16);
  const TensorId units = b.input({2}, DType::Int32);
  const TensorId state = b.input({2, 24}, DType::Int16);
  CHECK(shapeOf(b, OpKind::SVDF, {one, feature, time, units, state}, {{"rank", 2}}) == "[2, 2]");
  checkRefused(b, OpKind::SVDF, {one, feature, time, units, state}, {{"rank", 3}}, DiagId::BadAttr,
               "expected a divisor of the 4 filters");
  checkRefused(b, OpKind::SVDF, {one, feature, feature, units, state}, {{"rank", 2}},
               DiagId::UnsupportedType, "is int16, expected int8");
}

TEST_CASE("shape: recurrent layers") {
  GraphBuilder b;
  const TensorId x = b.input({7, 2, 3});
  const TensorId w = b.weights({1, 20, 3});
  const TensorId r = b.weights({1, 20, 5});
  CHECK(shapeOf(b, OpKind::LSTM, {x, w, r}) == "[7, 1, 2, 5]");
  CHECK(shapeOf(b, OpKind::LSTM, {x, w, r}, {{"rows", 2}}) == "[2, 1, 2, 5]");
  CHECK(shapeOf(b, OpKind::GRU, {x, b.weights({2, 15, 3}), b.weights({2, 15, 5})},
                {{"direction", "bidirectional"}}) == "[7, 2, 2, 5]");
  CHECK(shapeOf(b, OpKind::RNN, {x, b.weights({1, 5, 3}), b.weights({1, 5, 5})}) == "[7, 1, 2, 5]");
  checkRefused(b, OpKind::LSTM, {x, w, r}, {{"rows", 1}}, DiagId::BadAttr,
               "'rows' is 1, expected 0, or 2 to 7");
  checkRefused(b, OpKind::LSTM, {x, w, r}, {{"direction", "bidirectional"}}, DiagId::BadShape,
               "expected [2, 20, 3]");
  checkRefused(b, OpKind::LSTM, {x, w, r, b.weights({1, 20})}, {}, DiagId::BadShape,
               "has shape [1, 20], expected [1, 40]");
  checkRefused(b, OpKind::RNN, {x, b.weights({1, 5, 3}), b.weights({1, 5, 5})},
               {{"activation", "Affine"}}, DiagId::BadAttr, "'activation' is 'Affine'");
}
