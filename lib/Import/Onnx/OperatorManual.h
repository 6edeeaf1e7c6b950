// The list of operators for users, in two forms.
#pragma once

#include <string>

namespace tigris {

/// One name per line, as importedOperators() has them.
std::string operatorNames();
/// The text of docs/operators.md.
std::string operatorManual();

} // namespace tigris
