// TensorFlow Lite models: operators and tensors of small models, and the interface.
#include "FlatTesting.h"

#include "tigris/IR/Elements.h"
#include "tigris/Import/Importers.h"

#include <doctest/doctest.h>
#include <flatbuffers/flexbuffers.h>

using namespace tigris;
using namespace tigris::test;
using tflite::BuiltinOperator;
using tflite::TensorType;

TEST_CASE("flat: a convolution keeps its integers, its order outside and its scales") {
  const Imported imported = importFlat(smallConv());
  REQUIRE(imported.graph);
  const Graph& graph = *imported.graph;
  CHECK(graph.rounding() == IntegerRounding::Micro);
  CHECK(imported.kinds() == "Transpose Conv Transpose");
  CHECK(graph.inputs()[0].shape == Shape{1, 5, 5, 2});
  CHECK(graph.inputs()[0].type == DType::Int8);
  CHECK(graph.outputs()[0].name == "y");
  CHECK(graph.outputs()[0].shape == Shape{1, 3, 3, 4});
  const Op& conv = imported.only(OpKind::Conv);
  CHECK(conv.act == Activation::Relu6);
  CHECK(conv.attrs.getInts("pads") == std::vector<int64_t>{1, 1, 1, 1});
  CHECK(conv.attrs.getInts("strides") == std::vector<int64_t>{2, 2});
  const Tensor& weights = imported.input(conv, 1);
  CHECK(weights.shape == Shape{4, 2, 3, 3});
  REQUIRE(weights.quant);
  CHECK(weights.quant->axis == 0);
  CHECK(weights.quant->scale.size() == 4);
  const Tensor& result = graph.tensor(conv.output());
  REQUIRE(result.quant);
  CHECK(result.quant->scale[0] == 0.25F);
  CHECK(result.quant->zeroPoint[0] == -128);
}

TEST_CASE("flat: weights are permuted") {
  FlatBuilder model;
  const int32_t x = model.tensor("x", {1, 2, 2, 1}, TensorType::FLOAT32);
  const int32_t w = model.floats("w", {1, 1, 2, 2}, {1, 2, 3, 4});
  const int32_t y = model.tensor("y", {1, 2, 1, 2}, TensorType::FLOAT32);
  model.input(x);
  model.output(y);
  tflite::DepthwiseConv2DOptionsT options;
  options.padding = tflite::Padding::VALID;
  options.stride_h = options.stride_w = 1;
  options.depth_multiplier = 2;
  model.op(BuiltinOperator::DEPTHWISE_CONV_2D, {x, w}, {y}, options);
  const Imported imported = importFlat(model);
  REQUIRE(imported.graph);
  const Tensor& weights = imported.input(imported.only(OpKind::Conv), 1);
  CHECK(weights.shape == Shape{2, 1, 1, 2});
  CHECK(weights.data->values<float>() == std::vector<float>{1, 3, 2, 4});
}

TEST_CASE("flat: quantized uint8 is int8 inside and uint8 outside") {
  FlatBuilder model;
  const int32_t x = model.tensor("x", {1, 4}, TensorType::UINT8, {0.5F}, {130});
  const int32_t w = model.tensor("w", {2, 4}, TensorType::UINT8, {0.5F}, {100},
                                 {0, 1, 2, 128, 255, 254, 127, 100});
  const int32_t y = model.tensor("y", {1, 2}, TensorType::UINT8, {1.0F}, {0});
  model.input(x);
  model.output(y);
  model.op(BuiltinOperator::FULLY_CONNECTED, {x, w, -1}, {y}, tflite::FullyConnectedOptionsT());
  const Imported imported = importFlat(model);
  REQUIRE(imported.graph);
  CHECK(imported.graph->inputs()[0].type == DType::UInt8);
  const Tensor& input = imported.tensor("x");
  CHECK(input.type == DType::Int8);
  CHECK(input.quant->zeroPoint[0] == 2);
  const Tensor& weights = imported.input(imported.only(OpKind::Gemm), 1);
  CHECK(weights.quant->zeroPoint[0] == -28);
  CHECK(loadElements<int64_t>(*weights.data, weights.type) ==
        std::vector<int64_t>{-128, -127, -126, 0, 127, 126, -1, -28});
}

