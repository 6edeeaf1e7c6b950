// writeModule(): fixed key order, one line per tensor and op; values equal to their default are
// omitted.
#include "tigris/Serialize/BlobSources.h"
#include "tigris/Serialize/FlowText.h"
#include "tigris/Serialize/Module.h"
#include "tigris/Serialize/PlanText.h"
#include "tigris/Serialize/Schema.h"
#include "tigris/Serialize/WeightsWriter.h"

#include <algorithm>

namespace tigris {

namespace {

void appendStrings(std::string& out, const std::vector<std::string>& values) {
  appendList(out, values, [&](const std::string& value) { appendString(out, value); });
}

class GraphWriter {
public:
  GraphWriter(std::string& out, const Graph& graph, WeightsWriter& weights)
      : out_(out), graph_(graph), weights_(weights) {}

  void print() {
    out_ += "---\ntigris: graph/";
    appendNumber(out_, int64_t{GraphVersion});
    out_ += "\nform: ";
    out_ += graphFormName(graph_.form());
    if (graph_.layout() == Layout::ChannelsLast)
      out_ += "\nlayout: channels-last";
    if (graph_.rounding() != IntegerRounding::Once) {
      out_ += "\nrounding: ";
      out_ += integerRoundingName(graph_.rounding());
    }
    out_ += '\n';
    if (!graph_.modelName().empty() || graph_.opset() != 0) {
      out_ += "model: ";
      FlowMap model(out_);
      if (!graph_.modelName().empty())
        model.string("name", graph_.modelName());
      if (graph_.opset() != 0)
        model.number("opset", int64_t{graph_.opset()});
      model.close();
      out_ += '\n';
    }
    if (!graph_.history().empty()) {
      out_ += "history:\n";
      for (const std::string& entry : graph_.history()) {
        out_ += "  - ";
        appendString(out_, entry);
        out_ += '\n';
      }
    }
    section("inputs", graph_.inputs(), [&](const Port& port) { printPort(port); });
    section("outputs", graph_.outputs(), [&](const Port& port) { printPort(port); });
    section("tensors", graph_.tensors(), [&](TensorId id) { printTensor(id); });
    section("ops", graph_.order(), [&](OpId id) { printOp(graph_.op(id)); });
    if (graph_.plan())
      printPlan(out_, graph_, *graph_.plan());
  }

private:
  template <typename Range, typename Put>
  void section(std::string_view key, const Range& items, const Put& put) {
    out_ += key;
    out_ += items.empty() ? ": []\n" : ":\n";
    for (const auto& item : items) {
      out_ += "  - ";
      put(item);
      out_ += '\n';
    }
  }

  void printPort(const Port& port) {
    const Tensor& tensor = graph_.tensor(port.tensor);
    FlowMap map(out_);
    map.string("name", port.name);
    if (port.name != tensor.name)
      map.string("tensor", tensor.name);
    if (port.type != tensor.type)
      map.string("type", dtypeName(port.type));
    if (port.shape != tensor.shape)
      appendNumbers(map.key("shape"), port.shape.dims());
    if (!port.perm.empty())
      appendNumbers(map.key("perm"), port.perm);
    if (!port.state.empty())
      map.string("state", port.state);
    map.close();
  }

  void printTensor(TensorId id) {
    const Tensor& tensor = graph_.tensor(id);
    FlowMap map(out_);
    map.string("name", tensor.name);
    if (tensor.type != DType::Undefined)
      map.string("type", dtypeName(tensor.type));
    if (tensor.hasShape)
      appendNumbers(map.key("shape"), tensor.shape.dims());
    if (tensor.quant)
      printQuant(map.key("quant"), tensor);
    if (tensor.isConstant()) {
      map.key("const") += "true";
      weights_.addConstant(id);
    }
    map.close();
  }

  void printQuant(std::string& out, const Tensor& tensor) {
    const QuantParam& quant = *tensor.quant;
    FlowMap map(out);
    const bool perTensor = !quant.perChannel() && quant.scale.size() == 1;
    if (quant.perChannel())
      map.number("axis", int64_t{quant.axis});
    if (perTensor)
      map.key("scale") += formatFloat(quant.scale[0]);
    else if (quant.scale.size() > FewScales)
      map.string("scale", weights_.addArray(tensor.name + ".scale", quant.scale));
    else
      appendList(map.key("scale"), quant.scale, [&](float scale) { out += formatFloat(scale); });

    const bool zero = std::all_of(quant.zeroPoint.begin(), quant.zeroPoint.end(),
                                  [](int32_t value) { return value == 0; });
    if (zero && quant.zeroPoint.size() == quant.scale.size()) {
      map.close();
      return;
    }
    if (perTensor && quant.zeroPoint.size() == 1)
      map.number("zero_point", int64_t{quant.zeroPoint[0]});
    else if (quant.zeroPoint.size() > FewScales)
      map.string("zero_point", weights_.addArray(tensor.name + ".zero_point", quant.zeroPoint));
    else
      appendList(map.key("zero_point"), quant.zeroPoint,
                 [&](int32_t value) { appendNumber(out, int64_t{value}); });
    map.close();
  }

  void printOperands(FlowMap& map, std::string_view key, const std::vector<TensorId>& operands) {
    if (operands.empty())
      return;
    appendList(map.key(key), operands, [&](TensorId id) {
      if (id)
        appendString(out_, graph_.tensor(id).name);
      else
        out_ += '~';
    });
  }

  void printOp(const Op& op) {
    FlowMap map(out_);
    map.string("op", op.kindName());
    map.string("name", op.name);
    printOperands(map, "in", op.inputs);
    printOperands(map, "out", op.outputs);
    if (!op.attrs.empty()) {
      FlowMap attrs(map.key("attrs"));
      for (const auto& [name, value] : op.attrs) {
        attrs.anyKey(name);
        std::visit([&](const auto& typed) { printValue(typed); }, value);
      }
      attrs.close();
    }
    if (op.act != Activation::None)
      map.string("act", activationName(op.act));
    if (!op.origin.empty())
      appendStrings(map.key("origin"), op.origin);
    map.close();
  }

  void printValue(int64_t value) { appendNumber(out_, value); }
  void printValue(double value) { out_ += formatDouble(value); }
  void printValue(const std::string& value) { appendString(out_, value); }
  void printValue(const std::vector<int64_t>& values) { appendNumbers(out_, values); }
  void printValue(const std::vector<double>& values) {
    appendList(out_, values, [&](double value) { out_ += formatDouble(value); });
  }
  void printValue(const std::vector<std::string>& values) { appendStrings(out_, values); }

  std::string& out_;
  const Graph& graph_;
  WeightsWriter& weights_;
};

} // namespace

Expected<TextPieces> writeModulePieces(const Graph& graph, const WriteOptions& options) {
  TextPieces out;
  WeightsWriter weights(graph, options);
  try {
    GraphWriter(out.tail(), graph, weights).print();
    if (Status status = weights.print(out); !status)
      return status.takeError();
  } catch (const DataError& damage) {
    return makeError(DiagId::BadWeights, damage.what());
  }
  return out;
}

Expected<std::string> writeModule(const Graph& graph, const WriteOptions& options) {
  Expected<TextPieces> pieces = writeModulePieces(graph, options);
  if (!pieces)
    return pieces.takeError();
  return pieces->str();
}

Status checkWeights(const Graph& graph) {
  try {
    for (const TensorId id : graph.tensors())
      if (const BlobRef& data = graph.tensor(id).data)
        checkData(*data);
  } catch (const DataError& damage) {
    return makeError(DiagId::BadWeights, damage.what());
  }
  return {};
}

} // namespace tigris
