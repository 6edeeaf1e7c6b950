// Graph edits that many passes share. Each keeps shapes, quantization and origins right.
#pragma once

#include "tigris/IR/ShapeInference.h"
#include "tigris/Pass/Pass.h"

#include <optional>
#include <string_view>
#include <vector>

namespace tigris {

/// True when every operand and result of the op has a known shape and type. Passes leave other ops
/// alone: they are only legal while imported, and finishNormalization refuses what remains of them.
bool hasKnownTypes(const Graph& graph, OpId id);

/// Calls `visit(id)` for every op that is still in the graph when its turn comes, in execution order;
/// `visit` may add and erase ops and returns true when it changed something. Ops it adds are not
/// visited. Drops unused tensors at the end.
template <typename Visit> PassStatus forEachOp(Graph& graph, Visit visit) {
  bool changed = false;
  const std::vector<OpId> order = graph.order();
  for (const OpId id : order)
    if (graph.contains(id))
      changed |= visit(id);
  if (changed)
    graph.eraseUnusedTensors();
  return changedIf(changed);
}

/// Adds the origins of `from` to `into`, without repeating any, up to 64.
void addOrigin(Op& into, const Op& from);

/// A new op of this kind with the origin of the op it replaces or accompanies; its name derives from it too.
Op makeOpLike(const Graph& graph, OpId model, OpKind kind, std::vector<TensorId> inputs,
              AttrMap attrs = {});

/// Inserts `op` (without results) before `position` and returns its one result: type and shape from shape
/// inference, quantization as given.
TensorId insertResult(Graph& graph, OpId position, Op op,
                      const std::optional<QuantParam>& quant = std::nullopt);

/// Erases the op and lets its first result's readers read `value` instead. A model output must not become
/// a model input or a constant: there a Reshape copies `value` into the old result.
void replaceByValue(Graph& graph, OpId id, TensorId value);

/// True when replaceByValue would leave the graph as it is: the op already is such a copying Reshape.
bool isOutputCopy(const Graph& graph, OpId id);

/// The op reads and writes the same things in another way: new kind, operands and attributes; results,
/// name and origin stay.
void rewriteInPlace(Graph& graph, OpId id, OpKind kind, std::vector<TensorId> inputs,
                    AttrMap attrs);

/// The fused op takes over the results and the origin of `fused`, which is erased. `into` must come
/// first and its own result must have no other reader.
void takeOverResults(Graph& graph, OpId into, OpId fused);

/// The op that alone reads `id`; invalid when several read it or it is a model output.
OpId soleReader(const Graph& graph, TensorId id);

/// Same quantization, or none on both sides: moving elements between the two tensors needs no arithmetic.
bool sameQuant(const Graph& graph, TensorId a, TensorId b);

/// Elements of a float32 constant; nullopt for anything else.
std::optional<std::vector<float>> floatConstant(const Graph& graph, TensorId id);

TensorId addFloatConstant(Graph& graph, std::string_view nameHint, Shape shape,
                          const std::vector<float>& values);

/// A constant with the axes of another one permuted (result axis i is source axis perm[i]) or regrouped.
/// The quantization axis moves along; a per-channel constant may only be regrouped where its axis keeps
/// its index and size.
TensorId transposeConstant(Graph& graph, TensorId id, const std::vector<int64_t>& perm);
TensorId reshapeConstant(Graph& graph, TensorId id, Shape shape);

} // namespace tigris