TEST_CASE("flat: float16 constants, 4-bit weights of float layers, and absent operands") {
  FlatBuilder model;
  const int32_t x = model.tensor("x", {1, 2}, TensorType::FLOAT32);
  const int32_t half =
      model.tensor("half", {2}, TensorType::FLOAT16, {}, {}, {0x00, 0x3C, 0x00, 0xC0});
  const int32_t wide = model.tensor("wide", {2}, TensorType::FLOAT32);
  const int32_t sum = model.tensor("sum", {1, 2}, TensorType::FLOAT32);
  const int32_t w = model.tensor("w", {1, 2}, TensorType::INT4, {0.5F}, {0}, {0xF3});
  const int32_t y = model.tensor("y", {1, 1}, TensorType::FLOAT32);
  model.input(x);
  model.output(y);
  model.op(BuiltinOperator::DEQUANTIZE, {half}, {wide});
  model.op(BuiltinOperator::ADD, {x, wide}, {sum}, tflite::AddOptionsT());
  model.op(BuiltinOperator::FULLY_CONNECTED, {sum, w, -1}, {y}, tflite::FullyConnectedOptionsT());
  const Imported imported = importFlat(model);
  REQUIRE(imported.graph);
  CHECK(imported.kinds() == "Add Gemm");
  CHECK(imported.input(imported.only(OpKind::Add), 1).data->values<float>() ==
        std::vector<float>{1, -2});
  CHECK(imported.input(imported.only(OpKind::Gemm), 1).data->values<float>() ==
        std::vector<float>{1.5F, -0.5F});
}

TEST_CASE("flat: sparse constants are dense in the graph") {
  FlatBuilder model;
  const int32_t x = model.tensor("x", {1, 4}, TensorType::FLOAT32);
  const int32_t w = model.floats("w", {2, 4}, {5, 7, 9});
  auto sparsity = std::make_unique<tflite::SparsityParametersT>();
  sparsity->traversal_order = {0, 1};
  auto rows = std::make_unique<tflite::DimensionMetadataT>();
  rows->dense_size = 2;
  auto columns = std::make_unique<tflite::DimensionMetadataT>();
  columns->format = tflite::DimensionType::SPARSE_CSR;
  tflite::Uint8VectorT segments;
  segments.values = {0, 2, 3};
  columns->array_segments.Set(segments);
  tflite::Uint8VectorT indices;
  indices.values = {1, 3, 0};
  columns->array_indices.Set(indices);
  sparsity->dim_metadata.push_back(std::move(rows));
  sparsity->dim_metadata.push_back(std::move(columns));
  model.graph().tensors[static_cast<size_t>(w)]->sparsity = std::move(sparsity);
  const int32_t dense = model.tensor("dense", {2, 4}, TensorType::FLOAT32);
  const int32_t y = model.tensor("y", {1, 2}, TensorType::FLOAT32);
  model.input(x);
  model.output(y);
  model.op(BuiltinOperator::DENSIFY, {w}, {dense});
  model.op(BuiltinOperator::FULLY_CONNECTED, {x, dense, -1}, {y}, tflite::FullyConnectedOptionsT());
  const Imported imported = importFlat(model);
  REQUIRE(imported.graph);
  CHECK(imported.input(imported.only(OpKind::Gemm), 1).data->values<float>() ==
        std::vector<float>{0, 5, 0, 7, 9, 0, 0, 0});
}

