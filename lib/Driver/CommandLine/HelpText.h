// Help and manual pages, generated from the table that parses the options.
#pragma once

#include "tigris/Driver/CommandLine/ToolMain.h"

namespace tigris {

/// What --help prints.
std::string helpText(const ToolSpec& spec, const OptionTable& table);

/// What --generate=man prints: a manual page for section 1, in man macros.
std::string manPage(const ToolSpec& spec, const OptionTable& table);

/// What --explain=ID prints: the meaning of a diagnostic id. "all" prints docs/diagnostics.md.
/// DiagId::Usage if the id does not exist.
Expected<std::string> explainDiagnostic(const std::string& id);

} // namespace tigris
