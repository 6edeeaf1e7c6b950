// The passes and named pipelines of a process.
#pragma once

#include "tigris/Pass/Pass.h"

#include <span>

namespace tigris {

/// Extension points of the built-in pipelines, to which plugins add passes. In a pipeline the name
/// of the point ("norm-start") stands for everything added there, possibly nothing.
///   NormStart       first in `default`: the graph as imported, before constants are folded
///   NormBeforeFuse  channels last, every operator in its final form, activations not yet fused
///   NormEnd         last in `default`
///   PlanStart       before tigris-plan plans: the graph's order is a candidate schedule
///   PlanEnd         after tigris-plan has placed everything: passes may change the plan, which is
///                   then checked again
enum class ExtensionPoint : uint8_t { NormStart, NormBeforeFuse, NormEnd, PlanStart, PlanEnd };
std::span<const ExtensionPoint> allExtensionPoints();
std::string_view extensionPointName(ExtensionPoint point);
std::optional<ExtensionPoint> parseExtensionPoint(std::string_view name);

/// Filled by explicit calls (registerTransforms), never by static constructors. Addresses of
/// registered infos stay valid for the life of the registry.
class PassRegistry {
public:
  /// Fails with DuplicateName, which names both providers, or with BadPipeline if the name is not
  /// kebab-case or is a keyword of the pipeline grammar. `provider` is "tigris" or the name of a
  /// plugin.
  Status add(PassInfo info, std::string_view provider = "tigris");
  /// Adds a named pipeline (`default`), which is used like a pass. The text is parsed on use.
  Status addPipeline(const std::string& name, std::string text,
                     std::string_view provider = "tigris");
  /// Appends a pipeline text to an extension point.
  void extend(ExtensionPoint point, std::string text) {
    extensions_[point].push_back(std::move(text));
  }

  /// Null if there is none.
  const PassInfo* find(std::string_view name) const;
  const std::string* findPipeline(std::string_view name) const;
  /// In registration order.
  std::vector<const PassInfo*> passes() const;
  std::vector<std::string> pipelineNames() const;
  const std::string& provider(std::string_view name) const;
  const std::vector<std::string>& extensions(ExtensionPoint point) const;

  /// BadPipeline for a name that is neither a pass nor a pipeline; suggests the nearest one.
  Error unknownPass(std::string_view name) const;

private:
  struct Entry {
    std::unique_ptr<PassInfo> info;
    std::string pipeline;
    std::string provider;
  };
  Status claim(const std::string& name, std::string_view provider);

  std::map<std::string, Entry, std::less<>> entries_;
  std::vector<std::string> order_;
  std::map<ExtensionPoint, std::vector<std::string>> extensions_;
};

} // namespace tigris
