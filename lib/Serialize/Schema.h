// Names and versions of the two documents of a module.
#pragma once

#include "tigris/Serialize/NodeReader.h"

namespace tigris {

constexpr int GraphVersion = 1;
constexpr int WeightsVersion = 1;

/// Constants with at most this many elements are written as `values`, also in splat mode.
constexpr int64_t FewElements = 16;
/// Quantization arrays up to this length are written on their tensor's line.
constexpr size_t FewScales = 4;

/// Checks the key `tigris` of a document's root, "graph/1" or "weights/1". Throws ReadFailure:
/// BadModule if it is missing or malformed, BadVersion if the version is newer than `newest`.
void checkSchema(const NodeReader& reader, const YamlNode& root, std::string_view schema,
                 int newest);

/// The value of `key`; null if it is absent or `root` is not a map.
const YamlNode* findKey(const YamlNode& root, std::string_view key);

} // namespace tigris
