// Time limits for large modules. They are far above the time of an optimized build (docs/ir.md has
// figures), so that a slow or instrumented machine passes and a quadratic algorithm does not.
#include "ModuleTesting.h"

#include <ctime>

using namespace tigris;

namespace {

/// Processor time, because the machine may be busy.
template <typename Body> double milliseconds(const Body& body) {
  const std::clock_t start = std::clock();
  body();
  return 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

Graph longChain(int count) {
  Graph graph;
  const Shape shape{1, 32, 56, 56};
  TensorId previous = addActivation(graph, "input", shape);
  const TensorId first = previous;
  for (int i = 0; i < count; ++i) {
    const TensorId weight = graph.addConstant(strCat("layers.", i, ".conv.bias"), DType::Float32,
                                              {32, 1, 1}, makeBlobOf(std::vector<float>(32, 0.5F)));
    const TensorId next = addActivation(graph, strCat("/layers/", i, "/conv/Conv_output_0"), shape);
    Op op = makeOp(OpKind::Add, strCat("/layers/", i, "/conv/Conv"), {previous, weight}, {next});
    op.act = Activation::Relu;
    op.origin = {op.name, strCat("/layers/", i, "/act/Relu")};
    graph.addOp(std::move(op));
    previous = next;
  }
  expose(graph, first, previous);
  return graph;
}

} // namespace

TEST_CASE("two thousand ops") {
  const std::string text = print(longChain(2000));
  std::optional<Graph> graph;
  const double reading = milliseconds([&] {
    Expected<Graph> read = parse(text);
    REQUIRE(read);
    graph = std::move(*read);
  });
  std::string again;
  const double writing = milliseconds([&] { again = print(*graph); });
  MESSAGE("2000 ops, ", text.size(), " bytes: read ", reading, " ms, write ", writing, " ms");
  CHECK(again == text);
  CHECK(reading < 5000);
  CHECK(writing < 5000);
}

TEST_CASE("fourteen megabytes of weights") {
  const size_t count = 14 * 1000 * 1000 / 4;
  const Graph graph =
      graphWithConstant(DType::Float32, {static_cast<int64_t>(count)}, floatRamp(count));
  std::optional<TextPieces> text;
  const auto write = [&](const Graph& written) {
    Expected<TextPieces> pieces = writeModulePieces(written);
    REQUIRE(pieces);
    text = std::move(*pieces);
  };
  const double writing = milliseconds([&] { write(graph); });
  const auto shared = std::make_shared<const std::string>(text->str());
  std::optional<Graph> read;
  const double reading = milliseconds([&] {
    Expected<Graph> result = readModule(shared, "t.yaml");
    REQUIRE(result);
    read = std::move(*result);
  });
  const double passing = milliseconds([&] { write(*read); });
  const double decoding =
      milliseconds([&] { CHECK(constantOf(*read, "w")->bytes().size() == 4 * count); });
  MESSAGE("14 MB: write ", writing, " ms, read ", reading, " ms, pass through ", passing,
          " ms, decode ", decoding, " ms");
  CHECK(text->str() == *shared);
  CHECK(writing + reading + passing + decoding < 10000);
}
