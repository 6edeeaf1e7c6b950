// Scripts that let a shell complete the words, options and values of a tool's command line.
#pragma once

#include "tigris/Driver/CommandLine/ToolMain.h"

namespace tigris {

/// The script for "bash", "zsh" or "fish". `commands` holds the scripts of the tool's commands, in
/// the same format and in the order of the commands. The script of a command (its name contains a
/// space: "tigris run") is a part of its tool's script and does nothing alone.
std::string completionScript(const ToolSpec& spec, const OptionTable& table,
                             const std::string& shell, const std::vector<std::string>& commands);

} // namespace tigris
