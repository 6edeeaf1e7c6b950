// tigris-plan: fits a normalized graph into a memory budget.
#pragma once

namespace tigris {

int planMain(int argc, const char* const* argv);

} // namespace tigris
