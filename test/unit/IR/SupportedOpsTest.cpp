// Legal operators that cannot be executed: one test per limit, with an actionable reason.
#include "IRTesting.h"

using namespace tigris;
using namespace tigris::test;

namespace {

/// Empty if supported, otherwise the message.
std::string refusal(GraphBuilder& b, TensorId result) {
  const Status status = checkSupported(b.graph.op(b.graph.producer(result)), b.graph);
  return status ? std::string() : status.error().message();
}

void checkUnsupported(GraphBuilder& b, TensorId result, const std::string& part) {
  const std::string text = refusal(b, result);
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
}

} // namespace

TEST_CASE("supported: ranks, empty tensors and spatial dimensions") {
  GraphBuilder b;
  const TensorId image = b.input({1, 3, 8, 8});
  CHECK(refusal(b, b.inferred(OpKind::Relu, {image})).empty());
  checkUnsupported(b, b.inferred(OpKind::Relu, {b.input({1, 1, 1, 1, 1, 1, 1, 1, 2})}),
                   "has rank 9, at most 8");
  const TensorId empty = b.inferred(OpKind::Relu, {b.input({2, 0})});
  CHECK(refusal(b, empty).empty()); // normalization removes it
  b.graph.setForm(GraphForm::Normalized);
  checkUnsupported(b, empty, "of shape [2, 0] has no elements");
  b.graph.setForm(GraphForm::Imported);
  const TensorId volume = b.input({1, 3, 8, 8, 8});
  checkUnsupported(b, b.inferred(OpKind::Conv, {volume, b.weights({4, 3, 3, 3, 3})}),
                   "has 3 spatial dimensions, at most 2");
  checkUnsupported(b, b.inferred(OpKind::MaxPool, {volume}, {{"kernel_shape", Ints{2, 2, 2}}}),
                   "has 3 spatial dimensions");
  checkUnsupported(b, b.inferred(OpKind::Conv, {image, b.input({4, 3, 3, 3})}),
                   "operand 'W' (tensor 'x_4') is computed at run time");
}

TEST_CASE("supported: every pooling window holds an element of its operand") {
  GraphBuilder b;
  const TensorId image = b.input({1, 3, 8, 8});
  const AttrMap inside = {{"kernel_shape", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}};
  CHECK(refusal(b, b.inferred(OpKind::AveragePool, {image}, inside)).empty());
  const AttrMap before = {{"kernel_shape", Ints{2, 2}}, {"pads", Ints{2, 0, 0, 0}}};
  checkUnsupported(b, b.inferred(OpKind::AveragePool, {image}, before),
                   "window of spatial dimension 0 is entirely in the padding");
  const AttrMap after = {{"kernel_shape", Ints{2, 2}}, {"pads", Ints{0, 0, 0, 2}}};
  checkUnsupported(b, b.inferred(OpKind::MaxPool, {image}, after),
                   "window of spatial dimension 1 is entirely in the padding");
}

TEST_CASE("supported: empty lists of shape arithmetic are fine") {
  GraphBuilder b;
  const TensorId none = b.inferred(OpKind::ConstantOfShape, {b.ints({})});
  CHECK(refusal(b, none).empty());
}

TEST_CASE("supported: second results that must not be used") {
  GraphBuilder b;
  const TensorId image = b.input({1, 3, 8, 8});
  const TensorId pooled = b.inferred(OpKind::MaxPool, {image}, {{"kernel_shape", Ints{2, 2}}}, 2);
  CHECK(refusal(b, pooled).empty());
  b.output(b.graph.op(b.graph.producer(pooled)).output(1));
  checkUnsupported(b, pooled, "result 'Indices' is used");
  const TensorId kept = b.inferred(OpKind::Dropout, {image}, {}, 2);
  CHECK(refusal(b, kept).empty());
  b.output(b.graph.op(b.graph.producer(kept)).output(1));
  checkUnsupported(b, kept, "result 'Mask' is used; only 'Y' is supported");
}

TEST_CASE("supported: quantization") {
  GraphBuilder b;
  const TensorId x = b.input({2, 4});
  const TensorId zero = b.constant(Ints{0}, DType::Int8, {});
  CHECK(refusal(b, b.inferred(OpKind::QuantizeLinear, {x, b.floats({1}, {}), zero})).empty());
  const TensorId scale = b.input({});
  checkUnsupported(b, b.inferred(OpKind::QuantizeLinear, {x, scale, zero}),
                   "operand 'scale' (tensor 'x_1') is computed at run time");
  checkUnsupported(b,
                   b.inferred(OpKind::QuantizeLinear,
                              {
                                  x,
                                  b.weights({2, 2}),
                              },
                              {{"block_size", 2}, {"axis", 1}}),
                   "'block_size' is 2; block-wise quantization");
  checkUnsupported(b, b.inferred(OpKind::QuantizeLinear, {x, b.floats({1, 2, 3, 4})}),
                   "has 4 scales; activations may have one only");
  checkUnsupported(
      b, b.inferred(OpKind::QuantizeLinear, {x, b.floats({1}, {})}, {{"output_dtype", 6}}),
      "is int32; tensors at run time must be float32, int8, int16, int32, int64 or bool");
  const TensorId weights = b.constant(Ints(8), DType::Int4, {2, 4});
  CHECK(
      refusal(b, b.inferred(OpKind::DequantizeLinear, {weights, b.floats({1, 2, 3, 4})})).empty());
}

