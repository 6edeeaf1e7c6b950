// The first part of every dump: who made the model, what it takes and what it gives.
#pragma once

#include "tigris/Inspect/Report.h"

namespace tigris {

/// Lines "label  text" for all that the report knows.
std::string overviewText(const Report& report);

/// "[1, 3, 96, 96]".
std::string shapeText(const std::vector<int64_t>& dims);

} // namespace tigris
