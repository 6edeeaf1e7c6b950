// The positional argument of tools that take a model: ONNX, or a module of any form.
#pragma once

#include "tigris/Driver/Tools/ImportFlags.h"
#include "tigris/Driver/Tools/NormFlags.h"

namespace tigris {

/// The options of everything before planning.
struct ModelFlags {
  ImportFlags import;
  NormFlags norm;
  PassFlags passes;
};

/// --input-shape ... --load-pass-plugin.
void declareModelInput(OptionTable& table, ModelFlags& flags);

/// A registry with the built-in passes and those of --load-pass-plugin.
Expected<PassRegistry> passRegistry(ToolContext& context, const ModelFlags& flags);

/// Reads the context's input, imports it if it is ONNX, and normalizes it if it is not normalized yet. What goes
/// wrong inside the model goes to `diagnostics`; the result is nothing then. A plan file is BadStream.
Expected<std::optional<Graph>> readModel(ToolContext& context, ModelFlags& flags,
                                         const PassRegistry& registry,
                                         DiagnosticEngine& diagnostics);

/// True for errors that say what a model has and nobody can execute, as opposed to a broken file or command line.
bool isRefusal(DiagId id);

} // namespace tigris
