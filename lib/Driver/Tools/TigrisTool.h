// tigris: one program for people, where the tigris-* tools are for pipes and Makefiles.
#pragma once

namespace tigris {

int tigrisMain(int argc, const char* const* argv);

} // namespace tigris
