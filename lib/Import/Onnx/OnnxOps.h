// Which rule turns an ONNX operator into ops of the graph, and why some operators have none.
#pragma once

#include "tigris/Import/Onnx/NodeContext.h"

#include <map>

namespace tigris {

/// True when there is a rule for this operator, of a domain and version we know. Otherwise `reason`
/// says why not.
bool isKnownOperator(const NodeContext& node, std::string& reason);

/// Adds the ops the node stands for. The operator must be known.
Status translateNode(NodeContext& node);

/// A rule: adds ops, ending in NodeContext::finish.
using OnnxRule = Status (*)(NodeContext&);

/// Einsum, which has a file of its own.
Status importEinsum(NodeContext& node);

/// By operator name.
using RuleTable = std::map<std::string_view, OnnxRule>;

/// Operators of the default domain whose ONNX form, in some opset, is not simply a row of Ops.def.
const RuleTable& defaultRules();
/// Those that are made of several others.
const RuleTable& normalizationRules();
const RuleTable& recurrentRules();
const RuleTable& compositeRules();
const RuleTable& attentionRules();
/// Operators of com.microsoft that are ordinary operators under another name, or made of several.
const RuleTable& contribRules();
const RuleTable& contribNormalizationRules();
const RuleTable& contribAttentionRules();
/// QLinearConv and its relatives, of both domains.
const RuleTable& qlinearRules();

/// An op still to be made, as a step or as the end of a node.
struct PendingOp {
  OpKind kind;
  std::vector<TensorId> inputs;
  AttrMap attrs;
};

/// Softmax or LogSoftmax of x as opset 12 and older define them: over all axes from `axis` on at once. Adds
/// what comes before the last op.
Expected<PendingOp> flatSoftmax(NodeContext& node, OpKind kind, TensorId x, int64_t axis);

} // namespace tigris
