// Int8 operators: the runtime's outputs against independent real arithmetic.
#include "EmitTesting.h"

#include <cmath>
#include <random>

using namespace tigris;
using namespace tigris::test;

namespace {

using Int8s = std::vector<int8_t>;

Int8s randomInts(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  Int8s values;
  for (size_t i = 0; i < count; ++i)
    values.push_back(static_cast<int8_t>(random() % 256));
  return values;
}

int8_t stored(double real, double scale, int zero, int lo = -128) {
  return static_cast<int8_t>(std::clamp(std::nearbyint(real / scale) + zero, double(lo), 127.0));
}

/// All outputs within one step, nearly all equal.
void checkNear(const Int8s& actual, const Int8s& expected) {
  REQUIRE(actual.size() == expected.size());
  size_t different = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    CHECK(std::abs(actual[i] - expected[i]) <= 1);
    different += actual[i] == expected[i] ? 0 : 1;
  }
  CHECK(different * 50 <= actual.size());
}

std::string binaryGraph(const std::string& op) {
  return strCat(R"(inputs:
  - {name: a}
  - {name: b}
outputs:
  - {name: out}
tensors:
  - {name: a, type: int8, shape: [1, 256], quant: {scale: 0.05, zero_point: -3}}
  - {name: b, type: int8, shape: [1, 256], quant: {scale: 0.02, zero_point: 10}}
  - {name: out, type: int8, shape: [1, 256], quant: {scale: 0.0713, zero_point: 5}}
ops:
  - {op: )",
                op, ", in: [a, b], out: [out]}\n");
}

} // namespace

TEST_CASE(
    "convolution: per-channel scales, zero points of weights, foreign bias scale, activation") {
  // 1x1 convolution over 2 channels, so that the sums are simple
  const Graph graph = normalized(R"(inputs:
  - {name: x}
outputs:
  - {name: out}
tensors:
  - {name: x, type: int8, shape: [1, 8, 8, 2], quant: {scale: 0.1, zero_point: 7}}
  - {name: w, type: int8, shape: [3, 2, 1, 1], quant: {scale: [0.01, 0.02, 0.03], zero_point: [0, 5, -4], axis: 0}, const: true}
  - {name: b, type: int32, shape: [3], quant: {scale: 0.5}, const: true}
  - {name: out, type: int8, shape: [1, 8, 8, 3], quant: {scale: 0.15, zero_point: -20}}
ops:
  - {op: Conv, name: conv, in: [x, w, b], out: [out], act: Relu}
blobs:
  - {name: w, values: [100, -50, 30, 70, -90, 20]}
  - {name: b, values: [1, -2, 4]}
)");
  const Int8s x = randomInts(128, 1);
  const double scales[] = {0.01F, 0.02F, 0.03F};
  const int zeros[] = {0, 5, -4};
  const int weights[] = {100, -50, 30, 70, -90, 20};
  const double bias[] = {0.5, -1.0, 2.0};
  Int8s expected;
  for (size_t pixel = 0; pixel < 64; ++pixel)
    for (size_t o = 0; o < 3; ++o) {
      double sum = bias[o];
      for (size_t i = 0; i < 2; ++i)
        sum += (x[pixel * 2 + i] - 7) * double(0.1F) * (weights[o * 2 + i] - zeros[o]) * scales[o];
      expected.push_back(stored(sum, 0.15F, -20, -20));
    }
  checkNear(runInt8(graph, {x}), expected);
}

