// The passes that prepare a float graph for calibration.
#pragma once

#include "tigris/Pass/Pipeline.h"

namespace tigris {

/// The default pipeline up to the layout change, without quantization folding. Constants are
/// folded, batch normalizations are merged into convolutions, products are Gemm. The graph stays in
/// imported form and channels-first. tigris-norm runs the same passes again; they then change
/// nothing.
Expected<Pipeline> preparePipeline(const PassRegistry& registry);

/// Runs it with the built-in passes. Returns false if a pass failed; `diagnostics` then has the
/// errors.
Expected<bool> prepareForQuantization(Graph& graph, DiagnosticEngine& diagnostics);

} // namespace tigris
