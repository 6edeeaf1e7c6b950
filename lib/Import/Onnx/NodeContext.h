// One ONNX node while it is translated: its attributes, its operands, and the ops that it becomes.
#pragma once

#include "tigris/Import/Onnx/GraphBuilder.h"
#include "tigris/Import/Onnx/SourceGraph.h"

#include <initializer_list>

namespace tigris {

class NodeContext {
public:
  /// Everything a translation rule may ask for. `inputs` are tensors of the graph under construction,
  /// invalid where the node omits them.
  NodeContext(GraphBuilder& builder, SourceGraph& source, TensorReader& reader, NodeId id,
              std::vector<TensorId> inputs);

  const std::string& opType() const { return proto_.op_type(); }
  const std::string& domain() const { return proto_.domain(); }
  const std::string& name() const { return node_.name; }
  /// Version of the node's own domain; of the default domain when the node's is not imported.
  int opset() const { return opset_; }

  // --- operands
  size_t inputCount() const { return inputs_.size(); }
  TensorId input(size_t index) const {
    return index < inputs_.size() ? inputs_[index] : TensorId();
  }
  const std::vector<TensorId>& inputs() const { return inputs_; }
  /// Refuses the node when one of the first `count` operands is missing.
  Status requireInputs(size_t count) const;
  const Tensor& tensor(TensorId id) const { return builder_.tensor(id); }
  /// Null when the operand is absent or its value not known at compile time.
  BlobRef valueOf(TensorId id) const { return id ? builder_.values().find(id) : nullptr; }

  // --- results
  size_t outputCount() const { return static_cast<size_t>(proto_.output_size()); }
  /// False for results the node omits and for those nothing reads.
  bool outputUsed(size_t index) const;

  // --- attributes: values given by reference are looked up in the function's call
  bool hasAttr(std::string_view name) const { return findAttr(name) != nullptr; }
  const onnx::AttributeProto* findAttr(std::string_view name) const;
  Expected<int64_t> intAttr(std::string_view name, int64_t fallback) const;
  Expected<double> floatAttr(std::string_view name, double fallback) const;
  Expected<std::string> stringAttr(std::string_view name, const std::string& fallback) const;
  /// The tensor in an attribute, as a constant.
  Expected<ConstantData> tensorAttr(std::string_view name) const;
  /// The attributes `kind` knows, converted and checked against its schema, without those in `except`.
  /// An attribute that neither knows is an error: it might change the result.
  Expected<AttrMap> attrsFor(OpKind kind,
                             std::initializer_list<std::string_view> except = {}) const;
  /// Every attribute the IR can hold, for an unknown op; the names of the others go to `dropped`.
  AttrMap allAttrs(std::vector<std::string>& dropped) const;

  // --- making ops
  /// The op that stands for the node: it has the node's name and writes the node's results.
  Status finish(OpKind kind, std::vector<TensorId> inputs, AttrMap attrs = {});
  /// As finish(), with every input of the node and every attribute except those named.
  Status finishPlain(OpKind kind, std::initializer_list<std::string_view> except = {});
  /// An op on the way there, with one result; `suffix` is added to the node's name.
  Expected<TensorId> step(std::string_view suffix, OpKind kind, std::vector<TensorId> inputs,
                          AttrMap attrs = {});
  /// The same with `count` results.
  Expected<std::vector<TensorId>> steps(std::string_view suffix, OpKind kind,
                                        std::vector<TensorId> inputs, AttrMap attrs, size_t count);
  /// An op that writes one result of the node, which must be used and have no op yet.
  Status finishOutput(size_t index, OpKind kind, std::vector<TensorId> inputs, AttrMap attrs = {});
  /// Refuses the node when a table that it needs would have more than MaxMadeBytes.
  Status limitTable(const Shape& shape, DType type) const;
  /// A new constant, named after the node too.
  TensorId constant(std::string_view suffix, DType type, Shape shape, BlobRef data);
  TensorId scalar(std::string_view suffix, float value);
  /// A scalar of any type; integers are cut toward zero.
  TensorId scalarOf(std::string_view suffix, DType type, double value);
  /// An operator the list does not know, with its results as the model declares them.
  Status finishUnknown();

  // --- refusing
  template <typename... Args> Error refuse(DiagId id, const Args&... text) const {
    return makeError(id, "node '", name(), "' (", opType(), "): ", text...);
  }
  template <typename... Args> Error unsupported(const Args&... text) const {
    return refuse(DiagId::UnsupportedOp, text...);
  }

  GraphBuilder& builder() { return builder_; }

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

/// Type of an attribute; files that leave it out are read by the field that is filled.
onnx::AttributeProto::AttributeType attrType(const onnx::AttributeProto& attribute);

} // namespace tigris
