// Verifier: single operators against their row of Ops.def, and the execution order.
#include "tigris/IR/Repeats.h"
#include "tigris/IR/ShapeRules.h"
#include "tigris/IR/VerifierRules.h"

#include <algorithm>
#include <set>

namespace tigris::verify {

namespace {

/// Reports errors of one operator and records whether there were any.
class OpChecker {
public:
  OpChecker(const Graph& graph, const Op& op, DiagnosticEngine& diagnostics)
      : graph_(graph), op_(op), info_(opInfo(op.kind)), diagnostics_(diagnostics) {}

  void run() {
    if (op_.kind == OpKind::Unknown) {
      if (op_.unknownKind.empty())
        fail(DiagId::BadGraph, "an operator outside the list has no name");
      return;
    }
    checkCounts("operand", op_.inputs, info_.operands, info_.minOperands(), info_.maxOperands());
    checkCounts("result", op_.outputs, info_.results, info_.minResults(), info_.maxResults());
    checkAttributes();
    checkForms();
    checkRepeat();
    checkActivation();
    checkQuantization();
    if (graph_.form() != GraphForm::Imported)
      checkSameQuantization();
  }

private:
  template <typename... Args> void fail(DiagId id, const Args&... text) {
    diagnostics_.report(shape::opError(id, op_, text...).diagnostic());
    good_ = false;
  }

  void checkCounts(const char* what, const std::vector<TensorId>& ids,
                   const std::vector<OperandInfo>& infos, size_t least, size_t most) {
    if (ids.size() < least)
      fail(DiagId::BadArity, "has ", ids.size(), " ", what, "s, expected at least ", least);
    if (ids.size() > most)
      return fail(DiagId::BadArity, "has ", ids.size(), " ", what, "s, expected at most ", most);
    for (size_t i = 0; i < ids.size(); ++i) {
      const OperandInfo& info = infos[std::min(i, infos.size() - 1)];
      if (!ids[i] && !info.optional && !info.compileTime)
        fail(DiagId::BadArity, what, " '", info.name, "' is missing");
    }
  }

  void checkAttributes() {
    for (const auto& [name, value] : op_.attrs) {
      const AttrInfo* known = info_.attribute(name);
      const auto kind = static_cast<AttrKind>(value.index());
      if (known == nullptr) {
        std::vector<std::string> names;
        for (const AttrInfo& candidate : info_.attributes)
          names.push_back(candidate.name);
        const auto near = nearestSpelling(name, names);
        fail(DiagId::BadAttr, "has no attribute '", name, "'",
             near ? strCat("; did you mean '", *near, "'?") : std::string());
      } else if (known->kind != kind) {
        fail(DiagId::BadAttr, "attribute '", name, "' is ", attrKindName(kind), ", expected ",
             attrKindName(known->kind));
      }
    }
  }

  void checkRepeat() {
    if (!isRepeat(op_))
      return;
    if (graph_.form() != GraphForm::Planned)
      return fail(DiagId::BadAttr, "has the attribute '", RepeatKey, "', which only form '",
                  graphFormName(GraphForm::Planned), "' can have");
    if (const std::string fault = repeatFault(graph_, op_); !fault.empty())
      fail(DiagId::BadGraph, fault);
  }

  /// A compile-time argument has one form: operand or attribute; after import, attribute.
  void checkForms() {
    for (size_t i = 0; i < op_.inputs.size() && i < info_.operands.size(); ++i) {
      const OperandInfo& operand = info_.operands[i];
      if (!operand.compileTime || !op_.inputs[i])
        continue;
      if (op_.attrs.has(operand.name))
        fail(DiagId::BadAttr, "'", operand.name, "' is given as operand and as attribute");
      if (graph_.form() != GraphForm::Imported)
        fail(DiagId::BadGraph, "operand '", operand.name,
             "' must have become an attribute before form '", graphFormName(graph_.form()), "'");
    }
  }

