// Runs the parts of the verifier in order: later parts do not examine what an earlier part
// rejected.
#include "tigris/IR/Verifier.h"

#include "tigris/IR/ShapeRules.h"
#include "tigris/IR/VerifierRules.h"

#include <algorithm>

namespace tigris {

namespace {

Diagnostic withOrigin(const Error& error, const Op& op) {
  Diagnostic diagnostic = error.diagnostic();
  if (!op.origin.empty())
    diagnostic.notes.push_back(strCat("imported from ONNX node '", join(op.origin, "', '"), "'"));
  return diagnostic;
}

bool hasShapes(const Graph& graph, const std::vector<TensorId>& ids) {
  return std::all_of(ids.begin(), ids.end(),
                     [&](TensorId id) { return !id || graph.tensor(id).hasShape; });
}

/// Compares the declared results of an op with those that its rule derives.
void checkResults(const Graph& graph, const Op& op, const KnownValues& values,
                  DiagnosticEngine& diagnostics) {
  const bool imported = graph.form() == GraphForm::Imported;
  auto derived = inferResults(op, values);
  if (!derived) {
    // Before shapes are static, an argument may depend on operators that are not folded yet.
    if (!imported || derived.error().id() != DiagId::DynamicShape)
      diagnostics.report(withOrigin(derived.takeError(), op));
    return;
  }
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    if (!op.outputs[i] || !graph.tensor(op.outputs[i]).hasShape)
      continue;
    const Tensor& declared = graph.tensor(op.outputs[i]);
    const ResultType& expected = (*derived)[i];
    if (declared.type != expected.type)
      diagnostics.report(
          withOrigin(shape::opError(DiagId::BadType, op, "result '", declared.name,
                                    "' is declared ", dtypeName(declared.type),
                                    ", but shape inference derives ", dtypeName(expected.type)),
                     op));
    if (declared.shape != expected.shape)
      diagnostics.report(
          withOrigin(shape::opError(DiagId::BadShape, op, "result '", declared.name,
                                    "' is declared ", declared.shape.str(),
                                    ", but shape inference derives ", expected.shape.str()),
                     op));
  }
}

/// Operators that must be gone, or cannot be executed, from the normalized form on.
void checkNormalized(const Graph& graph, const Op& op, DiagnosticEngine& diagnostics) {
  if (op.kind != OpKind::Unknown && opInfo(op.kind).category == OpCategory::Compile)
    diagnostics.report(
        withOrigin(shape::opError(DiagId::BadGraph, op,
                                  "is allowed only before normalization, but the form is '",
                                  graphFormName(graph.form()), "'"),
                   op));
  else if (Status status = checkSupported(op, graph); !status)
    diagnostics.report(withOrigin(status.takeError(), op));
}

void checkOperators(const Graph& graph, DiagnosticEngine& diagnostics) {
  for (const OpId id : graph.order())
    verify::checkOp(graph, graph.op(id), diagnostics);
  verify::checkOrder(graph, diagnostics);
}

} // namespace

Status verifyOp(const Graph& graph, const Op& op) {
  DiagnosticEngine diagnostics;
  verify::checkOp(graph, op, diagnostics);
  return diagnostics.errorCount() == 0 ? Status() : Status(Error(diagnostics.all().front()));
}

bool verifyOperators(const Graph& graph, DiagnosticEngine& diagnostics) {
  const unsigned before = diagnostics.errorCount();
  verify::checkSources(graph, diagnostics);
  checkOperators(graph, diagnostics);
  return diagnostics.errorCount() == before;
}

bool verifyGraph(const Graph& graph, DiagnosticEngine& diagnostics) {
  const unsigned before = diagnostics.errorCount();
  const bool imported = graph.form() == GraphForm::Imported;
  verify::checkTensors(graph, diagnostics);
  checkOperators(graph, diagnostics);
  verify::checkPorts(graph, diagnostics);
  if (!imported && graph.layout() != Layout::ChannelsLast)
    diagnostics.error(DiagId::BadGraph, "a graph of form '", graphFormName(graph.form()),
                      "' must be channels-last");
  if (diagnostics.errorCount() != before)
    return false;
  const KnownValues values(graph);
  for (const OpId id : graph.order()) {
    const Op& op = graph.op(id);
    const unsigned beforeOp = diagnostics.errorCount();
    if (op.kind != OpKind::Unknown && hasShapes(graph, op.inputs))
      checkResults(graph, op, values, diagnostics);
    if (!imported && diagnostics.errorCount() == beforeOp)
      checkNormalized(graph, op, diagnostics);
  }
  verify::checkPlan(graph, diagnostics);
  return diagnostics.errorCount() == before;
}

} // namespace tigris
