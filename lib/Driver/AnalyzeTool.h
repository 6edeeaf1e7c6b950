// tigris analyze: what a model takes of a budget, and what stands in its way.
#pragma once

namespace tigris {

int analyzeMain(int argc, const char* const* argv);

} // namespace tigris
