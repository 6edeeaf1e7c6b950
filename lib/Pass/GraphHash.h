// A fingerprint of a graph's content, to find out whether something changed.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// Covers everything the stream prints except the history: header, interface, tensors with the
/// checksums of their data, ops in order, plan. Equal graphs hash equally in every process.
uint64_t structuralHash(const Graph& graph);

} // namespace tigris