TEST_CASE("supported: resampling") {
  GraphBuilder b;
  const TensorId image = b.input({1, 3, 8, 8});
  const auto resized = [&](Reals scales, AttrMap attrs = {}) {
    attrs.set("scales", std::move(scales));
    return refusal(b, b.inferred(OpKind::Resize, {image}, attrs));
  };
  CHECK(resized({1, 1, 2, 2}).empty());
  CHECK(resized({1, 2, 2, 2}).find("resizes axis 1 from 3 to 6") != std::string::npos);
  CHECK(resized({1, 1, 2, 2}, {{"antialias", 1}}).find("'antialias' is 1") != std::string::npos);
  CHECK(resized({1, 1, 2, 2}, {{"coordinate_transformation_mode", "tf_crop_and_resize"}})
            .find("tf_crop_and_resize") != std::string::npos);
  checkUnsupported(b, b.inferred(OpKind::Pad, {image}, {{"pads", Ints(8)}, {"mode", "wrap"}}),
                   "'mode' is wrap");
}

TEST_CASE("supported: training mode is refused") {
  GraphBuilder b;
  const TensorId x = b.input({2, 3});
  const TensorId c = b.weights({3});
  CHECK(refusal(b, b.inferred(OpKind::BatchNormalization, {x, c, c, c, c})).empty());
  checkUnsupported(b,
                   b.inferred(OpKind::BatchNormalization, {x, c, c, c, c}, {{"training_mode", 1}}),
                   "'training_mode' is 1; export the model for inference");
  const TensorId ratio = b.floats({0.5F}, {});
  CHECK(refusal(b, b.inferred(OpKind::Dropout, {x, ratio, b.bools({0}, {})})).empty());
  checkUnsupported(b, b.inferred(OpKind::Dropout, {x, ratio, b.bools({1}, {})}),
                   "'training_mode' is not false");
}

TEST_CASE("supported: compile-time operators need compile-time operands") {
  GraphBuilder b;
  const TensorId x = b.input({2, 3});
  const TensorId shape = b.inferred(OpKind::Shape, {x});
  CHECK(refusal(b, shape).empty());
  CHECK(refusal(b, b.inferred(OpKind::Equal, {shape, b.ints({2, 3})})).empty());
}

TEST_CASE("supported: integers and bools where Ops.def says so") {
  GraphBuilder b;
  const TensorId x = b.input({2, 3});
  const TensorId numbers = b.input({2, 3}, DType::Int64);
  const TensorId truths = b.inferred(OpKind::Equal, {x, x});
  CHECK(refusal(b, truths).empty());
  CHECK(refusal(b, b.inferred(OpKind::Cast, {x}, {{"to", "int64"}})).empty());
  CHECK(refusal(b, b.inferred(OpKind::Add, {numbers, numbers})).empty());
  CHECK(refusal(b, b.inferred(OpKind::Where, {truths, numbers, numbers})).empty());
  CHECK(refusal(b, b.inferred(OpKind::Reshape, {truths}, {{"shape", Ints{6}}})).empty());
  checkUnsupported(b, b.inferred(OpKind::Relu, {numbers}),
                   "is int64, but there are kernels for float32, int8 and int16 only");
  CHECK(refusal(b, b.inferred(OpKind::Cast, {x}, {{"to", "uint16"}})).empty());
  checkUnsupported(b, b.inferred(OpKind::Cast, {x}, {{"to", "uint4"}}), "is uint4");
  checkUnsupported(b, b.inferred(OpKind::ScatterElements, {x, numbers, x}, {{"reduction", "add"}}),
                   "'reduction' is add");
  checkUnsupported(b, b.inferred(OpKind::ReduceL2, {x}, {{"noop_with_empty_axes", 1}}),
                   "it reduces no axis");
}

TEST_CASE("supported: element types of activations") {
  GraphBuilder b;
  const TensorId half = b.input({2, 3}, DType::Float16);
  checkUnsupported(b, b.inferred(OpKind::Relu, {half}), "is float16");
  const TensorId indices = b.input({2}, DType::Int64);
  checkUnsupported(b, b.inferred(OpKind::Sigmoid, {indices}), "is int64");
  CHECK(refusal(b, b.inferred(OpKind::Gather, {b.weights({4, 3}), indices})).empty());
  CHECK(refusal(b, b.inferred(OpKind::Reshape, {indices}, {{"shape", Ints{2, 1}}})).empty());
  const TensorId bytes = b.input({2}, DType::UInt8);
  const TensorId moved = b.inferred(OpKind::Reshape, {bytes}, {{"shape", Ints{2, 1}}});
  CHECK(refusal(b, moved).empty());
  b.graph.setForm(GraphForm::Normalized);
  checkUnsupported(b, moved, "is uint8");
}

TEST_CASE("supported: static values are traced through operators") {
  GraphBuilder b;
  const TensorId x = b.input({2, 3});
  const TensorId fixed = b.inferred(OpKind::Add, {b.floats({1}), b.floats({2})});
  CHECK(isStatic(b.graph, fixed));
  CHECK(isStatic(b.graph, b.inferred(OpKind::Shape, {b.inferred(OpKind::Relu, {x})})));
  CHECK(!isStatic(b.graph, x));
  CHECK(!isStatic(b.graph, b.inferred(OpKind::Add, {x, fixed})));
}
