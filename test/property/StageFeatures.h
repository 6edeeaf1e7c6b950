// What a stage of a plan makes use of, for the statistics of the property test.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/IR/Plan.h"

namespace tigris::property {

/// Whether a streamed stage has a buffer in place, a sink, or several stripes.
bool worksInPlace(const Stage& stage);
bool hasSink(const Stage& stage);
bool isStriped(const Stage& stage);

/// The number of ops of a whole stage whose result takes the place of an operand.
uint64_t opsOverOperands(const Graph& graph, const Stage& stage);

/// Whether a tensor replaces another while a streamed stage works on both.
bool hasOverlap(const Graph& graph, const Stage& stage);

} // namespace tigris::property
