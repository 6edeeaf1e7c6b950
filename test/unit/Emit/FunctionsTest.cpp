// Lookup tables of int8 functions.
#include "tigris/Emit/Functions.h"
#include "tigris/IR/ElementFunctions.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace tigris;

namespace {

Op opOf(OpKind kind, AttrMap attrs = {}) {
  Op op;
  op.kind = kind;
  op.attrs = std::move(attrs);
  return op;
}

double at(OpKind kind, double x, AttrMap attrs = {}) {
  return elementFunction(kind, x, functionParams(opOf(kind, std::move(attrs))));
}

} // namespace

TEST_CASE("functions at points with known values") {
  CHECK(at(OpKind::Sigmoid, 0) == 0.5);
  CHECK(at(OpKind::Tanh, 1) == doctest::Approx(0.76159415595));
  CHECK(at(OpKind::HardSwish, -3) == 0);
  CHECK(at(OpKind::HardSwish, 1) == doctest::Approx(2.0 / 3));
  CHECK(at(OpKind::HardSigmoid, 1) == doctest::Approx(0.7));
  CHECK(at(OpKind::HardSigmoid, 1, {{"alpha", 0.5}, {"beta", 0.25}}) == doctest::Approx(0.75));
  CHECK(at(OpKind::LeakyRelu, -2) == doctest::Approx(-0.02));
  CHECK(at(OpKind::LeakyRelu, -2, {{"alpha", 0.3}}) == doctest::Approx(-0.6));
  CHECK(at(OpKind::Elu, -1) == doctest::Approx(std::exp(-1) - 1));
  CHECK(at(OpKind::Selu, -1) == doctest::Approx(-1.1113307378));
  CHECK(at(OpKind::Celu, -2, {{"alpha", 2.0}}) == doctest::Approx(2 * (std::exp(-1) - 1)));
  CHECK(at(OpKind::Gelu, 1) == doctest::Approx(0.8413447460685429));
  CHECK(at(OpKind::Gelu, 1, {{"approximate", std::string("tanh")}}) ==
        doctest::Approx(0.8411919906082768));
  CHECK(at(OpKind::Softplus, 1000) == 1000);
  CHECK(at(OpKind::Softplus, 0) == doctest::Approx(std::log(2)));
  CHECK(at(OpKind::Mish, 1) == doctest::Approx(0.8650983882673103));
  CHECK(at(OpKind::Softsign, -3) == -0.75);
  CHECK(at(OpKind::Round, 2.5) == 2);
  CHECK(at(OpKind::Round, -1.5) == -2);
  CHECK(at(OpKind::Round, -0.6) == -1);
  CHECK(at(OpKind::Sign, -7) == -1);
  CHECK(at(OpKind::Sign, 0) == 0);
  CHECK(at(OpKind::Reciprocal, 4) == 0.25);
}

TEST_CASE("every unary operator of the float kernel has a table") {
  for (const OpKind kind : allOpKinds())
    if (opInfo(kind).opClass == OpClass::Function) {
      CHECK(unaryParams(opOf(kind)).function != 0);
      CHECK(lookupTable(opOf(kind), {0.1F, 0}, {0.1F, 0}, IntegerRounding::Once).size() == 256);
    }
}

TEST_CASE("a table starts at -128 and saturates") {
  const auto sigmoid =
      lookupTable(opOf(OpKind::Sigmoid), {0.1F, 0}, {1.0F / 256, -128}, IntegerRounding::Once);
  CHECK(sigmoid[128] == 0);   // sigmoid(0) = 1/2
  CHECK(sigmoid[0] == -128);  // sigmoid(-12.8) is less than half a step
  CHECK(sigmoid[255] == 127); // sigmoid(12.7) is more than 255 steps
  const auto exponential =
      lookupTable(opOf(OpKind::Exp), {1.0F, 0}, {1.0F, 0}, IntegerRounding::Once);
  CHECK(exponential[128 + 4] == 55);
  CHECK(exponential[128 + 5] == 127);
  const auto root = lookupTable(opOf(OpKind::Sqrt), {1.0F, 0}, {1.0F, 5}, IntegerRounding::Once);
  CHECK(root[0] == 5); // no number: real 0
  CHECK(root[128 + 9] == 8);
}
