// Chooses an importer, and performs the steps common to all formats.
#include "tigris/Import/ImporterRegistry.h"

#include "tigris/Import/StateBinding.h"
#include "tigris/Support/FileIO.h"

#include <algorithm>

namespace tigris {

Status ImporterRegistry::add(Importer importer) {
  for (const Importer& known : importers_)
    if (known.name == importer.name)
      return makeError(DiagId::DuplicateName, "there are two importers of the name '",
                       importer.name, "'");
  importers_.push_back(std::move(importer));
  return {};
}

const Importer* ImporterRegistry::find(std::string_view bytes) const {
  const auto found =
      std::find_if(importers_.begin(), importers_.end(),
                   [&](const Importer& importer) { return importer.matches(bytes); });
  if (found != importers_.end())
    return &*found;
  return importers_.empty() ? nullptr : &importers_.front();
}

Expected<Graph> ImporterRegistry::importModel(std::string_view bytes, const ImportOptions& options,
                                              DiagnosticEngine& diagnostics) const {
  const Importer* const importer = find(bytes);
  TIGRIS_CHECK_MSG(importer != nullptr, "no importer is registered");
  const SourceLoc where{displayName(options.modelPath.empty() ? "-" : options.modelPath), 0, 0};
  DiagnosticEngine located([&](Diagnostic diagnostic) {
    diagnostic.loc = where;
    diagnostics.report(std::move(diagnostic));
  });
  Expected<Graph> graph = importer->importModel(bytes, options, located);
  if (!graph) {
    Error error = graph.takeError();
    return error.id() == DiagId::Usage ? std::move(error) : std::move(error).at(where);
  }
  for (const std::string& state : options.states)
    if (Status status = bindState(*graph, state); !status)
      return status.takeError();
  return graph;
}

} // namespace tigris
