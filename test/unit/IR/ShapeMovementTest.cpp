// Shapes of operators that rearrange, select and join elements.
#include "IRTesting.h"

using namespace tigris;
using namespace tigris::test;

TEST_CASE("shape: Reshape with copied, free and zero dimensions") {
  GraphBuilder b;
  const TensorId x = b.input({2, 3, 4});
  const auto reshaped = [&](Ints shape, AttrMap attrs = {}) {
    attrs.set("shape", std::move(shape));
    return shapeOf(b, OpKind::Reshape, {x}, attrs);
  };
  CHECK(reshaped({6, 4}) == "[6, 4]");
  CHECK(reshaped({0, -1}) == "[2, 12]");
  CHECK(reshaped({-1}) == "[24]");
  CHECK(reshaped({0, 0, 0, 0}).find("copies dimension 3 of a tensor of rank 3") !=
        std::string::npos);
  CHECK(shapeOf(b, OpKind::Reshape, {x, b.ints({4, -1, 2})}) == "[4, 3, 2]");
  CHECK(shapeOf(b, OpKind::Reshape, {b.input({0, 3})}, {{"shape", Ints{3, 0}}, {"allowzero", 1}}) ==
        "[3, 0]");
  CHECK(shapeOf(b, OpKind::Reshape, {b.input({})}, {{"shape", Ints{1, 1}}}) == "[1, 1]");
  checkRefused(b, OpKind::Reshape, {x}, {{"shape", Ints{5, -1}}}, DiagId::BadShape,
               "24 elements of operand 'X' (tensor 'x') do not fill a shape of [5, -1]");
  checkRefused(b, OpKind::Reshape, {x}, {{"shape", Ints{5, 5}}}, DiagId::BadShape, "24 elements");
  checkRefused(b, OpKind::Reshape, {x}, {{"shape", Ints{-1, -1}}}, DiagId::BadAttr, "-1 at 0");
  checkRefused(b, OpKind::Reshape, {x}, {{"shape", Ints{-2, 12}}}, DiagId::BadAttr, "-2");
  checkRefused(b, OpKind::Reshape, {x}, {}, DiagId::BadAttr, "'shape' is missing");
  checkRefused(b, OpKind::Reshape, {x, b.input({2}, DType::Int64)}, {}, DiagId::DynamicShape,
               "operand 'shape' (tensor 'x_3') is not known at compile time");
}

TEST_CASE("shape: Flatten, Squeeze and Unsqueeze") {
  GraphBuilder b;
  const TensorId x = b.input({1, 3, 1, 5});
  CHECK(shapeOf(b, OpKind::Flatten, {x}) == "[1, 15]");
  CHECK(shapeOf(b, OpKind::Flatten, {x}, {{"axis", 0}}) == "[1, 15]");
  CHECK(shapeOf(b, OpKind::Flatten, {x}, {{"axis", -1}}) == "[3, 5]");
  CHECK(shapeOf(b, OpKind::Flatten, {x}, {{"axis", 4}}) == "[15, 1]");
  checkRefused(b, OpKind::Flatten, {x}, {{"axis", 5}}, DiagId::BadAttr, "'axis' is 5");
  CHECK(shapeOf(b, OpKind::Squeeze, {x}) == "[3, 5]");
  CHECK(shapeOf(b, OpKind::Squeeze, {x}, {{"axes", Ints{-2}}}) == "[1, 3, 5]");
  CHECK(shapeOf(b, OpKind::Squeeze, {x, b.ints({0, 2})}) == "[3, 5]");
  checkRefused(b, OpKind::Squeeze, {x}, {{"axes", Ints{1}}}, DiagId::BadShape, "has 3 elements");
  checkRefused(b, OpKind::Squeeze, {x}, {{"axes", Ints{0, -4}}}, DiagId::BadAttr, "axis 0 twice");
  CHECK(shapeOf(b, OpKind::Unsqueeze, {b.input({3, 5}), b.ints({0, -1})}) == "[1, 3, 5, 1]");
  CHECK(shapeOf(b, OpKind::Unsqueeze, {b.input({3, 5})}, {{"axes", Ints{2, 0}}}) == "[1, 3, 1, 5]");
  CHECK(shapeOf(b, OpKind::Unsqueeze, {b.input({})}, {{"axes", Ints{0}}}) == "[1]");
  checkRefused(b, OpKind::Unsqueeze, {x}, {{"axes", Ints{5}}}, DiagId::BadAttr, "rank 5");
}

