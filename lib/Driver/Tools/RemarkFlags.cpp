// Collects remarks while the tool works.
#include "tigris/Driver/Tools/RemarkFlags.h"

#include "tigris/Support/Remarks.h"

namespace tigris {

namespace {

Status checkPattern(const std::string& pattern) {
  try {
    const std::regex checked(pattern);
  } catch (const std::regex_error&) {
    return makeError(DiagId::Usage, "option '--remarks': '", pattern,
                     "' is not a regular expression");
  }
  return {};
}

} // namespace

void declareRemarks(OptionTable& table, RemarkFlags& flags) {
  table.optionalText("remarks", flags.pattern, ".*", "REGEX",
                     "say why passes or the planner did not fold, stream or tile operators; "
                     "REGEX matches 'qdq-fold', 'planner' or 'planner:not-streamed'");
  table.choice("remarks-format", flags.format, {"text", "json"},
               "how remarks appear on standard error (default: text)");
  table
      .text("remarks-output", flags.output, "FILE",
            "write remarks as JSON to FILE instead of standard error")
      .writes();
}

Status withRemarks(ToolContext& context, const RemarkFlags& flags,
                   const std::function<Status()>& work) {
  if (!flags.pattern && flags.format.empty() && flags.output.empty())
    return work();
  if (!flags.format.empty() && !flags.output.empty())
    return makeError(DiagId::Usage, "--remarks-output writes JSON; leave out --remarks-format");
  const std::string pattern = flags.pattern.value_or(".*");
  if (Status status = checkPattern(pattern); !status)
    return status;
  const RemarkCollector collector(pattern);
  Status status = work();
  const bool isJson = flags.format == "json" || !flags.output.empty();
  const std::string text = isJson ? remarksJson(collector.all()) : remarksText(collector.all());
  if (!flags.output.empty() && status)
    context.outputFile(flags.output, text);
  else
    context.log(text);
  return status;
}

} // namespace tigris
