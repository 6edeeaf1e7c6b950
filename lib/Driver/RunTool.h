// tigris-run: executes a plan on the C runtime, on this computer.
#pragma once

namespace tigris {

int runMain(int argc, const char* const* argv);

} // namespace tigris
