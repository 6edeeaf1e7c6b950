// Shapes, element types, attributes, constants and the table of operators.
#include "tigris/IR/Op.h"
#include "tigris/IR/Shape.h"
#include "tigris/Support/Crc32.h"

#include "IRTesting.h"

using namespace tigris;
using namespace tigris::test;

TEST_CASE("shape arithmetic: products, broadcasting, permutation, strides") {
  const Shape shape = {2, 3, 4};
  CHECK(shape.elements() == 24);
  CHECK(shape.elementsBefore(1) == 2);
  CHECK(shape.elementsFrom(1) == 12);
  CHECK(shape.fromBack(0) == 4);
  CHECK(shape.str() == "[2, 3, 4]");
  CHECK(Shape().elements() == 1);
  CHECK(Shape().str() == "[]");
  CHECK(*Shape{2, 0}.checkedElements() == 0);
  CHECK(!Shape{2, -1}.checkedElements());
  CHECK(!Shape{1 << 30, 1 << 30}.checkedElements());
  CHECK(*broadcast({2, 1, 4}, {3, 1}) == Shape{2, 3, 4});
  CHECK(!broadcast({2}, {3}));
  CHECK(*broadcast({1}, {0}) == Shape{0});
  CHECK(permute(shape, {2, 0, 1}) == Shape{4, 2, 3});
  CHECK(rowMajorStrides(shape) == Ints{12, 4, 1});
  CHECK(normalizeAxis(-1, 3) == size_t{2});
  CHECK(!normalizeAxis(3, 3));
  CHECK(!normalizeAxis(-4, 3));
  CHECK(!normalizeAxis(0, 0));
}

TEST_CASE("dtype: names and ranges round-trip") {
  for (const DType type :
       {DType::Float32, DType::Int8, DType::UInt8, DType::Int16, DType::UInt16, DType::Int32,
        DType::Int64, DType::Bool, DType::Float16, DType::Float64, DType::Int4, DType::UInt4})
    CHECK(parseDType(dtypeName(type)) == type);
  CHECK(!parseDType("int"));
  CHECK(dtypeSize(DType::Float16) == 2);
  CHECK(dtypeSize(DType::Int4) == 1);
  CHECK(dtypeMin(DType::Int8) == -128);
  CHECK(dtypeMax(DType::UInt4) == 15);
  CHECK(isFloat(DType::Float16));
  CHECK(isInteger(DType::Bool));
  CHECK(!isInteger(DType::Undefined));
}

TEST_CASE("elements: reads widen, writes wrap") {
  const BlobRef blob = storeElements(Ints{300, -1, 5}, DType::UInt8);
  CHECK(blob->values<uint8_t>() == std::vector<uint8_t>{44, 255, 5});
  CHECK(loadElements<double>(*blob, DType::UInt8) == Reals{44, 255, 5});
  CHECK(storeElements(Reals{1e300, -1e300}, DType::Int64)->values<int64_t>() ==
        Ints{INT64_MAX, INT64_MIN});
  CHECK(loadElements<int64_t>(*storeElements(Ints{-9, 8}, DType::Int4), DType::Int4) ==
        Ints{7, -8});
  CHECK(storeElements(Ints{3, 0}, DType::Bool)->values<uint8_t>() == std::vector<uint8_t>{1, 0});
  CHECK_THROWS_AS(loadElements<float>(*blob, DType::Float16), InternalError const&);
}

TEST_CASE("attributes: kept in name order, typed, comparable") {
  AttrMap map = {{"b", int64_t{2}}, {"a", 1.5}};
  CHECK(map.begin()->first == "a");
  CHECK(map.getInt("b") == 2);
  CHECK(map.getInt("c", 7) == 7);
  CHECK(map.getFloat("a") == 1.5);
  CHECK(map.getInts("none", {1}) == Ints{1});
  map.set("b", int64_t{3});
  CHECK(map.getInt("b") == 3);
  CHECK(map == AttrMap{{"a", 1.5}, {"b", int64_t{3}}});
  map.erase("a");
  CHECK(!map.has("a"));
  CHECK_THROWS_AS(map.getString("b"), InternalError const&);
}

