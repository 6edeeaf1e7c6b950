// The loops of the manager, and the effect of each instrumentation.
#include "PassTesting.h"

#include "tigris/Pass/GraphHash.h"
#include "tigris/Pass/Instrumentation.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

constexpr const char* Chain = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [4]}
  - {name: t, type: float32, shape: [4]}
  - {name: y, type: float32, shape: [4]}
ops:
  - {op: Relu, name: a, in: [x], out: [t]}
  - {op: Relu, name: b, in: [t], out: [y]}
)";

/// Turns one Relu into Abs per run.
PassStatus relabelOne(Graph& graph, PassContext&) {
  for (const OpId id : graph.order())
    if (graph.op(id).kind == OpKind::Relu) {
      graph.editOp(id).kind = OpKind::Abs;
      return PassStatus::Changed;
    }
  return PassStatus::Unchanged;
}

PassStatus flip(Graph& graph, PassContext&) {
  Op& op = graph.editOp(graph.order()[0]);
  op.kind = op.kind == OpKind::Relu ? OpKind::Abs : OpKind::Relu;
  return PassStatus::Changed;
}

PassRegistry makeRegistry() {
  PassRegistry registry;
  REQUIRE(registry.add(functionPass("relabel-one", "", "", relabelOne)));
  REQUIRE(registry.add(functionPass("flip", "", "", flip)));
  REQUIRE(registry.add(
      functionPass("nothing", "", "", [](Graph&, PassContext&) { return PassStatus::Unchanged; })));
  REQUIRE(registry.add(functionPass("liar", "", "", [](Graph& graph, PassContext&) {
    graph.editOp(graph.order()[0]).origin.push_back("secret");
    return PassStatus::Unchanged;
  })));
  REQUIRE(registry.add(functionPass("breaker", "", "", [](Graph& graph, PassContext&) {
    graph.eraseOp(graph.order()[0]);
    return PassStatus::Changed;
  })));
  REQUIRE(registry.add(functionPass("refuser", "", "", [](Graph&, PassContext& context) {
    return context.fail(DiagId::UnsupportedOp, "cannot");
  })));
  REQUIRE(registry.add(
      functionPass("mute", "", "", [](Graph&, PassContext&) { return PassStatus::Failed; })));
  return registry;
}

struct Run {
  PassStatus status = PassStatus::Failed;
  Graph graph;
  std::string errors;
};

Run run(std::string_view text, std::vector<std::unique_ptr<PassInstrumentation>> watchers = {}) {
  const PassRegistry registry = makeRegistry();
  Expected<Pipeline> pipeline = parsePipeline(text, registry);
  REQUIRE(pipeline);
  PassManager manager(std::move(*pipeline));
  for (auto& watcher : watchers)
    manager.addInstrumentation(std::move(watcher));
  Run result;
  result.graph = parseGraph(Chain);
  DiagnosticEngine diagnostics;
  result.status = manager.run(result.graph, diagnostics);
  for (const Diagnostic& diagnostic : diagnostics.all())
    result.errors += formatDiagnostic(diagnostic, "test");
  return result;
}

Run run(std::string_view text, std::unique_ptr<PassInstrumentation> watcher) {
  std::vector<std::unique_ptr<PassInstrumentation>> watchers;
  watchers.push_back(std::move(watcher));
  return run(text, std::move(watchers));
}

size_t count(const Graph& graph, OpKind kind) {
  size_t found = 0;
  for (const OpId id : graph.order())
    found += graph.op(id).kind == kind ? 1 : 0;
  return found;
}

} // namespace

TEST_CASE("fixpoint runs until a round changes nothing, repeat runs as told") {
  CHECK(count(run("relabel-one").graph, OpKind::Abs) == 1);
  CHECK(count(run("fixpoint(relabel-one)").graph, OpKind::Abs) == 2);
  CHECK(count(run("repeat{n=2}(nothing,relabel-one)").graph, OpKind::Abs) == 2);
  CHECK(run("fixpoint(relabel-one)").status == PassStatus::Changed);
  CHECK(run("fixpoint(nothing)").status == PassStatus::Unchanged);
}

TEST_CASE("a fixpoint without end fails") {
  const Run result = run("fixpoint(nothing,flip)");
  CHECK(result.status == PassStatus::Failed);
  CHECK(result.errors.find("fixpoint(nothing,flip) still changes the graph after 64 rounds") !=
        std::string::npos);
}

