// A fingerprint of a graph's content, to detect changes.
#pragma once

#include "tigris/IR/Graph.h"

namespace tigris {

/// Covers everything in a module except the history: header, interface, tensors with the checksums
/// of their data, ops in order, plan. The same graph has the same hash in every process. Ids are
/// part of the hash, so use it to compare a graph with its own earlier state, not to compare two
/// graphs.
uint64_t structuralHash(const Graph& graph);

} // namespace tigris
