// tigris-quantize: a float graph and sample inputs in, the same graph with int8 arithmetic out.
#pragma once

namespace tigris {

int quantizeMain(int argc, const char* const* argv);

} // namespace tigris
