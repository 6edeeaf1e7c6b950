// The --weights option, the same in every tool that writes a stream.
#pragma once

#include "tigris/Driver/ToolMain.h"
#include "tigris/Serialize/Stream.h"

namespace tigris {

/// Declares --weights=inline|file:PATH|splat. The value is not part of the history: it says where the
/// weights lie, not what they are.
void addWeightsOption(OptionTable& table, WriteOptions& options);

} // namespace tigris
