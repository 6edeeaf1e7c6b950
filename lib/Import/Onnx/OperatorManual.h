// The list of operators for users, in two forms.
#pragma once

#include <string>

namespace tigris {

/// The names of importedOperators(), one per line.
std::string operatorNames();
/// The text of docs/operators.md.
std::string operatorManual();

} // namespace tigris
