// The default pipeline as a whole, and the transition to the normalized form.
#include "PassTesting.h"

#include "tigris/IR/Verifier.h"
#include "tigris/Transforms/Passes.h"

#include <doctest/doctest.h>

using namespace tigris;

TEST_CASE("the normalizing pipelines register and resolve") {
  for (const NamedPipeline& named : normalizingPipelines()) {
    CAPTURE(named.name);
    const Expected<Pipeline> pipeline = parsePipeline(named.name, builtinPasses());
    REQUIRE_MESSAGE(pipeline, pipeline.error().message());
    // Extension points print as the passes that plugins added: none.
    const Expected<Pipeline> spelled = parsePipeline(named.text, builtinPasses());
    REQUIRE(spelled);
    CHECK(printPipeline(*pipeline) == printPipeline(*spelled));
  }
}

TEST_CASE("specification: the thirteen passes come first, in their order") {
  const Expected<Pipeline> pipeline = parsePipeline("specification", builtinPasses());
  REQUIRE(pipeline);
  // Constant folding is two passes, quantization folding four.
  CHECK(printPipeline(*pipeline).rfind(
            "constant-op-fold,constant-fold,quant-annotate,qdq-move,qdq-fold,quant-interface,"
            "batch-norm-fold,silu-decompose,depthwise-conv-relabel,conv1d-relabel,clip-to-relu6,"
            "reduce-mean-to-gap,shape-fold,resize-scale-extract,concat-axis-normalize,"
            "output-transpose-trim,activation-fuse,",
            0) == 0);
}

TEST_CASE("specification: silu is decomposed, and the result is normalized") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 3, 8, 8]}
  - {name: w, type: float32, shape: [4, 3, 3, 3], const: true}
  - {name: a, type: float32, shape: [1, 4, 6, 6]}
  - {name: b, type: float32, shape: [1, 4, 6, 6]}
  - {name: c, type: float32, shape: [1, 4, 6, 6]}
  - {name: d, type: float32, shape: [1, 8, 6, 6]}
  - {name: y, type: float32, shape: [1, 8, 6, 6]}
ops:
  - {op: Conv, name: conv, in: [x, w], out: [a]}
  - {op: Silu, name: silu, in: [a], out: [b]}
  - {op: Relu, name: relu, in: [a], out: [c]}
  - {op: Concat, name: join, in: [b, c], out: [d], attrs: {axis: 1}}
  - {op: Identity, name: same, in: [d], out: [y]}
blobs:
  - {name: w, fill: {seed: 1, amplitude: 1.0}}
# CHECK: layout: channels-last
# CHECK: ops:
# CHECK-NEXT: {op: Conv, name: conv,
# CHECK-NEXT: {op: Sigmoid,
# CHECK-NEXT: {op: Mul, name: silu,
# CHECK-NEXT: {op: Relu, name: relu,
# CHECK-NEXT: {op: Concat, name: join, {{.*}} attrs: {axis: 3}}
# CHECK-NEXT: ---
)";
  Graph finished = checkPass("specification", yaml);
  DiagnosticEngine diagnostics;
  CHECK(finishNormalization(finished, diagnostics));
}

TEST_CASE("every pass has a manual") {
  for (const PassInfo* info : builtinPasses().passes()) {
    INFO(info->name);
    CHECK_FALSE(info->summary.empty());
    CHECK(info->summary.back() != '.');
    CHECK(info->doc.find("\n    ") != std::string::npos);
    for (const PassOptionInfo& option : info->options)
      CHECK_FALSE(option.help.empty());
  }
}

TEST_CASE("default: from an exporter's spelling to the runtime's") {
  const char* yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 3, 8, 8]}
  - {name: w, type: float32, shape: [4, 3, 3, 3], const: true}
  - {name: p, type: float32, shape: [4], const: true}
  - {name: lo, type: float32, shape: [], const: true}
  - {name: hi, type: float32, shape: [], const: true}
  - {name: fc, type: float32, shape: [4, 2], const: true}
  - {name: a, type: float32, shape: [1, 4, 4, 4]}
  - {name: b, type: float32, shape: [1, 4, 4, 4]}
  - {name: c, type: float32, shape: [1, 4, 4, 4]}
  - {name: d, type: float32, shape: [1, 4, 1, 1]}
  - {name: e, type: float32, shape: [1, 4]}
  - {name: y, type: float32, shape: [1, 2]}
ops:
  - {op: Conv, name: conv, in: [x, w], out: [a], attrs: {auto_pad: SAME_UPPER, strides: [2, 2]}, origin: [n1]}
  - {op: BatchNormalization, name: bn, in: [a, p, p, p, p], out: [b], origin: [n2]}
  - {op: Clip, name: clip, in: [b, lo, hi], out: [c], origin: [n3]}
  - {op: ReduceMean, name: mean, in: [c], out: [d], attrs: {axes: [-2, -1]}}
  - {op: Flatten, name: flat, in: [d], out: [e]}
  - {op: MatMul, name: fc_mul, in: [e, fc], out: [y]}
