// Reads and writes modules, the YAML text that the tools exchange: a graph document, then a weights
// document (docs/ir.md).
//
//   auto text = std::make_shared<const std::string>(...);        // readFile(path)
//   Expected<Graph> graph = readModule(text, path);
//   Expected<std::string> out = writeModule(*graph);             // the same bytes again
//
// Weights that no pass accesses are checked, and their text is passed on.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/Diagnostics.h"
#include "tigris/Support/Expected.h"
#include "tigris/Support/TextPieces.h"

#include <functional>
#include <memory>
#include <string>

namespace tigris {

/// How constants with more than 16 elements are written. Smaller ones are always lists of numbers;
/// quantization arrays are always written out in the module.
enum class WeightsMode : uint8_t {
  /// Base64 in the module. Unchanged data that was read from a side file or as a pattern is written
  /// the same way again, so that a tool in the middle of a pipeline preserves how its input stores
  /// weights.
  Inline,
  /// Raw bytes in one side file, referenced by offset. Patterns stay patterns.
  File,
  /// A seeded pattern in place of the data of float32, int8 and int32 weights and biases. Constants
  /// whose values matter (indices, scales, variances) are kept. For tests and benchmarks without
  /// weights.
  Splat,
};

struct WriteOptions {
  WeightsMode weights = WeightsMode::Inline;
  /// File mode: path of the side file, relative to the current directory.
  std::string weightsFile;
  /// Where the caller will write the returned text; "-" is standard output, which counts as a file
  /// in the current directory. References to side files are relative to this file's directory.
  std::string moduleFile = "-";
  /// File mode: receives the bytes for `weightsFile`; if empty, the file is written at once.
  std::function<Status(const std::string& path, std::string bytes)> writeSideFile;
};

/// The graph as text. Equal graphs produce equal bytes. In File mode the side file is written
/// atomically before this returns; no other file is written. Fails with IoError if the side file
/// cannot be written, and with BadWeights if data is damaged, except in side files to which the
/// output refers again.
Expected<std::string> writeModule(const Graph& graph, const WriteOptions& options = {});

/// As writeModule(). The result shares the encoded text of weights that were read from a module and
/// have not changed.
Expected<TextPieces> writeModulePieces(const Graph& graph, const WriteOptions& options = {});

/// Parses, validates and verifies a module. `fileName` ("-" is standard input) is used in messages,
/// and relative paths of side files start at its directory. The graph's constants share `text` and
/// decode their part on first use: Blob::bytes() throws DataError if that part is damaged.
///
/// Fails with EmptyInput, BadYaml, BadModule (not a module; the message names the kind of file and
/// the tool that reads it), BadVersion, UnknownKey, BadValue, DuplicateName, UnknownTensor,
/// BadAttr, BadWeights, or the first error of verifyGraph() with the others as notes.
///
/// Results of operators get the types and shapes that their operands determine, whatever the module
/// states (IR/ShapeCompletion.h); warnings about differences go to
/// `warnings`.
Expected<Graph> readModule(std::shared_ptr<const std::string> text, const std::string& fileName,
                           DiagnosticEngine* warnings = nullptr);

/// Decodes all constants of a graph that is not written again; BadWeights if one is damaged.
Status checkWeights(const Graph& graph);

} // namespace tigris
