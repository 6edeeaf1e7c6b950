// tigris: one program for interactive use. The tigris-* tools are for pipes and Makefiles.
#pragma once

namespace tigris {

int tigrisMain(int argc, const char* const* argv);

} // namespace tigris
