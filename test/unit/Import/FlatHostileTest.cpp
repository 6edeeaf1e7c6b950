// Damaged TensorFlow Lite models: every cut and many changed bytes must give a diagnostic or a
// valid graph.
#include "FlatTesting.h"

#include "tigris/IR/Verifier.h"

#include <doctest/doctest.h>
#include <random>

using namespace tigris;
using namespace tigris::test;
using tflite::BuiltinOperator;
using tflite::TensorType;

namespace {

void checkHarmless(const std::string& bytes) {
  const Imported imported = importFlat(bytes);
  if (!imported.graph)
    return;
  DiagnosticEngine diagnostics;
  CHECK(verifyGraph(*imported.graph, diagnostics));
}

std::string failure(FlatBuilder& model) {
  const Imported imported = importFlat(model);
  return imported.error ? imported.error->message() : "imported";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("flat hostile: cuts") {
  const std::string bytes = smallConv().bytes();
  for (size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    checkHarmless(bytes.substr(0, size));
  }
}

TEST_CASE("flat hostile: changed bytes") {
  const std::string bytes = smallConv().bytes();
  std::mt19937 random(1);
  for (int round = 0; round < 5000; ++round) {
    std::string changed = bytes;
    for (unsigned count = 1 + random() % 3; count > 0; --count)
      changed[8 + random() % (changed.size() - 8)] = static_cast<char>(random());
    CAPTURE(round);
    checkHarmless(changed);
  }
}

TEST_CASE("flat hostile: a misaligned file is copied") {
  const std::string shifted = " " + smallConv().bytes();
  CHECK(importFlat(std::string_view(shifted).substr(1)).graph);
}

TEST_CASE("flat hostile: numbers that refer to nothing") {
  FlatBuilder tensors = smallConv();
  tensors.graph().operators[0]->inputs[1] = 99;
  CHECK(contains(failure(tensors), "refers to tensor 99"));
  FlatBuilder codes = smallConv();
  codes.graph().operators[0]->opcode_index = 5;
  CHECK(contains(failure(codes), "has the operator code 5"));
  FlatBuilder buffers = smallConv();
  buffers.graph().tensors[1]->buffer = 77;
  CHECK(contains(failure(buffers), "refers to buffer 77"));
  FlatBuilder outside = smallConv();
  outside.model().buffers[1]->data.clear();
  outside.model().buffers[1]->offset = 1 << 20;
  outside.model().buffers[1]->size = 72;
  CHECK(contains(failure(outside), "outside the"));
}

TEST_CASE("flat hostile: cycles and tensors written twice") {
  FlatBuilder twice = smallConv();
  twice.op(BuiltinOperator::RELU, {0}, {3});
  CHECK(contains(failure(twice), "is written twice"));
  FlatBuilder cycle;
  const int32_t a = cycle.tensor("a", {1}, TensorType::FLOAT32);
  const int32_t b = cycle.tensor("b", {1}, TensorType::FLOAT32);
  cycle.output(b);
  cycle.op(BuiltinOperator::RELU, {b}, {a});
  cycle.op(BuiltinOperator::RELU, {a}, {b});
  CHECK(contains(failure(cycle), "which nothing writes"));
}

TEST_CASE("flat hostile: impossible shapes, scales, strides and data") {
  FlatBuilder shape = smallConv();
  shape.graph().tensors[0]->shape = {1 << 30, 1 << 30, 1 << 30, 2};
  CHECK(contains(failure(shape), "impossible shape"));
  FlatBuilder scale = smallConv();
  scale.graph().tensors[0]->quantization->scale = {-1};
  CHECK(contains(failure(scale), "has the scale -1"));
  FlatBuilder zero = smallConv();
  zero.graph().tensors[0]->quantization->zero_point = {1000};
  CHECK(contains(failure(zero), "zero point 1000"));
  FlatBuilder stride = smallConv();
  stride.graph().operators[0]->builtin_options.AsConv2DOptions()->stride_w = -1;
  CHECK(contains(failure(stride), "not positive"));
  FlatBuilder data = smallConv();
  data.model().buffers[1]->data.pop_back();
  CHECK(contains(failure(data), "has 71 bytes of data, expected 72"));
}

TEST_CASE("flat hostile: other files") {
  CHECK(importFlat("").error);
  CHECK(importFlat("\x1c\0\0\0TFL3").error);
  FlatBuilder old = smallConv();
  old.model().version = 2;
  CHECK(contains(failure(old), "schema version 2"));
}
