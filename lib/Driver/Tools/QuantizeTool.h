// tigris-quantize: converts a float graph to int8 arithmetic, with ranges from sample inputs.
#pragma once

namespace tigris {

int quantizeMain(int argc, const char* const* argv);

} // namespace tigris
