// Splits a chain of ops by channels, so that a part of its result can be held and the rest
// repeated.
#pragma once

#include "tigris/Plan/Remat/RepeatChain.h"

namespace tigris {

/// The channels of the chain's result if it can be split; 0 if not. The first op must be a
/// convolution over all channels; the others compute each channel from the same channel of the op
/// before. Nothing else reads the tensors in between, or the weights. Readers before those of the
/// chain must be global averages.
int64_t splittableChannels(const Graph& graph, const RepeatChain& chain);

/// Replaces the ops by two chains, one for the first `low` channels and one for the others, and the
/// global averages likewise; their results are joined. Weights are split, not copied. Returns the
/// chain of the first channels, whose result the join before the readers reads.
RepeatChain splitChannels(Graph& graph, const RepeatChain& chain, int64_t low);

} // namespace tigris
