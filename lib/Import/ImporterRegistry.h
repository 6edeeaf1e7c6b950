// Registers importers and chooses one by the content of a file.
#pragma once

#include "tigris/Import/Importer.h"

namespace tigris {

/// Filled by explicit calls (registerImporters), never by static constructors.
class ImporterRegistry {
public:
  /// DuplicateName if an importer with this name exists.
  Status add(Importer importer);

  /// In the order of addition.
  const std::vector<Importer>& importers() const { return importers_; }

  /// The first importer that recognizes the bytes. If none does, the first importer of the
  /// registry, because a format may have no magic number and a damaged file may not be
  /// recognizable; its error then describes the bytes. Null if the registry is empty.
  const Importer* find(std::string_view bytes) const;

  /// Imports with the importer that find() returns, and binds the states in the options.
  /// Diagnostics and errors are located at options.modelPath, except DiagId::Usage, which does not
  /// concern the model.
  Expected<Graph> importModel(std::string_view bytes, const ImportOptions& options,
                              DiagnosticEngine& diagnostics) const;

private:
  std::vector<Importer> importers_;
};

} // namespace tigris
