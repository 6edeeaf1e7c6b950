// tigris compile: the whole pipe in one process.
#pragma once

namespace tigris {

int compileMain(int argc, const char* const* argv);

} // namespace tigris
