// Collects the blobs of a graph and prints the weights document, and its side file in file mode.
#pragma once

#include "tigris/Serialize/Module.h"

#include <set>
#include <string>
#include <vector>

namespace tigris {

class WeightsWriter {
public:
  WeightsWriter(const Graph& graph, const WriteOptions& options)
      : graph_(graph), options_(options) {}

  /// Adds the data of a constant under its own name.
  void addConstant(TensorId id);
  /// Adds a quantization array under `base`, made unique among all blobs. Returns the name.
  template <typename T> std::string addArray(const std::string& base, const std::vector<T>& values);

  /// Appends the document, or nothing if there are no blobs. Throws DataError for damaged data.
  Status print(TextPieces& pieces);

private:
  struct Item {
    std::string name;
    DType type = DType::Undefined;
    BlobRef data;
    /// Invalid for quantization arrays.
    TensorId tensor;
  };

  bool mayBePattern(const Item& item) const;
  void printItem(TextPieces& pieces, const Item& item);
  void printData(TextPieces& pieces, const Item& item) const;
  void printPattern(std::string& out, const Item& item) const;
  void printFileReference(std::string& out, const Item& item, const std::string& path,
                          uint64_t offset) const;

  const Graph& graph_;
  const WriteOptions& options_;
  std::vector<Item> items_;
  std::set<std::string, std::less<>> arrayNames_;
  std::string sideFile_;
};

} // namespace tigris
