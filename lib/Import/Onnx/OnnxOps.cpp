// Finds the rule of a node: a special rule, the row of Ops.def with its name, or a reason why it is
// unsupported.
#include "tigris/Import/Onnx/OnnxOps.h"

#include "tigris/Import/Onnx/ModelParser.h"
#include "tigris/Import/Onnx/OperatorList.h"

#include <algorithm>
#include <set>

namespace tigris {

bool isInternalKind(OpKind kind) {
  switch (kind) {
  case OpKind::DepthwiseConv:
  case OpKind::Conv1D:
  case OpKind::Relu6:
  case OpKind::BatchNorm:
  case OpKind::Requantize:
  case OpKind::IntegerLSTM:
  case OpKind::IntegerPRelu:
  case OpKind::SquaredDifference:
  case OpKind::Rsqrt:
  case OpKind::SVDF:
  case OpKind::DetectionPostProcess:
  case OpKind::Silu:
    return true;
  default:
    return false;
  }
}

namespace {

struct Refusal {
  /// The exact name, or its beginning if it ends in '*'.
  std::string_view pattern;
  std::string_view reason;
};

constexpr std::string_view DynamicQuantization =
    "its quantization is computed at run time; quantize the model statically instead";
constexpr std::string_view NoSequences =
    "sequences and optional values have no static memory layout";

constexpr std::string_view NoBits = "bitwise arithmetic is not supported";
constexpr std::string_view ComputedPlaces =
    "it reads locations that are computed at run time; cut the model before it";

constexpr Refusal Refusals[] = {
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
    {"Bitwise*", NoBits},
    {"BitShift", NoBits},
    {"MelWeightMatrix", "store the matrix in the model as a constant"},
    {"AffineGrid", ComputedPlaces},
    {"GridSample", ComputedPlaces},
    {"DeformConv", ComputedPlaces},
    {"RoiAlign", ComputedPlaces},
    {"MaxRoiPool", ComputedPlaces},
    {"MaxUnpool", ComputedPlaces},
    {"NegativeLogLikelihoodLoss", "it is for training; export the model for inference"},
    {"SoftmaxCrossEntropyLoss", "it is for training; export the model for inference"},
    {"NonZero", "the shape of its result depends on the values of its operands"},
    {"NonMaxSuppression",
     "the shape of its result depends on the values of its operands; cut the model before it"},
    {"Unique", "the shape of its result depends on the values of its operands"},
    {"Compress", "the shape of its result depends on the values of its operands"},
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

/// The tables in which operators of a domain are looked up, in order.
std::vector<const RuleTable*> tablesOf(std::string_view domain) {
  if (isDefaultDomain(domain))
    return {&defaultRules(),   &compositeRules(), &normalizationRules(), &recurrentRules(),
            &attentionRules(), &qlinearRules(),   &signalRules()};
  if (domain == "com.microsoft")
    return {&contribRules(), &contribNormalizationRules(), &contribAttentionRules(),
            &qlinearRules()};
  if (domain == "ai.onnx.ml")
    return {&learnRules()};
  return {};
}

OnnxRule specialRule(const NodeContext& node) {
  for (const RuleTable* table : tablesOf(node.domain()))
    if (const auto found = table->find(node.opType()); found != table->end())
      return found->second;
  return nullptr;
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
    reason =
        "the operator is not supported; export the model without it, or cut the model there and "
        "compute it outside";
  else if (node.domain() == "ai.onnx.ml")
    reason = "this operator of scikit-learn is not supported; compute it outside of the model";
  else
    reason = strCat("operators of the domain '", node.domain(),
                    "' are not supported; save the model with operators of ONNX itself");
  return false;
}

std::vector<std::string> importedOperators() {
  std::set<std::string> names = {"If", "Loop", "Scan"};
  for (const OpKind kind : allOpKinds())
    if (!isInternalKind(kind))
      names.emplace(opInfo(kind).name);
  for (const RuleTable* table : tablesOf(""))
    for (const auto& [name, rule] : *table)
      names.emplace(name);
  for (const std::string_view domain : {"ai.onnx.ml", "com.microsoft"})
    for (const RuleTable* table : tablesOf(domain))
      for (const auto& [name, rule] : *table)
        names.insert(strCat(domain, "::", name));
  return {names.begin(), names.end()};
}

std::vector<std::pair<std::string_view, std::string_view>> refusedOperators() {
  std::vector<std::pair<std::string_view, std::string_view>> result;
  for (const Refusal& refusal : Refusals)
    result.emplace_back(refusal.pattern, refusal.reason);
  return result;
}

Status translateNode(NodeContext& node) {
  if (const OnnxRule rule = specialRule(node))
    return rule(node);
  return node.finishPlain(*plainKind(node.opType()));
}

} // namespace tigris
