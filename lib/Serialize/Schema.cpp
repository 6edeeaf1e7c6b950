// Checks schema versions. Versions up to ours are read; newer ones are rejected, with their number.
#include "tigris/Serialize/Schema.h"

namespace tigris {

const YamlNode* findKey(const YamlNode& root, std::string_view key) {
  if (root.kind == YamlNode::Kind::Map)
    for (size_t i = 0; i < root.items.size(); i += 2)
      if (root.items[i].text == key)
        return &root.items[i + 1];
  return nullptr;
}

void checkSchema(const NodeReader& reader, const YamlNode& root, std::string_view schema,
                 int newest) {
  const YamlNode* header = findKey(root, "tigris");
  if (header == nullptr)
    reader.fail(DiagId::BadModule, root,
                "this is YAML but not a graph module: the key 'tigris' is missing ('tigris: ",
                schema, "/", newest, "' is expected first)");
  const std::string_view text = header->text;
  const size_t slash = text.find('/');
  const auto version =
      slash == std::string_view::npos ? std::nullopt : parseInt(text.substr(slash + 1));
  if (text.substr(0, slash) != schema || !version || *version < 1)
    reader.fail(DiagId::BadModule, *header, "a document '", schema, "/", newest,
                "' is expected, not ", describeNode(*header));
  if (*version > newest)
    reader.fail(DiagId::BadVersion, *header, "written by schema ", text, ", this tool reads up to ",
                schema, "/", newest, "; update it");
}

} // namespace tigris
