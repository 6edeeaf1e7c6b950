// Selects operators and inserts QDQ pairs around them, repeatedly, until qdq-fold accepts the
// selection.
//
//   1. Select the ops worth quantizing (OpClasses.h) that are not excluded.
//   2. Choose one range per group of tensors that share parameters (ParamGroups.h).
//   3. On a copy, insert Q and DQ around the selected ops and run qdq-move and qdq-fold.
//   4. Exclude the selected ops that stayed in float; repeat from 1 until there are none.
//   5. Insert the Q and DQ of the last selection into the graph itself.
//
// Example: Conv -> Exp -> Mul -> Conv. Conv has weights and is always selected. Exp never is. Mul
// is light: its operand from Exp is float, so it stays in float, too. The result is Q -> Conv -> DQ
// -> Exp -> Mul -> Q -> Conv.
#include "tigris/Quantize/Quantizer.h"

#include "tigris/Pass/PassManager.h"
#include "tigris/Quantize/BiasCorrection.h"
#include "tigris/Quantize/OpClasses.h"
#include "tigris/Quantize/ParamGroups.h"
#include "tigris/Quantize/WeightQuant.h"
#include "tigris/Transforms/Passes.h"
#include "tigris/Transforms/QuantUtils.h"

#include <algorithm>
#include <cmath>

namespace tigris {

namespace {

using namespace quantize;

/// The ops that should run on integers, given that the `excluded` ones cannot.
class Selection {
public:
  Selection(const Graph& graph, const std::set<OpId>& excluded) : graph_(graph) {
    for (const OpId id : graph.order()) {
      const Op& op = graph.op(id);
      if (excluded.count(id) == 0 && isFloatActivation(graph, op.output()) && isWanted(op))
        ops_.insert(id);
    }
    // Ops that only move values toward integer operators move integers, too.
    const std::vector<OpId>& order = graph.order();
    for (auto at = order.rbegin(); at != order.rend(); ++at)
      if (excluded.count(*at) == 0 && isNeutral(graph.op(*at)) && feedsIntegersOnly(graph.op(*at)))
        ops_.insert(*at);
  }

  std::set<OpId> take() { return std::move(ops_); }

private:
  bool isWanted(const Op& op) const {
    if (isNeutral(op))
      return std::any_of(op.inputs.begin(), op.inputs.end(), [&](TensorId id) {
        return isFloatActivation(graph_, id) && ops_.count(graph_.producer(id)) != 0;
      });
    const Worth worth = worthOf(graph_, op);
    if (worth != Worth::Light)
      return worth == Worth::Always;
    return std::any_of(op.inputs.begin(), op.inputs.end(),
                       [&](TensorId id) { return isInteger(id); });
  }

  bool isInteger(TensorId id) const {
    if (!isFloatActivation(graph_, id))
      return false;
    const OpId producer = graph_.producer(id);
    if (!producer || ops_.count(producer) != 0)
      return true;
    const Op& op = graph_.op(producer);
    return isNeutral(op) && isInteger(op.input(0));
  }

  bool feedsIntegersOnly(const Op& op) const {
    if (op.outputs.size() != 1 || !isFloatActivation(graph_, op.output()) ||
        graph_.isGraphOutput(op.output()) || graph_.users(op.output()).empty())
      return false;
    const std::vector<OpId>& users = graph_.users(op.output());
    return std::all_of(users.begin(), users.end(),
                       [&](OpId user) { return ops_.count(user) != 0; });
  }

  const Graph& graph_;
  std::set<OpId> ops_;
};

/// Inserts the quantization of a selection into a graph.
class Writer {
public:
  Writer(Graph& graph, const std::set<OpId>& ops, const Observations& observations,
         const QuantizeOptions& options)
      : graph_(graph), ops_(ops), observations_(observations), options_(options),
        params_(graph, ops, observations, options.range) {}