TEST_CASE("biases already in accumulator units are kept, others are converted") {
  const auto run = [](const std::string& bias) {
    return runInt8(normalized(strCat(R"(inputs:
  - {name: x}
outputs:
  - {name: out}
tensors:
  - {name: x, type: int8, shape: [1, 2], quant: {scale: 0.5}}
  - {name: w, type: int8, shape: [1, 2], quant: {scale: 0.25}, const: true}
  - {name: b, type: )",
                                     bias, R"(
  - {name: out, type: int8, shape: [1, 1], quant: {scale: 1.0}}
ops:
  - {op: Gemm, name: dense, in: [x, w, b], out: [out], attrs: {transB: 1}}
blobs:
  - {name: w, values: [8, 4]}
  - {name: b, values: [40]}
)")),
                   {{2, 4}});
  };
  // (2 * 8 + 4 * 4) / 8 = 4, and a bias of 40 / 8 = 5
  CHECK(run("int32, shape: [1], const: true}") == Int8s{9});
  CHECK(run("int32, shape: [1], quant: {scale: 0.125}, const: true}") == Int8s{9});
  CHECK(run("int32, shape: [1], quant: {scale: 0.25}, const: true}") == Int8s{14});
  CHECK(run("int32, shape: [1], quant: {scale: 0.125, zero_point: 8}, const: true}") == Int8s{8});
}

TEST_CASE("a bias that overflows is refused") {
  const Graph graph = normalized(R"(rounding: twice
inputs:
  - {name: x}
outputs:
  - {name: out}
tensors:
  - {name: x, type: int8, shape: [1, 1], quant: {scale: 0.001}}
  - {name: w, type: int8, shape: [1, 1], quant: {scale: 1.0e-9}, const: true}
  - {name: b, type: int32, shape: [1], quant: {scale: 1.0}, const: true}
  - {name: out, type: int8, shape: [1, 1], quant: {scale: 1.0}}
ops:
  - {op: Gemm, name: dense, in: [x, w, b], out: [out], attrs: {transB: 1}}
blobs:
  - {name: w, values: [1]}
  - {name: b, values: [3]}
)");
  const Expected<std::string> file = emitPlan(planned(graph, ample()));
  REQUIRE_FALSE(bool(file));
  CHECK(file.error().message().find("bias 'b' of channel 0 is 3") != std::string::npos);
}

TEST_CASE("depthwise and grouped convolutions take their own channel's scale") {
  const auto run = [](const std::string& kind, int groups, const std::string& shape) {
    return runInt8(
        normalized(strCat(
            R"(inputs:
  - {name: x}
outputs:
  - {name: out}
tensors:
  - {name: x, type: int8, shape: [1, 1, 1, 4], quant: {scale: 1.0}}
  - {name: w, type: int8, shape: )",
            shape,
            R"(, quant: {scale: [1.0, 0.5, 0.25, 2.0], zero_point: [0, 0, 0, 0], axis: 0}, const: true}
  - {name: out, type: int8, shape: [1, 1, 1, 4], quant: {scale: 1.0}}
ops:
  - {op: )",
            kind, ", name: conv, in: [x, w], out: [out], attrs: {group: ", groups, R"(}}
blobs:
  - {name: w, values: [)",
            groups == 4 ? "4, 4, 4, 4" : "4, 0, 4, 0, 0, 4, 0, 4", "]}\n")),
        {{1, 2, 3, 4}});
  };
  CHECK(run("DepthwiseConv", 4, "[4, 1, 1, 1]") == Int8s{4, 4, 3, 32});
  CHECK(run("Conv", 2, "[4, 2, 1, 1]") == Int8s{4, 2, 4, 32});
}

TEST_CASE("additions, subtractions, products and quotients") {
  const Int8s a = randomInts(256, 2);
  const Int8s b = randomInts(256, 3);
  const auto check = [&](const std::string& op, auto&& real) {
    CAPTURE(op);
    Int8s expected;
    for (size_t i = 0; i < a.size(); ++i)
      expected.push_back(
          stored(real((a[i] + 3) * double(0.05F), (b[i] - 10) * double(0.02F)), 0.0713F, 5));
    checkNear(runInt8(normalized(binaryGraph(op)), {a, b}), expected);
  };
  check("Add, name: o", [](double x, double y) { return x + y; });
  check("Sub, name: o", [](double x, double y) { return x - y; });
  check("Mul, name: o", [](double x, double y) { return x * y; });
  check("Mul, name: o, act: Relu", [](double x, double y) { return std::max(x * y, 0.0); });
  check("Add, name: o, act: Relu6", [](double x, double y) { return std::clamp(x + y, 0.0, 6.0); });
}

TEST_CASE("functions run through a table") {
  Int8s all;
  for (int i = -128; i < 128; ++i)
    all.push_back(static_cast<int8_t>(i));
  const auto run = [&](const std::string& op, const std::string& out) {
    return runInt8(normalized(strCat(R"(inputs:
  - {name: x}
outputs:
  - {name: out}
tensors:
  - {name: x, type: int8, shape: [1, 256], quant: {scale: 0.05, zero_point: 4}}
  - {name: out, type: int8, shape: [1, 256], quant: )",
                                     out, R"(}
ops:
  - {op: )",
                                     op, ", name: o, in: [x], out: [out]}\n")),
                   {all});
  };
  Int8s sigmoid;
  Int8s leaky;
  Int8s relu;
  for (const int8_t x : all) {
    const double real = (x - 4) * double(0.05F);
    sigmoid.push_back(stored(1 / (1 + std::exp(-real)), 1.0 / 256, -128));
    leaky.push_back(stored(real < 0 ? real * double(0.01F) : real, 0.03F, -100));
    relu.push_back(stored(std::max(real, 0.0), 0.03F, -100));
  }
  CHECK(run("Sigmoid", "{scale: 0.00390625, zero_point: -128}") == sigmoid);
  CHECK(run("LeakyRelu", "{scale: 0.03, zero_point: -100}") == leaky);
  checkNear(run("Relu", "{scale: 0.03, zero_point: -100}"), relu);
  Int8s same;
  for (const int8_t x : all)
    same.push_back(std::max<int8_t>(x, 4));
  CHECK(run("Relu", "{scale: 0.05, zero_point: 4}") == same);
}

TEST_CASE("means over windows and maps, with and without a change of scale") {
  const Int8s x = randomInts(5 * 5 * 2, 4);
  for (const bool same : {true, false}) {
    const double scale = same ? 0.1F : 0.04F;
    const int zero = same ? 6 : -9;
    const auto run = [&](const std::string& op, const std::string& shape) {
      return runInt8(normalized(strCat(R"(inputs:
  - {name: x}
outputs:
  - {name: out}
tensors:
  - {name: x, type: int8, shape: [1, 5, 5, 2], quant: {scale: 0.1, zero_point: 6}}
  - {name: out, type: int8, shape: )",
                                       shape, ", quant: {scale: ", same ? "0.1" : "0.04",
                                       ", zero_point: ", zero, "}}\nops:\n  - {", op, "}\n")),
                     {x});
    };
    const auto mean = [&](int y0, int y1, int x0, int x1, size_t c) {
      double sum = 0;
      int count = 0;
      for (int y = std::max(y0, 0); y < std::min(y1, 5); ++y)
        for (int k = std::max(x0, 0); k < std::min(x1, 5); ++k, ++count)
          sum += (x[static_cast<size_t>(y * 5 + k) * 2 + c] - 6) * double(0.1F);
      return stored(sum / count, scale, zero);
    };
    Int8s windows;
    for (int y = 0; y < 3; ++y)
      for (int k = 0; k < 3; ++k)
        for (size_t c = 0; c < 2; ++c)
          windows.push_back(mean(2 * y - 1, 2 * y + 2, 2 * k - 1, 2 * k + 2, c));
    const Int8s maps = {mean(0, 5, 0, 5, 0), mean(0, 5, 0, 5, 1)};
    checkNear(
        run("op: AveragePool, name: o, in: [x], out: [out], attrs: {kernel_shape: [3, 3], strides: "
            "[2, 2], pads: [1, 1, 1, 1]}",
            "[1, 3, 3, 2]"),
        windows);
    checkNear(run("op: GlobalAveragePool, name: o, in: [x], out: [out]", "[1, 1, 1, 2]"), maps);
    checkNear(
        run("op: ReduceMean, name: o, in: [x], out: [out], attrs: {axes: [1, 2], keepdims: 0}",
            "[1, 2]"),
        maps);
  }
}

TEST_CASE("softmax writes 1/256 and -128, and nothing else") {
  const auto graphOf = [](const std::string& quant) {
    return normalized(strCat(R"(inputs:
  - {name: x}
outputs:
  - {name: out}
tensors:
  - {name: x, type: int8, shape: [1, 10], quant: {scale: 0.2, zero_point: 3}}
  - {name: out, type: int8, shape: [1, 10], quant: )",
                             quant, R"(}
ops:
  - {op: Softmax, name: soft, in: [x], out: [out]}
)"));
  };
  const Int8s x = {-20, 3, 10, 30, 31, 0, -128, 5, 25, 29};
  double sum = 0;
  for (const int8_t v : x)
    sum += std::exp((v - 3) * 0.2);
  Int8s expected;
  for (const int8_t v : x)
    expected.push_back(stored(std::exp((v - 3) * 0.2) / sum, 1.0 / 256, -128));
  const Int8s actual = runInt8(graphOf("{scale: 0.00390625, zero_point: -128}"), {x});
  for (size_t i = 0; i < x.size(); ++i)
    CHECK(std::abs(actual[i] - expected[i]) <= 1);
  const auto refused = emitPlan(planned(graphOf("{scale: 0.004, zero_point: -128}"), ample()));
  REQUIRE_FALSE(bool(refused));
  CHECK(refused.error().message().find("the kernel writes 1/256 and -128") != std::string::npos);
}

TEST_CASE("padding fills with the stored value of the real one") {
  const Graph graph = normalized(R"(inputs:
  - {name: x}
outputs:
  - {name: out}
tensors:
  - {name: x, type: int8, shape: [1, 2], quant: {scale: 0.5, zero_point: 9}}
  - {name: out, type: int8, shape: [1, 4], quant: {scale: 0.5, zero_point: 9}}
ops:
  - {op: Pad, name: o, in: [x], out: [out], attrs: {pads: [0, 1, 0, 1], value: -2.0}}
)");
  CHECK(runInt8(graph, {{1, 2}}) == Int8s{5, 1, 2, 5});
}

TEST_CASE("kernels that only move elements want equal quantization") {
  Graph graph = normalized(R"(inputs:
  - {name: x}
outputs:
  - {name: out}
tensors:
  - {name: x, type: int8, shape: [2, 3], quant: {scale: 0.5}}
  - {name: out, type: int8, shape: [3, 2], quant: {scale: 0.5}}
ops:
  - {op: Transpose, name: turn, in: [x], out: [out], attrs: {perm: [1, 0]}}
)");
  graph.editTensor(*graph.findTensor("out")).quant->scale = {0.25F};
  const auto refused = emitPlan(planned(graph, ample()));
  REQUIRE_FALSE(bool(refused));
  CHECK(refused.error().message().find("quantized differently") != std::string::npos);
}

TEST_CASE("quantize, requantize, dequantize") {
  const Graph graph = normalized(R"(inputs:
  - {name: x}
outputs:
  - {name: out}
tensors:
  - {name: x, type: float32, shape: [1, 5]}
  - {name: q, type: int8, shape: [1, 5], quant: {scale: 0.5, zero_point: 1}}
  - {name: r, type: int8, shape: [1, 5], quant: {scale: 2.0, zero_point: -3}}
  - {name: out, type: float32, shape: [1, 5]}
ops:
  - {op: QuantizeLinear, name: q, in: [x], out: [q]}
  - {op: Requantize, name: r, in: [q], out: [r]}
  - {op: DequantizeLinear, name: d, in: [r], out: [out]}
)");
  // 0.25 / 0.5 is a tie: to even; 100 saturates at 63
  CHECK(runFloats(graph, {0.25F, 4.0F, -6.0F, 100.0F, 2.0F}) ==
        std::vector<float>{0, 4, -6, 64, 2});
}

TEST_CASE("a graph that rounds twice gives TensorFlow Lite's integers") {
  // 1x1 convolution with real multiplier 2^-4: a sum of 7 is 0.4375, which high-mul leaves alone,
  // but of a non-power-of-two scale the first rounding can lift a value onto the tie
  Graph graph = normalized(R"(inputs:
  - {name: x}
outputs:
  - {name: out}
tensors:
  - {name: x, type: int8, shape: [1, 16, 16, 1], quant: {scale: 1.0}}
  - {name: w, type: int8, shape: [1, 1, 1, 1], quant: {scale: 1.0}, const: true}
  - {name: out, type: int8, shape: [1, 16, 16, 1], quant: {scale: 11.3}}
ops:
  - {op: Conv, name: conv, in: [x, w], out: [out]}
blobs:
  - {name: w, values: [9]}
)");
  Int8s x;
  for (int i = -128; i < 128; ++i)
    x.push_back(static_cast<int8_t>(i));
  Int8s exact;
  Int8s twice;
  for (const int8_t v : x) {
    const int32_t sum = v * 9;
    exact.push_back(stored(sum, 11.3F, 0));
    // 1 / 11.3F = multiplier * 2^-3 / 2^31
    const auto multiplier = static_cast<int64_t>(std::llround(8.0 / double(11.3F) * 2147483648.0));
    const int64_t high = (sum * multiplier + (int64_t{1} << 30)) >> 31;
    const int64_t rest = high & 7;
    twice.push_back(static_cast<int8_t>((high >> 3) + (rest > (high < 0 ? 4 : 3) ? 1 : 0)));
  }
  CHECK(exact != twice);
  CHECK(runInt8(graph, {x}) == exact);
  graph.setRounding(IntegerRounding::Twice);
  CHECK(runInt8(graph, {x}) == twice);
}
