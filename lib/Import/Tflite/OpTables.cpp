// Collects the families.
#include "tigris/Import/Tflite/OpTables.h"

#include "tigris/Support/StringUtils.h"

#include <map>

namespace tigris {

namespace {

using RuleKey = std::pair<tflite::BuiltinOperator, std::string_view>;

const std::map<RuleKey, const OpRule*>& allRules() {
  static const std::map<RuleKey, const OpRule*> Rules = [] {
    std::map<RuleKey, const OpRule*> all;
    for (const auto& family :
         {convOps(), poolOps(), denseOps(), elementOps(), movementOps(), indexOps(), sliceOps(),
          pictureOps(), quantOps(), normOps(), recurrentOps(), stateOps(), callOps(), customOps()})
      for (const OpRule& rule : family)
        TIGRIS_CHECK(all.emplace(RuleKey(rule.code, rule.custom), &rule).second);
    return all;
  }();
  return Rules;
}

std::string_view nameOfRule(const OpRule& rule) {
  return rule.custom.empty() ? tflite::EnumNameBuiltinOperator(rule.code) : rule.custom;
}

} // namespace

const OpRule* findRule(const OperatorCode& code) {
  const bool isCustom = code.builtin == tflite::BuiltinOperator::CUSTOM;
  const auto found = allRules().find(
      {code.builtin, isCustom ? std::string_view(code.custom) : std::string_view()});
  return found == allRules().end() ? nullptr : found->second;
}

std::string_view refusalAdvice(const OperatorCode& code) {
  const std::string name = code.name();
  if (name.starts_with("Signal"))
    return "compute the audio front end in the application and give its result to the model";
  if (name == "CIRCULAR_BUFFER")
    return "keep the last inputs in the application, or in a variable of the model";
  if (name == "ethos-u")
    return "use the model from before the compiler of the NPU";
  if (name == "TFLM_DECODE")
    return "use the model without compressed tensors";
  return "end the model before it with --output-tensor, or convert it with other operators";
}

std::string tfliteOperatorNames() {
  std::string text;
  for (const auto& [key, rule] : allRules())
    text += strCat(nameOfRule(*rule), "\n");
  return text;
}

std::string tfliteOperatorManual() {
  std::string text = "\n## TensorFlow Lite\n\n"
                     "These operators of TensorFlow Lite models are imported, up to the versions "
                     "named here. The\noperators above compute them; "
                     "[tflite.md](tflite.md) describes types and rounding.\n\n"
                     "| operator | versions | limits |\n|---|---|---|\n";
  for (const auto& [key, rule] : allRules())
    text +=
        strCat("| ", nameOfRule(*rule), " | ",
               rule->newest == 1 ? "1" : strCat("1 to ", rule->newest), " | ", rule->notes, " |\n");
  return text;
}

} // namespace tigris
