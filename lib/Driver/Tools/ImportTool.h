// tigris-import: the first tool of the pipe, from an ONNX file to a graph stream.
#pragma once

namespace tigris {

int importMain(int argc, const char* const* argv);

} // namespace tigris