TEST_CASE("ops: the table says what each kind accepts") {
  CHECK(parseOpKind("Conv") == OpKind::Conv);
  CHECK(!parseOpKind("Unknown"));
  CHECK(!parseOpKind("conv"));
  for (const OpKind kind : allOpKinds()) {
    CHECK(parseOpKind(opInfo(kind).name) == kind);
    CHECK(!opInfo(kind).operands.empty());
    CHECK(opInfo(kind).minResults() >= 1);
  }
  const OpInfo& slice = opInfo(OpKind::Slice);
  CHECK(slice.minOperands() == 1);
  CHECK(slice.maxOperands() == 5);
  CHECK(slice.operands[slice.operand("axes")].compileTime);
  CHECK(slice.attribute("steps")->kind == AttrKind::Ints);
  CHECK(slice.attribute("step") == nullptr);
  CHECK(opInfo(OpKind::Concat).maxOperands() == SIZE_MAX);
  CHECK(opInfo(OpKind::Conv).maxOperands() == 3);
  CHECK(categoryName(OpCategory::Channel) == "channel-wise");
}

TEST_CASE("ops: the rules of a row") {
  CHECK(opInfo(OpKind::Slice).order == OrderRule::Axes);
  CHECK(opInfo(OpKind::ReduceProd).opClass == OpClass::Reduction);
  CHECK(opInfo(OpKind::ReduceL2).opClass == OpClass::Norm);
  CHECK(opInfo(OpKind::ScatterND).operands[1].chooses);
  CHECK(!opInfo(OpKind::ScatterND).operands[2].chooses);
  CHECK(opInfo(OpKind::LeakyRelu).fallback("alpha") == 0.01);
  CHECK(opInfo(OpKind::Softmax).fallback("axis") == -1);
  CHECK(opInfo(OpKind::Concat).fallback("axis") == 0);
  for (const OpKind kind : allOpKinds()) {
    const OpInfo& info = opInfo(kind);
    // What works element by element takes any order of dimensions.
    CHECK_MESSAGE((info.category == OpCategory::Pointwise) == (info.order == OrderRule::Any),
                  info.name);
    if (info.order == OrderRule::Axis)
      CHECK_MESSAGE(info.attribute("axis") != nullptr, info.name);
    if (info.order == OrderRule::Axes)
      CHECK_MESSAGE(info.attribute("axes") != nullptr, info.name);
    // An operator with an integer form, or one that is quantized with its weights, has int8.
    if (info.quant == QuantRule::Weighted || info.quant == QuantRule::Heavy)
      CHECK_MESSAGE(info.computesIn(DType::Int8), info.name);
  }
}

TEST_CASE("ops: every kind has a shape rule and every compile-time operand its attribute") {
  // Scale and zero point become the quantization of a tensor, not attributes.
  for (const OpKind kind : allOpKinds())
    for (const OperandInfo& operand : opInfo(kind).operands)
      if (operand.compileTime && operand.name != "scale" && operand.name != "zero_point")
        CHECK_MESSAGE(opInfo(kind).attribute(operand.name) != nullptr, opInfo(kind).name, " ",
                      operand.name);
  GraphBuilder b;
  for (const OpKind kind : allOpKinds()) {
    Op op;
    op.kind = kind;
    op.inputs.assign(std::max<size_t>(1, opInfo(kind).minOperands()), b.input({1, 1, 1, 1}));
    const auto types = inferResults(op, KnownValues(b.graph));
    if (!types)
      CHECK_MESSAGE(types.error().id() != DiagId::UnsupportedOp, types.error().message());
  }
}

namespace {

/// Returns `bytes` for every request.
class FixedSource : public BlobSource {
public:
  explicit FixedSource(std::vector<uint8_t> bytes) : bytes_(std::move(bytes)) {}
  std::vector<uint8_t> load(size_t) const override { return bytes_; }

private:
  std::vector<uint8_t> bytes_;
};

} // namespace

TEST_CASE("blob: decoded on first use and checked") {
  const std::vector<uint8_t> bytes = {1, 2, 3, 4};
  const auto source = std::make_shared<FixedSource>(bytes);
  const uint32_t crc = crc32(bytes.data(), bytes.size());
  const Blob good(4, crc, source);
  CHECK(good.crc() == crc);
  CHECK(good.bytes()[3] == 4);
  CHECK(good.values<uint16_t>() == std::vector<uint16_t>{0x0201, 0x0403});
  const Blob damaged(4, crc + 1, source);
  CHECK_THROWS_AS(damaged.bytes(), DataError const&);
  CHECK(makeBlob(bytes)->crc() == crc);
}
