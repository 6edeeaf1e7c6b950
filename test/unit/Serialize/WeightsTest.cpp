// The weights document in all its forms: lists, base64, side files, patterns; lazy, exact and
// checked.
#include "ModuleTesting.h"

#include "tigris/Serialize/Base64.h"
#include "tigris/Serialize/BlobSources.h"
#include "tigris/Support/Crc32.h"
#include "tigris/Support/FileIO.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <fstream>

using namespace tigris;

namespace {

template <typename T> std::string valuesLine(DType type, const std::vector<T>& values) {
  const Graph graph =
      graphWithConstant(type, {static_cast<int64_t>(values.size())}, makeBlobOf(values));
  const std::string text = roundTrip(graph);
  const BlobRef read = constantOf(*parse(text), "w");
  const BlobRef written = constantOf(graph, "w");
  CHECK(std::ranges::equal(read->bytes(), written->bytes()));
  return text.substr(text.find("blobs:") + 7);
}

std::string damaged(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// Base64 with line breaks every `columns` characters.
std::string rewrap(const std::string& text, size_t columns) {
  const size_t start = text.find("|\n") + 2;
  std::string letters;
  for (const char c : text.substr(start))
    if (c != ' ' && c != '\n')
      letters += c;
  std::string out = text.substr(0, start);
  for (size_t i = 0; i < letters.size(); i += columns)
    out += "      " + letters.substr(i, columns) + "\n";
  return out;
}

class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tigris-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

private:
  std::filesystem::path path_;
};

} // namespace

TEST_CASE("small constants are lists of numbers of their type") {
  CHECK(valuesLine<int64_t>(DType::Int64, {INT64_MIN, -1, INT64_MAX}) ==
        "  - {name: w, values: [-9223372036854775808, -1, 9223372036854775807]}\n");
  CHECK(valuesLine<uint8_t>(DType::UInt8, {0, 255}) == "  - {name: w, values: [0, 255]}\n");
  CHECK(valuesLine<int8_t>(DType::Int8, {-128, 127}) == "  - {name: w, values: [-128, 127]}\n");
  CHECK(valuesLine<int16_t>(DType::Int16, {-32768}) == "  - {name: w, values: [-32768]}\n");
  CHECK(valuesLine<uint16_t>(DType::UInt16, {65535}) == "  - {name: w, values: [65535]}\n");
  CHECK(valuesLine<int32_t>(DType::Int32, {INT32_MIN}) == "  - {name: w, values: [-2147483648]}\n");
  CHECK(valuesLine<uint8_t>(DType::Bool, {0, 1}) == "  - {name: w, values: [0, 1]}\n");
  CHECK(valuesLine<int8_t>(DType::Int4, {-8, 7}) == "  - {name: w, values: [-8, 7]}\n");
  CHECK(valuesLine<double>(DType::Float64, {0.1, -0.0}) == "  - {name: w, values: [0.1, -0.0]}\n");
  CHECK(valuesLine<float>(DType::Float32, {}) == "  - {name: w, values: []}\n");
  const float inf = std::numeric_limits<float>::infinity();
  CHECK(valuesLine<float>(DType::Float32, {0.1F, -0.0F, 1e-45F, 3.4028235e38F, inf, -inf,
                                           std::numeric_limits<float>::quiet_NaN()}) ==
        "  - {name: w, values: [0.1, -0.0, 1.0e-45, 3.4028235e+38, .inf, -.inf, .nan]}\n");
}

TEST_CASE("what a list cannot spell is base64 however small") {
  CHECK(valuesLine<uint32_t>(DType::Float32, {0xFFC00001}).find("!!binary") != std::string::npos);
  CHECK(valuesLine<uint16_t>(DType::Float16, {0x3C00}).find("!!binary") != std::string::npos);
  CHECK(valuesLine<uint8_t>(DType::Bool, {2}).find("!!binary") != std::string::npos);
}

