// Magic numbers in the order in which they are tested, followed by the formats that need a closer
// look.
#include "tigris/Support/FileKind.h"

#include "tigris/Support/FileIO.h"

#include <algorithm>

namespace tigris {

namespace {

using namespace std::string_view_literals;

using Role = FileKind::Role;

constexpr FileKind Module = {Role::Module, "a TiGrIS module, which is already imported",
                             "tigris-norm, tigris-plan and tigris-emit turn it into a plan"};
constexpr FileKind Onnx = {Role::Onnx, "an ONNX model", "convert it with tigris-import first"};
constexpr FileKind Text = {Role::Text, "text",
                           "tigris-import reads ONNX models; the other tools read its output"};

constexpr FileKind compressed(std::string_view what) {
  return {Role::Foreign, what, "decompress it first"};
}
constexpr FileKind otherModel(std::string_view what) {
  return {Role::Foreign, what, "export the model to ONNX"};
}
constexpr FileKind noModel(std::string_view what) {
  return {Role::Foreign, what, "it contains no model"};
}

struct Magic {
  size_t offset;
  std::string_view bytes;
  FileKind kind;
};

constexpr Magic Magics[] = {
    {0, "TGRS"sv, {Role::Plan, "a .tgrs plan", "tigris-run executes it and tigris-dump shows it"}},
    {0, "tigris:"sv, Module},
    {0, "---\ntigris:"sv, Module},
    {4,
     "TFL3"sv,
     {Role::Foreign, "a TensorFlow Lite model", "convert it with tigris-import first"}},
    {4,
     "ORTM"sv,
     {Role::Foreign, "a model in onnxruntime's own format",
      "use the .onnx file it was created from"}},
    {0, "\x89HDF\r\n\x1a\n"sv, otherModel("an HDF5 file, such as Keras writes")},
    {0, "GGUF"sv, otherModel("a GGUF file")},
    {0,
     "\x93NUMPY"sv,
     {Role::Foreign, "a NumPy array (.npy)", "it is data; tigris-run takes it with --input"}},
    {0,
     "version https://git-lfs"sv,
     {Role::Foreign, "a Git LFS pointer", "fetch the real file with 'git lfs pull'"}},
    {0, "\x1f\x8b"sv, compressed("a compressed file (gzip)")},
    {0, "\x28\xb5\x2f\xfd"sv, compressed("a compressed file (zstd)")},
    {0, "\x04\x22\x4d\x18"sv, compressed("a compressed file (lz4)")},
    {0, "\xfd\x37zXZ\0"sv, compressed("a compressed file (xz)")},
    {0, "BZh"sv, compressed("a compressed file (bzip2)")},
    {0, "7z\xbc\xaf\x27\x1c"sv, compressed("a compressed file (7z)")},
    {257, "ustar"sv, compressed("a tar archive")},
    {0, "\x89PNG\r\n"sv, noModel("a PNG picture")},
    {0, "\xff\xd8\xff"sv, noModel("a JPEG picture")},
    {0, "GIF8"sv, noModel("a GIF picture")},
    {8, "WEBP"sv, noModel("a WebP picture")},
    {8, "WAVE"sv, noModel("a WAV recording")},
    {0, "%PDF-"sv, noModel("a PDF document")},
    {0, "\x7f\x45LF"sv, noModel("a program or library (ELF)")},
    {0, "\xff\xfe"sv, {Role::Foreign, "UTF-16 text", "save it as UTF-8"}},
    {0, "\xfe\xff"sv, {Role::Foreign, "UTF-16 text", "save it as UTF-8"}},
};

constexpr FileKind WebPage = {Role::Foreign, "a web page", "download the file itself"};
constexpr FileKind Pickle = otherModel("a Python pickle, such as a PyTorch checkpoint");
constexpr FileKind SafeTensors = otherModel("a safetensors file, which has weights only");

/// The kind of a zip archive, from the name of its first member.
struct ZipMember {
  std::string_view part;
  FileKind kind;
};
constexpr ZipMember ZipMembers[] = {
    {".npy", {Role::Foreign, "an archive of NumPy arrays (.npz)", "it is data, not a model"}},
    {"data.pkl", otherModel("a PyTorch model or checkpoint")},
    {"metadata.json", otherModel("a Keras model")},
};
constexpr FileKind Zip = compressed("a zip archive");

const FileKind* insideZip(std::string_view bytes) {
  constexpr size_t LengthAt = 26;
  constexpr size_t NameAt = 30;
  if (!bytes.starts_with("PK\3\4"))
    return nullptr;
  if (bytes.size() < NameAt)
    return &Zip;
  const size_t length = static_cast<uint8_t>(bytes[LengthAt]) +
                        size_t{256} * static_cast<uint8_t>(bytes[LengthAt + 1]);
  const std::string_view name = bytes.substr(NameAt, length);
  const auto* found =
      std::find_if(std::begin(ZipMembers), std::end(ZipMembers), [&](const ZipMember& member) {
        return name.find(member.part) != std::string_view::npos;
      });
  return found == std::end(ZipMembers) ? &Zip : &found->kind;
}

/// ONNX: field 1 (ir_version, a small number), followed by one of the next fields.
bool looksLikeOnnx(std::string_view bytes) {
  constexpr std::string_view NextFields = "\x12\x1a\x22\x28\x32\x3a\x42";
  return bytes.size() > 3 && bytes[0] == 0x08 && bytes[1] > 0 && bytes[1] < 32 &&
         NextFields.find(bytes[2]) != std::string_view::npos;
}

/// Pickle: protocols 2 to 5 begin with the protocol number.
bool looksLikePickle(std::string_view bytes) {
  return bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5;
}

/// Safetensors: the length of a JSON text in eight bytes, followed by the text.
bool looksLikeSafeTensors(std::string_view bytes) {
  return bytes.size() > 10 && bytes.substr(4, 4) == "\0\0\0\0"sv && bytes.substr(8, 2) == "{\"";
}

bool looksLikeWebPage(std::string_view bytes) {
  std::string head(trim(bytes.substr(0, 64)));
  std::transform(head.begin(), head.end(), head.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return head.starts_with("<!doctype html") || head.starts_with("<html");
}

bool isControl(char c) {
  const auto byte = static_cast<uint8_t>(c);
  return (byte < 0x20 && c != '\n' && c != '\r' && c != '\t') || byte == 0x7F;
}

} // namespace

bool looksLikeText(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 1024);
  return std::none_of(head.begin(), head.end(), isControl);
}

const FileKind* recognizeFile(std::string_view bytes) {
  for (const Magic& magic : Magics)
    if (bytes.size() > magic.offset && bytes.substr(magic.offset).starts_with(magic.bytes))
      return &magic.kind;
  if (const FileKind* kind = insideZip(bytes))
    return kind;
  if (looksLikeOnnx(bytes))
    return &Onnx;
  if (looksLikePickle(bytes))
    return &Pickle;
  if (looksLikeSafeTensors(bytes))
    return &SafeTensors;
  if (looksLikeWebPage(bytes))
    return &WebPage;
  return looksLikeText(bytes) ? &Text : nullptr;
}

Error notThisKind(DiagId id, std::string_view wanted, const FileKind& kind) {
  return makeError(id, "not ", wanted, ": it is ", kind.what, "; ", kind.advice);
}

Error emptyInput(const std::string& name) {
  const bool piped = name == displayName("-");
  return makeError(DiagId::EmptyInput,
                   piped ? "empty input; did the previous tool fail? (use 'set -o pipefail')"
                         : "the file is empty")
      .at({name, 0, 0});
}

} // namespace tigris