  void run(bool final) {
    final_ = final;
    const std::vector<OpId> order = graph_.order();
    for (const OpId id : order)
      if (ops_.count(id) != 0)
        quantizeConstants(id);
    std::vector<TensorId> activations;
    for (const Port& port : graph_.inputs())
      activations.push_back(port.tensor);
    for (const OpId id : order)
      activations.insert(activations.end(), graph_.op(id).outputs.begin(),
                         graph_.op(id).outputs.end());
    for (const TensorId id : activations)
      if (isFloatActivation(graph_, id) && !isClampedLater(graph_, id))
        quantizeActivation(id);
    graph_.eraseUnusedTensors();
  }

private:
  void quantizeActivation(TensorId real) {
    const OpId producer = graph_.producer(real);
    const bool made = producer && ops_.count(producer) != 0;
    std::set<OpId> readers;
    for (const OpId user : graph_.users(real))
      if (made || ops_.count(user) != 0)
        readers.insert(user);
    if (readers.empty() && !(made && graph_.isGraphOutput(real)))
      return;

    const TensorId integers = addQuantizedLike(graph_, real, DType::Int8, params_.of(real));
    const std::string name = graph_.tensor(real).name;
    Op quantize;
    quantize.kind = OpKind::QuantizeLinear;
    quantize.name = graph_.uniqueName(name + "_quantize");
    quantize.inputs = {real};
    quantize.outputs = {integers};
    const OpId at = producer ? graph_.insertAfter(producer, std::move(quantize))
                             : graph_.insertBefore(graph_.order().front(), std::move(quantize));
    const TensorId again = insertDequantize(at, integers, name);
    for (const OpId reader : readers) {
      std::vector<TensorId> inputs = graph_.op(reader).inputs;
      std::replace(inputs.begin(), inputs.end(), real, again);
      graph_.setInputs(reader, std::move(inputs));
    }
    for (size_t i = 0; made && i < graph_.outputs().size(); ++i)
      if (graph_.outputs()[i].tensor == real)
        graph_.setOutputTensor(i, again);
  }

  TensorId insertDequantize(OpId after, TensorId integers, const std::string& name) {
    Tensor real;
    real.name = graph_.uniqueName(name + "_dequantized");
    real.type = DType::Float32;
    real.shape = graph_.tensor(integers).shape;
    const TensorId result = graph_.addTensor(std::move(real));
    Op dequantize;
    dequantize.kind = OpKind::DequantizeLinear;
    dequantize.name = graph_.uniqueName(name + "_dequantize");
    dequantize.inputs = {integers};
    dequantize.outputs = {result};
    graph_.insertAfter(after, std::move(dequantize));
    return result;
  }

  void quantizeConstants(OpId id) {
    const Op op = graph_.op(id);
    if (isNeutral(op))
      return;
    const std::optional<WeightOperand> weights = weightOperand(graph_, op);
    if (weights) {
      replaceByInteger(id, weights->index, integerWeights(op, *weights));
      return;
    }
    const OpInfo& info = opInfo(op.kind);
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (!op.inputs[i] || (i < info.operands.size() && info.operands[i].compileTime))
        continue;
      const Tensor& tensor = graph_.tensor(op.inputs[i]);
      if (tensor.isConstant() && tensor.type == DType::Float32)
        replaceByInteger(id, i, quantizeConstant(tensor, options_.range.symmetric));
    }
  }

  Tensor integerWeights(const Op& op, const WeightOperand& operand) {
    const Tensor& weights = graph_.tensor(op.input(operand.index));
    const int axis = options_.perChannel ? operand.axis : -1;
    const size_t channels =
        axis < 0 ? 1 : static_cast<size_t>(weights.shape[static_cast<size_t>(axis)]);
    const bool leastError = options_.range.method == RangeMethod::MeanSquaredError;
    Tensor result = quantizeWeights(weights, axis, leastError, smallestScales(op, channels));
    if (final_ && options_.biasCorrection)
      if (const auto found = observations_.find(op.input(0)); found != observations_.end())
        correctBias(graph_, op, result, found->second.channelMeans());
    return result;
  }

