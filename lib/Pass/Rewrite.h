// Graph edits that several passes share. Each maintains shapes, quantization and origins.
#pragma once

#include "tigris/IR/ShapeInference.h"
#include "tigris/Pass/Pass.h"

#include <optional>
#include <string_view>
#include <vector>

namespace tigris {

/// Whether every operand and result of the op has a known shape and type. Passes skip other ops:
/// they are legal only in the imported form, and finishNormalization refuses those that remain.
bool hasKnownTypes(const Graph& graph, OpId id);

/// Calls `visit(id)`, in execution order, for every op that is still in the graph when its turn
/// comes. `visit` may add and erase ops and returns true if it changed something. Ops that it adds
/// are not visited. Removes unused tensors at the end.
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

/// Adds the origins of `from` to `into`, without duplicates, up to 64.
void addOrigin(Op& into, const Op& from);

/// A new op of this kind with the origin of the op that it replaces or accompanies, and a name
/// derived from its name.
Op makeOpLike(const Graph& graph, OpId model, OpKind kind, std::vector<TensorId> inputs,
              AttrMap attrs = {});

/// Inserts `op` (without results) before `position` and returns its single result, with type and
/// shape from shape inference and the given quantization.
TensorId insertResult(Graph& graph, OpId position, Op op,
                      const std::optional<QuantParam>& quant = std::nullopt);

/// Erases the op and makes the readers of its first result read `value` instead. A model output
/// cannot become a model input or a constant; in that case a Reshape copies `value` to the old
/// result.
void replaceByValue(Graph& graph, OpId id, TensorId value);

/// Whether replaceByValue would not change the graph: the op already is such a copying Reshape.
bool isOutputCopy(const Graph& graph, OpId id);

/// Replaces kind, operands and attributes of the op; results, name and origin stay.
void rewriteInPlace(Graph& graph, OpId id, OpKind kind, std::vector<TensorId> inputs,
                    AttrMap attrs);

/// Moves the results and the origin of `fused` to the op `into` and erases `fused`. `into` must
/// precede it, and the result of `into` must have no other reader.
void takeOverResults(Graph& graph, OpId into, OpId fused);

/// The only reader of `id`; invalid if several ops read it or it is a model output.
OpId soleReader(const Graph& graph, TensorId id);

/// Same quantization, or none on both sides: elements can be moved between the tensors without
/// arithmetic.
bool sameQuant(const Graph& graph, TensorId a, TensorId b);

/// The elements of a float32 constant; nullopt for other tensors.
std::optional<std::vector<float>> floatConstant(const Graph& graph, TensorId id);

TensorId addFloatConstant(Graph& graph, std::string_view nameHint, Shape shape,
                          const std::vector<float>& values);

/// A constant with its axes permuted (result axis i is source axis perm[i]) or regrouped. The
/// quantization axis is adjusted. A per-channel constant may be regrouped only if its axis keeps
/// its index and size.
TensorId transposeConstant(Graph& graph, TensorId id, const std::vector<int64_t>& perm);
TensorId reshapeConstant(Graph& graph, TensorId id, Shape shape);

} // namespace tigris
