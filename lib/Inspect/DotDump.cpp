// The operator graph as Graphviz text, over the adaptor of Analysis/OpGraph.
//
//     digraph G {
//     label="digits";
//     node [shape=box];
//     in0 [shape=ellipse label="x\nint8 [1, 8, 8, 1]"];     a model input
//     subgraph cluster_0 {                                  a stage, if the graph is planned
//     label="stage 0, whole, peak 576 bytes";
//     0; 1;
//     }
//     in0->0 [label="x\n64 bytes"];                         the use of a model input
//     0 [label="Conv\nconv1\nint8 [1, 8, 8, 8]\nconstants 104 bytes"];
//     0->1 [label="t\n512 bytes"];                          the use of a tensor
//     }
#include "tigris/Analysis/OpGraph.h"
#include "tigris/Inspect/Dump.h"
#include "tigris/Inspect/PictureParts.h"
#include "tigris/Support/Printable.h"

#include <map>
#include <sstream>

namespace tigris {

namespace {

/// A quoted string of centered lines. Graphviz reads escape sequences and HTML entities in it.
std::string dotText(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += text.empty() ? "" : "\\n";
    for (const char c : printableName(line))
      if (c == '&')
        text += "&amp;";
      else if (c == '"' || c == '\\')
        text += strCat("\\", c);
      else
        text += c;
  }
  return strCat("\"", text, "\"");
}

class DotWriter {
public:
  explicit DotWriter(const Graph& graph) : graph_(graph), ops_(graph) {
    for (size_t i = 0; i < graph.inputs().size(); ++i)
      inputs_.emplace(graph.inputs()[i].tensor, strCat("in", i));
  }

  std::string text() const {
    std::ostringstream out;
    out.exceptions(std::ios::badbit);
    out << "digraph G {\n";
    writeSurroundings(out);
    for (size_t vertex = 0; vertex < num_vertices(ops_); ++vertex)
      out << vertex << " [label=" << opLabel(graph_.op(ops_.op(vertex))) << "];\n";
    for (const OpGraph::Edge& edge : ops_.edges())
      writeUse(out, strCat(edge.source), strCat(edge.target), edge.tensor);
    out << "}\n";
    return std::move(out).str();
  }

private:
  std::string typeOf(TensorId id) const {
    const Tensor& tensor = graph_.tensor(id);
    return tensor.hasShape ? typeText(tensor.type, tensor.shape.dims())
                           : strCat(dtypeName(tensor.type), " [?]");
  }

  std::string opLabel(const Op& op) const {
    std::vector<std::string> lines = {op.act == Activation::None
                                          ? std::string(op.kindName())
                                          : strCat(op.kindName(), ", ", activationName(op.act)),
                                      op.name};
    for (const TensorId output : op.outputs)
      if (output)
        lines.push_back(typeOf(output));
    uint64_t constants = 0;
    for (const TensorId input : op.inputs)
      if (input && graph_.tensor(input).isConstant())
        constants += graph_.tensor(input).bytes();
    if (constants != 0)
      lines.push_back("constants " + describeBytes(constants));
    return dotText(lines);
  }

  std::string useLabel(TensorId id) const {
    const Tensor& tensor = graph_.tensor(id);
    return tensor.hasShape ? dotText({tensor.name, describeBytes(tensor.bytes())})
                           : dotText({tensor.name});
  }

  /// Everything but operators and the edges between them.
  void writeSurroundings(std::ostream& out) const {
    out << "label=" << dotText({graph_.modelName()}) << ";\nnode [shape=box];\n";
    for (size_t i = 0; i < graph_.inputs().size(); ++i)
      writePort(out, strCat("in", i), graph_.inputs()[i]);
    for (size_t i = 0; i < graph_.outputs().size(); ++i)
      writePort(out, strCat("out", i), graph_.outputs()[i]);
    if (graph_.plan())
      writeStages(out, graph_.plan()->stages);
    for (size_t vertex = 0; vertex < num_vertices(ops_); ++vertex)
      for (const TensorId input : graph_.op(ops_.op(vertex)).inputs)
        if (const auto port = inputs_.find(input); port != inputs_.end())
          writeUse(out, port->second, strCat(vertex), input);
    for (size_t i = 0; i < graph_.outputs().size(); ++i) {
      const TensorId tensor = graph_.outputs()[i].tensor;
      if (const OpId producer = graph_.producer(tensor))
        writeUse(out, strCat(*ops_.vertex(producer)), strCat("out", i), tensor);
      else if (const auto port = inputs_.find(tensor); port != inputs_.end())
        writeUse(out, port->second, strCat("out", i), tensor);
    }
  }

  void writePort(std::ostream& out, const std::string& node, const Port& port) const {
    out << node << " [shape=ellipse label=" << dotText({port.name, typeOf(port.tensor)}) << "];\n";
  }

  void writeUse(std::ostream& out, const std::string& from, const std::string& to,
                TensorId tensor) const {
    out << from << "->" << to << " [label=" << useLabel(tensor) << "];\n";
  }

  void writeStages(std::ostream& out, const std::vector<Stage>& stages) const {
    for (size_t i = 0; i < stages.size(); ++i) {
      out << "subgraph cluster_" << i << " {\nlabel="
          << dotText({strCat("stage ", i, ", ", stageModeName(stages[i].mode()), ", peak ",
                             describeBytes(stages[i].peak))})
          << ";\n";
      for (const OpId op : stages[i].ops)
        out << *ops_.vertex(op) << "; ";
      out << "\n}\n";
    }
  }

  const Graph& graph_;
  OpGraph ops_;
  /// Nodes of the model inputs.
  std::map<TensorId, std::string> inputs_;
};

} // namespace

std::string dotOf(const Graph& graph) { return DotWriter(graph).text(); }

} // namespace tigris
