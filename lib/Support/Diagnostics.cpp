// The tables of diagnostic ids, and the formatting of diagnostics.
#include "tigris/Support/Diagnostics.h"

#include "tigris/Support/Printable.h"

namespace tigris {

namespace {

struct DiagInfo {
  const char* spelling;
  const char* help;
};

constexpr DiagInfo DiagInfos[] = {
#define TIGRIS_DIAG(id, spelling, help) {spelling, help},
#include "tigris/Support/Diagnostics.def"
};

} // namespace

const char* diagSpelling(DiagId id) { return DiagInfos[static_cast<size_t>(id)].spelling; }
const char* diagHelp(DiagId id) { return DiagInfos[static_cast<size_t>(id)].help; }

std::vector<DiagId> allDiagIds() {
  return {
#define TIGRIS_DIAG(id, spelling, help) DiagId::id,
#include "tigris/Support/Diagnostics.def"
  };
}

std::string formatDiagnostic(const Diagnostic& diagnostic, std::string_view fallback) {
  std::string where =
      printable(diagnostic.loc.file.empty() ? fallback : std::string_view(diagnostic.loc.file));
  if (diagnostic.loc.line > 0)
    where += strCat(":", diagnostic.loc.line);
  if (diagnostic.loc.line > 0 && diagnostic.loc.column > 0)
    where += strCat(":", diagnostic.loc.column);
  const char* severity = diagnostic.severity == Severity::Error     ? "error"
                         : diagnostic.severity == Severity::Warning ? "warning"
                                                                    : "note";
  std::string text = strCat(where, ": ", severity, ": ", printableMessage(diagnostic.message), " [",
                            diagSpelling(diagnostic.id), "]\n");
  for (const std::string& note : diagnostic.notes)
    text += strCat(where, ": note: ", printableMessage(note), "\n");
  return text;
}

void DiagnosticEngine::report(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::Error)
    ++errors_;
  if (consumer_)
    consumer_(diagnostic);
  all_.push_back(std::move(diagnostic));
}

} // namespace tigris
