// infer-shapes: infers all shapes, so that later passes need not test whether a shape is known.
#include "tigris/IR/ShapeCompletion.h"
#include "tigris/Transforms/Passes.h"

namespace tigris {

namespace {

constexpr const char* InferShapesDoc =
    R"(Types and shapes of results follow from model inputs, constants and attributes. A module need
not state them, and a wrong statement has no effect. Reading a module already infers them; this pass
infers them again for the operators that plugins put in place of unknown ones. A shape that cannot
be inferred is an error. The other passes require complete shapes.

    y = Conv(x, w) {strides: [2, 2]}     # x [1, 3, 8, 8], w [4, 3, 2, 2]     ->   y [1, 4, 4, 4])";

PassStatus inferAll(Graph& graph, PassContext& context) {
  if (graph.form() != GraphForm::Imported)
    return PassStatus::Unchanged;
  const uint64_t before = graph.revision();
  if (!completeShapes(graph, context.diagnostics))
    return PassStatus::Failed;
  return changedIf(graph.revision() != before);
}

} // namespace

PassInfo inferShapesPass() {
  return functionPass("infer-shapes", "types and shapes of all results are inferred",
                      InferShapesDoc, inferAll);
}

} // namespace tigris
