// Recognizes kinds of files by content, so that every tool that takes a model can name what it got
// instead.
#pragma once

#include "tigris/Support/Expected.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tigris {

/// A kind of file, and advice for the user who passed it.
struct FileKind {
  enum class Role : uint8_t { Onnx, Module, Plan, Text, Foreign };
  Role role;
  /// With its article: "a NumPy array".
  std::string_view what;
  std::string_view advice;
};

/// The kind of file with these bytes; null if unknown. ONNX has no magic number, so a damaged ONNX
/// file may match any kind: use this only for input that could not be parsed.
const FileKind* recognizeFile(std::string_view bytes);

/// Whether the first kilobyte has no control characters. Every ONNX file begins with one.
bool looksLikeText(std::string_view bytes);

/// The error "not `wanted`: it is a NumPy array; ADVICE".
Error notThisKind(DiagId id, std::string_view wanted, const FileKind& kind);

/// EmptyInput for an input that messages show as `name` (displayName). For standard input, the text
/// asks whether the previous tool of the pipe failed; for a file, it says that the file is empty.
Error emptyInput(const std::string& name);

} // namespace tigris
