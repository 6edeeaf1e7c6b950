// Finds documents by the beginnings of lines alone, so that megabytes of weights cost no more than
// finding newlines.
#include "tigris/Serialize/Documents.h"

#include "tigris/Support/FileKind.h"

#include <algorithm>

namespace tigris {

namespace {

bool isMarker(std::string_view line, std::string_view marker) {
  if (line.substr(0, 3) != marker)
    return false;
  return line.size() == 3 || line[3] == ' ' || line[3] == '\t' || line[3] == '\r';
}

/// Whether the line is blank, a comment or a directive, which may precede a document.
bool isPreamble(std::string_view line) {
  const std::string_view content = trim(line);
  return content.empty() || content[0] == '#' || line[0] == '%';
}

bool isControl(char c) {
  const auto byte = static_cast<uint8_t>(c);
  return (byte < 0x20 && c != '\n' && c != '\r' && c != '\t') || byte == 0x7F;
}

} // namespace

std::vector<YamlDocument> splitDocuments(std::string_view text) {
  constexpr std::string_view ByteOrderMark = "\xEF\xBB\xBF"; // of editors on Windows
  std::vector<YamlDocument> documents;
  size_t start = text.starts_with(ByteOrderMark) ? ByteOrderMark.size() : 0;
  int startLine = 1;
  // Whether the text since `start` contains any other line.
  bool begun = false;
  const auto close = [&](size_t end) {
    if (begun)
      documents.push_back({text.substr(start, end - start), startLine});
    begun = false;
  };

  int lineNumber = 1;
  for (size_t at = start; at < text.size(); ++lineNumber) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const size_t next = std::min(end + 1, text.size());
    const std::string_view line = text.substr(at, end - at);
    if (isMarker(line, "---")) {
      if (begun) {
        close(at);
        start = at;
        startLine = lineNumber;
      }
      begun = true;
    } else if (isMarker(line, "...")) {
      close(at);
      start = next;
      startLine = lineNumber + 1;
    } else if (!begun) {
      begun = !isPreamble(line);
    }
    at = next;
  }
  close(text.size());
  return documents;
}

Status refuseForeign(std::string_view text, const std::string& fileName) {
  using Role = FileKind::Role;
  if (text.size() < 4096 && trim(text).empty())
    return emptyInput(fileName);
  const SourceLoc loc{fileName, 0, 0};
  const FileKind* kind = recognizeFile(text);
  if (kind == nullptr)
    return makeError(
               DiagId::BadModule,
               "binary data, not a graph module; tigris-import creates one from an ONNX model")
        .at(loc);
  if (kind->role != Role::Module && kind->role != Role::Text)
    return notThisKind(DiagId::BadModule, "a graph module", *kind).at(loc);
  return {};
}

bool namesSchema(std::string_view text) {
  for (const std::string_view line : split(text, '\n')) {
    const size_t key = line.find("tigris");
    if (key == std::string_view::npos ||
        line.substr(0, key).find_first_not_of(" {\"'") != std::string_view::npos)
      continue;
    const size_t after = line.find_first_not_of(" \"'", key + std::string_view("tigris").size());
    if (after != std::string_view::npos && line[after] == ':')
      return true;
  }
  return false;
}

Status refuseControlBytes(const YamlDocument& document, const std::string& fileName) {
  const auto found = std::find_if(document.text.begin(), document.text.end(), isControl);
  if (found == document.text.end())
    return {};
  const std::string_view before(document.text.data(),
                                static_cast<size_t>(found - document.text.begin()));
  const auto lines = static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  const size_t lineStart = before.find_last_of('\n') + 1;
  return makeError(DiagId::BadModule, "control byte ", int{static_cast<uint8_t>(*found)},
                   " in the text; the module is damaged or not a module")
      .at({fileName, document.line + lines, static_cast<int>(before.size() - lineStart) + 1});
}

} // namespace tigris
