// Compiles: calls the steps in order.
#include "tigris/Compile/Compiler.h"

namespace tigris {

Expected<std::optional<std::string>> Compiler::compile(std::string input) {
  if (Status status = loadPlugins(); !status)
    return status.takeError();
  Expected<Graph> graph = read(std::move(input));
  return graph ? compile(*graph) : graph.takeError();
}

Expected<std::optional<std::string>> Compiler::compile(Graph& graph) {
  if (graph.form() == GraphForm::Imported)
    if (const Expected<bool> good = normalize(graph); !good || !*good)
      return good ? Expected<std::optional<std::string>>(std::nullopt) : good.error();
  if (const Expected<bool> good = planInto(graph); !good || !*good)
    return good ? Expected<std::optional<std::string>>(std::nullopt) : good.error();
  Expected<std::string> file = emit(graph);
  if (!file)
    return file.takeError();
  return std::optional<std::string>(std::move(*file));
}

} // namespace tigris
