// tigris-import: the first tool of the pipe, from an ONNX file to a module.
#pragma once

namespace tigris {

int importMain(int argc, const char* const* argv);

} // namespace tigris
