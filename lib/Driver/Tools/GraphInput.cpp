// Reading a stream, and which files that took.
#include "tigris/Driver/Tools/GraphInput.h"

#include "tigris/Serialize/BlobSources.h"
#include "tigris/Serialize/Stream.h"

namespace tigris {

Expected<Graph> readGraphInput(ToolContext& context) {
  Expected<std::string> text = context.readInput();
  return text ? parseGraphInput(context, std::move(*text)) : Expected<Graph>(text.takeError());
}

Expected<Graph> parseGraphInput(ToolContext& context, std::string text) {
  Expected<Graph> graph = readStream(std::make_shared<const std::string>(std::move(text)),
                                     context.input(), &context.diagnostics());
  if (!graph)
    return graph;
  for (const TensorId id : graph->tensors())
    if (const BlobRef& data = graph->tensor(id).data)
      if (const auto* file = dynamic_cast<const FileSource*>(data->source()))
        context.reads(file->path(), "the module's weights");
  return graph;
}

} // namespace tigris
