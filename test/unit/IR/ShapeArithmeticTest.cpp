// Shapes and types of element-wise operators, matrix products, reductions and quantization, and
// inference over whole graphs.
#include "IRTesting.h"

using namespace tigris;
using namespace tigris::test;

TEST_CASE("shape: broadcasting and operand types") {
  GraphBuilder b;
  const TensorId x = b.input({2, 1, 4});
  CHECK(shapeOf(b, OpKind::Add, {x, b.input({3, 1})}) == "[2, 3, 4]");
  CHECK(shapeOf(b, OpKind::Mul, {x, b.input({})}) == "[2, 1, 4]");
  CHECK(shapeOf(b, OpKind::Max, {x, b.input({3, 1}), b.input({5, 1, 1, 1})}) == "[5, 2, 3, 4]");
  CHECK(shapeOf(b, OpKind::Where, {b.input({3, 1}, DType::Bool), x, b.input({1})}) == "[2, 3, 4]");
  CHECK(b.graph.tensor(b.inferred(OpKind::Less, {x, x})).type == DType::Bool);
  checkRefused(b, OpKind::Sub, {x, b.input({3})}, {}, DiagId::BadShape,
               "operand 'B' (tensor 'x_7') of shape [3] does not broadcast with [2, 1, 4]");
  checkRefused(b, OpKind::Sub, {x, b.input({1}, DType::Int8)}, {}, DiagId::BadType,
               "is float32, but operand 'B' (tensor 'x_8') is int8");
  checkRefused(b, OpKind::And, {x, x}, {}, DiagId::BadType, "expected bool");
  checkRefused(b, OpKind::Not, {x}, {}, DiagId::BadType, "expected bool");
  checkRefused(b, OpKind::Where, {x, x, x}, {}, DiagId::BadType, "expected bool");
  CHECK(b.graph.tensor(b.inferred(OpKind::Pow, {x, b.ints({2})})).type == DType::Float32);
  checkRefused(b, OpKind::Mod, {x, x}, {}, DiagId::BadAttr, "'fmod' is 0");
  CHECK(shapeOf(b, OpKind::PRelu, {x, b.input({4})}) == "[2, 1, 4]");
  checkRefused(b, OpKind::PRelu, {x, b.input({3, 1})}, {}, DiagId::BadShape,
               "does not broadcast to");
}

TEST_CASE("shape: int8 operands give int8") {
  GraphBuilder b;
  const TensorId x = b.input({1, 4}, DType::Int8);
  for (const OpKind kind : {OpKind::Add, OpKind::Mul, OpKind::Sub})
    CHECK(b.graph.tensor(b.inferred(kind, {x, x})).type == DType::Int8);
  for (const OpKind kind : {OpKind::Relu, OpKind::Sigmoid, OpKind::Softmax, OpKind::Requantize})
    CHECK(b.graph.tensor(b.inferred(kind, {x})).type == DType::Int8);
  const TensorId w = b.constant(Ints(12), DType::Int8, {4, 3});
  const TensorId bias = b.constant(Ints(3), DType::Int32, {3});
  CHECK(b.graph.tensor(b.inferred(OpKind::Gemm, {x, w, bias})).type == DType::Int8);
}

TEST_CASE("shape: operands are counted before any rule looks at them") {
  GraphBuilder b;
  const TensorId x = b.input({2, 2});
  checkRefused(b, OpKind::Add, {x}, {}, DiagId::BadArity, "has 1 operands, expected at least 2");
  checkRefused(b, OpKind::Relu, {x, x}, {}, DiagId::BadArity, "has 2 operands, expected at most 1");
  checkRefused(b, OpKind::Add, {TensorId(), x}, {}, DiagId::BadArity, "operand 'A' is missing");
  Tensor unknown;
  unknown.name = "u";
  unknown.hasShape = false;
  checkRefused(b, OpKind::Relu, {b.graph.addTensor(unknown)}, {}, DiagId::DynamicShape,
               "the shape of operand 'X' (tensor 'u') is not known");
  const OpId split = b.op(OpKind::Relu, {x}, {}, 2);
  const auto types = inferResults(b.graph.op(split), KnownValues(b.graph));
  REQUIRE(!types);
  CHECK(types.error().id() == DiagId::BadArity);
}

