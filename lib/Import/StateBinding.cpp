// Finds the two ports and marks the output.
#include "tigris/Import/StateBinding.h"

#include <algorithm>

namespace tigris {

namespace {

std::string listNames(const std::vector<Port>& ports) {
  std::vector<std::string> names;
  for (const Port& port : ports)
    names.push_back("'" + port.name + "'");
  return join(names, ", ");
}

std::optional<size_t> indexOf(const std::vector<Port>& ports, std::string_view name) {
  const auto found =
      std::find_if(ports.begin(), ports.end(), [&](const Port& port) { return port.name == name; });
  if (found == ports.end())
    return std::nullopt;
  return static_cast<size_t>(found - ports.begin());
}

} // namespace

Status bindState(Graph& graph, const std::string& text) {
  const auto fail = [&](const auto&... why) {
    return makeError(DiagId::Usage, "option '--state': '", text, "' ", why...);
  };
  // Names may contain '=', so every '=' is tried as the separator.
  std::optional<size_t> input;
  std::optional<size_t> output;
  for (size_t at = text.find('='); at != std::string::npos && !(input && output);
       at = text.find('=', at + 1)) {
    input = indexOf(graph.inputs(), std::string_view(text).substr(0, at));
    output = indexOf(graph.outputs(), std::string_view(text).substr(at + 1));
  }
  if (!input || !output)
    return fail("is not INPUT=OUTPUT with one of the inputs ", listNames(graph.inputs()),
                " and one of the outputs ", listNames(graph.outputs()));
  const Port& in = graph.inputs()[*input];
  const Port& out = graph.outputs()[*output];
  if (in.type != out.type || in.shape != out.shape)
    return fail("binds ", dtypeName(in.type), " ", in.shape.str(), " to ", dtypeName(out.type), " ",
                out.shape.str(), "; both ends of a state must have the same type and shape");
  for (const Port& other : graph.outputs())
    if (other.state == in.name || (&other == &out && !other.state.empty()))
      return fail("conflicts with a state that is already bound: '", other.state, "' to '",
                  other.name, "'");
  graph.editOutput(*output).state = in.name;
  return {};
}

} // namespace tigris
