// Diagnostics as data: libraries build them and tools print them. No library prints.
//
// Message style: lower case, no final period, names the op or tensor, states both numbers
// ("'strides' has 3 values, expected 2"). The printed form is the GNU format that editors parse:
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

/// A position in a text file. `line` and `column` count from 1; 0 means unknown.
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
  /// Explanations of this diagnostic.
  std::vector<std::string> notes;
};

/// One line per diagnostic and per note, each with a final newline. `fallback` (the tool's name) is
/// used when the diagnostic has no file of its own.
std::string formatDiagnostic(const Diagnostic& diagnostic, std::string_view fallback);

/// Collects the diagnostics of code that can report several errors (verifier, importer) or warn and
/// continue.
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
  /// All diagnostics so far, for tests and for tools that print at the end.
  const std::vector<Diagnostic>& all() const { return all_; }

private:
  Consumer consumer_;
  std::vector<Diagnostic> all_;
  unsigned errors_ = 0;
};

} // namespace tigris