TEST_CASE("shape: an op without results yet gets those it must have") {
  GraphBuilder b;
  Op op;
  op.kind = OpKind::Split;
  op.inputs = {b.input({6})};
  op.attrs = {{"num_outputs", 3}};
  const auto types = inferResults(op, KnownValues(b.graph));
  REQUIRE(types);
  CHECK(types->front().shape == Shape{2});
}

TEST_CASE("shape: Gemm and MatMul") {
  GraphBuilder b;
  const TensorId a = b.input({2, 3});
  CHECK(shapeOf(b, OpKind::Gemm, {a, b.weights({3, 5})}) == "[2, 5]");
  CHECK(shapeOf(b, OpKind::Gemm, {a, b.weights({5, 2}), b.weights({5})},
                {{"transA", 1}, {"transB", 1}}) == "[3, 5]");
  checkRefused(b, OpKind::Gemm, {a, b.weights({4, 5})}, {}, DiagId::BadShape,
               "gives 3 values per row, but operand 'B' (tensor 'c_3') takes 4");
  checkRefused(b, OpKind::Gemm, {a, b.weights({3, 5}), b.weights({4})}, {}, DiagId::BadShape,
               "does not broadcast to [2, 5]");
  checkRefused(b, OpKind::Gemm, {b.input({1, 2, 3}), b.weights({3, 5})}, {}, DiagId::BadShape,
               "expected rank 2");
  CHECK(shapeOf(b, OpKind::MatMul, {b.input({7, 1, 2, 3}), b.input({4, 3, 5})}) == "[7, 4, 2, 5]");
  CHECK(shapeOf(b, OpKind::MatMul, {b.input({3}), b.input({4, 3, 5})}) == "[4, 5]");
  CHECK(shapeOf(b, OpKind::MatMul, {b.input({4, 2, 3}), b.input({3})}) == "[4, 2]");
  CHECK(shapeOf(b, OpKind::MatMul, {b.input({3}), b.input({3})}) == "[]");
  checkRefused(b, OpKind::MatMul, {a, b.input({2, 3})}, {}, DiagId::BadShape, "gives 3");
  checkRefused(b, OpKind::MatMul, {b.input({2, 2, 3}), b.input({3, 3, 5})}, {}, DiagId::BadShape,
               "the leading axes of [2, 2, 3] and [3, 3, 5] do not broadcast");
  checkRefused(b, OpKind::MatMul, {b.input({}), a}, {}, DiagId::BadShape, "is a scalar");
}

TEST_CASE("shape: reductions, softmax and layer normalization") {
  GraphBuilder b;
  const TensorId x = b.input({2, 3, 4});
  CHECK(shapeOf(b, OpKind::ReduceMean, {x}) == "[1, 1, 1]");
  CHECK(shapeOf(b, OpKind::ReduceMean, {x}, {{"keepdims", 0}}) == "[]");
  CHECK(shapeOf(b, OpKind::ReduceSum, {x, b.ints({-1, 0})}) == "[1, 3, 1]");
  CHECK(shapeOf(b, OpKind::ReduceMax, {x}, {{"axes", Ints{1}}, {"keepdims", 0}}) == "[2, 4]");
  CHECK(shapeOf(b, OpKind::ReduceSum, {x, b.ints({})}, {{"noop_with_empty_axes", 1}}) ==
        "[2, 3, 4]");
  CHECK(shapeOf(b, OpKind::ReduceSum, {x, b.ints({})}) == "[1, 1, 1]");
  checkRefused(b, OpKind::ReduceMin, {x}, {{"axes", Ints{3}}}, DiagId::BadAttr, "'axes' is 3");
  CHECK(shapeOf(b, OpKind::Softmax, {x}, {{"axis", 1}}) == "[2, 3, 4]");
  checkRefused(b, OpKind::Softmax, {x}, {{"axis", 3}}, DiagId::BadAttr,
               "outside a tensor of rank 3");
  const OpId norm =
      b.op(OpKind::LayerNormalization, {x, b.weights({3, 4}), b.weights({4})}, {{"axis", 1}}, 3);
  const auto types = inferResults(b.graph.op(norm), KnownValues(b.graph));
  REQUIRE(types);
  CHECK((*types)[0].shape == Shape{2, 3, 4});
  CHECK((*types)[2].shape == Shape{2, 1, 1});
}

