// Reads a module from standard input and prints it again, to test print(parse(x)) == x on real
// models.
#include "tigris/Serialize/Module.h"
#include "tigris/Support/FileIO.h"

#include <iostream>

int main() {
  tigris::Expected<std::string> text = tigris::readFile("-");
  if (!text) {
    std::cerr << tigris::formatDiagnostic(text.error().diagnostic(), "roundtrip");
    return 1;
  }
  const auto graph = tigris::readModule(std::make_shared<const std::string>(std::move(*text)), "-");
  if (!graph) {
    std::cerr << tigris::formatDiagnostic(graph.error().diagnostic(), "roundtrip");
    return 1;
  }
  const auto printed = tigris::writeModule(*graph);
  if (!printed || !tigris::writeFile("-", *printed))
    return 1;
  return 0;
}
