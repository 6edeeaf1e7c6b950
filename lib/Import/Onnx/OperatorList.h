// What the importer takes and what it refuses, by name.
#pragma once

#include "tigris/IR/Op.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tigris {

/// Every operator the importer takes, as "Name" or "com.microsoft::Name", in alphabetical order.
std::vector<std::string> importedOperators();

/// True for kinds of Ops.def that ONNX does not have, or has with another meaning.
bool isInternalKind(OpKind kind);

/// Names, or their beginnings when they end in '*', that are refused for a particular reason.
std::vector<std::pair<std::string_view, std::string_view>> refusedOperators();

} // namespace tigris
