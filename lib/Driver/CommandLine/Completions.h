// Scripts that let a shell complete the words, options and values of a tool's command line.
#pragma once

#include "tigris/Driver/CommandLine/ToolMain.h"

namespace tigris {

/// The script for "bash", "zsh" or "fish". `commands`: for a tool with commands the scripts of
/// these, in the same format and order. The script of a command (its name has a space: "tigris
/// run") is a part for that of its tool and does nothing alone.
std::string completionScript(const ToolSpec& spec, const OptionTable& table,
                             const std::string& shell, const std::vector<std::string>& commands);

} // namespace tigris
