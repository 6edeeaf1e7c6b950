// tigris-dump: shows what a stream or a plan holds.
#pragma once

namespace tigris {

/// `name` is what the tool calls itself: it is `tigris dump`, too.
int dumpMain(int argc, const char* const* argv, const char* name = "tigris-dump");

} // namespace tigris
