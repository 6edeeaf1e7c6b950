// Finds the rule of a node: a special one, the row of Ops.def that has its name, or a reason to refuse.
#include "tigris/Import/OnnxOps.h"

#include "tigris/Import/ModelParser.h"

#include <algorithm>

namespace tigris {

namespace {

/// Kinds of Ops.def that ONNX does not have, or has with another meaning.
bool isInternalKind(OpKind kind) {
  switch (kind) {
  case OpKind::DepthwiseConv:
  case OpKind::Conv1D:
  case OpKind::Relu6:
  case OpKind::BatchNorm:
  case OpKind::Requantize:
    return true;
  default:
    return false;
  }
}

struct Refusal {
  /// Exact name, or its beginning when it ends in '*'.
  std::string_view pattern;
  std::string_view reason;
};

constexpr std::string_view DynamicQuantization =
    "it computes its quantization while it runs; quantize the model statically instead";
constexpr std::string_view NoSequences =
    "sequences and optional values have no fixed place in memory";

constexpr Refusal Refusals[] = {
    {"LSTM", "recurrent layers are not supported yet"},
    {"GRU", "recurrent layers are not supported yet"},
    {"RNN", "recurrent layers are not supported yet"},
    {"Loop", "loops have no schedule that is known at compile time; export the model unrolled"},
    {"Scan", "loops have no schedule that is known at compile time; export the model unrolled"},
    {"DynamicQuantize*", DynamicQuantization},
    {"ConvInteger", DynamicQuantization},
    {"MatMulInteger*", DynamicQuantization},
    {"Sequence*", NoSequences},
    {"SplitToSequence", NoSequences},
    {"ConcatFromSequence", NoSequences},
    {"Optional*", NoSequences},
    {"Random*", "its result is random"},
    {"Bernoulli", "its result is random"},
    {"Multinomial", "its result is random"},
    {"String*", "text is not supported"},
    {"TfIdfVectorizer", "text is not supported"},
    {"NonZero", "the shape of its result depends on values"},
    {"NonMaxSuppression", "the shape of its result depends on values; cut the model before it"},
    {"Unique", "the shape of its result depends on values"},
    {"Compress", "the shape of its result depends on values"},
};

bool matches(std::string_view pattern, std::string_view name) {
  if (pattern.back() != '*')
    return pattern == name;
  pattern.remove_suffix(1);
  return name.substr(0, pattern.size()) == pattern;
}

std::optional<OpKind> plainKind(std::string_view opType) {
  const std::optional<OpKind> kind = parseOpKind(opType);
  return kind && !isInternalKind(*kind) ? kind : std::nullopt;
}

OnnxRule specialRule(const NodeContext& node) {
  if (isDefaultDomain(node.domain())) {
    if (const OnnxRule rule = findDefaultRule(node.opType()))
      return rule;
    return findQLinearRule(node.opType());
  }
  if (node.domain() != "com.microsoft")
    return nullptr;
  if (const OnnxRule rule = findContribRule(node.opType()))
    return rule;
  return findQLinearRule(node.opType());
}

} // namespace

bool isKnownOperator(const NodeContext& node, std::string& reason) {
  if (specialRule(node) != nullptr || (isDefaultDomain(node.domain()) && plainKind(node.opType())))
    return true;
  const auto* refusal =
      std::find_if(std::begin(Refusals), std::end(Refusals),
                   [&](const Refusal& r) { return matches(r.pattern, node.opType()); });
  if (refusal != std::end(Refusals))
    reason = refusal->reason;
  else if (isDefaultDomain(node.domain()))
    reason = "the operator is not supported";
  else
    reason = strCat("operators of the domain '", node.domain(), "' are not supported");
  return false;
}

Status translateNode(NodeContext& node) {
  if (const OnnxRule rule = specialRule(node))
    return rule(node);
  return node.finishPlain(*plainKind(node.opType()));
}

} // namespace tigris