TEST_CASE("flat: masks of STRIDED_SLICE") {
  FlatBuilder model;
  const int32_t x = model.tensor("x", {2, 5, 3}, TensorType::FLOAT32);
  const int32_t y = model.tensor("y", {1, 3, 3}, TensorType::FLOAT32);
  model.input(x);
  model.output(y);
  tflite::StridedSliceOptionsT options;
  options.shrink_axis_mask = 1; // index 1 of dimension 0
  options.new_axis_mask = 2;
  options.begin_mask = 4; // all of dimension 1, backwards in steps of 2
  options.end_mask = 4;
  model.op(BuiltinOperator::STRIDED_SLICE,
           {x, model.ints("begin", {-1, 0, 7}), model.ints("end", {0, 0, 7}),
            model.ints("strides", {1, 1, -2})},
           {y}, options);
  const Imported imported = importFlat(model);
  REQUIRE(imported.graph);
  const Op& slice = imported.only(OpKind::Slice);
  CHECK(slice.attrs.getInts("starts") == std::vector<int64_t>{1, 4, 0});
  CHECK(slice.attrs.getInts("steps") == std::vector<int64_t>{1, -2, 1});
  CHECK(imported.graph->outputs()[0].shape == Shape{1, 3, 3});
}

namespace {

/// Names an entry point whose input "in" and output "out" are the only ones of subgraph `graph`.
void addSignature(FlatBuilder& model, const std::string& name, uint32_t graph) {
  auto signature = std::make_unique<tflite::SignatureDefT>();
  signature->signature_key = name;
  signature->subgraph_index = graph;
  signature->inputs.push_back(std::make_unique<tflite::TensorMapT>());
  signature->inputs[0]->name = "in";
  signature->inputs[0]->tensor_index =
      static_cast<uint32_t>(model.model().subgraphs[graph]->inputs[0]);
  signature->outputs.push_back(std::make_unique<tflite::TensorMapT>());
  signature->outputs[0]->name = "out";
  signature->outputs[0]->tensor_index =
      static_cast<uint32_t>(model.model().subgraphs[graph]->outputs[0]);
  model.model().signature_defs.push_back(std::move(signature));
}

} // namespace

TEST_CASE("flat: a signature chooses the subgraph and names its ports") {
  FlatBuilder model = smallConv();
  FlatBuilder other;
  const int32_t x = other.tensor("x", {2}, TensorType::FLOAT32);
  const int32_t y = other.tensor("y", {2}, TensorType::FLOAT32);
  other.input(x);
  other.output(y);
  other.op(BuiltinOperator::ABS, {x}, {y});
  addSignature(model, "serve", 0);
  model.subgraph(std::move(other));
  addSignature(model, "learn", 1);
  ImportOptions options;
  options.signature = "learn";
  const Imported imported = importFlat(model, options);
  REQUIRE(imported.graph);
  CHECK(imported.only(OpKind::Abs).inputs.size() == 1);
  CHECK(imported.graph->inputs()[0].name == "in");
  CHECK(imported.graph->outputs()[0].name == "out");
  CHECK(importFlat(model).graph->inputs()[0].name == "x");

  options.signature = "lean";
  CHECK(importFlat(model, options)
            .said(DiagId::Usage, "'lean' is unknown; the model has 'serve', 'learn'"));
  options.signature = "learn";
  model.model().signature_defs[1]->subgraph_index = 7;
  CHECK(importFlat(model, options).said(DiagId::BadModel, "is subgraph 7, the model has 2"));
  model.model().signature_defs[1]->subgraph_index = 1;
  model.model().signature_defs[1]->inputs[0]->tensor_index = 99;
  CHECK(importFlat(model, options).said(DiagId::BadModel, "names tensor 99"));
}

