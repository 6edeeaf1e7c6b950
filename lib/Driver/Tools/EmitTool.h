// tigris-emit: writes the .tgrs file of a planned graph.
#pragma once

namespace tigris {

int emitMain(int argc, const char* const* argv);

} // namespace tigris