TEST_CASE("large constants are base64 that is decoded on first use") {
  for (const size_t count : {17U, 191U, 192U, 193U, 384U, 1000U}) {
    const Graph graph =
        graphWithConstant(DType::Float32, {static_cast<int64_t>(count)}, floatRamp(count));
    const std::string text = roundTrip(graph);
    const Expected<Graph> again = parse(text);
    const BlobRef blob = constantOf(*again, "w");
    REQUIRE(blob->source() != nullptr);
    CHECK(blob->source()->encodedText().size() == base64BlockLength(4 * count));
    CHECK(blob->crc() == constantOf(graph, "w")->crc());
    CHECK(blob->values<float>() == constantOf(graph, "w")->values<float>());
    CHECK(print(*again) == text);
  }
}

TEST_CASE("base64 of every length and of every byte") {
  std::vector<uint8_t> bytes;
  for (size_t size = 0; size < 300; ++size) {
    const std::string block = base64Block(bytes);
    CHECK(block.size() == base64BlockLength(size));
    CHECK(isBase64Block(block, size));
    CHECK(decodeBase64(block, size) == bytes);
    CHECK(countBase64(block) == base64Length(size));
    CHECK_FALSE(decodeBase64(block, size + 1));
    if (size > 0)
      CHECK_FALSE(decodeBase64(block, size - 1));
    bytes.push_back(static_cast<uint8_t>(size * 7 + 3));
  }
  CHECK_FALSE(decodeBase64("AB==", 1)); // unused bits set
  CHECK_FALSE(decodeBase64("A===", 1));
  CHECK_FALSE(decodeBase64("AA=A", 1));
  CHECK_FALSE(decodeBase64("AAA*", 3));
  CHECK_FALSE(decodeBase64("AAAA AAAA", 3));
  CHECK(decodeBase64("A\n A  A\tA", 3) == std::vector<uint8_t>(3));
}

TEST_CASE("base64: characters by the alphabet, in lines of every length") {
  const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<uint8_t> bytes;
  for (uint32_t value = 0; value < 3 * 768; ++value)
    bytes.push_back(static_cast<uint8_t>(value * value * 2654435761U >> 13));
  std::string expected;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const uint32_t bits =
        uint32_t{bytes[i]} << 16 | uint32_t{bytes[i + 1]} << 8 | uint32_t{bytes[i + 2]};
    for (const int shift : {18, 12, 6, 0})
      expected += alphabet[bits >> shift & 63];
  }
  for (size_t size = 0; size <= bytes.size(); size += 3) {
    std::string text = base64Block(std::span(bytes).first(size));
    text.erase(
        std::remove_if(text.begin(), text.end(), [](char c) { return c == ' ' || c == '\n'; }),
        text.end());
    CHECK(text == expected.substr(0, size / 3 * 4));
  }
}

TEST_CASE("re-wrapped base64 reads the same and prints canonically") {
  const Graph graph = graphWithConstant(DType::Float32, {100}, floatRamp(100));
  const std::string text = print(graph);
  for (const size_t columns : {1U, 3U, 7U, 76U, 80U, 533U}) {
    const Expected<Graph> again = parse(rewrap(text, columns));
    REQUIRE_MESSAGE(again, again.error().message());
    CHECK(constantOf(*again, "w")->source()->encodedText().empty());
    CHECK(print(*again) == text);
  }
}

TEST_CASE("a weights document in any other YAML is read as well") {
  const std::string text = print(graphWithConstant(DType::Float32, {20}, floatRamp(20)));
  const size_t start = text.find("    crc32:");
  const size_t data = text.find("|\n") + 2;
  const std::string letters(trim(std::string_view(text).substr(data)));
  const std::string crc = text.substr(start, text.find('\n', start) - start + 1);
  const std::string head = text.substr(0, text.find("---\ntigris: weights"));
  const std::vector<std::string> documents = {
      "---\n# comment\ntigris: weights/1\nblobs:\n- {data: !!binary \"" + letters +
          "\", name: w}\n",
      "---\nblobs:\n- bytes: 80\n" + crc.substr(2) + "  data: !!binary |\n    " + letters +
          "\n  name: w\ntigris: weights/1\n",
      "---\ntigris: weights/1\nblobs:\n  - name: w\n    data: " + letters + "\n",
  };
  for (const std::string& document : documents) {
    const Expected<Graph> again = parse(head + document);
    REQUIRE_MESSAGE(again, again.error().message());
    CHECK(print(*again) == text);
  }
}