TEST_CASE("shape: Transpose") {
  GraphBuilder b;
  const TensorId x = b.input({2, 3, 4});
  CHECK(shapeOf(b, OpKind::Transpose, {x}) == "[4, 3, 2]");
  CHECK(shapeOf(b, OpKind::Transpose, {x}, {{"perm", Ints{0, 2, 1}}}) == "[2, 4, 3]");
  checkRefused(b, OpKind::Transpose, {x}, {{"perm", Ints{0, 1}}}, DiagId::BadAttr, "[0, 1]");
  checkRefused(b, OpKind::Transpose, {x}, {{"perm", Ints{0, 1, 1}}}, DiagId::BadAttr, "'perm'");
}

TEST_CASE("shape: Slice with negative bounds, steps and open ends") {
  GraphBuilder b;
  const TensorId x = b.input({10, 7});
  const auto sliced = [&](Ints starts, Ints ends, AttrMap attrs = {}) {
    attrs.set("starts", std::move(starts));
    attrs.set("ends", std::move(ends));
    return shapeOf(b, OpKind::Slice, {x}, attrs);
  };
  CHECK(sliced({2}, {INT64_MAX}) == "[8, 7]");
  CHECK(sliced({-3}, {-1}, {{"axes", Ints{1}}}) == "[10, 2]");
  CHECK(sliced({1, 0}, {100, 7}, {{"steps", Ints{4, 3}}}) == "[3, 3]");
  CHECK(sliced({-1}, {INT64_MIN}, {{"steps", Ints{-1}}}) == "[10, 7]");
  CHECK(sliced({8}, {2}, {{"steps", Ints{-3}}}) == "[2, 7]");
  CHECK(sliced({5}, {5}) == "[0, 7]");
  CHECK(sliced({20}, {-20}, {{"steps", Ints{INT64_MIN}}}) == "[1, 7]");
  CHECK(shapeOf(b, OpKind::Slice, {x, b.ints({1}), b.ints({3}), b.ints({-1}), b.ints({2})}) ==
        "[10, 1]");
  CHECK(shapeOf(b, OpKind::Slice, {b.input({0}), b.ints({0}), b.ints({5})}) == "[0]");
  checkRefused(b, OpKind::Slice, {x}, {{"starts", Ints{0}}, {"ends", Ints{1, 2}}}, DiagId::BadAttr,
               "'ends' has 2 values, expected 1");
  checkRefused(b, OpKind::Slice, {x}, {{"starts", Ints{0}}, {"ends", Ints{1}}, {"steps", Ints{0}}},
               DiagId::BadAttr, "'steps' has the value 0");
  checkRefused(b, OpKind::Slice, {x}, {{"starts", Ints{0}}, {"ends", Ints{1}}, {"axes", Ints{2}}},
               DiagId::BadAttr, "'axes' is 2");
}

TEST_CASE("shape: Split into equal, given and uneven parts") {
  GraphBuilder b;
  const TensorId x = b.input({2, 7});
  const auto parts = [&](size_t results, AttrMap attrs) {
    attrs.set("axis", 1);
    const OpId id = b.op(OpKind::Split, {x}, attrs, results);
    const auto types = inferResults(b.graph.op(id), KnownValues(b.graph));
    if (!types)
      return types.error().message();
    Ints sizes;
    for (const ResultType& type : *types)
      sizes.push_back(type.shape[1]);
    return join(sizes, " ");
  };
  CHECK(parts(3, {{"split", Ints{1, 2, 4}}}) == "1 2 4");
  CHECK(parts(3, {{"num_outputs", 3}}) == "3 3 1");
  CHECK(parts(7, {}) == "1 1 1 1 1 1 1");
  CHECK(parts(2, {}).find("do not divide into 2") != std::string::npos);
  CHECK(parts(2, {{"split", Ints{3, 3}}}).find("adds up to 6, but axis 1 has 7") !=
        std::string::npos);
  CHECK(parts(2, {{"split", Ints{1, 2, 4}}}).find("3 values for 2 results") != std::string::npos);
  CHECK(parts(5, {{"num_outputs", 4}}).find("4 for 5 results") != std::string::npos);
}

