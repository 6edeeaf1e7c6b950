// Binds states of recurrent models, for formats that do not declare which output is the next run's
// input.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/Expected.h"

namespace tigris {

/// Binds "INPUT=OUTPUT": OUTPUT becomes INPUT of the next run. Names may contain '='. DiagId::Usage
/// if the text does not name an input and an output of the graph, if their types or shapes differ,
/// or if one of them is already bound.
Status bindState(Graph& graph, const std::string& text);

} // namespace tigris
