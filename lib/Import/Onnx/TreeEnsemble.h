// Decision trees of ai.onnx.ml as tables: all trees advance by one level at a time.
//
//   at      = roots, [batch, trees]
//   x       = GatherElements(input, Gather(features, at))          once per level
//   at      = Where(x <= Gather(thresholds, at), Gather(yes, at), Gather(no, at))
//   scores  = ReduceSum(Gather(weights, at))
//
// Leaves lead to themselves, so that short trees wait for deep ones.
#pragma once

#include "tigris/Import/Onnx/Chain.h"

namespace tigris {

struct TreeScores {
  /// Sums of the weights of all leaves and of the base values: [batch, targets].
  TensorId scores;
  /// The targets that some weight belongs to, and whether all weights are positive.
  std::vector<int64_t> targets;
  bool arePositive = true;
};

/// Adds the ops that compute the scores of `x` [batch, features]. `prefix` is "target" or "class":
/// the beginning of the names of the attributes with the weights. If all weights belong to one of
/// two targets and `joinsTargets` is set, there is one score.
Expected<TreeScores> addTrees(NodeContext& node, Chain& chain, TensorId x, std::string_view prefix,
                              int64_t targets, bool joinsTargets);

/// Numbers in an attribute; empty if it is absent.
std::vector<int64_t> intList(const NodeContext& node, std::string_view name);
std::vector<float> floatList(const NodeContext& node, std::string_view name);

} // namespace tigris
