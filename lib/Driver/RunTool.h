// tigris-run: executes a plan on the C runtime, on this computer.
#pragma once

namespace tigris {

/// `name` is what the tool calls itself: it is `tigris run`, too.
int runMain(int argc, const char* const* argv, const char* name = "tigris-run");

} // namespace tigris
