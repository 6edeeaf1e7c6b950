// Files and standard streams as every tool uses them: whole reads, and outputs that appear only when complete.
#pragma once

#include "tigris/Support/Expected.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tigris {

/// Reads a whole file, or standard input when `path` is "-". Directories, devices that give bytes, missing files and
/// read errors are DiagId::IoError with the reason. A FIFO is waited for.
Expected<std::string> readFile(const std::string& path);

/// How a path is shown in messages: "-" is "<stdin>".
std::string displayName(const std::string& path);

/// Writes `path` atomically: a temporary file beside it, flushed, then renamed over it; on any
/// failure (full disk included) the old file stays and the temporary one is gone. "-" writes to
/// standard output. Special files (/dev/null, a FIFO) are written directly.
Status writeFile(const std::string& path, std::string_view bytes);

/// Like writeFile, but leaves a regular file that holds exactly these bytes as it is, with its time.
Status writeFileIfChanged(const std::string& path, std::string_view bytes);

} // namespace tigris
