// The importers a process knows, and the choice among them by the content of a file.
#pragma once

#include "tigris/Import/Importer.h"

namespace tigris {

/// Filled by explicit calls (registerImporters), never by static constructors.
class ImporterRegistry {
public:
  /// DuplicateName when there is an importer of this name.
  Status add(Importer importer);

  /// In the order of addition.
  const std::vector<Importer>& importers() const { return importers_; }

  /// The first importer that recognizes the bytes; else the first of all, as a format may have no
  /// magic number and damaged files look like anything: its error says what the bytes are instead.
  /// Null when the registry is empty.
  const Importer* find(std::string_view bytes) const;

  /// Imports with the importer found, then binds the states of the options. Diagnostics, and the
  /// error if there is one, carry the name of options.modelPath as their place; DiagId::Usage is
  /// not the model's fault and has none.
  Expected<Graph> importModel(std::string_view bytes, const ImportOptions& options,
                              DiagnosticEngine& diagnostics) const;

private:
  std::vector<Importer> importers_;
};

} // namespace tigris