  void checkActivation() {
    const bool bounded = op_.attrs.has("act_min") || op_.attrs.has("act_max");
    if (op_.act != Activation::None && info_.attribute("act_min") == nullptr)
      fail(DiagId::BadAttr, "cannot have the activation ", activationName(op_.act));
    if (op_.act != Activation::Clip && bounded)
      fail(DiagId::BadAttr, "has activation bounds, but its activation is ",
           activationName(op_.act));
    const auto* least = op_.attrs.find("act_min");
    const auto* most = op_.attrs.find("act_max");
    if (good_ && least != nullptr && most != nullptr &&
        !(std::get<double>(*least) <= std::get<double>(*most)))
      fail(DiagId::BadAttr, "'act_min' is ", formatDouble(std::get<double>(*least)),
           ", above 'act_max', which is ", formatDouble(std::get<double>(*most)));
  }

  /// Without the operand `scale`, the integer tensors carry the quantization.
  void checkQuantization() {
    const bool quantizes = op_.kind == OpKind::QuantizeLinear || op_.kind == OpKind::Requantize;
    const bool dequantizes = op_.kind == OpKind::DequantizeLinear || op_.kind == OpKind::Requantize;
    if (op_.input(1))
      return;
    for (const TensorId id :
         {dequantizes ? op_.input(0) : TensorId(), quantizes ? op_.output() : TensorId()})
      if (id && !graph_.tensor(id).quant)
        fail(DiagId::BadGraph, "neither an operand 'scale' nor tensor '", graph_.tensor(id).name,
             "' specifies its quantization");
  }

  /// Data that is only moved or compared keeps its quantization.
  void checkSameQuantization() {
    const bool keeps = info_.category == OpCategory::Structural || op_.kind == OpKind::Concat ||
                       op_.kind == OpKind::Pad || op_.kind == OpKind::Resize ||
                       op_.kind == OpKind::MaxPool || op_.kind == OpKind::Max ||
                       op_.kind == OpKind::Min;
    const bool all =
        op_.kind == OpKind::Concat || op_.kind == OpKind::Max || op_.kind == OpKind::Min;
    if (!keeps || !op_.output() || !graph_.tensor(op_.output()).quant)
      return;
    const Tensor& result = graph_.tensor(op_.output());
    for (size_t i = 0; i < (all ? op_.inputs.size() : 1); ++i)
      if (const TensorId id = op_.input(i); id && graph_.tensor(id).quant != result.quant)
        fail(DiagId::BadType, "tensors '", graph_.tensor(id).name, "' and '", result.name,
             "' must have the same quantization; insert a Requantize between them");
  }

  const Graph& graph_;
  const Op& op_;
  const OpInfo& info_;
  DiagnosticEngine& diagnostics_;
  bool good_ = true;
};

} // namespace

void checkOp(const Graph& graph, const Op& op, DiagnosticEngine& diagnostics) {
  OpChecker(graph, op, diagnostics).run();
}

void checkOrder(const Graph& graph, DiagnosticEngine& diagnostics) {
  std::set<TensorId> defined;
  for (const Port& port : graph.inputs())
    defined.insert(port.tensor);
  const auto isDefined = [&](TensorId id) {
    return graph.tensor(id).isConstant() || defined.count(id) != 0;
  };
  for (const OpId id : graph.order()) {
    const Op& op = graph.op(id);
    std::set<TensorId> reported;
    for (const TensorId input : op.inputs)
      if (input && !isDefined(input) && reported.insert(input).second) {
        const bool later = static_cast<bool>(graph.producer(input));
        diagnostics.report(
            shape::opError(DiagId::BadGraph, op, "reads tensor '", graph.tensor(input).name,
                           later ? "' before it is written" : "', which nothing writes")
                .diagnostic());
      }
    for (const TensorId output : op.outputs)
      if (output)
        defined.insert(output);
  }
  for (const Port& port : graph.outputs())
    if (!isDefined(port.tensor))
      diagnostics.error(DiagId::BadGraph, "model output '", port.name, "': nothing writes tensor '",
                        graph.tensor(port.tensor).name, "'");
}

} // namespace tigris::verify