  /// Lower bounds of weight scales. Biases are int32 in units of scale(x) * scale(w), and weights
  /// near zero must not make them overflow.
  std::vector<double> smallestScales(const Op& op, size_t channels) const {
    constexpr double Largest = 1 << 30;
    const TensorId bias = op.input(2);
    if (!bias || !graph_.tensor(bias).isConstant() || graph_.tensor(bias).type != DType::Float32)
      return {};
    std::vector<double> scales;
    const double inputScale = params_.of(op.input(0)).scale[0];
    for (const float value : graph_.tensor(bias).data->values<float>())
      scales.push_back(std::abs(static_cast<double>(value)) / inputScale / Largest);
    if (scales.size() == channels)
      return scales;
    const double largest = *std::max_element(scales.begin(), scales.end());
    return std::vector<double>(channels, largest);
  }

  void replaceByInteger(OpId id, size_t slot, Tensor integers) {
    const std::string name = integers.name;
    const Shape shape = integers.shape;
    integers.name = graph_.uniqueName(name + "_q");
    const TensorId constant = graph_.addTensor(std::move(integers));
    Tensor real;
    real.name = graph_.uniqueName(name + "_dequantized");
    real.type = DType::Float32;
    real.shape = shape;
    const TensorId result = graph_.addTensor(std::move(real));
    Op dequantize;
    dequantize.kind = OpKind::DequantizeLinear;
    dequantize.name = graph_.uniqueName(name + "_dequantize");
    dequantize.inputs = {constant};
    dequantize.outputs = {result};
    graph_.insertBefore(id, std::move(dequantize));
    graph_.setInput(id, slot, result);
  }

  Graph& graph_;
  const std::set<OpId>& ops_;
  const Observations& observations_;
  const QuantizeOptions& options_;
  ParamGroups params_;
  bool final_ = false;
};

/// The selected ops that the folding passes left in float.
Expected<std::set<OpId>> notFolded(Graph& graph, const std::set<OpId>& ops) {
  PassRegistry registry;
  if (Status status = registerTransforms(registry); !status)
    return status.takeError();
  Expected<Pipeline> pipeline = parsePipeline("qdq-move,qdq-fold", registry);
  if (!pipeline)
    return pipeline.takeError();
  std::optional<Diagnostic> problem;
  DiagnosticEngine diagnostics([&](Diagnostic diagnostic) { problem = std::move(diagnostic); });
  if (PassManager(std::move(*pipeline)).run(graph, diagnostics) == PassStatus::Failed && problem)
    return Error(std::move(*problem));
  std::set<OpId> result;
  for (const OpId id : ops)
    if (graph.contains(id) && graph.tensor(graph.op(id).output()).type != DType::Int8)
      result.insert(id);
  return result;
}

Expected<std::set<OpId>> keptFloat(const Graph& graph, const std::vector<std::string>& names) {
  std::set<OpId> result;
  for (const std::string& name : names) {
    bool found = false;
    for (const OpId id : graph.order()) {
      const Op& op = graph.op(id);
      if (op.name == name || op.kindName() == name ||
          std::find(op.origin.begin(), op.origin.end(), name) != op.origin.end()) {
        result.insert(id);
        found = true;
      }
    }
    if (!found)
      return makeError(DiagId::Usage, "no op, ONNX node or operator kind is called '", name, "'");
  }
  return result;
}

/// Softmax ops whose probabilities are small. The int8 kernel writes multiples of 1/256; if the
/// largest probability is below one half, as among the many tokens of an attention, that wastes one
/// bit or more.
std::set<OpId> smallProbabilities(const Graph& graph, const Observations& observations) {
  constexpr float Half = 0.5F;
  std::set<OpId> result;
  for (const OpId id : graph.order()) {
    if (graph.op(id).kind != OpKind::Softmax)
      continue;
    const auto found = observations.find(graph.op(id).output());
    if (found != observations.end() && found->second.max() < Half)
      result.insert(id);
  }
  return result;
}

Status checkFloat(const Graph& graph) {
  for (const OpId id : graph.order()) {
    const Op& op = graph.op(id);
    if (op.kind == OpKind::QuantizeLinear || op.kind == OpKind::DequantizeLinear ||
        op.kind == OpKind::Requantize)
      return makeError(
          DiagId::UnsupportedOp, "op '", op.name, "' (", op.kindName(),
          "): the model is already quantized; use the float model, or omit tigris-quantize");
  }
  return {};
}

QuantizeSummary summarize(const Graph& graph, const std::set<OpId>& ops) {
  QuantizeSummary summary;
  for (const OpId id : graph.order()) {
    const Op& op = graph.op(id);
    if (isNeutral(op) || !isFloatActivation(graph, op.output()))
      continue;
    if (ops.count(id) != 0)
      ++summary.integerOps;
    else
      summary.floatOps.push_back(strCat(op.name, " (", op.kindName(), ")"));
  }
  return summary;
}

} // namespace

