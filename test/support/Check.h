// Matches text against expectations in comments beside the input; a small subset of LLVM's
// FileCheck.
//
//   # CHECK: op: Sigmoid          the text occurs somewhere after the previous match
//   # CHECK-NEXT: op: Mul         ... on the line right after the previous match
//   # CHECK-NOT: op: Silu         ... not between the neighboring matches
//   # CHECK-DAG: name: a          consecutive ones match in any order
//
// Runs of blanks match each other; {{...}} contains a regular expression (ECMAScript). All other
// text is literal. Lines without a directive are ignored.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tigris {

/// nullopt if all directives in `script` match `text`; otherwise the failure, with the text around
/// it. A script without directives fails.
std::optional<std::string> checkText(std::string_view text, std::string_view script,
                                     std::string_view prefix = "CHECK");

} // namespace tigris
