// What must happen to a float graph before its ranges are worth measuring.
#pragma once

#include "tigris/Pass/Pipeline.h"

namespace tigris {

/// The default pipeline up to the layout change, without quantization folding: constants are folded, batch
/// normalizations are part of convolutions, products are Gemm. The graph stays imported and channels-first,
/// and tigris-norm runs the same passes again without finding anything.
Expected<Pipeline> preparePipeline(const PassRegistry& registry);

} // namespace tigris
