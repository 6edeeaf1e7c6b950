// States of recurrent models whose format does not say which output is the next run's input.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/Expected.h"

namespace tigris {

/// Binds "INPUT=OUTPUT": the next run gets the output as the input. Names may hold '=' themselves.
/// DiagId::Usage when the text is no input and output of the graph, their types or shapes differ,
/// or one of them is bound already.
Status bindState(Graph& graph, const std::string& text);

} // namespace tigris
