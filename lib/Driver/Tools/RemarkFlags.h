// The options that request remarks, and the output of remarks.
#pragma once

#include "tigris/Driver/CommandLine/ToolMain.h"

namespace tigris {

struct RemarkFlags {
  std::optional<std::string> pattern;
  std::string format;
  std::string output;
};

/// --remarks, --remarks-format and --remarks-output.
void declareRemarks(OptionTable& table, RemarkFlags& flags);

/// Runs a tool's work, and then outputs the remarks that the flags select: reasons why passes and
/// the planner did not do something. They go to standard error, even if the work failed, or to the
/// file of --remarks-output if it succeeded. DiagId::Usage for a pattern that is not a regular
/// expression, and for a format together with a file.
Status withRemarks(ToolContext& context, const RemarkFlags& flags,
                   const std::function<Status()>& work);

} // namespace tigris
