// The rules that translate ONNX operators to ops of the graph, and the reasons why some operators
// have none.
#pragma once

#include "tigris/Import/Onnx/NodeContext.h"

#include <map>

namespace tigris {

/// Whether there is a rule for this operator in a supported domain and version. Otherwise `reason`
/// explains why not.
bool isKnownOperator(const NodeContext& node, std::string& reason);

/// Adds the ops of the node. The operator must be known.
Status translateNode(NodeContext& node);

/// A rule adds ops and ends with NodeContext::finish.
using OnnxRule = Status (*)(NodeContext&);

/// The rule of Einsum, in EinsumRule.cpp.
Status importEinsum(NodeContext& node);

/// The rule of Pad, in PadRule.cpp.
Status importPad(NodeContext& node);

/// Rules of operators whose weights have one scale per block, in BlockQuantRules.cpp.
Status importDequantizeLinear(NodeContext& node);
Status importMatMulNBits(NodeContext& node);

/// Rules by operator name.
using RuleTable = std::map<std::string_view, OnnxRule>;

/// Operators of the default domain whose ONNX form, in some opset, is not directly a row of
/// Ops.def.
const RuleTable& defaultRules();
/// Operators that are lowered to several others.
const RuleTable& normalizationRules();
const RuleTable& recurrentRules();
const RuleTable& compositeRules();
const RuleTable& attentionRules();
/// Operators of com.microsoft that are standard operators with another name, or are lowered to
/// several.
const RuleTable& contribRules();
const RuleTable& contribNormalizationRules();
const RuleTable& contribAttentionRules();
/// Operators of ai.onnx.ml.
const RuleTable& learnRules();
/// Fourier transforms and windows.
const RuleTable& signalRules();
/// QLinearConv and related operators, of both domains.
const RuleTable& qlinearRules();

/// An op that has not been added yet, to be added as an intermediate step or as the end of a node.
struct PendingOp {
  OpKind kind;
  std::vector<TensorId> inputs;
  AttrMap attrs;
};

/// Softmax or LogSoftmax of x as defined up to opset 12: over all axes from `axis` on together.
/// Adds the ops before the last one.
Expected<PendingOp> flatSoftmax(NodeContext& node, OpKind kind, TensorId x, int64_t axis);

} // namespace tigris
