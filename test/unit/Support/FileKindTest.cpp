// Other kinds of files that users pass to a tool that takes a model.
#include "tigris/Support/FileKind.h"

#include <doctest/doctest.h>

using namespace tigris;
using namespace std::string_literals;

namespace {

std::string kindOf(const std::string& bytes) {
  const FileKind* kind = recognizeFile(bytes);
  return kind == nullptr ? "?" : std::string(kind->what);
}

std::string zipOf(const std::string& member) {
  std::string header = "PK\3\4" + std::string(26, '\0') + member;
  header[26] = static_cast<char>(member.size());
  return header;
}

} // namespace

TEST_CASE("kinds of files by their first bytes") {
  const std::pair<std::string, const char*> cases[] = {
      {"TGRS\1\0\0\0"s, "a .tgrs plan"},
      {"tigris: graph/1\n", "a TiGrIS module"},
      {"---\ntigris: graph/1\n", "a TiGrIS module"},
      {"\x08\x07\x12\x07pytorch"s, "an ONNX model"},
      {"\x1c\0\0\0TFL3"s, "a TensorFlow Lite model"},
      {"\x18\0\0\0ORTM"s, "onnxruntime's own format"},
      {"\x89HDF\r\n\x1a\n"s, "HDF5"},
      {"\x93NUMPY\1\0"s, "a NumPy array (.npy)"},
      {zipOf("x.npy"), ".npz"},
      {zipOf("archive/data.pkl"), "PyTorch"},
      {zipOf("metadata.json"), "Keras"},
      {zipOf("readme.txt"), "a zip archive"},
      {"PK\3\4", "a zip archive"},
      {"\x80\2}q\0."s, "a Python pickle"},
      {"\x10\0\0\0\0\0\0\0{\"w\":"s, "safetensors"},
      {"\x1f\x8b\x08", "gzip"},
      {"\x28\xb5\x2f\xfd", "zstd"},
      {"BZh91AY", "bzip2"},
      {std::string(257, '\0') + "ustar", "a tar archive"},
      {"\x89PNG\r\n\x1a\n", "a PNG picture"},
      {"\xff\xd8\xff\xe0", "a JPEG picture"},
      {"RIFF\x24\0\0\0WAVEfmt "s, "a WAV recording"},
      {"%PDF-1.7\n", "a PDF document"},
      {"\x7f"
       "ELF\2\1",
       "ELF"},
      {"version https://git-lfs.github.com/spec/v1\n", "Git LFS"},
      {"\n<!DOCTYPE html>\n<html>", "a web page"},
      {"\xff\xfe-\0"s, "UTF-16"},
      {"# A model\n\nIt recognizes digits.\n", "text"},
      {"\x01\x02\x03\x04", "?"},
  };
  for (const auto& [bytes, what] : cases) {
    const std::string kind = kindOf(bytes);
    CAPTURE(kind);
    CHECK(kind.find(what) != std::string::npos);
  }
}

TEST_CASE("bytes cut short anywhere are no trouble") {
  for (const std::string& whole : {zipOf("archive/data.pkl"), "RIFF\x24\0\0\0WAVEfmt "s,
                                   "\x10\0\0\0\0\0\0\0{\"w\":"s, "\x08\x07\x12\x07pytorch"s})
    for (size_t size = 0; size <= whole.size(); ++size)
      (void)recognizeFile(std::string_view(whole).substr(0, size));
}

TEST_CASE("only a pipe hints at the tool before it") {
  CHECK(emptyInput("<stdin>").message().find("did the previous tool fail?") != std::string::npos);
  CHECK(emptyInput("model.onnx").message() == "the file is empty");
}