blobs:
  - {name: w, fill: {seed: 1, amplitude: 1.0}}
  - {name: p, values: [1.0, 2.0, 3.0, 4.0]}
  - {name: lo, values: [0.0]}
  - {name: hi, values: [6.0]}
  - {name: fc, values: [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]}
# CHECK: layout: channels-last
# CHECK: {name: x, shape: [1, 3, 8, 8], perm: [0, 2, 3, 1]}
# CHECK: ops:
# CHECK-NEXT: {op: Conv, name: conv, {{.*}} act: Relu6, origin: [n1, n2, n3]}
# CHECK-NEXT: {op: GlobalAveragePool, name: mean,
# CHECK-NEXT: {op: Reshape, {{.*}} attrs: {shape: [1, 4]}}
# CHECK-NEXT: {op: Gemm, name: fc_mul,
# CHECK-NEXT: ---
)";
  Graph finished = checkPass("default", yaml);
  checkSameValues(parseGraph(yaml), finished);
  DiagnosticEngine diagnostics;
  CHECK(finishNormalization(finished, diagnostics));
  CHECK(finished.form() == GraphForm::Normalized);
  CHECK(verifyGraph(finished, diagnostics));
}

TEST_CASE("finishNormalization: one error per operator that cannot run, with its origin") {
  Graph graph = parseGraph(R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [4]}
  - {name: a, type: float32, shape: [4]}
  - {name: b, type: float64, shape: [4]}
  - {name: y, type: float32, shape: [4]}
ops:
  - {op: "ai.onnx::Mystery", name: o1, in: [x], out: [a], origin: [node_1, node_2]}
  - {op: Cast, name: o2, in: [a], out: [b], attrs: {to: float64}}
  - {op: Cast, name: o3, in: [b], out: [y], attrs: {to: float32}}
)");
  DiagnosticEngine diagnostics;
  CHECK_FALSE(finishNormalization(graph, diagnostics));
  CHECK(graph.form() == GraphForm::Imported);
  REQUIRE(diagnostics.all().size() == 3);
  CHECK(diagnostics.all()[0].message ==
        "op 'o1' (ai.onnx::Mystery): no kernel executes this operator and no pass of the pipeline "
        "replaces it");
  REQUIRE(diagnostics.all()[0].notes.size() == 1);
  CHECK(diagnostics.all()[0].notes[0] == "from ONNX node 'node_1', 'node_2'");
  CHECK(diagnostics.all()[1].message == "op 'o2' (Cast): result 'b' is float64; tensors at run "
                                        "time must be float32, int8, int16, int32, int64 or bool");
  CHECK(diagnostics.all()[2].message.find("tensor 'b' is float64, but there are kernels for") !=
        std::string::npos);
}

TEST_CASE("default: an unknown operator survives the passes and is refused at the end") {
  const PassOutcome outcome = runPasses("default", parseGraph(R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 2, 4, 4]}
  - {name: a, type: float32, shape: [3]}
  - {name: y, type: float32, shape: [1, 2, 4, 4]}
ops:
  - {op: "my::Thing", name: o1, in: [x], out: [a]}
  - {op: "my::Other", name: o2, in: [a], out: [y]}
)"));
  CHECK(outcome.status != PassStatus::Failed);
}

TEST_CASE("default: every pass but infer-shapes refuses a graph with an unknown shape") {
  const std::string yaml = R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 2, 4, 4]}
  - {name: a}
  - {name: b}
  - {name: y}
ops:
  - {op: "my::Thing", name: o1, in: [x], out: [a]}
  - {op: GlobalAveragePool, name: o2, in: [a], out: [b]}
  - {op: Transpose, name: o3, in: [b], out: [y]}
)";
  checkFails("default", yaml, DiagId::DynamicShape,
             "op 'o1' (my::Thing): the model declares no shape for result 'a'");
  for (const PassInfo* pass : builtinPasses().passes())
    checkFails(pass->name, yaml, DiagId::DynamicShape,
               pass->name == "infer-shapes" ? "op 'o1' (my::Thing)"
                                            : "the shape of tensor 'a' is not known");
}

TEST_CASE("infer-shapes: what a pass before it has put into the graph") {
  Graph graph = parseGraph(R"(
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 2, 4, 4]}
  - {name: a}
  - {name: y}
ops:
  - {op: "my::Thing", name: o1, in: [x], out: [a]}
  - {op: GlobalAveragePool, name: o2, in: [a], out: [y]}
)");
  graph.editOp(*graph.findOp("o1")).kind = OpKind::Relu;
  const PassOutcome outcome = runPasses("infer-shapes", graph);
  CHECK(outcome.status == PassStatus::Changed);
  CHECK(outcome.graph.outputs()[0].shape == Shape{1, 2, 1, 1});
  CHECK(runPasses("infer-shapes", outcome.graph).status == PassStatus::Unchanged);
}
