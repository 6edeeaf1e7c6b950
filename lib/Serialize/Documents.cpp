// Looks only at the beginnings of lines, so that megabytes of weights cost no more than finding newlines.
#include "tigris/Serialize/Documents.h"

#include <algorithm>

namespace tigris {

namespace {

bool isMarker(std::string_view line, std::string_view marker) {
  if (line.substr(0, 3) != marker)
    return false;
  return line.size() == 3 || line[3] == ' ' || line[3] == '\t' || line[3] == '\r';
}

/// Blank, comment or directive: may stand in front of a document.
bool isPreamble(std::string_view line) {
  const std::string_view content = trim(line);
  return content.empty() || content[0] == '#' || line[0] == '%';
}

/// Of what ONNX models begin with: field 1 (ir_version, a small number), then one of the fields after it.
bool looksLikeOnnx(std::string_view text) {
  static constexpr std::string_view NextFields = "\x12\x1a\x22\x28\x32\x3a\x42";
  return text.size() > 3 && text[0] == 0x08 && text[1] > 0 && text[1] < 32 &&
         NextFields.find(text[2]) != std::string_view::npos;
}

const char* foreignFormat(std::string_view text) {
  using namespace std::string_view_literals;
  if (text.substr(0, 4) == "TGRS")
    return "a .tgrs plan; tigris-run executes it and tigris-dump shows it";
  if (looksLikeOnnx(text))
    return "an ONNX model; convert it with tigris-import first";
  if (text.size() >= 8 && text.substr(4, 4) == "TFL3")
    return "a TensorFlow Lite model, not a graph stream";
  if (text.substr(0, 2) == "\x1f\x8b"sv || text.substr(0, 4) == "\x28\xb5\x2f\xfd"sv ||
      text.substr(0, 4) == "\x04\x22\x4d\x18"sv || text.substr(0, 2) == "PK")
    return "a compressed file; unpack it first";
  if (text.substr(0, 6) == "\x93NUMPY")
    return "a NumPy array, not a graph stream";
  if (text.substr(0, 2) == "\xff\xfe"sv || text.substr(0, 2) == "\xfe\xff"sv)
    return "UTF-16 text; save it as UTF-8";
  return nullptr;
}

bool isControl(char c) {
  const auto byte = static_cast<uint8_t>(c);
  return (byte < 0x20 && c != '\n' && c != '\r' && c != '\t') || byte == 0x7F;
}

} // namespace

std::vector<YamlDocument> splitDocuments(std::string_view text) {
  std::vector<YamlDocument> documents;
  size_t start = 0;
  int startLine = 1;
  // Whether the text since `start` holds more than what may stand in front of a document.
  bool begun = false;
  const auto close = [&](size_t end) {
    if (begun)
      documents.push_back({text.substr(start, end - start), startLine});
    begun = false;
  };

  int lineNumber = 1;
  for (size_t at = 0; at < text.size(); ++lineNumber) {
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
  const SourceLoc loc{fileName, 0, 0};
  if (text.size() < 4096 && trim(text).empty())
    return makeError(DiagId::EmptyInput,
                     "empty input; did the previous stage fail? (use 'set -o pipefail')")
        .at(loc);
  if (const char* format = foreignFormat(text))
    return makeError(DiagId::BadStream, "this looks like ", format).at(loc);
  const std::string_view head = text.substr(0, 1024);
  if (std::any_of(head.begin(), head.end(), isControl))
    return makeError(DiagId::BadStream,
                     "binary data, not a graph stream; tigris-import makes one from an ONNX model")
        .at(loc);
  return {};
}

Status refuseControlBytes(const YamlDocument& document, const std::string& fileName) {
  const auto found = std::find_if(document.text.begin(), document.text.end(), isControl);
  if (found == document.text.end())
    return {};
  const std::string_view before(document.text.data(),
                                static_cast<size_t>(found - document.text.begin()));
  const auto lines = static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  const size_t lineStart = before.find_last_of('\n') + 1;
  return makeError(DiagId::BadStream, "control byte ", int{static_cast<uint8_t>(*found)},
                   " in the text; the stream is damaged or not a stream")
      .at({fileName, document.line + lines, static_cast<int>(before.size() - lineStart) + 1});
}

} // namespace tigris
