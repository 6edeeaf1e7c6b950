// Reads models and modules, and names the files that were read.
#include "tigris/Check/PlanChecker.h"
#include "tigris/Compile/Compiler.h"

#include "tigris/Serialize/BlobSources.h"
#include "tigris/Serialize/Module.h"
#include "tigris/Support/FileIO.h"
#include "tigris/Support/FileKind.h"

namespace tigris {

Expected<Graph> Compiler::read(std::string input) {
  const FileKind* const kind = recognizeFile(input);
  if (kind != nullptr && kind->role == FileKind::Role::Plan)
    return makeError(
               DiagId::BadModule,
               "this is a compiled plan; use tigris dump to show it or tigris run to execute it")
        .at({displayName(options_.inputPath), 0, 0});
  return looksLikeText(input) ? readGraph(std::move(input)) : importModel(input);
}

Expected<Graph> Compiler::importModel(std::string_view bytes) {
  ImportOptions options = options_.import;
  options.modelPath = options_.inputPath;
  options.onFileRead = [this](const std::string& path) {
    if (options_.onFileRead)
      options_.onFileRead(path, "external data");
  };
  return options_.importers.importModel(bytes, options, diagnostics_);
}

Expected<Graph> Compiler::readGraph(std::string text) {
  Expected<Graph> graph = readModule(std::make_shared<const std::string>(std::move(text)),
                                     options_.inputPath, &diagnostics_);
  if (graph && graph->plan())
    if (Status status = recountPlan(*graph, diagnostics_); !status)
      return status.takeError().at({displayName(options_.inputPath), 0, 0});
  if (!graph || !options_.onFileRead)
    return graph;
  for (const TensorId id : graph->tensors())
    if (const BlobRef& data = graph->tensor(id).data)
      if (const auto* file = dynamic_cast<const FileSource*>(data->source()))
        options_.onFileRead(file->path(), "the module's weights");
  return graph;
}

} // namespace tigris
