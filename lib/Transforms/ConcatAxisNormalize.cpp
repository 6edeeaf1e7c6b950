// concat-axis-normalize: renumbers the axis of a Concat for the runtime's channels-last tensors.
//
// After layout assignment, the operands of a channel Concat are Transposes back to ONNX order. The
// axis is renumbered and the Transposes move below:
//
//   Concat(Transpose(x, [0,3,1,2]), Transpose(y, [0,3,1,2]), axis=1)
//     becomes   Transpose(Concat(x, y, axis=3), [0,3,1,2])
#include "tigris/Transforms/Passes.h"
#include "tigris/Transforms/TransposeSink.h"

namespace tigris {

namespace {

constexpr const char* ConcatAxisNormalizeDoc =
    R"(A Concat of transposed tensors joins the originals along the renumbered axis:

    Concat(Transpose(x), Transpose(y), axis=1)    ->   Transpose(Concat(x, y, axis=3)))";

PassStatus concatAxisNormalize(Graph& graph, PassContext&) {
  return changedIf(sinkTransposes(graph, [](OpKind kind) { return kind == OpKind::Concat; }));
}

} // namespace

PassInfo concatAxisNormalizePass() {
  return functionPass("concat-axis-normalize", "concat axes follow the channels-last layout",
                      ConcatAxisNormalizeDoc, concatAxisNormalize);
}

} // namespace tigris
