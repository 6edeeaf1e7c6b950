// The YAML stream between the tools: a graph document, then a weights document (docs/ir.md).
//
//   auto text = std::make_shared<const std::string>(...);        // readFile(path)
//   Expected<Graph> graph = readStream(text, path);
//   Expected<std::string> out = writeStream(*graph);             // the same bytes again
//
// Weights nobody looked at are never decoded: they are copied from the input's text into the output's.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/Diagnostics.h"
#include "tigris/Support/Expected.h"

#include <functional>
#include <memory>
#include <string>

namespace tigris {

/// What becomes of constants of more than 16 elements (smaller ones are always lists of numbers, and
/// quantization arrays are always real and in the stream).
enum class WeightsMode : uint8_t {
  /// Base64 in the stream. Data that was read as a side-file reference or as a pattern and has not been
  /// changed stays what it is, so that a tool in the middle of a pipe keeps the form of its input.
  Inline,
  /// Raw bytes in one side file, referred to by offset. Patterns stay patterns.
  File,
  /// A seeded pattern instead of the data of float32, int8 and int32 weights and biases; constants
  /// with a meaning (indices, scales, variances) stay real. For tests and benchmarks that ship no weights.
  Splat,
};

struct WriteOptions {
  WeightsMode weights = WeightsMode::Inline;
  /// File mode: where the weights go, relative to the current directory.
  std::string weightsFile;
  /// Where the caller will put the returned text; "-" is standard output, which counts as a file of
  /// the current directory. References to side files are spelled relative to this file's directory.
  std::string streamFile = "-";
  /// File mode: takes the bytes for `weightsFile`; without it they are written there at once.
  std::function<Status(const std::string& path, std::string bytes)> writeSideFile;
};

/// The graph as text; equal graphs give equal bytes. In File mode the side file is written atomically
/// before this returns; nothing else touches the disk. Fails with IoError when it cannot be written, and
/// with BadWeights when data that has to be decoded is damaged.
Expected<std::string> writeStream(const Graph& graph, const WriteOptions& options = {});

/// Parses, validates and verifies a stream. `fileName` ("-" is standard input) appears in messages, and
/// its directory is where relative side-file names start. The graph's constants share `text` and decode
/// their part on first use: Blob::bytes() throws DataError when that part is damaged.
///
/// Fails with EmptyInput, BadYaml, BadStream (something else than a stream: the text says what it looks
/// like and which tool reads it), BadVersion, UnknownKey, BadValue, DuplicateName, UnknownTensor,
/// BadAttr, BadWeights, or the first error of verifyGraph() with the others as notes.
///
/// Stage `imported`: results of operators have the types and shapes that their operands give, whatever the stream
/// states (IR/ShapeCompletion.h); warnings about that go to `warnings`.
Expected<Graph> readStream(std::shared_ptr<const std::string> text, const std::string& fileName,
                           DiagnosticEngine* warnings = nullptr);

} // namespace tigris
