// Records the first use of each file and compares every further use with it.
#include "tigris/Driver/CommandLine/ToolFiles.h"

namespace tigris {

void ToolFiles::reads(const std::string& path, const std::string& who) {
  inputs_.insert(path);
  add(fileId(path == "-" ? "/dev/stdin" : path), {path, who, false});
}

void ToolFiles::writes(const std::string& path, const std::string& who) {
  outputs_.insert(path);
  add(fileId(path), {path, who, true});
}

void ToolFiles::add(const std::optional<FileId>& id, Use use) {
  if (!id)
    return;
  const auto [known, fresh] = uses_.try_emplace(*id, use);
  const Use& other = known->second;
  if (fresh || clash_ || (!use.written && !other.written))
    return;
  const Use& writer = use.written ? use : other;
  const Use& partner = use.written ? other : use;
  const std::string spelled = partner.path == writer.path
                                  ? std::string()
                                  : strCat(" (as '", displayName(partner.path), "')");
  clash_ = makeError(DiagId::Usage, writer.who, " would overwrite '", writer.path, "', which ",
                     partner.who, partner.written ? " writes" : " reads", spelled, ", too");
}

Status ToolFiles::check() const { return clash_ ? Status(Error(*clash_)) : Status(); }

} // namespace tigris