namespace {

/// Detections of 7 boxes with a background and two classes.
FlatBuilder detector(bool isRegular, int64_t numClasses = 2) {
  FlatBuilder model;
  const int32_t boxes = model.tensor("boxes", {1, 7, 4}, TensorType::FLOAT32);
  const int32_t scores = model.tensor("scores", {1, 7, 3}, TensorType::FLOAT32);
  const int32_t anchors = model.floats("anchors", {7, 4}, std::vector<float>(28, 1));
  const int32_t found = model.tensor("found", {1, 5, 4}, TensorType::FLOAT32);
  const int32_t classes = model.tensor("classes", {1, 5}, TensorType::FLOAT32);
  const int32_t values = model.tensor("values", {}, TensorType::FLOAT32);
  const int32_t count = model.tensor("count", {1}, TensorType::FLOAT32);
  model.input(boxes);
  model.input(scores);
  for (const int32_t output : {found, classes, values, count})
    model.output(output);
  tflite::OperatorT& op =
      model.op(BuiltinOperator::CUSTOM, {boxes, scores, anchors}, {found, classes, values, count});
  model.model().operator_codes.back()->custom_code = "TFLite_Detection_PostProcess";
  flexbuffers::Builder options;
  options.Map([&] {
    options.Int("max_detections", 5);
    options.Int("max_classes_per_detection", 1);
    options.Int("num_classes", numClasses);
    options.Bool("use_regular_nms", isRegular);
    options.Float("nms_score_threshold", 0.25F);
    options.Float("nms_iou_threshold", 0.5F);
    for (const char* scale : {"y_scale", "x_scale", "h_scale", "w_scale"})
      options.Float(scale, 10);
  });
  options.Finish();
  op.custom_options = options.GetBuffer();
  return model;
}

} // namespace

TEST_CASE("flat: TFLite_Detection_PostProcess and its options") {
  const Imported imported = importFlat(detector(false));
  REQUIRE(imported.graph);
  const Op& op = imported.only(OpKind::DetectionPostProcess);
  CHECK(op.attrs.getInt("first_column") == 1);
  CHECK(op.attrs.getFloat("iou_threshold") == 0.5);
  CHECK(op.attrs.getFloats("scales") == std::vector<double>(4, 10));
  CHECK(imported.graph->outputs()[0].shape == Shape{1, 5, 4});
  CHECK(imported.graph->outputs()[2].shape == Shape{1, 5}); // the file leaves it open
  CHECK(imported.graph->outputs()[3].shape == Shape{1});
  CHECK(importFlat(detector(true)).said(DiagId::UnsupportedOp, "use_regular_nms"));
  for (const int64_t classes : {INT64_MIN, int64_t{0}, int64_t{4}})
    CHECK(importFlat(detector(false, classes)).said(DiagId::BadAttr, "'num_classes' is"));
  FlatBuilder damaged = detector(false);
  damaged.graph().operators[0]->custom_options.resize(9);
  CHECK(importFlat(damaged).said(DiagId::BadModel, "custom options"));
}

TEST_CASE("flat: operators that no output needs are left out, also unknown ones") {
  FlatBuilder model = smallConv();
  const int32_t unused = model.tensor("unused", {1}, TensorType::FLOAT32);
  model.op(BuiltinOperator::HASHTABLE, {}, {unused});
  CHECK(importFlat(model).graph);
  model.output(unused);
  const Imported refused = importFlat(model);
  REQUIRE(refused.error);
  CHECK(refused.said(DiagId::UnsupportedOp, "node 'unused' (HASHTABLE v1)"));
}

TEST_CASE("flat: a newer version and an unknown number are named") {
  FlatBuilder model;
  const int32_t x = model.tensor("x", {2}, TensorType::FLOAT32);
  const int32_t y = model.tensor("y", {2}, TensorType::FLOAT32);
  model.input(x);
  model.output(y);
  model.op(BuiltinOperator::ABS, {x}, {y}, 99);
  CHECK(importFlat(model).said(DiagId::UnsupportedOp, "version 99 is newer"));
  model.model().operator_codes[0]->builtin_code = static_cast<BuiltinOperator>(4711);
  CHECK(importFlat(model).said(DiagId::UnsupportedOp, "(operator 4711 v99)"));
}

