// Real models of many exporters: each is imported with its declared outputs.
#include "ImportTesting.h"
#include "tigris/Support/FileIO.h"

#include <doctest/doctest.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>

using namespace tigris;
using namespace tigris::test;
namespace fs = std::filesystem;

namespace {

/// The models are not part of this repository: TIGRIS_CORPUS, or a directory beside the source
/// tree.
fs::path corpus() {
  if (const char* given = std::getenv("TIGRIS_CORPUS"))
    return given;
  return fs::path(__FILE__).parent_path() / "../../../../shared/corpus";
}

std::vector<fs::path> models() {
  std::vector<fs::path> found;
  if (fs::is_directory(corpus()))
    for (const fs::directory_entry& entry : fs::directory_iterator(corpus()))
      if (fs::exists(entry.path() / "model.onnx"))
        found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

} // namespace

TEST_CASE("the corpus is imported") {
  const std::vector<fs::path> all = models();
  if (all.empty())
    MESSAGE("skipped: no models in ", corpus().string(), "; set TIGRIS_CORPUS");
  for (const fs::path& folder : all) {
    CAPTURE(folder.filename().string());
    const std::string path = (folder / "model.onnx").string();
    const Expected<std::string> bytes = readFile(path);
    REQUIRE(bytes);
    DiagnosticEngine engine;
    const Expected<Graph> graph = importOnnx(*bytes, {{}, path, false}, engine);
    REQUIRE_MESSAGE(graph, graph.error().message());
    onnx::ModelProto model;
    REQUIRE(model.ParseFromString(*bytes));
    REQUIRE(graph->outputs().size() == static_cast<size_t>(model.graph().output_size()));
    for (const Diagnostic& diagnostic : engine.all()) {
      CAPTURE(diagnostic.message);
      CHECK(diagnostic.id == DiagId::FreeDimension);
    }
    for (const OpId id : graph->order())
      for (const TensorId result : graph->op(id).outputs)
        CHECK((!result || graph->tensor(result).hasShape));
  }
}