TEST_CASE("damage is found when the data is used or passed on and names the tensor") {
  const std::string text = print(graphWithConstant(DType::Float32, {600}, floatRamp(600)));
  const size_t at = text.find("|\n") + 100;
  for (const char c : {'*', 'A', ' '}) {
    std::string bad = text;
    REQUIRE(bad[at] != c);
    bad[at] = c;
    const Expected<Graph> graph = parse(bad);
    REQUIRE_MESSAGE(graph, graph.error().message());
    CHECK_THROWS_WITH_AS(constantOf(*graph, "w")->bytes(),
                         doctest::Contains("weights of 'w' are damaged"), DataError);
    for (const WeightsMode mode : {WeightsMode::Inline, WeightsMode::File}) {
      WriteOptions options;
      options.weights = mode;
      options.weightsFile = "/nonexistent/w.bin";
      const auto out = writeModule(*graph, options);
      REQUIRE_FALSE(out);
      CHECK(out.error().id() == DiagId::BadWeights);
    }
    CHECK_FALSE(bool(checkWeights(*graph)));
  }
}

TEST_CASE("base64: every byte at the start, in the middle and at the end of a line") {
  const std::vector<uint8_t> bytes(768, 0x5A);
  const std::string block = base64Block(bytes);
  const std::string line = block.substr(6, 1024);
  for (const size_t at : {size_t{0}, size_t{500}, size_t{1000}, size_t{1023}})
    for (int c = 0; c < 256; ++c) {
      const auto byte = static_cast<char>(c);
      const bool isValid = c < 128 && (std::isalnum(c) != 0 || byte == '+' || byte == '/');
      std::string changed = line;
      changed[at] = byte;
      CHECK_MESSAGE(decodeBase64(changed, 768).has_value() == isValid, c, " at ", at);
      CHECK(crcOfBase64Block("      " + changed + "\n", 768).has_value() == isValid);
    }
  CHECK(crcOfBase64Block(block, 768) == crc32(bytes.data(), bytes.size()));
}

TEST_CASE("a newline in place of a character is damage that is reported") {
  const std::string text = print(graphWithConstant(DType::Float32, {1000}, floatRamp(1000)));
  const size_t first = text.find("!!binary |\n") + 11 + 6;
  for (const size_t at : {first, first + 1, first + 500, first + 1023, first + 1031 + 700,
                          text.size() - 2, text.size() - 100}) {
    std::string bad = text;
    bad[at] = '\n';
    const Expected<Graph> graph = parse(bad);
    if (!graph)
      continue;
    CHECK_FALSE(bool(checkWeights(*graph)));
    const auto out = writeModule(*graph);
    REQUIRE_FALSE(out);
    CHECK(out.error().id() == DiagId::BadWeights);
  }
}

TEST_CASE("large weights that have not changed are shared, not copied") {
  const Graph graph = graphWithConstant(DType::Float32, {10000}, floatRamp(10000));
  const std::string text = print(graph);
  std::optional<TextPieces> pieces;
  std::string_view block;
  {
    const Expected<Graph> read = parse(text);
    REQUIRE(read);
    block = constantOf(*read, "w")->source()->encodedText();
    Expected<TextPieces> written = writeModulePieces(*read);
    REQUIRE(written);
    pieces = std::move(*written);
  }
  // The graph is gone; its text is not.
  CHECK(pieces->str() == text);
  bool isShared = false;
  for (const std::string_view piece : pieces->views())
    isShared = isShared || piece.data() == block.data();
  CHECK(isShared);
  CHECK(writeModulePieces(graph)->str() == text);
}

