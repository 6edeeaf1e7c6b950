// One ONNX node during translation: its attributes, its operands, and the ops that it becomes.
#pragma once

#include "tigris/Import/GraphBuilder.h"
#include "tigris/Import/Onnx/SourceGraph.h"
#include "tigris/Import/Onnx/TensorReader.h"

#include <initializer_list>

namespace tigris {

class NodeContext {
public:
  /// The interface of translation rules. `inputs` are tensors of the graph under construction; ids
  /// of omitted inputs are invalid.
  NodeContext(GraphBuilder& builder, SourceGraph& source, TensorReader& reader, NodeId id,
              std::vector<TensorId> inputs);

  const std::string& opType() const { return proto_.op_type(); }
  const std::string& domain() const { return proto_.domain(); }
  const std::string& name() const { return node_.name; }
  /// Version of the node's own domain; of the default domain if the node's is not imported.
  int opset() const { return opset_; }

  // --- operands
  size_t inputCount() const { return inputs_.size(); }
  TensorId input(size_t index) const {
    return index < inputs_.size() ? inputs_[index] : TensorId();
  }
  const std::vector<TensorId>& inputs() const { return inputs_; }
  /// Fails if one of the first `count` operands is missing.
  Status requireInputs(size_t count) const;
  const Tensor& tensor(TensorId id) const { return builder_.tensor(id); }
  /// Null if the operand is absent or its value is not known at compile time.
  BlobRef valueOf(TensorId id) const { return id ? builder_.values().find(id) : nullptr; }

  // --- results
  size_t outputCount() const { return static_cast<size_t>(proto_.output_size()); }
  /// The name of a result in the model; empty if it is omitted.
  std::string outputName(size_t index) const {
    return index < outputCount() ? proto_.output(static_cast<int>(index)) : "";
  }
  /// False for results that are omitted or never read.
  bool outputUsed(size_t index) const;

  // --- attributes: references to function attributes are resolved in the call
  bool hasAttr(std::string_view name) const { return findAttr(name) != nullptr; }
  const onnx::AttributeProto* findAttr(std::string_view name) const;
  Expected<int64_t> intAttr(std::string_view name, int64_t fallback) const;
  Expected<double> floatAttr(std::string_view name, double fallback) const;
  Expected<std::string> stringAttr(std::string_view name, const std::string& fallback) const;
  /// The tensor in an attribute, as a constant.
  Expected<ConstantData> tensorAttr(std::string_view name) const;
  /// The attributes that `kind` has, converted and checked against its schema, without those in
  /// `except`. An attribute in neither is an error, because it might change the result.
  Expected<AttrMap> attrsFor(OpKind kind,
                             std::initializer_list<std::string_view> except = {}) const;
  /// Every attribute that the IR can represent, for an unknown op; the names of the others are
  /// added to `dropped`.
  AttrMap allAttrs(std::vector<std::string>& dropped) const;

  // --- creating ops
  /// Adds the op that represents the node: it has the node's name and writes the node's results.
  Status finish(OpKind kind, std::vector<TensorId> inputs, AttrMap attrs = {});
  /// Like finish(), with all inputs and all attributes of the node except those named.
  Status finishPlain(OpKind kind, std::initializer_list<std::string_view> except = {});
  /// Adds an intermediate op with one result; `suffix` is appended to the node's name.
  Expected<TensorId> step(std::string_view suffix, OpKind kind, std::vector<TensorId> inputs,
                          AttrMap attrs = {});
  /// The same with `count` results.
  Expected<std::vector<TensorId>> steps(std::string_view suffix, OpKind kind,
                                        std::vector<TensorId> inputs, AttrMap attrs, size_t count);
  /// Adds an op that writes one result of the node; the result must be used and have no op yet.
  Status finishOutput(size_t index, OpKind kind, std::vector<TensorId> inputs, AttrMap attrs = {});
  /// Fails if a table for the node would have more than MaxMadeBytes.
  Status limitTable(const Shape& shape, DType type) const;
  /// A new constant with a name derived from the node's.
  TensorId constant(std::string_view suffix, DType type, Shape shape, BlobRef data);
  TensorId scalar(std::string_view suffix, float value);
  /// A scalar of any type; integers are truncated toward zero.
  TensorId scalarOf(std::string_view suffix, DType type, double value);
  /// Adds an operator of unknown kind, with the results that the model declares.
  Status finishUnknown();

  // --- errors
  template <typename... Args> Error refuse(DiagId id, const Args&... text) const {
    return makeError(id, "node '", name(), "' (", opType(), "): ", text...);
  }
  template <typename... Args> Error unsupported(const Args&... text) const {
    return refuse(DiagId::UnsupportedOp, text...);
  }

  GraphBuilder& builder() { return builder_; }
  const GraphBuilder& builder() const { return builder_; }

private:
  Expected<AttrValue> convert(const onnx::AttributeProto& attribute) const;
  Op makeOp(OpKind kind, std::string opName, std::vector<TensorId> inputs, AttrMap attrs) const;
  std::vector<TensorId> makeResults(const OpInfo& info, size_t count);

  GraphBuilder& builder_;
  SourceGraph& source_;
  TensorReader& reader_;
  NodeId id_;
  const SourceNode& node_;
  const onnx::NodeProto& proto_;
  std::vector<TensorId> inputs_;
  int opset_ = 0;
};

/// Type of an attribute; if the file omits it, the type of the field that is set.
onnx::AttributeProto::AttributeType attrType(const onnx::AttributeProto& attribute);

} // namespace tigris
