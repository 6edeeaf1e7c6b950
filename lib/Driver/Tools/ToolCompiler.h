// Connects a tool's frame to a compiler: input, files read, text on standard error, and plugins in
// the history.
#pragma once

#include "tigris/Compile/Compiler.h"
#include "tigris/Driver/CommandLine/ToolMain.h"

namespace tigris {

/// Options that take the input from the context, report the files read to it, and log to it. All
/// other options have their defaults. The context must outlive the options.
CompileOptions toolCompileOptions(ToolContext& context);

/// Loads the compiler's plugins and adds their names to the history.
Status loadPlugins(ToolContext& context, Compiler& compiler);

/// Reads the context's input as a module.
Expected<Graph> readGraphInput(ToolContext& context, Compiler& compiler);
/// The same for tools without compiler options.
Expected<Graph> readGraphInput(ToolContext& context);

} // namespace tigris