TEST_CASE("a failing pass ends the pipeline with its own error") {
  const Run result = run("refuser,flip");
  CHECK(result.status == PassStatus::Failed);
  CHECK(result.errors == "test: error: cannot [unsupported-op]\n");
  CHECK(run("mute").errors.find("pass 'mute' failed without reporting an error") !=
        std::string::npos);
}

TEST_CASE("verify-each names the pass that broke or misreported") {
  const Run broken = run("nothing,breaker,flip", makeVerifyEach());
  CHECK(broken.status == PassStatus::Failed);
  CHECK_MESSAGE(broken.errors.find("pass 'breaker' broke the graph") != std::string::npos,
                broken.errors);
  CHECK(broken.errors.find("--print-before=breaker") != std::string::npos);
  const Run lying = run("liar", makeVerifyEach());
  CHECK(lying.status == PassStatus::Failed);
  CHECK(lying.errors.find("'liar' changed the graph but reported that it did not") !=
        std::string::npos);
  CHECK(run("nothing,relabel-one", makeVerifyEach()).status == PassStatus::Changed);
}

TEST_CASE("print instrumentation prints at the requested points only") {
  const auto banners = [](PrintGraphOptions options) {
    std::string seen;
    run("nothing,relabel-one,nothing",
        makePrintGraph(std::move(options), [&](std::string_view banner, const Graph&) {
          seen += strCat(banner, ";");
        }));
    return seen;
  };
  CHECK(banners({{"relabel-one"}, {}, false, false}) == "before relabel-one (2);");
  CHECK(banners({{}, {"nothing"}, false, false}) == "after nothing (1);after nothing (3);");
  CHECK(banners({{}, {}, true, false}) ==
        "after nothing (1);after relabel-one (2);after nothing (3);");
  CHECK(banners({{}, {}, false, true}) == "after relabel-one (2);");
}

TEST_CASE("stop-after and pass-limit cut the pipeline short") {
  CHECK(count(run("repeat{n=2}(relabel-one)", makeStopAfter("relabel-one")).graph, OpKind::Abs) ==
        1);
  CHECK(count(run("nothing,relabel-one,relabel-one", makePassLimit(2)).graph, OpKind::Abs) == 1);
  CHECK(run("relabel-one", makePassLimit(0)).status == PassStatus::Unchanged);
}

TEST_CASE("time-passes prints one line per pass when the pipeline has ended") {
  std::string table;
  run("nothing,relabel-one,nothing,refuser",
      makeTimePasses([&](std::string_view text) { table += text; }));
  CHECK(table.find("2        0  nothing\n") != std::string::npos);
  CHECK(table.find("1        1  relabel-one\n") != std::string::npos);
  CHECK(table.find("total\n") != std::string::npos);
}

TEST_CASE("the structural hash follows every kind of change") {
  const Graph base = parseGraph(Chain);
  const uint64_t hash = structuralHash(base);
  const auto changes = [&](const auto& edit) {
    Graph graph = base;
    edit(graph);
    return structuralHash(graph) != hash;
  };
  CHECK(structuralHash(Graph(base)) == hash);
  CHECK_FALSE(changes([](Graph& g) { g.addHistory("another entry"); }));
  CHECK(changes([](Graph& g) { g.editOp(g.order()[0]).attrs.set("k", int64_t{0}); }));
  CHECK(changes([](Graph& g) { g.editOp(g.order()[0]).act = Activation::Relu; }));
  CHECK(changes([](Graph& g) { g.editTensor(*g.findTensor("t")).shape = Shape{2, 2}; }));
  CHECK(changes([](Graph& g) {
    g.editTensor(*g.findTensor("t")).quant = QuantParam{{1.0F}, {0}, -1};
  }));
  CHECK(changes([](Graph& g) { g.renameTensor(*g.findTensor("t"), "u"); }));
  CHECK(changes([](Graph& g) { g.setInput(g.order()[1], 0, *g.findTensor("x")); }));
  CHECK(changes([](Graph& g) { g.editInput(0).perm = {0}; }));
  CHECK(changes([](Graph& g) { g.setLayout(Layout::ChannelsLast); }));
}
