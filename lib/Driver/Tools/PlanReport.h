// What plans of several budgets cost.
#pragma once

#include "tigris/Plan/Sweep/Sizing.h"
#include "tigris/Support/Json.h"

namespace tigris {

/// A line per budget.
std::string sizingText(const std::vector<SizingRow>& rows);

/// The key "budgets": an object per budget.
void writeSizing(JsonWriter& json, const std::vector<SizingRow>& rows);

} // namespace tigris