TEST_CASE("shape: Concat and Gather") {
  GraphBuilder b;
  const TensorId x = b.input({2, 3, 4});
  CHECK(shapeOf(b, OpKind::Concat, {x, b.input({2, 5, 4}), x}, {{"axis", -2}}) == "[2, 11, 4]");
  CHECK(shapeOf(b, OpKind::Concat, {x}, {{"axis", 0}}) == "[2, 3, 4]");
  checkRefused(b, OpKind::Concat, {x, b.input({2, 5, 5})}, {{"axis", 1}}, DiagId::BadShape,
               "[2, 5, 5], which differs from [2, 3, 4] in more than axis 1");
  checkRefused(b, OpKind::Concat, {x, b.input({2, 3})}, {{"axis", 1}}, DiagId::BadShape, "[2, 3]");
  checkRefused(b, OpKind::Concat, {x, b.input({2, 5, 4}, DType::Int8)}, {{"axis", 1}},
               DiagId::BadType, "float32, but operand 'X' (tensor 'x_4') is int8");
  checkRefused(b, OpKind::Concat, {x}, {}, DiagId::BadAttr, "'axis' is missing");
  CHECK(shapeOf(b, OpKind::Gather, {x, b.ints({0, -1}, {1, 2})}, {{"axis", 2}}) == "[2, 3, 1, 2]");
  CHECK(shapeOf(b, OpKind::Gather, {x, b.ints({1}, {})}) == "[3, 4]");
  checkRefused(b, OpKind::Gather, {x, b.ints({3})}, {{"axis", 1}}, DiagId::BadShape,
               "index 3 is outside axis 1, which has 3 elements");
  checkRefused(b, OpKind::Gather, {x, b.floats({0})}, {}, DiagId::BadType, "is float32");
}

TEST_CASE("shape: Expand, Tile and Pad") {
  GraphBuilder b;
  const TensorId x = b.input({3, 1});
  CHECK(shapeOf(b, OpKind::Expand, {x}, {{"shape", Ints{2, 1, 6}}}) == "[2, 3, 6]");
  CHECK(shapeOf(b, OpKind::Expand, {x, b.ints({1, 1})}) == "[3, 1]");
  checkRefused(b, OpKind::Expand, {x}, {{"shape", Ints{2, 6}}}, DiagId::BadShape,
               "[3, 1] does not broadcast to [2, 6]");
  CHECK(shapeOf(b, OpKind::Tile, {x}, {{"repeats", Ints{2, 5}}}) == "[6, 5]");
  checkRefused(b, OpKind::Tile, {x}, {{"repeats", Ints{2}}}, DiagId::BadAttr,
               "1 values, expected 2");
  checkRefused(b, OpKind::Tile, {x}, {{"repeats", Ints{INT64_MAX, 1}}}, DiagId::BadAttr,
               "too large");
  CHECK(shapeOf(b, OpKind::Pad, {x}, {{"pads", Ints{1, 2, 3, 4}}}) == "[7, 7]");
  CHECK(shapeOf(b, OpKind::Pad, {x, b.ints({1, 1}), TensorId(), b.ints({-1})}) == "[3, 3]");
  CHECK(shapeOf(b, OpKind::Pad, {x}, {{"pads", Ints{-1, 0, -1, 0}}}) == "[1, 1]");
  checkRefused(b, OpKind::Pad, {x}, {{"pads", Ints{1, 2}}}, DiagId::BadAttr,
               "2 values, expected 4");
  checkRefused(b, OpKind::Pad, {x}, {{"pads", Ints{-2, 0, -2, 0}}}, DiagId::BadAttr, "leaves -1");
  checkRefused(b, OpKind::Pad, {x}, {{"pads", Ints{0, 1, 0, 0}}, {"mode", "reflect"}},
               DiagId::BadAttr, "reflects 1 elements of axis 1, which has 1");
  checkRefused(b, OpKind::Pad, {x}, {{"pads", Ints{0, 0, 0, 0}}, {"mode", "mirror"}},
               DiagId::BadAttr, "'mirror'");
}

TEST_CASE("shape: DepthToSpace and SpaceToDepth in both layouts") {
  GraphBuilder b;
  CHECK(shapeOf(b, OpKind::DepthToSpace, {b.input({1, 8, 2, 3})}, {{"blocksize", 2}}) ==
        "[1, 2, 4, 6]");
  CHECK(shapeOf(b, OpKind::SpaceToDepth, {b.input({1, 2, 4, 6})}, {{"blocksize", 2}}) ==
        "[1, 8, 2, 3]");
  checkRefused(b, OpKind::DepthToSpace, {b.input({1, 6, 2, 3})}, {{"blocksize", 2}},
               DiagId::BadShape, "6 channels, which is not a multiple of 4");
  checkRefused(b, OpKind::SpaceToDepth, {b.input({1, 2, 4, 5})}, {{"blocksize", 2}},
               DiagId::BadShape, "axis 3");
  checkRefused(b, OpKind::SpaceToDepth, {b.input({1, 2, 4, 4})}, {}, DiagId::BadAttr,
               "'blocksize' is 0");
  b.graph.setLayout(Layout::ChannelsLast);
  CHECK(shapeOf(b, OpKind::DepthToSpace, {b.input({1, 2, 3, 8})}, {{"blocksize", 2}}) ==
        "[1, 4, 6, 2]");
  CHECK(shapeOf(b, OpKind::SpaceToDepth, {b.input({1, 4, 6, 2})}, {{"blocksize", 2}}) ==
        "[1, 2, 3, 8]");
}

