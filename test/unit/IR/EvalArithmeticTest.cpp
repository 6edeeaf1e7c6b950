// Values of element-wise operators, casts and quantization on constants, computed by hand.
#include "IRTesting.h"

#include <cmath>

using namespace tigris;
using namespace tigris::test;

namespace {

void checkNear(const Reals& actual, const Reals& expected) {
  REQUIRE(actual.size() == expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    CHECK(actual[i] == doctest::Approx(expected[i]).epsilon(1e-6));
}

} // namespace

TEST_CASE("eval: integers wrap around to their type and divide toward zero") {
  GraphBuilder b;
  const auto bytes = [&](const Ints& values) {
    return b.constant(values, DType::Int8, {static_cast<int64_t>(values.size())});
  };
  CHECK(valueOf(b, OpKind::Add, {bytes({100, -100}), bytes({100, -100})}) == Reals{-56, 56});
  CHECK(valueOf(b, OpKind::Mul, {bytes({16}), bytes({16})}) == Reals{0});
  CHECK(valueOf(b, OpKind::Div, {b.ints({7, -7, 7}), b.ints({2, 2, -2})}) == Reals{3, -3, -3});
  CHECK(valueOf(b, OpKind::Div, {bytes({-128}), bytes({-1})}) == Reals{-128});
  CHECK(evaluate(b, OpKind::Div, {b.ints({1}), b.ints({0})}).empty());
  CHECK(valueOf(b, OpKind::Sub, {b.ints({1, 2, 3}), b.ints({1}, {})}) == Reals{0, 1, 2});
  CHECK(valueOf(b, OpKind::Neg, {bytes({-128, 5})}) == Reals{-128, -5});
  CHECK(valueOf(b, OpKind::Abs, {b.ints({-3, 4})}) == Reals{3, 4});
}

TEST_CASE("eval: Mod takes the divisor's sign, or the dividend's with fmod") {
  GraphBuilder b;
  const TensorId a = b.ints({-7, 7, -7, 6});
  const TensorId c = b.ints({3, -3, -3, 3});
  CHECK(valueOf(b, OpKind::Mod, {a, c}) == Reals{2, -2, -1, 0});
  CHECK(valueOf(b, OpKind::Mod, {a, c}, {{"fmod", 1}}) == Reals{-1, 1, -1, 0});
  CHECK(valueOf(b, OpKind::Mod, {b.floats({-7.5F}), b.floats({2})}, {{"fmod", 1}}) == Reals{-1.5});
  CHECK(valueOf(b, OpKind::Mod, {b.ints({INT64_MIN}), b.ints({-1})}) == Reals{0});
}

TEST_CASE("eval: powers of reals and integers") {
  GraphBuilder b;
  CHECK(valueOf(b, OpKind::Pow, {b.floats({2, 9}), b.floats({3, 0.5F})}) == Reals{8, 3});
  CHECK(valueOf(b, OpKind::Pow, {b.ints({3, -2, 2, -1}), b.ints({4, 3, -1, -3})}) ==
        Reals{81, -8, 0, -1});
  CHECK(valueOf(b, OpKind::Pow, {b.floats({3}), b.ints({2})}) == Reals{9});
  CHECK(valueOf(b, OpKind::Pow, {b.ints({10}), b.floats({0.5F})}) == Reals{3});
}

TEST_CASE("eval: broadcasting, minima, sums, comparisons and selection") {
  GraphBuilder b;
  const TensorId column = b.floats({1, 2}, {2, 1});
  const TensorId row = b.floats({10, 20, 30}, {3});
  CHECK(valueOf(b, OpKind::Add, {column, row}) == Reals{11, 21, 31, 12, 22, 32});
  CHECK(valueOf(b, OpKind::Max, {column, b.floats({1.5F}, {})}) == Reals{1.5, 2});
  CHECK(valueOf(b, OpKind::Min, {row, b.floats({15, 5, 50})}) == Reals{10, 5, 30});
  CHECK(valueOf(b, OpKind::Sum, {row, row, b.floats({1}, {})}) == Reals{21, 41, 61});
  CHECK(valueOf(b, OpKind::Less, {row, b.floats({20}, {})}) == Reals{1, 0, 0});
  CHECK(valueOf(b, OpKind::LessOrEqual, {row, b.floats({20}, {})}) == Reals{1, 1, 0});
  CHECK(valueOf(b, OpKind::Greater, {row, b.floats({20}, {})}) == Reals{0, 0, 1});
  CHECK(valueOf(b, OpKind::GreaterOrEqual, {row, b.floats({20}, {})}) == Reals{0, 1, 1});
  CHECK(valueOf(b, OpKind::Equal, {b.ints({1, 2}), b.ints({1, 3})}) == Reals{1, 0});
  const TensorId yes = b.bools({1, 0}, {2, 1});
  CHECK(valueOf(b, OpKind::And, {yes, b.bools({1, 0}, {2})}) == Reals{1, 0, 0, 0});
  CHECK(valueOf(b, OpKind::Or, {yes, b.bools({1, 0}, {2})}) == Reals{1, 1, 1, 0});
  CHECK(valueOf(b, OpKind::Not, {yes}) == Reals{0, 1});
  CHECK(valueOf(b, OpKind::Where, {yes, row, b.floats({-1}, {})}) == Reals{10, 20, 30, -1, -1, -1});
  CHECK(valueOf(b, OpKind::PRelu, {b.floats({-2, 3}), b.floats({0.5F})}) == Reals{-1, 3});
}

TEST_CASE("eval: float32 is computed in float32") {
  GraphBuilder b;
  // float32 cannot represent 2^24 + 1.
  CHECK(valueOf(b, OpKind::Add, {b.floats({16777216}), b.floats({1})}) == Reals{16777216});
  CHECK(valueOf(b, OpKind::Div, {b.floats({1}), b.floats({3})}) ==
        Reals{static_cast<double>(1.0F / 3.0F)});
}

TEST_CASE("eval: functions of one element") {
  GraphBuilder b;
  const auto on = [&](OpKind kind, const std::vector<float>& values, AttrMap attrs = {}) {
    return valueOf(b, kind, {b.floats(values)}, std::move(attrs));
  };
  CHECK(on(OpKind::Relu, {-1, 2}) == Reals{0, 2});
  CHECK(on(OpKind::Relu6, {-1, 2, 7}) == Reals{0, 2, 6});
  CHECK(on(OpKind::Floor, {-1.5F, 1.5F}) == Reals{-2, 1});
  CHECK(on(OpKind::Ceil, {-1.5F, 1.5F}) == Reals{-1, 2});
  CHECK(on(OpKind::Round, {0.5F, 1.5F, 2.5F, -0.5F}) == Reals{0, 2, 2, 0});
  CHECK(on(OpKind::Sign, {-3, 0, 2}) == Reals{-1, 0, 1});
  CHECK(on(OpKind::Sqrt, {16}) == Reals{4});
  CHECK(on(OpKind::Reciprocal, {4}) == Reals{0.25});
  checkNear(on(OpKind::LeakyRelu, {-2}), {-0.02});
  checkNear(on(OpKind::Sigmoid, {0, 2, -100}), {0.5, 0.88079708, 0});
  checkNear(on(OpKind::Silu, {2}), {1.76159416});
  checkNear(on(OpKind::HardSigmoid, {0, 1, 5, -5}), {0.5, 0.7, 1, 0});
  checkNear(on(OpKind::HardSwish, {1, 4, -4}), {2.0 / 3, 4, 0});
  checkNear(on(OpKind::Tanh, {1}), {0.76159416});
  checkNear(on(OpKind::Softplus, {0, 100, -100}), {0.69314718, 100, 0});
  checkNear(on(OpKind::Softsign, {3, -3}), {0.75, -0.75});
  checkNear(on(OpKind::Mish, {1}), {0.86509839});
  checkNear(on(OpKind::Gelu, {1}), {0.84134475});
  checkNear(on(OpKind::Gelu, {1}, {{"approximate", "tanh"}}), {0.84119199});
  checkNear(on(OpKind::Erf, {0.5F}), {0.52049988});
  checkNear(on(OpKind::Exp, {1}), {2.71828183});
  checkNear(on(OpKind::Log, {10}), {2.30258509});
  checkNear(on(OpKind::Elu, {-1, 1}), {-0.63212056, 1});
  checkNear(on(OpKind::Selu, {-1, 1}), {-1.11133073, 1.05070099});
  checkNear(on(OpKind::Celu, {-1, 1}, {{"alpha", 2.0}}), {-0.78693868, 1});
  checkNear(on(OpKind::Sin, {1}), {0.84147098});
  checkNear(on(OpKind::Cos, {1}), {0.54030231});
}

TEST_CASE("eval: Clip with bounds from attributes and operands") {
  GraphBuilder b;
  const TensorId x = b.floats({-2, 3, 9});
  CHECK(valueOf(b, OpKind::Clip, {x}, {{"min", 0.0}, {"max", 6.0}}) == Reals{0, 3, 6});
  CHECK(valueOf(b, OpKind::Clip, {x, TensorId(), b.floats({1}, {})}) == Reals{-2, 1, 1});
  CHECK(valueOf(b, OpKind::Clip, {b.ints({-2, 3, 9}), b.ints({0}, {})}) == Reals{0, 3, 9});
  CHECK(valueOf(b, OpKind::Clip, {x}, {{"min", 5.0}, {"max", 1.0}}) == Reals{1, 1, 1});
}

TEST_CASE("eval: Cast truncates, wraps and saturates without undefined results") {
  GraphBuilder b;
  const auto cast = [&](TensorId x, const char* to) {
    return valueOf(b, OpKind::Cast, {x}, {{"to", to}});
  };
  const TensorId reals = b.floats({-1.9F, 2.9F, 300, std::nanf("")});
  CHECK(cast(reals, "int32") == Reals{-1, 2, 300, 0});
  CHECK(cast(reals, "uint8") == Reals{255, 2, 44, 0});
  CHECK(cast(b.floats({0, 0.1F, -3}), "bool") == Reals{0, 1, 1});
  CHECK(cast(b.ints({1, 0, 257}), "int8") == Reals{1, 0, 1});
  CHECK(cast(b.ints({16777217}), "float32") == Reals{16777216});
  CHECK(cast(b.floats({1e30F}), "int64") == Reals{9223372036854775807.0});
  CHECK(cast(b.ints({9, -9}), "int4") == Reals{-7, 7});
  CHECK(evaluate(b, OpKind::Cast, {reals}, {{"to", "float16"}}).empty());
}

TEST_CASE("eval: QuantizeLinear rounds half to even and saturates") {
  GraphBuilder b;
  const TensorId x = b.floats({0.25F, 0.75F, -0.25F, 1000, -1000, std::nanf("")});
  const TensorId scale = b.floats({0.5F}, {});
  const TensorId zero = b.constant(Ints{10}, DType::Int8, {});
  CHECK(valueOf(b, OpKind::QuantizeLinear, {x, scale, zero}) == Reals{10, 12, 10, 127, -128, -128});
  CHECK(valueOf(b, OpKind::QuantizeLinear, {x, scale}) == Reals{0, 2, 0, 255, 0, 0});
  CHECK(valueOf(b, OpKind::QuantizeLinear,
                {b.floats({3e9F, -3e9F, 8388609}), b.floats({1}, {}),
                 b.constant(Ints{0}, DType::Int32, {})}) ==
        Reals{2147483647, -2147483648.0, 8388609});
  const TensorId matrix = b.floats({1, 2, 3, 4}, {2, 2});
  const TensorId scales = b.floats({1, 0.5F});
  const TensorId zeros = b.constant(Ints{0, 1}, DType::Int8, {2});
  CHECK(valueOf(b, OpKind::QuantizeLinear, {matrix, scales, zeros}, {{"axis", 0}}) ==
        Reals{1, 2, 7, 9});
  CHECK(valueOf(b, OpKind::QuantizeLinear, {matrix, scales, zeros}) == Reals{1, 5, 3, 9});
}

TEST_CASE("eval: DequantizeLinear per tensor, per channel and from the tensor's own parameters") {
  GraphBuilder b;
  const TensorId q = b.constant(Ints{-128, 0, 1, 127}, DType::Int8, {2, 2});
  const TensorId zero = b.constant(Ints{1}, DType::Int8, {});
  CHECK(valueOf(b, OpKind::DequantizeLinear, {q, b.floats({0.5F}, {}), zero}) ==
        Reals{-64.5, -0.5, 0, 63});
  CHECK(valueOf(b, OpKind::DequantizeLinear, {q, b.floats({1, 2})}, {{"axis", -1}}) ==
        Reals{-128, 0, 1, 254});
  CHECK(valueOf(b, OpKind::DequantizeLinear, {q, b.floats({1, 2})}, {{"axis", 0}}) ==
        Reals{-128, 0, 2, 254});
  const TensorId wide = b.constant(Ints{100000, -5}, DType::Int32, {2});
  CHECK(valueOf(b, OpKind::DequantizeLinear, {wide, b.floats({0.5F}, {})}) == Reals{50000, -2.5});
  b.graph.editTensor(q).quant = QuantParam{{0.5F, 0.25F}, {0, 1}, 1};
  CHECK(valueOf(b, OpKind::DequantizeLinear, {q}) == Reals{-64, -0.25, 0.5, 31.5});
}

TEST_CASE("eval: integers that stand for reals are not computed with") {
  GraphBuilder b;
  const TensorId q = b.constant(Ints{1, 2}, DType::Int8, {2});
  b.graph.editTensor(q).quant = QuantParam{{0.5F}, {3}, -1};
  CHECK(evaluate(b, OpKind::Add, {q, q}).empty());
  CHECK(evaluate(b, OpKind::Relu, {q}).empty());
  CHECK(valueOf(b, OpKind::Reshape, {q}, {{"shape", Ints{2, 1}}}) == Reals{1, 2});
  const TensorId other = b.constant(Ints{1, 2}, DType::Int8, {2});
  CHECK(evaluate(b, OpKind::Concat, {q, other}, {{"axis", 0}}).empty());
}

TEST_CASE("eval: unknown operands give no value, shapes always do") {
  GraphBuilder b;
  const TensorId x = b.input({2, 3});
  CHECK(evaluate(b, OpKind::Relu, {x}).empty());
  CHECK(evaluate(b, OpKind::Add, {x, b.floats({1})}).empty());
  CHECK(valueOf(b, OpKind::Shape, {x}) == Reals{2, 3});
  CHECK(valueOf(b, OpKind::Size, {x}) == Reals{6});
}

TEST_CASE("eval: fused activations clamp after everything else") {
  GraphBuilder b;
  const TensorId x = b.floats({-3, 1, 9});
  const TensorId one = b.floats({1});
  CHECK(valueOf(b, OpKind::Add, {x, one}, {}, Activation::Relu) == Reals{0, 2, 10});
  CHECK(valueOf(b, OpKind::Add, {x, one}, {}, Activation::Relu6) == Reals{0, 2, 6});
  CHECK(valueOf(b, OpKind::Add, {x, one}, {{"act_max", 2.5}}, Activation::Clip) ==
        Reals{-2, 2, 2.5});
}

TEST_CASE("eval: batch normalization in both layouts") {
  GraphBuilder b;
  const TensorId x = b.floats({1, 2, 3, 4}, {1, 2, 2});
  const TensorId mean = b.floats({1, 2});
  const TensorId variance = b.floats({4, 1});
  const TensorId ones = b.floats({1, 2});
  checkNear(
      valueOf(b, OpKind::BatchNormalization, {x, ones, mean, mean, variance}, {{"epsilon", 0.0}}),
      {1, 1.5, 4, 6});
  CHECK(valueOf(b, OpKind::BatchNorm, {x, ones, mean}) == Reals{2, 3, 8, 10});
  b.graph.setLayout(Layout::ChannelsLast);
  CHECK(valueOf(b, OpKind::BatchNorm, {x, ones, mean}) == Reals{2, 6, 4, 10});
}