std::vector<ObservedTensor> observedTensors(const Graph& graph) {
  std::vector<ObservedTensor> result;
  const auto add = [&](TensorId id) {
    if (!isFloatActivation(graph, id) || !graph.tensor(id).hasShape || isClampedLater(graph, id))
      return;
    ObservedTensor observed{id, -1};
    for (const OpId user : graph.users(id))
      if (graph.op(user).input(0) == id)
        observed.channelAxis =
            std::max(observed.channelAxis, inputChannelAxis(graph, graph.op(user)));
    result.push_back(observed);
  };
  for (const Port& port : graph.inputs())
    add(port.tensor);
  for (const OpId id : graph.order())
    for (const TensorId output : graph.op(id).outputs)
      add(output);
  return result;
}

Status checkQuantizable(const Graph& graph, const QuantizeOptions& options) {
  if (Status status = checkFloat(graph); !status)
    return status;
  if (const auto kept = keptFloat(graph, options.keepFloat); !kept)
    return kept.error();
  return {};
}

Expected<QuantizeSummary> quantizeGraph(Graph& graph, const Observations& observations,
                                        const QuantizeOptions& options) {
  if (Status status = checkFloat(graph); !status)
    return status.takeError();
  for (const auto& [id, statistics] : observations)
    if (statistics.count() == 0)
      return makeError(
          DiagId::BadValue, "tensor '", graph.tensor(id).name,
          "' is NaN or infinite in every sample; check that the samples are for this model");
  Expected<std::set<OpId>> excluded = keptFloat(graph, options.keepFloat);
  if (!excluded)
    return excluded.takeError();
  excluded->merge(smallProbabilities(graph, observations));
  std::set<OpId> ops;
  for (;;) {
    ops = Selection(graph, *excluded).take();
    Graph trial = graph;
    Writer(trial, ops, observations, options).run(false);
    const Expected<std::set<OpId>> floats = notFolded(trial, ops);
    if (!floats)
      return floats.error();
    if (floats->empty())
      break;
    excluded->insert(floats->begin(), floats->end());
  }
  QuantizeSummary summary = summarize(graph, ops);
  if (summary.integerOps == 0)
    return makeError(DiagId::UnsupportedOp,
                     "no operator of the model has an integer form; plan the float model instead");
  for (const auto& [id, statistics] : observations)
    if (statistics.notFinite() > 0)
      summary.warnings.push_back(strCat("tensor '", graph.tensor(id).name, "': ",
                                        statistics.notFinite(), " values are NaN or infinite"));
  Writer(graph, ops, observations, options).run(true);
  return summary;
}

} // namespace tigris
