// Reader of the weights document: locates each blob without decoding it, then returns blobs by name
// and type.
#pragma once

#include "tigris/IR/Tensor.h"
#include "tigris/Serialize/Documents.h"
#include "tigris/Serialize/NodeReader.h"

#include <deque>
#include <map>
#include <memory>
#include <optional>

namespace tigris {

/// All members throw ReadFailure.
class WeightsReader {
public:
  /// `reader` must outlive this object; relative side files are searched in the directory of its
  /// file.
  WeightsReader(const NodeReader& reader, std::shared_ptr<const std::string> text);

  /// Reads the document, which is inside the text given above. The printer's own layout is scanned
  /// at memory speed; any other YAML of the same schema is parsed by yaml-cpp.
  void read(const YamlDocument& document);

  /// The data of `tensor`, whose type and shape must be set; `where` is its line.
  BlobRef constant(const Tensor& tensor, const YamlNode& where);
  /// A quantization array that is stored as a blob of float32 or int32.
  std::vector<float> scales(const YamlNode& reference);
  std::vector<int32_t> zeroPoints(const YamlNode& reference);

  /// Rejects blobs that nothing referenced.
  void finish() const;

private:
  struct Entry {
    /// Its map, without inline data that the scanner removed.
    const YamlNode* node = nullptr;
    const YamlNode* values = nullptr;
    const YamlNode* fill = nullptr;
    const YamlNode* file = nullptr;
    const YamlNode* data = nullptr;
    /// Inside the text of the module.
    std::optional<std::string_view> block;
    /// Whether the block has the printer's layout.
    bool canonical = false;
    std::optional<uint64_t> bytes;
    std::optional<uint32_t> crc;
    uint64_t offset = 0;
    bool used = false;
  };

  void readGeneral(const YamlDocument& document);
  bool scan(const YamlDocument& document);
  /// `hasBlock`: the scanner removed inline data from the entry.
  Entry& addEntry(const YamlNode& node, bool hasBlock);
  void setBlock(Entry& entry, std::string_view block, bool canonical);
  void checkLength(const Entry& entry, std::string_view encoded, uint64_t bytes) const;
  Entry& take(const std::string& name, const YamlNode& where);
  BlobRef load(const std::string& name, const Entry& entry, DType type, uint64_t bytes);
  BlobRef loadValues(const std::string& name, const Entry& entry, DType type, uint64_t bytes) const;
  BlobRef loadFill(const std::string& name, const Entry& entry, DType type, uint64_t bytes) const;
  BlobRef loadFile(const std::string& name, const Entry& entry, uint64_t bytes);
  BlobRef loadData(const std::string& name, const Entry& entry, uint64_t bytes) const;
  BlobRef array(const YamlNode& reference, DType type);
  uint64_t sideFileSize(const YamlNode& where, const std::string& path);

  const NodeReader& reader_;
  std::shared_ptr<const std::string> text_;
  bool present_ = false;
  std::deque<YamlTree> trees_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::map<std::string, uint64_t> sideFiles_;
};

} // namespace tigris