TEST_CASE("shape: quantization takes its type from zero point, attribute or result") {
  GraphBuilder b;
  const TensorId x = b.input({2, 3});
  const TensorId scale = b.floats({0.5F}, {});
  const auto quantized = [&](std::vector<TensorId> inputs, AttrMap attrs = {}) {
    return b.graph.tensor(b.inferred(OpKind::QuantizeLinear, std::move(inputs), std::move(attrs)))
        .type;
  };
  CHECK(quantized({x, scale}) == DType::UInt8);
  CHECK(quantized({x, scale, b.constant(Ints{3}, DType::Int8, {})}) == DType::Int8);
  CHECK(quantized({x, scale}, {{"output_dtype", 5}}) == DType::Int16);
  CHECK(quantized({x, b.floats({1, 2}), b.constant(Ints{0, 0}, DType::Int8, {2})}, {{"axis", 0}}) ==
        DType::Int8);
  checkRefused(b, OpKind::QuantizeLinear, {x, b.floats({1, 2})}, {}, DiagId::BadShape,
               "has shape [2], expected [3]");
  checkRefused(b, OpKind::QuantizeLinear, {x, scale, b.constant(Ints{1, 2}, DType::Int8, {2})}, {},
               DiagId::BadShape, "but the scale has []");
  checkRefused(b, OpKind::QuantizeLinear, {x, scale}, {{"output_dtype", 17}},
               DiagId::UnsupportedType, "'output_dtype' is 17");
  const OpId bare = b.op(OpKind::QuantizeLinear, {x});
  Tensor& result = b.graph.editTensor(b.graph.op(bare).output());
  result.type = DType::Int8;
  result.quant = QuantParam{{0.5F}, {0}, -1};
  const auto types = inferResults(b.graph.op(bare), KnownValues(b.graph));
  REQUIRE(types);
  CHECK(types->front().type == DType::Int8);

  const TensorId q = b.constant(Ints(6), DType::UInt8, {2, 3});
  CHECK(b.graph.tensor(b.inferred(OpKind::DequantizeLinear, {q, scale})).type == DType::Float32);
  checkRefused(b, OpKind::DequantizeLinear, {x, scale}, {}, DiagId::BadType, "expected an integer");
  checkRefused(b, OpKind::DequantizeLinear, {q, scale, b.constant(Ints{0}, DType::Int8, {})}, {},
               DiagId::BadType, "is uint8, but operand 'zero_point'");
}

TEST_CASE("shape: Cast, Clip, Dropout and batch normalization") {
  GraphBuilder b;
  const TensorId x = b.input({2, 3, 4});
  CHECK(b.graph.tensor(b.inferred(OpKind::Cast, {x}, {{"to", "int32"}})).type == DType::Int32);
  checkRefused(b, OpKind::Cast, {x}, {{"to", "int"}}, DiagId::BadAttr, "'to' is 'int'");
  CHECK(shapeOf(b, OpKind::Clip, {x, TensorId(), b.floats({6}, {})}) == "[2, 3, 4]");
  checkRefused(b, OpKind::Clip, {x, b.ints({0}, {})}, {}, DiagId::BadType, "int64");
  checkRefused(b, OpKind::Clip, {x, b.floats({0, 1})}, {}, DiagId::BadShape,
               "expected one element");
  const OpId dropout = b.op(OpKind::Dropout, {x}, {}, 2);
  const auto types = inferResults(b.graph.op(dropout), KnownValues(b.graph));
  REQUIRE(types);
  CHECK((*types)[1].type == DType::Bool);
  const TensorId c = b.weights({3});
  CHECK(shapeOf(b, OpKind::BatchNormalization, {x, c, c, c, c}) == "[2, 3, 4]");
  checkRefused(b, OpKind::BatchNorm, {x, c, b.weights({4})}, {}, DiagId::BadShape, "expected [3]");
  b.graph.setLayout(Layout::ChannelsLast);
  CHECK(shapeOf(b, OpKind::BatchNorm, {x, b.weights({4}), b.weights({4})}) == "[2, 3, 4]");
}

