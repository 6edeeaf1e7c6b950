// Collects the families.
#include "tigris/Import/Tflite/OpTables.h"

#include "tigris/Support/StringUtils.h"

#include <map>

namespace tigris {

namespace {

const std::map<tflite::BuiltinOperator, const OpRule*>& allRules() {
  static const std::map<tflite::BuiltinOperator, const OpRule*> Rules = [] {
    std::map<tflite::BuiltinOperator, const OpRule*> all;
    for (const auto& family :
         {convOps(), poolOps(), denseOps(), elementOps(), movementOps(), indexOps(), sliceOps(),
          pictureOps(), quantOps(), normOps(), recurrentOps(), stateOps(), callOps()})
      for (const OpRule& rule : family)
        TIGRIS_CHECK(all.emplace(rule.code, &rule).second);
    return all;
  }();
  return Rules;
}

} // namespace

const OpRule* findRule(tflite::BuiltinOperator code) {
  const auto found = allRules().find(code);
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
  for (const auto& [code, rule] : allRules())
    text += strCat(tflite::EnumNameBuiltinOperator(code), "\n");
  return text;
}

std::string tfliteOperatorManual() {
  std::string text = "\n## TensorFlow Lite\n\n"
                     "These operators of TensorFlow Lite models are imported, up to the versions "
                     "named here. The\noperators above compute them; "
                     "[tflite.md](tflite.md) describes types and rounding.\n\n"
                     "| operator | versions | limits |\n|---|---|---|\n";
  for (const auto& [code, rule] : allRules())
    text +=
        strCat("| ", tflite::EnumNameBuiltinOperator(code), " | ",
               rule->newest == 1 ? "1" : strCat("1 to ", rule->newest), " | ", rule->notes, " |\n");
  return text;
}

} // namespace tigris
