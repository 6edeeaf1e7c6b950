// Everything that tells a user which options a tool has, made from the table that parses them.
#pragma once

#include "tigris/Driver/CommandLine/ToolMain.h"

namespace tigris {

/// What --help prints.
std::string helpText(const ToolSpec& spec, const OptionTable& table);

/// What --generate=man prints: a manual page for section 1, in man macros.
std::string manPage(const ToolSpec& spec, const OptionTable& table);

/// What --explain=ID prints: the meaning of a diagnostic id; for "all" docs/diagnostics.md. Usage
/// for an id that does not exist.
Expected<std::string> explainDiagnostic(const std::string& id);

} // namespace tigris
