// tigris-dump: shows what a stream or a plan holds.
#pragma once

namespace tigris {

int dumpMain(int argc, const char* const* argv);

} // namespace tigris
