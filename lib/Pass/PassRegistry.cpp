// Registers passes and pipelines. Each name is registered once, by one provider.
#include "tigris/Pass/PassRegistry.h"

#include <algorithm>
#include <array>

namespace tigris {

namespace {

constexpr std::array<std::string_view, 7> GrammarWords = {
    "fixpoint", "repeat", "norm-start", "norm-before-fuse", "norm-end", "plan-start", "plan-end"};
constexpr std::array<ExtensionPoint, 5> Points = {
    ExtensionPoint::NormStart, ExtensionPoint::NormBeforeFuse, ExtensionPoint::NormEnd,
    ExtensionPoint::PlanStart, ExtensionPoint::PlanEnd};

bool isKebabCase(std::string_view name) {
  const auto isWord = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  if (name.empty() || !(name[0] >= 'a' && name[0] <= 'z') || name.back() == '-')
    return false;
  for (size_t i = 1; i < name.size(); ++i)
    if (!isWord(name[i]) && !(name[i] == '-' && isWord(name[i - 1])))
      return false;
  return true;
}

} // namespace

std::span<const ExtensionPoint> allExtensionPoints() { return Points; }

std::string_view extensionPointName(ExtensionPoint point) {
  switch (point) {
  case ExtensionPoint::NormStart:
    return "norm-start";
  case ExtensionPoint::NormBeforeFuse:
    return "norm-before-fuse";
  case ExtensionPoint::NormEnd:
    return "norm-end";
  case ExtensionPoint::PlanStart:
    return "plan-start";
  case ExtensionPoint::PlanEnd:
    return "plan-end";
  }
  TIGRIS_UNREACHABLE("extension point");
}

std::optional<ExtensionPoint> parseExtensionPoint(std::string_view name) {
  for (const ExtensionPoint point : Points)
    if (extensionPointName(point) == name)
      return point;
  return std::nullopt;
}

Status PassRegistry::claim(const std::string& name, std::string_view provider) {
  if (!isKebabCase(name) ||
      std::find(GrammarWords.begin(), GrammarWords.end(), name) != GrammarWords.end())
    return makeError(DiagId::BadPipeline, "'", name, "' from ", provider,
                     " cannot name a pass: use lower-case words joined by '-' that are not part of "
                     "the pipeline grammar");
  const auto [entry, inserted] = entries_.try_emplace(name);
  if (!inserted)
    return makeError(DiagId::DuplicateName, "pass '", name, "' from ", provider,
                     " is already provided by ", entry->second.provider);
  entry->second.provider = std::string(provider);
  order_.push_back(name);
  return {};
}

Status PassRegistry::add(PassInfo info, std::string_view provider) {
  TIGRIS_CHECK(info.create != nullptr);
  if (Status status = claim(info.name, provider); !status)
    return status;
  Entry& entry = entries_.find(info.name)->second;
  entry.info = std::make_unique<PassInfo>(std::move(info));
  return {};
}

Status PassRegistry::addPipeline(const std::string& name, std::string text,
                                 std::string_view provider) {
  if (Status status = claim(name, provider); !status)
    return status;
  entries_.find(name)->second.pipeline = std::move(text);
  return {};
}

const PassInfo* PassRegistry::find(std::string_view name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : found->second.info.get();
}

const std::string* PassRegistry::findPipeline(std::string_view name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() || found->second.info ? nullptr : &found->second.pipeline;
}

std::vector<const PassInfo*> PassRegistry::passes() const {
  std::vector<const PassInfo*> result;
  for (const std::string& name : order_)
    if (const PassInfo* info = find(name))
      result.push_back(info);
  return result;
}

std::vector<std::string> PassRegistry::pipelineNames() const {
  std::vector<std::string> result;
  for (const std::string& name : order_)
    if (findPipeline(name))
      result.push_back(name);
  return result;
}

const std::string& PassRegistry::provider(std::string_view name) const {
  const auto found = entries_.find(name);
  TIGRIS_CHECK_MSG(found != entries_.end(), std::string(name));
  return found->second.provider;
}

const std::vector<std::string>& PassRegistry::extensions(ExtensionPoint point) const {
  static const std::vector<std::string> None;
  const auto found = extensions_.find(point);
  return found == extensions_.end() ? None : found->second;
}

Error PassRegistry::unknownPass(std::string_view name) const {
  std::vector<std::string> candidates(GrammarWords.begin(), GrammarWords.end());
  candidates.insert(candidates.end(), order_.begin(), order_.end());
  const auto nearest = nearestSpelling(name, candidates);
  return makeError(DiagId::BadPipeline, "unknown pass '", name, "'; ",
                   nearest ? strCat("did you mean '", *nearest, "'?")
                           : std::string("list the passes with --print-passes"));
}

} // namespace tigris