TEST_CASE("shape: inference resolves a computed Reshape") {
  // Flatten as exported by PyTorch: the batch from Shape, -1 for the rest.
  GraphBuilder b;
  const TensorId x = b.input({2, 3, 4});
  const OpId shape = b.op(OpKind::Shape, {x});
  const OpId batch = b.op(OpKind::Gather, {b.graph.op(shape).output(), b.ints({0}, {})});
  const OpId list = b.op(OpKind::Unsqueeze, {b.graph.op(batch).output(), b.ints({0})});
  const OpId target =
      b.op(OpKind::Concat, {b.graph.op(list).output(), b.ints({-1})}, {{"axis", 0}});
  const OpId reshape = b.op(OpKind::Reshape, {x, b.graph.op(target).output()});
  DiagnosticEngine diagnostics;
  CHECK(inferShapes(b.graph, diagnostics));
  CHECK(diagnostics.errorCount() == 0);
  const Tensor& y = b.graph.tensor(b.graph.op(reshape).output());
  CHECK(y.hasShape);
  CHECK(y.type == DType::Float32);
  CHECK(y.shape == Shape{2, 12});
}

TEST_CASE("shape: inference reports a failure once and goes on elsewhere") {
  GraphBuilder b;
  const TensorId x = b.input({2, 3});
  const OpId bad = b.op(OpKind::Add, {x, b.input({4})});
  const OpId after = b.op(OpKind::Relu, {b.graph.op(bad).output()});
  const OpId good = b.op(OpKind::Relu, {x});
  DiagnosticEngine diagnostics;
  CHECK(!inferShapes(b.graph, diagnostics));
  CHECK(diagnostics.errorCount() == 1);
  CHECK(!b.graph.tensor(b.graph.op(after).output()).hasShape);
  CHECK(b.graph.tensor(b.graph.op(good).output()).hasShape);
}

TEST_CASE("shape: unknown operators keep what the model declares") {
  GraphBuilder b;
  Op op;
  op.kind = OpKind::Unknown;
  op.unknownKind = "com.example::Magic";
  op.inputs = {b.input({2})};
  op.outputs = {b.tensor("declared", DType::Float32, {2, 5})};
  b.graph.addOp(op);
  const OpId after = b.op(OpKind::Relu, {op.outputs[0]});
  DiagnosticEngine diagnostics;
  CHECK(inferShapes(b.graph, diagnostics));
  CHECK(b.graph.tensor(b.graph.op(after).output()).shape == Shape{2, 5});
  b.graph.editTensor(op.outputs[0]).hasShape = false;
  CHECK(!inferShapes(b.graph, diagnostics));
  CHECK(diagnostics.all().front().id == DiagId::DynamicShape);
}

TEST_CASE("shape: arguments come from attributes, constants and computed values") {
  GraphBuilder b;
  KnownValues values(b.graph);
  Op op;
  op.kind = OpKind::Reshape;
  op.name = "r";
  op.inputs = {b.input({4}), b.input({2}, DType::Int64)};
  CHECK(!intArgument(op, values, "shape"));
  values.set(op.inputs[1], makeBlobOf(Ints{2, 2}));
  const auto found = intArgument(op, values, "shape");
  REQUIRE(found);
  CHECK(**found == Ints{2, 2});
  op.inputs.resize(1);
  CHECK(!*intArgument(op, values, "shape"));
  op.attrs.set("shape", Ints{4});
  CHECK(**intArgument(op, values, "shape") == Ints{4});
  op.attrs.set("shape", "four");
  CHECK(intArgument(op, values, "shape").error().id() == DiagId::BadAttr);
}

TEST_CASE("shape: channel and spatial axes of the layouts") {
  CHECK(channelAxis(Layout::ChannelsFirst, 4) == 1);
  CHECK(channelAxis(Layout::ChannelsLast, 4) == 3);
  CHECK(channelAxis(Layout::ChannelsLast, 2) == 1);
  CHECK(channelAxis(Layout::ChannelsFirst, 1) == 0);
  CHECK(firstSpatialAxis(Layout::ChannelsFirst) == 2);
  CHECK(firstSpatialAxis(Layout::ChannelsLast) == 1);
}
