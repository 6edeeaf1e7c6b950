// What went wrong, as data: libraries build diagnostics, tools print them; nothing below a tool prints.
//
// Message style: lower case, no final period, names the op or tensor, states both numbers
// ("'strides' has 3 values, expected 2"). The printed form is the GNU one that editors jump to:
//   model.yaml:42:5: error: op 'conv1': 'strides' has 3 values, expected 2 [bad-attr]
#pragma once

#include "tigris/Support/StringUtils.h"

#include <functional>
#include <string>
#include <vector>

namespace tigris {

enum class DiagId : uint16_t {
#define TIGRIS_DIAG(id, spelling, help) id,
#include "tigris/Support/Diagnostics.def"
};

/// "bad-attr" for DiagId::BadAttr.
const char* diagSpelling(DiagId id);
const char* diagHelp(DiagId id);
/// All ids in the order of the list, for the generated documentation.
std::vector<DiagId> allDiagIds();

enum class Severity : uint8_t { Error, Warning, Note };

/// A place in a text file. `line` and `column` count from 1; 0 means unknown.
struct SourceLoc {
  std::string file;
  int line = 0;
  int column = 0;
};

struct Diagnostic {
  DiagId id = DiagId::BadValue;
  Severity severity = Severity::Error;
  SourceLoc loc;
  std::string message;
  /// Attached explanations; they never stand alone.
  std::vector<std::string> notes;
};

/// One line per diagnostic and per note, each ending in a newline. `fallback` stands where the
/// diagnostic has no file of its own (the tool's name).
std::string formatDiagnostic(const Diagnostic& diagnostic, std::string_view fallback);

/// Receives the diagnostics of work that can report several (verifier, importer) or that warns and goes on.
class DiagnosticEngine {
public:
  using Consumer = std::function<void(const Diagnostic&)>;

  explicit DiagnosticEngine(Consumer consumer = {}) : consumer_(std::move(consumer)) {}

  void report(Diagnostic diagnostic);
  template <typename... Args> void warn(DiagId id, const Args&... text) {
    report({id, Severity::Warning, {}, strCat(text...), {}});
  }
  template <typename... Args> void error(DiagId id, const Args&... text) {
    report({id, Severity::Error, {}, strCat(text...), {}});
  }

  unsigned errorCount() const { return errors_; }
  /// Everything reported so far, kept for tests and for tools that print at the end.
  const std::vector<Diagnostic>& all() const { return all_; }

private:
  Consumer consumer_;
  std::vector<Diagnostic> all_;
  unsigned errors_ = 0;
};

} // namespace tigris
