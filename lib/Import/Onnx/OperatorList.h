// The names of supported and unsupported operators.
#pragma once

#include "tigris/IR/Op.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tigris {

/// Every supported operator, as "Name" or "com.microsoft::Name", in alphabetical order.
std::vector<std::string> importedOperators();

/// Whether this kind of Ops.def does not exist in ONNX, or has another meaning there.
bool isInternalKind(OpKind kind);

/// Names, or prefixes if they end in '*', of operators that are unsupported for a specific reason.
std::vector<std::pair<std::string_view, std::string_view>> refusedOperators();

} // namespace tigris
