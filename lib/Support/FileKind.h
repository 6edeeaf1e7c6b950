// Kinds of files, told by their content: every tool that takes a model says by this one list what it got instead.
#pragma once

#include "tigris/Support/Expected.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tigris {

/// What a file is, and what the user does next with it.
struct FileKind {
  enum class Role : uint8_t { Onnx, Stream, Plan, Text, Foreign };
  Role role;
  /// With its article: "a NumPy array".
  std::string_view what;
  std::string_view advice;
};

/// The kind of file whose bytes these are; null where the list does not know it. ONNX has no magic number, so that
/// damaged ONNX may look like anything: ask only about what could not be read.
const FileKind* recognizeFile(std::string_view bytes);

/// True when nothing in the first kilobyte is a control character, which every ONNX file begins with.
bool looksLikeText(std::string_view bytes);

/// "not `wanted`: it is a NumPy array; ADVICE".
Error notThisKind(DiagId id, std::string_view wanted, const FileKind& kind);

/// EmptyInput for an input that is shown as `name` (displayName): at the end of a pipe the tool before it failed, a
/// file is simply empty.
Error emptyInput(const std::string& name);

} // namespace tigris
