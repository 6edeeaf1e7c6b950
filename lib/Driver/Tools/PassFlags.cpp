// Converts numeric options; stores the others unparsed.
#include "tigris/Driver/Tools/PassFlags.h"

#include "tigris/Support/StringUtils.h"

namespace tigris {

namespace {

/// Parses the tolerance: the fraction of an output's largest magnitude by which two graphs may
/// differ.
Expected<std::optional<double>> toleranceOf(const std::string& text) {
  if (text == "auto")
    return std::optional<double>();
  const std::optional<double> tolerance = parseDouble(text);
  if (!tolerance || !(*tolerance >= 0))
    return makeError(DiagId::Usage, "option '--verify-numerics': '", text,
                     "' is not a number of 0 or more");
  return tolerance;
}

} // namespace

void declarePlugins(OptionTable& table, PassFlags& flags) {
  table.texts("load-pass-plugin", flags.options.plugins, "LIB",
              "load a pass plugin: a path with a slash, or a name to look up");
}

void declarePassWatching(OptionTable& table, PassFlags& flags) {
  table.texts("print-before", flags.options.print.before, "NAME",
              "print the graph before this pass");
  table.texts("print-after", flags.options.print.after, "NAME", "print the graph after this pass");
  table.flag("print-after-all", flags.options.print.afterAll, "print the graph after every pass");
  table.flag("print-changed", flags.options.print.changed,
             "print the graph after every pass that changed it");
  table.flag("time-passes", flags.options.timePasses, "print the time taken by each pass");
  table.choice("verify-each", flags.verifyEach, {"on", "off"},
               "verify the graph after every pass (default: on)");
  table.optionalText("verify-numerics", flags.verifyNumerics, "auto", "X",
                     "execute the graph before and after every pass; stop if an output changes by "
                     "more than X of its largest magnitude");
  table.text("stop-after", flags.options.stopAfter, "NAME", "stop after this pass").record();
  table.integer("pass-limit", flags.passLimit, "N", "run only the first N passes", 0, UINT32_MAX)
      .record();
  table
      .text("reproducer", flags.options.reproducer, "FILE",
            "write the graph before each pass to FILE; remove it on success")
      .writes();
}

Expected<PassRunOptions> passRunOptions(const PassFlags& flags) {
  PassRunOptions options = flags.options;
  options.verifyEach = flags.verifyEach == "on";
  if (flags.verifyNumerics) {
    const Expected<std::optional<double>> tolerance = toleranceOf(*flags.verifyNumerics);
    if (!tolerance)
      return tolerance.error();
    options.verifyNumerics = true;
    options.numericTolerance = *tolerance;
  }
  if (flags.passLimit >= 0)
    options.passLimit = static_cast<unsigned>(flags.passLimit);
  return options;
}

} // namespace tigris