TEST_CASE("flat: the registry knows the mark") {
  const ImporterRegistry registry = builtinImporters();
  const std::string bytes = smallConv().bytes();
  REQUIRE(registry.find(bytes) != nullptr);
  CHECK(registry.find(bytes)->name == "tflite");
}

TEST_CASE("flat: integers change their width; int32 has zero point 0") {
  const auto converted = [](int32_t zero) {
    FlatBuilder model;
    const int32_t x = model.tensor("x", {1, 4}, TensorType::INT16, {0.5F}, {0});
    const int32_t y = model.tensor("y", {1, 4}, TensorType::INT8, {1.0F}, {-128});
    const int32_t z = model.tensor("z", {1, 4}, TensorType::INT32, {0.25F}, {zero});
    model.input(x);
    model.output(y);
    model.output(z);
    model.op(BuiltinOperator::QUANTIZE, {x}, {y});
    model.op(BuiltinOperator::QUANTIZE, {y}, {z});
    return importFlat(model);
  };
  const Imported imported = converted(0);
  REQUIRE(imported.graph);
  CHECK(imported.kinds() == "Requantize Requantize");
  CHECK(imported.tensor("y").type == DType::Int8);
  CHECK(imported.tensor("z").type == DType::Int32);
  CHECK(converted(7).said(DiagId::UnsupportedOp, "int32 tensor 'z' has zero point 7"));
}

TEST_CASE("flat: softmax of int8 to int16, with beta") {
  const auto softmax = [](TensorType from, TensorType to, float beta) {
    FlatBuilder model;
    const int32_t x = model.tensor("x", {1, 4}, from, {0.5F}, {0});
    const int32_t y = model.tensor("y", {1, 4}, to, {1.0F / 65536}, {-32768});
    model.input(x);
    model.output(y);
    tflite::SoftmaxOptionsT options;
    options.beta = beta;
    model.op(BuiltinOperator::SOFTMAX, {x}, {y}, options);
    return importFlat(model);
  };
  const Imported imported = softmax(TensorType::INT8, TensorType::INT16, 0.5F);
  REQUIRE(imported.graph);
  CHECK(imported.kinds() == "Softmax");
  CHECK(imported.only(OpKind::Softmax).attrs.getFloat("beta") == 0.5);
  CHECK(imported.tensor("y").type == DType::Int16);
  CHECK(softmax(TensorType::INT16, TensorType::INT8, 1).error);
  CHECK(softmax(TensorType::INT8, TensorType::INT16, -1).said(DiagId::UnsupportedOp, "beta -1"));
  CHECK(softmax(TensorType::INT8, TensorType::INT8, 1).error);
  CHECK(softmax(TensorType::INT16, TensorType::INT16, 1).said(DiagId::UnsupportedOp, "1/32768"));
}

TEST_CASE("flat: int16 sigmoid needs TensorFlow Lite's scales") {
  const auto sigmoid = [](float scale, int64_t zero) {
    FlatBuilder model;
    const int32_t x = model.tensor("x", {1, 4}, TensorType::INT16, {0.001F}, {zero});
    const int32_t y = model.tensor("y", {1, 4}, TensorType::INT16, {scale}, {0});
    model.input(x);
    model.output(y);
    model.op(BuiltinOperator::LOGISTIC, {x}, {y});
    return importFlat(model);
  };
  CHECK(sigmoid(1.0F / 32768, 0).graph);
  CHECK(sigmoid(1.0F / 32768, 1).said(DiagId::UnsupportedOp, "zero points 0"));
  CHECK(sigmoid(1.0F / 16384, 0).said(DiagId::UnsupportedOp, "scale 1/32768"));
}