TEST_CASE("errors of the weights document") {
  const std::string text = print(graphWithConstant(DType::Float32, {20}, floatRamp(20)));
  const size_t document = text.find("---\ntigris: weights");
  CHECK(parseError(text.substr(0, document)) ==
        "t.yaml:11:5: error: tensor 'w': the data of 'w' is missing: the module has no weights "
        "document; is it truncated? [bad-weights]\n");
  CHECK(parseError(text.substr(0, text.size() - 20)) ==
        "t.yaml:19:5: error: blob 'w' has 89 base64 characters, 108 expected for 80 bytes; is the "
        "module truncated? [bad-weights]\n");
  CHECK(parseError(damaged(text, "name: w\n    bytes", "name: v\n    bytes")) ==
        "t.yaml:11:5: error: tensor 'w': the data of 'w' is missing: the weights document has no "
        "blob of this "
        "name [bad-weights]\n");
  CHECK(parseError(text + "  - {name: v, values: [1]}\n") ==
        "t.yaml:24:5: error: blob 'v' belongs to no constant [unknown-tensor]\n");
  CHECK(parseError(text + "  - {name: w, values: [1]}\n") ==
        "t.yaml:24:5: error: blob 'w' is given twice [duplicate-name]\n");
  CHECK(parseError(damaged(text, "shape: [20]", "shape: [21]")) ==
        "t.yaml:19:5: error: tensor 'w': blob 'w' has 80 bytes, its tensor float32 [21] needs 84 "
        "[bad-weights]\n");
  CHECK(parseError(damaged(text, "bytes: 80", "byte: 80")) ==
        "t.yaml:20:5: error: blob has no key 'byte'; did you mean 'bytes'? [unknown-key]\n");
  CHECK(parseError(damaged(text, "crc32: \"", "crc32: \"z"))
            .find("crc32 must be 8 hexadecimal digits in quotes") != std::string::npos);
  CHECK(
      parseError(damaged(text, "weights/1", "weights/2")) ==
      "t.yaml:17:9: error: written by schema weights/2, this tool reads up to weights/1; update it "
      "[bad-version]\n");
  CHECK(parseError(text.substr(0, document) + "---\ntigris: weights/1\nblobs:\n  - {name: w}\n") ==
        "t.yaml:19:5: error: blob 'w' has 0 of the keys data, values, fill and file, must have "
        "exactly one "
        "[bad-value]\n");
  CHECK(parseError(text.substr(0, document) +
                   "---\ntigris: weights/1\nblobs:\n  - {name: w, values: [1, 2]}\n") ==
        "t.yaml:19:23: error: tensor 'w': blob 'w' has 2 values, its tensor has 20 elements "
        "[bad-weights]\n");
  CHECK(parseError(text + "---\n") == "t.yaml:24:1: error: a module has a graph document and a "
                                      "weights document, not 3 documents [bad-module]\n");
}

TEST_CASE("values outside their type are refused") {
  const Graph graph = graphWithConstant(DType::Int8, {1}, makeBlobOf(std::vector<int8_t>{5}));
  CHECK(parseError(damaged(print(graph), "[5]", "[128]")) ==
        "t.yaml:19:24: error: tensor 'w': value is 128, must be -128 to 127 [bad-value]\n");
  CHECK(parseError(damaged(print(graph), "[5]", "[1.5]")).find("must be an integer, not '1.5'") !=
        std::string::npos);
}

TEST_CASE("side files") {
  const TemporaryFolder folder;
  const Graph graph = graphWithConstant(DType::Float32, {100}, floatRamp(100));
  WriteOptions options;
  options.weights = WeightsMode::File;
  options.weightsFile = folder / "w.bin";
  options.moduleFile = folder / "m.yaml";
  // Absolute paths stay absolute; relative ones start at the module's own directory.
  const std::string absolute = print(graph, options);
  CHECK(parseError(absolute, "elsewhere/m.yaml") == "ok");
  const std::string text = damaged(absolute, options.weightsFile, "w.bin");
  CHECK(std::filesystem::file_size(folder / "w.bin") == 400);

  const Expected<Graph> again = parse(text, folder / "m.yaml");
  REQUIRE_MESSAGE(again, again.error().message());
  WriteOptions sameFolder;
  sameFolder.moduleFile = folder / "m.yaml";
  // A tool in the middle of a pipeline keeps the reference.
  CHECK(print(*again, sameFolder) == text);
  sameFolder.moduleFile = folder / "sub/m.yaml";
  CHECK(print(*again, sameFolder).find("file: \"../w.bin\"") != std::string::npos);
  CHECK(constantOf(*again, "w")->values<float>() == constantOf(graph, "w")->values<float>());

  std::ofstream(folder / "w.bin", std::ios::in | std::ios::out | std::ios::binary).write("X", 1);
  const Expected<Graph> changed = parse(text, folder / "m.yaml");
  CHECK_THROWS_WITH_AS(constantOf(*changed, "w")->bytes(),
                       doctest::Contains("weights of 'w' are damaged"), DataError);
  std::filesystem::resize_file(folder / "w.bin", 399);
  CHECK(parseError(text, folder / "m.yaml")
            .find("w.bin' has 399 bytes, blob 'w' needs 400 bytes at 0") != std::string::npos);
  std::filesystem::remove(folder / "w.bin");
  const Expected<Graph> missing = parse(text, folder / "m.yaml");
  CHECK(missing.error().id() == DiagId::IoError);
  CHECK(missing.error().message().find("No such file") != std::string::npos);
  CHECK(missing.error().diagnostic().loc.line == 19);

  options.weightsFile = folder / "no/w.bin";
  const auto unwritable = writeModule(graph, options);
  REQUIRE_FALSE(unwritable);
  CHECK(unwritable.error().id() == DiagId::IoError);
}

