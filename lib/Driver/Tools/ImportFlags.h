// The options of tools that read ONNX, and how they read it.
#pragma once

#include "tigris/Driver/CommandLine/ToolMain.h"
#include "tigris/Import/Onnx/OnnxImporter.h"

namespace tigris {

struct ImportFlags {
  ImportOptions options;
  std::string rounding = "auto";
  /// INPUT=OUTPUT each.
  std::vector<std::string> states;
};

/// --input-shape, --state, --rounding.
void declareImporting(OptionTable& table, ImportFlags& flags);
/// --allow-unknown-ops.
void declareUnknownOps(OptionTable& table, ImportFlags& flags);

/// The graph of the ONNX bytes that were the context's input. Diagnostics, and the error if there is one, carry
/// the input's name; importOnnx says which go where. Files of external data become dependencies.
Expected<Graph> importModel(ToolContext& context, std::string_view bytes, ImportFlags& flags,
                            DiagnosticEngine& diagnostics);

} // namespace tigris
