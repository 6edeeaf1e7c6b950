// Cuts a stream into its documents, and says what a file is that is not a stream at all.
#pragma once

#include "tigris/Support/Expected.h"

#include <string>
#include <string_view>
#include <vector>

namespace tigris {

/// One document with its `---` line, if it has one, but without a closing `...`.
struct YamlDocument {
  std::string_view text;
  /// Of its first line, from 1.
  int line = 1;
};

/// Splits at `---` and `...` in column 0, which YAML allows nowhere else. Comments, blank lines and
/// directives in front of a document belong to it. (yaml-cpp 0.7 cannot be asked: on a second
/// document that begins with a comma it allocates without end.)
std::vector<YamlDocument> splitDocuments(std::string_view text);

/// EmptyInput for no text, BadStream for other kinds of files (Support/FileKind.h). Success says only that this
/// may be text.
Status refuseForeign(std::string_view text, const std::string& fileName);

/// True when a line of the text begins with the key that every stream has, in any style of YAML.
bool namesSchema(std::string_view text);

/// BadStream at the first byte that YAML does not allow in a text.
Status refuseControlBytes(const YamlDocument& document, const std::string& fileName);

} // namespace tigris
