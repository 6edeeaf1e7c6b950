// The operators that the importer translates, one table per family.
#pragma once

#include "tigris/Import/Tflite/OpContext.h"

#include <span>

namespace tigris {

std::span<const OpRule> convOps();
std::span<const OpRule> poolOps();
std::span<const OpRule> denseOps();
std::span<const OpRule> elementOps();
std::span<const OpRule> movementOps();
std::span<const OpRule> indexOps();
std::span<const OpRule> sliceOps();
std::span<const OpRule> pictureOps();
std::span<const OpRule> quantOps();
std::span<const OpRule> normOps();
std::span<const OpRule> recurrentOps();
std::span<const OpRule> stateOps();
std::span<const OpRule> callOps();
std::span<const OpRule> customOps();

/// Null if no rule translates the operator.
const OpRule* findRule(const OperatorCode& code);

/// What to do about an operator that no rule translates.
std::string_view refusalAdvice(const OperatorCode& code);

/// Names of the operators, one per line, and their table in Markdown.
std::string tfliteOperatorNames();
std::string tfliteOperatorManual();

} // namespace tigris
