// Matches text against expectations written as comments beside the input, a small subset of LLVM's FileCheck.
//
//   # CHECK: op: Sigmoid          the text occurs somewhere after the previous match
//   # CHECK-NEXT: op: Mul         ... on the line right after the previous match
//   # CHECK-NOT: op: Silu         ... not between the neighboring matches
//   # CHECK-DAG: name: a          a run of these matches in any order
//
// Runs of blanks match each other; {{...}} holds a regular expression (ECMAScript). Everything else is
// literal. Lines without a directive are ignored.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tigris {

/// nullopt when all directives in `script` hold for `text`; otherwise what failed, with the text around
/// it. A script without any directive fails.
std::optional<std::string> checkText(std::string_view text, std::string_view script,
                                     std::string_view prefix = "CHECK");

} // namespace tigris