TEST_CASE("flat: comparisons of integers need one scale") {
  const auto less = [](float second) {
    FlatBuilder model;
    const int32_t a = model.tensor("a", {4}, TensorType::INT8, {0.5F}, {0});
    const int32_t b = model.tensor("b", {4}, TensorType::INT8, {second}, {3});
    const int32_t y = model.tensor("y", {4}, TensorType::BOOL);
    model.input(a);
    model.input(b);
    model.output(y);
    model.op(BuiltinOperator::LESS, {a, b}, {y});
    return importFlat(model);
  };
  CHECK(less(0.5F).graph);
  CHECK(less(0.25F).said(DiagId::UnsupportedOp, "one scale for both"));
}

TEST_CASE("flat: gathers with batch dimensions, also behind other dimensions") {
  FlatBuilder model;
  const int32_t x = model.tensor("x", {2, 3, 4, 5}, TensorType::FLOAT32);
  const int32_t i = model.tensor("i", {2, 7}, TensorType::INT32);
  const int32_t y = model.tensor("y", {2, 3, 7, 5}, TensorType::FLOAT32);
  const int32_t z = model.tensor("z", {2, 7, 4, 5}, TensorType::FLOAT32);
  model.input(x);
  model.input(i);
  model.output(y);
  model.output(z);
  tflite::GatherOptionsT options;
  options.batch_dims = 1;
  options.axis = 2;
  model.op(BuiltinOperator::GATHER, {x, i}, {y}, options);
  options.axis = 1;
  model.op(BuiltinOperator::GATHER, {x, i}, {z}, options);
  const Imported imported = importFlat(model);
  REQUIRE(imported.graph);
  CHECK(imported.tensor("y").shape == Shape{2, 3, 7, 5});
  CHECK(imported.tensor("z").shape == Shape{2, 7, 4, 5});
}

TEST_CASE("flat: one-hot, top-k and reversed sequences") {
  FlatBuilder model;
  const int32_t x = model.tensor("x", {2, 4}, TensorType::FLOAT32);
  const int32_t lengths = model.tensor("lengths", {2}, TensorType::INT32);
  const int32_t back = model.tensor("back", {2, 4}, TensorType::FLOAT32);
  const int32_t values = model.tensor("values", {2, 3}, TensorType::FLOAT32);
  const int32_t indices = model.tensor("indices", {2, 3}, TensorType::INT32);
  const int32_t hot = model.tensor("hot", {2, 3, 5}, TensorType::FLOAT32);
  model.input(x);
  model.input(lengths);
  for (const int32_t output : {back, values, indices, hot})
    model.output(output);
  tflite::ReverseSequenceOptionsT reverse;
  reverse.seq_dim = 1;
  model.op(BuiltinOperator::REVERSE_SEQUENCE, {x, lengths}, {back}, reverse);
  model.op(BuiltinOperator::TOPK_V2, {x, model.ints("k", {3})}, {values, indices});
  tflite::OneHotOptionsT options;
  options.axis = -1;
  model.op(BuiltinOperator::ONE_HOT,
           {indices, model.ints("depth", {5}), model.floats("on", {}, {1}),
            model.floats("off", {}, {0})},
           {hot}, options);
  const Imported imported = importFlat(model);
  REQUIRE(imported.graph);
  CHECK(imported.tensor("back").shape == Shape{2, 4});
  CHECK(imported.tensor("indices").type == DType::Int32);
  CHECK(imported.tensor("hot").shape == Shape{2, 3, 5});
}

TEST_CASE("flat: int16 layers with int32 biases have sums of 32 bits") {
  const auto dense = [](TensorType bias) {
    FlatBuilder model;
    const int32_t x = model.tensor("x", {1, 2}, TensorType::INT16, {0.5F}, {0});
    const int32_t w = model.tensor("w", {1, 2}, TensorType::INT8, {0.5F}, {0}, {1, 2});
    const int32_t b = model.tensor("b", {1}, bias, {0.25F}, {0},
                                   std::vector<uint8_t>(bias == TensorType::INT32 ? 4 : 8));
    const int32_t y = model.tensor("y", {1, 1}, TensorType::INT16, {1.0F}, {0});
    model.input(x);
    model.output(y);
    model.op(BuiltinOperator::FULLY_CONNECTED, {x, w, b}, {y}, tflite::FullyConnectedOptionsT());
    return importFlat(model);
  };
  CHECK(dense(TensorType::INT32).only(OpKind::Gemm).attrs.getInt("narrow_sums") == 1);
  CHECK(dense(TensorType::INT64).only(OpKind::Gemm).attrs.getInt("narrow_sums") == 0);
}

