// Splits a module into its documents and diagnoses files that are not modules.
#pragma once

#include "tigris/Support/Expected.h"

#include <string>
#include <string_view>
#include <vector>

namespace tigris {

/// One document including its `---` line, if present, but without a closing `...`.
struct YamlDocument {
  std::string_view text;
  /// Line number of its first line, from 1.
  int line = 1;
};

/// Splits at `---` and `...` in column 0, which YAML allows nowhere else. Comments, blank lines and
/// directives before a document belong to it; a byte order mark before the first one does not.
/// (yaml-cpp 0.7 cannot do this: if the second document begins with a comma, it allocates memory
/// without bound.)
std::vector<YamlDocument> splitDocuments(std::string_view text);

/// Fails with EmptyInput for an empty text and BadModule for other kinds of files
/// (Support/FileKind.h). Success does not mean that the text is a module.
Status refuseForeign(std::string_view text, const std::string& fileName);

/// Whether a line of the text begins with the key that every module has, in any style of YAML.
bool namesSchema(std::string_view text);

/// BadModule at the first byte that YAML does not allow.
Status refuseControlBytes(const YamlDocument& document, const std::string& fileName);

} // namespace tigris
