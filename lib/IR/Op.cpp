// Parses the operand and attribute strings of Ops.def once, on first use.
#include "tigris/IR/Op.h"

#include "tigris/IR/Repeats.h"
#include "tigris/Support/StringUtils.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>

namespace tigris {

namespace {

std::vector<OperandInfo> parseOperands(std::string_view text) {
  std::vector<OperandInfo> operands;
  for (std::string_view word : split(text, ' ')) {
    if (word.empty())
      continue;
    OperandInfo operand;
    while (!word.empty() && std::string_view("?*!#").find(word.back()) != std::string_view::npos) {
      operand.optional |= word.back() == '?';
      operand.variadic |= word.back() == '*';
      operand.compileTime |= word.back() == '!';
      operand.chooses |= word.back() == '#';
      word.remove_suffix(1);
    }
    operand.name = std::string(word);
    operands.push_back(std::move(operand));
  }
  return operands;
}

std::vector<AttrInfo> parseAttributes(std::string_view text) {
  std::vector<AttrInfo> attributes;
  for (const std::string_view word : split(text, ' ')) {
    if (word.empty())
      continue;
    const size_t colon = word.find(':');
    TIGRIS_CHECK(colon != std::string_view::npos);
    const size_t equals = std::min(word.find('='), word.size());
    AttrInfo info{std::string(word.substr(0, colon)), AttrKind::Int, std::nullopt};
    if (equals < word.size()) {
      info.fallback = parseDouble(word.substr(equals + 1));
      TIGRIS_CHECK_MSG(info.fallback, std::string(word));
    }
    bool found = false;
    for (const AttrKind kind : {AttrKind::Int, AttrKind::Float, AttrKind::String, AttrKind::Ints,
                                AttrKind::Floats, AttrKind::Strings})
      if (attrKindName(kind) == word.substr(colon + 1, equals - colon - 1)) {
        info.kind = kind;
        found = true;
      }
    TIGRIS_CHECK_MSG(found, std::string(word));
    attributes.push_back(std::move(info));
  }
  return attributes;
}

struct Table {
  std::vector<OpInfo> infos;
  std::vector<OpKind> kinds;
  std::map<std::string_view, OpKind> byName;

  Table() {
#define TIGRIS_OP(kind, category, types, operands, results, attributes, opClass, shape, value,     \
                  order, box, quant, lower)                                                        \
  add(OpKind::kind,                                                                                \
      {#kind, OpCategory::category, OpClass::opClass, OrderRule::order, QuantRule::quant, types,   \
       parseOperands(operands), parseOperands(results), parseAttributes(attributes)});
#include "tigris/IR/Ops.def"
    OpInfo unknown;
    unknown.name = "Unknown";
    unknown.operands = parseOperands("X*");
    unknown.results = parseOperands("Y*");
    infos.push_back(std::move(unknown));
  }

  void add(OpKind kind, OpInfo info) {
    kinds.push_back(kind);
    byName.emplace(info.name, kind);
    infos.push_back(std::move(info));
  }
};

const Table& table() {
  static const Table Instance;
  return Instance;
}

size_t minCount(const std::vector<OperandInfo>& operands) {
  size_t count = 0;
  for (size_t i = 0; i < operands.size(); ++i)
    if (!operands[i].optional && !operands[i].compileTime)
      count = i + 1;
  return count;
}

size_t maxCount(const std::vector<OperandInfo>& operands) {
  return !operands.empty() && operands.back().variadic ? SIZE_MAX : operands.size();
}

constexpr std::array<std::string_view, 4> ActivationNames = {"None", "Relu", "Relu6", "Clip"};

} // namespace

size_t OpInfo::minOperands() const { return minCount(operands); }
size_t OpInfo::maxOperands() const { return maxCount(operands); }
size_t OpInfo::minResults() const { return minCount(results); }
size_t OpInfo::maxResults() const { return maxCount(results); }

bool OpInfo::computesIn(DType type) const {
  const auto lists = [&](std::string_view word) {
    const std::vector<std::string_view> words = split(types, ' ');
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  switch (type) {
  case DType::Float32:
    return lists("f32") || lists("any");
  case DType::Int8:
    return lists("s8") || lists("any");
  case DType::Int16:
    return lists("s16") || lists("any");
  case DType::Int32:
  case DType::Int64:
    return lists("int") || lists("any");
  case DType::Bool:
    return lists("bool") || lists("any");
  default:
    return false;
  }
}

const AttrInfo* OpInfo::attribute(std::string_view attrName) const {
  for (const AttrInfo& info : attributes)
    if (info.name == attrName)
      return &info;
  static const AttrInfo Repeat = {std::string(RepeatKey), AttrKind::String, {}};
  return attrName == RepeatKey ? &Repeat : nullptr;
}

double OpInfo::fallback(std::string_view attrName) const {
  const AttrInfo* info = attribute(attrName);
  return info == nullptr ? 0 : info->fallback.value_or(0);
}

size_t OpInfo::operand(std::string_view operandName) const {
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i].name == operandName)
      return i;
  TIGRIS_UNREACHABLE(strCat("operator ", name, " has no operand ", operandName));
}

const OpInfo& opInfo(OpKind kind) { return table().infos[static_cast<size_t>(kind)]; }

std::optional<OpKind> parseOpKind(std::string_view name) {
  const auto found = table().byName.find(name);
  return found == table().byName.end() ? std::nullopt : std::optional(found->second);
}

std::span<const OpKind> allOpKinds() { return table().kinds; }

std::string_view categoryName(OpCategory category) {
  static constexpr std::array<std::string_view, 7> Names = {
      "spatial", "pointwise", "channel-wise", "resample", "structural", "dense", "compile-time"};
  return Names[static_cast<size_t>(category)];
}

std::string_view activationName(Activation act) {
  return ActivationNames[static_cast<size_t>(act)];
}

std::optional<Activation> parseActivation(std::string_view name) {
  const auto* found = std::find(ActivationNames.begin(), ActivationNames.end(), name);
  if (found == ActivationNames.end())
    return std::nullopt;
  return static_cast<Activation>(found - ActivationNames.begin());
}

} // namespace tigris
