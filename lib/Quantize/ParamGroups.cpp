// Groups tensors with union-find. The statistics of all sources of a group are merged before its
// range is chosen.
#include "tigris/Quantize/ParamGroups.h"

#include "tigris/Quantize/OpClasses.h"

namespace tigris::quantize {

ParamGroups::ParamGroups(const Graph& graph, const std::set<OpId>& integerOps,
                         const Observations& observations, const RangeOptions& options) {
  for (const OpId id : graph.order()) {
    if (integerOps.count(id) == 0)
      continue;
    const Op& op = graph.op(id);
    if (const std::optional<QuantParam> fixed = fixedResult(op))
      fixed_.emplace(op.output(), *fixed);
    join(graph, op);
  }
  choose(graph, observations, options);
}

TensorId ParamGroups::root(TensorId tensor) const {
  for (auto up = parent_.find(tensor); up != parent_.end(); up = parent_.find(tensor))
    tensor = up->second;
  return tensor;
}

void ParamGroups::join(const Graph& graph, const Op& op) {
  const std::vector<size_t> carried = carriedOperands(op);
  if (carried.empty())
    return;
  const TensorId result = op.output();
  const auto unite = [&](TensorId from) {
    const TensorId a = root(from);
    const TensorId b = root(result);
    if (a != b)
      parent_.emplace(b, a);
    if (const auto fixed = fixed_.find(b); fixed != fixed_.end() && a != b)
      fixed_.emplace(a, fixed->second);
  };
  for (const TensorId other : op.outputs)
    if (other && other != result && root(other) != root(result))
      parent_.emplace(root(other), root(result));
  if (carried.size() == 1) {
    unite(op.input(0));
    for (const TensorId other : op.outputs)
      if (other)
        results_.insert(other);
    return;
  }
  bool all = true;
  for (const size_t slot : carried) {
    const TensorId from = op.input(slot);
    if (!isFloatActivation(graph, from))
      continue;
    if (graph.hasSingleUse(from) && fixed_.count(root(from)) == 0)
      unite(from);
    else
      all = false;
  }
  // With an operand outside the group, the result's own values determine what the group must cover.
  if (all)
    results_.insert(result);
}

void ParamGroups::choose(const Graph& graph, const Observations& observations,
                         const RangeOptions& options) {
  std::map<TensorId, TensorStatistics> merged;
  for (const auto& [tensor, statistics] : observations)
    if (results_.count(tensor) == 0 && isFloatActivation(graph, tensor))
      merged[root(tensor)].merge(statistics);
  for (const auto& [group, statistics] : merged) {
    const auto fixed = fixed_.find(group);
    params_.emplace(group, fixed != fixed_.end()
                               ? fixed->second
                               : int8Param(chooseRange(statistics, options), options.symmetric));
  }
}

const QuantParam& ParamGroups::of(TensorId tensor) const {
  const auto found = params_.find(root(tensor));
  TIGRIS_CHECK(found != params_.end());
  return found->second;
}

} // namespace tigris::quantize
