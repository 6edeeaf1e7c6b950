// A fingerprint of a graph's content, to find out whether something changed.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// Covers everything the stream prints except the history: header, interface, tensors with the
/// checksums of their data, ops in order, plan. The same graph hashes equally in every process; ids are
/// part of the hash, so it is for comparing a graph with its own past, not two graphs.
uint64_t structuralHash(const Graph& graph);

} // namespace tigris
