// The options that ask for remarks, and their output.
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

/// Runs a tool's work and then reports why passes and the planner did not do what the flags ask
/// about: on standard error, also when the work failed, or to the file of --remarks-output when it
/// succeeded. DiagId::Usage for a pattern that is no regular expression, and for a format together
/// with a file.
Status withRemarks(ToolContext& context, const RemarkFlags& flags,
                   const std::function<Status()>& work);

} // namespace tigris
