// The importer alternates: next() adds an iteration, the importer imports the condition of the
// following one.
#include "tigris/Import/Onnx/LoopExpansion.h"

#include "tigris/IR/Elements.h"
#include "tigris/Import/Onnx/Chain.h"
#include "tigris/Import/Onnx/ModelParser.h"

#include <algorithm>

namespace tigris {

namespace {

/// Attributes of Scan that list one integer per value.
Expected<std::vector<int64_t>> listAttr(const NodeContext& node, const char* name, size_t count) {
  const onnx::AttributeProto* given = node.findAttr(name);
  if (given == nullptr)
    return std::vector<int64_t>(count, 0);
  if (static_cast<size_t>(given->ints_size()) != count)
    return node.refuse(DiagId::BadAttr, "attribute '", name, "' has ", given->ints_size(),
                       " numbers, expected ", count);
  return std::vector<int64_t>(given->ints().begin(), given->ints().end());
}

/// The declared shape of a body's input is [1], not [].
bool isDeclaredAsList(const onnx::ValueInfoProto& info) {
  return info.type().tensor_type().shape().dim_size() == 1;
}

} // namespace

bool isLoop(const onnx::NodeProto& node) {
  return isDefaultDomain(node.domain()) && (node.op_type() == "Loop" || node.op_type() == "Scan");
}

LoopExpansion::LoopExpansion(NodeContext node, SourceGraph& source, NodeId id)
    : node_(std::move(node)), source_(source), id_(id) {}

Expected<std::vector<ValueId>> LoopExpansion::next() {
  Expected<std::vector<ValueId>> needed = step();
  if (needed)
    needed_ = *needed;
  return needed;
}

Expected<std::vector<ValueId>> LoopExpansion::step() {
  using Values = std::vector<ValueId>;
  if (step_ == Step::Start) {
    if (Status status = open(); !status)
      return status.takeError();
    step_ = Step::Iterate;
  }
  if (step_ == Step::Iterate) {
    const Expected<bool> done = iterate();
    if (!done)
      return done.error();
    if (!*done)
      return Values{condition_};
    step_ = Step::Probe;
    if (Values values = recurrent_.probe(); !values.empty())
      return values;
  }
  if (step_ == Step::Probe) {
    step_ = Step::Collect;
    if (trace_.count() >= 2 && recurrent_.recognize()) {
      step_ = Step::Operands;
      return recurrent_.operands();
    }
    if (Values values = neededValues(); !values.empty())
      return values;
  }
  if (step_ == Step::Operands) {
    if (!recurrent_.isSequence()) {
      step_ = Step::Collect;
      return neededValues();
    }
    if (Status status = recurrent_.finish(); !status)
      return status.takeError();
  } else if (Status status = finish(); !status) {
    return status.takeError();
  }
  return Values();
}

Expected<bool> LoopExpansion::iterate() {
  while (true) {
    const Expected<bool> more = continues();
    if (!more || !*more)
      return !more ? more : Expected(true);
    if (Status status = addIteration(); !status)
      return status.takeError();
    if (condition_)
      return false;
  }
}

Status LoopExpansion::open() {
  const onnx::AttributeProto* body = node_.findAttr("body");
  if (body == nullptr || !body->has_g())
    return node_.refuse(DiagId::BadAttr, "attribute 'body' must be a graph");
  body_ = &body->g();
  Expected<Scope*> scope = source_.openLoop(id_, *body_);
  if (!scope)
    return scope.takeError();
  scope_ = *scope;
  return isScan() ? openScan() : openLoop();
}

Status LoopExpansion::openLoop() {
  const size_t given = node_.inputCount();
  const auto inputs = static_cast<size_t>(body_->input_size());
  const auto outputs = static_cast<size_t>(body_->output_size());
  if (given < 2 || inputs != given || outputs + 1 < inputs || node_.outputCount() + 1 > outputs)
    return node_.refuse(DiagId::BadArity, "has ", given, " inputs and ", node_.outputCount(),
                        " outputs, its body ", inputs, " and ", outputs);
  if (const TensorId count = node_.input(0)) {
    const BlobRef known = node_.valueOf(count);
    if (known == nullptr || node_.tensor(count).elements() != 1)
      return node_.unsupported("its trip count is computed at run time; export the model with a "
                               "fixed sequence length, or fix an input with --input-value");
    limit_ = loadElements<int64_t>(*known, node_.tensor(count).type)[0];
  }
  const Expected<std::vector<ValueId>> values = source_.inputs(id_);
  if (!values)
    return values.error();
  condition_ = (*values)[1];
  trace_.body = body_;
  trace_.initial.assign(values->begin() + 2, values->end());
  for (size_t i = 2; i < given; ++i)
    if (!node_.input(i))
      return node_.refuse(DiagId::BadArity, "input ", i, " is missing");
  trace_.axes.resize(outputs - 1 - trace_.initial.size());
  return {};
}

Expected<std::vector<LoopAxis>>
LoopExpansion::axes(const char* axesName, const char* directionsName, size_t count) const {
  Expected<std::vector<int64_t>> axes = listAttr(node_, axesName, count);
  Expected<std::vector<int64_t>> directions = listAttr(node_, directionsName, count);
  if (!axes || !directions)
    return !axes ? axes.takeError() : directions.takeError();
  std::vector<LoopAxis> result;
  for (size_t i = 0; i < count; ++i)
    result.push_back({(*axes)[i], (*directions)[i] != 0});
  return result;
}

Status LoopExpansion::openScan() {
  if (node_.opset() < 9)
    return node_.unsupported("Scan of opset 8 has another form; convert the model to opset 9");
  Expected<int64_t> scanned = node_.intAttr("num_scan_inputs", 0);
  if (!scanned)
    return scanned.takeError();
  const size_t inputs = node_.inputCount();
  const auto outputs = static_cast<size_t>(body_->output_size());
  const size_t states = inputs - static_cast<size_t>(*scanned);
  if (*scanned < 1 || states > inputs || static_cast<size_t>(body_->input_size()) != inputs ||
      outputs < states || node_.outputCount() > outputs)
    return node_.refuse(DiagId::BadArity, "has ", inputs, " inputs, ", *scanned,
                        " of them scanned, and ", node_.outputCount(), " outputs, its body ",
                        body_->input_size(), " and ", outputs);
  if (Status status = node_.requireInputs(inputs); !status)
    return status;
  Expected<std::vector<ValueId>> values = source_.inputs(id_);
  Expected<std::vector<LoopAxis>> in =
      axes("scan_input_axes", "scan_input_directions", static_cast<size_t>(*scanned));
  Expected<std::vector<LoopAxis>> out =
      axes("scan_output_axes", "scan_output_directions", outputs - states);
  if (!values || !in || !out)
    return !values ? values.takeError() : !in ? in.takeError() : out.takeError();
  trace_.body = body_;
  trace_.initial.assign(values->begin(), values->begin() + static_cast<std::ptrdiff_t>(states));
  trace_.axes = std::move(*out);
  sequenceAxes_ = std::move(*in);
  for (size_t i = 0; i < sequenceAxes_.size(); ++i) {
    sequences_.push_back(node_.input(states + i));
    const Shape& shape = node_.tensor(sequences_.back()).shape;
    const std::optional<size_t> axis = normalizeAxis(sequenceAxes_[i].axis, shape.rank());
    if (!axis || (i > 0 && shape[*axis] != limit_))
      return node_.refuse(DiagId::BadShape, "input ", states + i, " of shape ", shape.str(),
                          " has not ", limit_, " elements along axis ", sequenceAxes_[i].axis);
    limit_ = shape[*axis];
  }
  return {};
}

/// Whether there is another iteration. The condition has been imported.
Expected<bool> LoopExpansion::continues() {
  if (trace_.count() >= limit_)
    return false;
  if (!condition_)
    return true;
  const TensorId tensor = source_.value(source_.resolve(condition_)).tensor;
  const BlobRef known = node_.valueOf(tensor);
  if (known == nullptr || known->size() != 1)
    return node_.unsupported("its condition after ", trace_.count(),
                             " iterations is computed at run time; export the model with a fixed "
                             "sequence length");
  return known->bytes()[0] != 0;
}

Status LoopExpansion::addLoopArguments(std::vector<ValueId>& arguments) {
  const Shape list = isDeclaredAsList(body_->input(0)) ? Shape{1} : Shape();
  arguments.push_back(
      source_.addComputed(node_.constant(strCat("iteration_", trace_.count()), DType::Int64, list,
                                         makeBlobOf(std::vector<int64_t>{trace_.count()}))));
  if (!condition_) // a Loop without a condition is always true inside
    condition_ = source_.addComputed(
        node_.constant("condition", DType::Bool, Shape(), makeBlob(std::vector<uint8_t>{1})));
  arguments.push_back(condition_);
  return {};
}

/// Takes the elements of a Scan's sequences for this iteration.
Status LoopExpansion::addElements(std::vector<ValueId>& arguments) {
  for (size_t i = 0; i < sequences_.size(); ++i) {
    const int64_t at = sequenceAxes_[i].backward ? limit_ - 1 - trace_.count() : trace_.count();
    const std::string suffix = strCat("element_", i, "_", trace_.count());
    const TensorId index =
        node_.constant(suffix, DType::Int64, Shape(), makeBlobOf(std::vector<int64_t>{at}));
    Expected<TensorId> element = node_.step(suffix, OpKind::Gather, {sequences_[i], index},
                                            {{"axis", sequenceAxes_[i].axis}});
    if (!element)
      return element.takeError();
    arguments.push_back(source_.addComputed(*element));
  }
  return {};
}

Status LoopExpansion::addIteration() {
  const size_t nodes = static_cast<size_t>(body_->node_size()) + 1;
  if (source_.iterationNodes() + nodes > MaxUnrolledNodes) {
    const std::string trips =
        limit_ == std::numeric_limits<int64_t>::max() ? "" : strCat(" of ", limit_);
    return node_.unsupported("iteration ", trace_.count(), trips, " of its ", body_->node_size(),
                             " nodes exceeds the ", MaxUnrolledNodes,
                             " nodes to which the loops of a model are unrolled; export the layer "
                             "as LSTM or GRU, or cut the model before the loop");
  }
  std::vector<ValueId> arguments;
  if (!isScan())
    if (Status status = addLoopArguments(arguments); !status)
      return status;
  arguments.insert(arguments.end(), trace_.last().begin(), trace_.last().end());
  if (isScan())
    if (Status status = addElements(arguments); !status)
      return status;
  Expected<SourceGraph::Iteration> added =
      source_.addIteration(id_, *scope_, *body_, trace_.count(), arguments);
  if (!added)
    return added.takeError();
  auto result = added->results.begin();
  if (!isScan())
    condition_ = *result++;
  const auto collected = result + static_cast<std::ptrdiff_t>(trace_.initial.size());
  trace_.scopes.push_back(added->scope);
  trace_.states.emplace_back(result, collected);
  trace_.collected.emplace_back(collected, added->results.end());
  return {};
}

std::vector<ValueId> LoopExpansion::neededValues() const {
  const size_t states = trace_.initial.size();
  std::vector<ValueId> needed;
  for (size_t i = 0; i < node_.outputCount(); ++i) {
    if (!node_.outputUsed(i))
      continue;
    if (i < states)
      needed.push_back(trace_.last()[i]);
    else
      for (auto values = trace_.collected.rbegin(); values != trace_.collected.rend(); ++values)
        needed.push_back((*values)[i - states]);
  }
  return needed;
}

Status LoopExpansion::finish() {
  const std::vector<ValueId> results = source_.outputs(id_);
  for (size_t i = 0; i < results.size(); ++i) {
    if (!node_.outputUsed(i))
      continue;
    if (i >= trace_.initial.size()) {
      if (Status status = finishCollected(i); !status)
        return status;
    } else {
      source_.replaceResult(results[i], source_.resolve(trace_.last()[i]));
    }
  }
  return {};
}

/// Joins the values of all iterations along a new axis.
Status LoopExpansion::finishCollected(size_t output) {
  const size_t index = output - trace_.initial.size();
  const LoopAxis& how = trace_.axes[index];
  if (trace_.collected.empty())
    return node_.unsupported("it runs 0 times, so that its output ", output, " has no elements");
  Chain chain(node_);
  std::vector<TensorId> parts;
  int64_t axis = how.axis;
  for (const std::vector<ValueId>& values : trace_.collected) {
    const TensorId part = source_.value(source_.resolve(values[index])).tensor;
    Shape shape = node_.tensor(part).shape;
    const std::optional<size_t> at = normalizeAxis(how.axis, shape.rank() + 1);
    if (!at)
      return node_.refuse(DiagId::BadAttr, "axis ", how.axis, " of output ", output,
                          " is outside of rank ", shape.rank() + 1);
    axis = static_cast<int64_t>(*at);
    std::vector<int64_t> dims = shape.dims();
    dims.insert(dims.begin() + axis, 1);
    parts.push_back(chain.reshape(strCat("collected_", output), part, Shape(dims)));
  }
  if (how.backward)
    std::reverse(parts.begin(), parts.end());
  return chain.finishOutput(output, OpKind::Concat, std::move(parts), {{"axis", axis}});
}

} // namespace tigris
