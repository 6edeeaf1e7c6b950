// The overview at the start of every dump: producer, inputs, outputs and sizes of the model.
#pragma once

#include "tigris/Inspect/Report.h"

namespace tigris {

/// A line "label  text" for every known figure of the report.
std::string overviewText(const Report& report);

/// "[1, 3, 96, 96]".
std::string shapeText(const std::vector<int64_t>& dims);

} // namespace tigris