TEST_CASE("splat replaces weights and leaves what has a meaning") {
  Graph graph;
  const TensorId x = addActivation(graph, "x", {1, 20});
  const TensorId y = addActivation(graph, "y", {1, 30});
  const TensorId z = addActivation(graph, "z", {1, 17});
  const TensorId w = graph.addConstant("w", DType::Float32, {20, 30}, floatRamp(600));
  const TensorId b = graph.addConstant("b", DType::Float32, {30}, floatRamp(30));
  const TensorId i =
      graph.addConstant("i", DType::Int64, {17}, makeBlobOf(std::vector<int64_t>(17, 1)));
  graph.addOp(makeOp(OpKind::Gemm, "gemm", {x, w, b}, {y}));
  Op gather = makeOp(OpKind::Gather, "gather", {y, i}, {z});
  gather.attrs.set("axis", int64_t{1});
  graph.addOp(std::move(gather));
  expose(graph, x, z);

  WriteOptions splat;
  splat.weights = WeightsMode::Splat;
  const std::string text = print(graph, splat);
  const Expected<Graph> again = parse(text);
  REQUIRE_MESSAGE(again, again.error().message());
  CHECK(print(*again) == text);
  CHECK(print(*again, splat) == text);
  CHECK(constantOf(*again, "i")->values<int64_t>() == std::vector<int64_t>(17, 1));
  const std::vector<float> values = constantOf(*again, "w")->values<float>();
  CHECK(values != constantOf(graph, "w")->values<float>());
  const float limit = 1.0F / std::sqrt(30.0F);
  CHECK(std::all_of(values.begin(), values.end(), [&](float v) { return std::abs(v) <= limit; }));
  CHECK(*std::max_element(values.begin(), values.end()) > limit * 0.9F);
  CHECK(text.find("fill: {seed: ") != std::string::npos);
}

TEST_CASE("patterns of integers stay inside their amplitude") {
  Pattern pattern;
  pattern.type = DType::Int8;
  pattern.amplitude = 3;
  std::vector<int> counts(7);
  for (const uint8_t byte : pattern.generate(7000))
    counts.at(static_cast<size_t>(static_cast<int8_t>(byte) + 3))++;
  for (const int count : counts)
    CHECK(count > 800);
  const std::string head =
      print(graphWithConstant(DType::Int8, {20}, makeBlob(std::vector<uint8_t>(20))));
  const auto fill = [&](const std::string& text) {
    return parseError(head.substr(0, head.find("---\ntigris: weights")) +
                      "---\ntigris: weights/1\nblobs:\n  - {name: w, fill: " + text + "}\n");
  };
  CHECK(fill("{seed: 1, amplitude: 127}") == "ok");
  CHECK(fill("{seed: 1, amplitude: 128}").find("amplitude 128 is not valid for int8") !=
        std::string::npos);
  CHECK(fill("{seed: 1, amplitude: 1.5}").find("is not valid for") != std::string::npos);
  CHECK(fill("{seed: -1, amplitude: 1}").find("seed is -1") != std::string::npos);
}
