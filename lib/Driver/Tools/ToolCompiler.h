// How a tool's frame and a compiler meet: input, files that are read, text on standard error,
// plugins in the history.
#pragma once

#include "tigris/Compile/Compiler.h"
#include "tigris/Driver/CommandLine/ToolMain.h"

namespace tigris {

/// Options that know the context's input, report the files that are read to it, and log to it; all
/// else as by default. The context must outlive them.
CompileOptions toolCompileOptions(ToolContext& context);

/// Loads the compiler's plugins and adds their names to the history.
Status loadPlugins(ToolContext& context, Compiler& compiler);

/// Reads the context's input as a module.
Expected<Graph> readGraphInput(ToolContext& context, Compiler& compiler);
/// The same for tools without options of the compiler.
Expected<Graph> readGraphInput(ToolContext& context);

} // namespace tigris