TEST_CASE("flat: a part is replaced at computed indices, which are bounded") {
  FlatBuilder model;
  const int32_t x = model.tensor("x", {2, 5, 3}, TensorType::FLOAT32);
  const int32_t part = model.tensor("part", {2, 2, 3}, TensorType::FLOAT32);
  const int32_t start = model.tensor("start", {3}, TensorType::INT32);
  const int32_t y = model.tensor("y", {2, 5, 3}, TensorType::FLOAT32);
  for (const int32_t input : {x, part, start})
    model.input(input);
  model.output(y);
  model.op(BuiltinOperator::DYNAMIC_UPDATE_SLICE, {x, part, start}, {y});
  const Imported imported = importFlat(model);
  REQUIRE(imported.graph);
  CHECK(imported.input(imported.only(OpKind::ScatterND), 1).shape == Shape{2, 2, 2});
}

TEST_CASE("flat: a refusal says what to do") {
  FlatBuilder model;
  const int32_t x = model.tensor("x", {4}, TensorType::FLOAT32);
  const int32_t y = model.tensor("y", {4}, TensorType::FLOAT32);
  model.input(x);
  model.output(y);
  model.op(BuiltinOperator::CUSTOM, {x}, {y});
  model.model().operator_codes[0]->custom_code = "SignalWindow";
  CHECK(importFlat(model).said(DiagId::UnsupportedOp, "compute the audio front end"));
  model.model().operator_codes[0]->custom_code = "Other";
  CHECK(importFlat(model).said(DiagId::UnsupportedOp, "--output-tensor"));
}

TEST_CASE("flat: stored integers are not moved between quantizations") {
  const auto packed = [](float scale) {
    FlatBuilder model;
    const int32_t a = model.tensor("a", {4}, TensorType::INT8, {0.5F}, {0});
    const int32_t b = model.tensor("b", {4}, TensorType::INT8, {scale}, {0});
    const int32_t y = model.tensor("y", {2, 4}, TensorType::INT8, {0.5F}, {0});
    model.input(a);
    model.input(b);
    model.output(y);
    tflite::PackOptionsT options;
    options.values_count = 2;
    model.op(BuiltinOperator::PACK, {a, b}, {y}, options);
    return importFlat(model);
  };
  CHECK(packed(0.5F).graph);
  CHECK(packed(0.25F).said(DiagId::UnsupportedOp, "operand 'b' is quantized otherwise"));
}

TEST_CASE("flat: casts of quantized integers need plain ones") {
  const auto cast = [](TensorType type, float scale, int64_t zero) {
    FlatBuilder model;
    const int32_t x = model.tensor("x", {4}, type, {scale}, {zero});
    const int32_t y = model.tensor("y", {4}, TensorType::FLOAT32);
    model.input(x);
    model.output(y);
    model.op(BuiltinOperator::CAST, {x}, {y}, tflite::CastOptionsT());
    return importFlat(model);
  };
  CHECK(cast(TensorType::INT8, 1, 0).graph);
  CHECK(cast(TensorType::UINT8, 1, 0).graph);
  CHECK(cast(TensorType::UINT8, 1, 128).said(DiagId::UnsupportedOp, "zero point 0"));
  CHECK(cast(TensorType::INT8, 0.5F, 0).said(DiagId::UnsupportedOp, "scale must be 1"));
}