TEST_CASE("shape: Resize from scales and sizes") {
  GraphBuilder b;
  const TensorId x = b.input({1, 3, 10, 7});
  CHECK(shapeOf(b, OpKind::Resize, {x}, {{"scales", Reals{1, 1, 2, 0.6}}}) == "[1, 3, 20, 4]");
  CHECK(shapeOf(b, OpKind::Resize, {x}, {{"scales", Reals{1.5, 3}}, {"axes", Ints{-1, 2}}}) ==
        "[1, 3, 30, 10]");
  CHECK(shapeOf(b, OpKind::Resize, {x, TensorId(), b.floats({1, 1, 2, 2})}) == "[1, 3, 20, 14]");
  CHECK(shapeOf(b, OpKind::Resize, {x, b.floats({}), b.floats({}), b.ints({1, 3, 5, 5})}) ==
        "[1, 3, 5, 5]");
  const AttrMap larger = {
      {"sizes", Ints{20, 20}}, {"axes", Ints{2, 3}}, {"keep_aspect_ratio_policy", "not_larger"}};
  CHECK(shapeOf(b, OpKind::Resize, {x}, larger) == "[1, 3, 20, 14]");
  AttrMap smaller = larger;
  smaller.set("keep_aspect_ratio_policy", "not_smaller");
  CHECK(shapeOf(b, OpKind::Resize, {x}, smaller) == "[1, 3, 29, 20]");
  checkRefused(b, OpKind::Resize, {x}, {}, DiagId::BadAttr, "neither 'scales' nor 'sizes'");
  checkRefused(b, OpKind::Resize, {x}, {{"scales", Reals{1, 1, 0, 1}}}, DiagId::BadAttr,
               "expected above 0");
  checkRefused(b, OpKind::Resize, {x}, {{"sizes", Ints{1, 3, 5}}}, DiagId::BadAttr,
               "3 values, expected 4");
  checkRefused(b, OpKind::Resize, {x}, {{"sizes", Ints{1, 3, 5, 5}}, {"mode", "bicubic"}},
               DiagId::BadAttr, "'bicubic', expected one of nearest, linear, cubic");
}

TEST_CASE("shape: tensors made from numbers") {
  GraphBuilder b;
  const TensorId x = b.input({2, 3, 4});
  CHECK(shapeOf(b, OpKind::Shape, {x}) == "[3]");
  CHECK(shapeOf(b, OpKind::Shape, {x}, {{"start", -2}, {"end", 100}}) == "[2]");
  CHECK(shapeOf(b, OpKind::Shape, {x}, {{"start", 2}, {"end", 1}}) == "[0]");
  CHECK(shapeOf(b, OpKind::Size, {x}) == "[]");
  CHECK(shapeOf(b, OpKind::ConstantOfShape, {b.ints({2, 5})}) == "[2, 5]");
  CHECK(b.graph.tensor(b.inferred(OpKind::ConstantOfShape, {b.ints({2}), b.ints({7})})).type ==
        DType::Int64);
  const auto counted = [&](Ints numbers) {
    return shapeOf(b, OpKind::Range,
                   {b.ints({numbers[0]}, {}), b.ints({numbers[1]}, {}), b.ints({numbers[2]}, {})});
  };
  CHECK(counted({0, 10, 3}) == "[4]");
  CHECK(counted({10, 0, -4}) == "[3]");
  CHECK(counted({5, 5, 1}) == "[0]");
  CHECK(counted({-1, -1, -1}) == "[0]");
  CHECK(counted({0, 5, -1}) == "[0]");
  CHECK(counted({0, 5, 0}).find("'delta' is 0") != std::string::npos);
  CHECK(counted({INT64_MIN, INT64_MAX, 1}).find("too many") != std::string::npos);
  CHECK(shapeOf(b, OpKind::Range, {b.floats({0}), b.floats({1}), b.floats({0.3F})}) == "[4]");
}

TEST_CASE("shape: a result too large to count is refused") {
  GraphBuilder b;
  checkRefused(b, OpKind::Expand, {b.input({1})}, {{"shape", Ints{1 << 30, 1 << 30}}},
               DiagId::BadShape, "is impossible");
  checkRefused(b, OpKind::ConstantOfShape, {b.ints({0, INT64_MAX, INT64_MAX})}, {},
               DiagId::BadShape, "is impossible");
  checkRefused(b, OpKind::ConstantOfShape, {b.ints({-1})}, {}, DiagId::BadShape, "is impossible");
}
