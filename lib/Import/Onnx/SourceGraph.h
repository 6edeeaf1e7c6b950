// The names of an ONNX file resolved: values and nodes of the graph, of inlined branches and functions.
//
// ONNX names live in scopes: a branch of `If` also sees the names around it, a function only its own.
// Bodies are added when the importer gets to them, so that an `If` whose condition turns out to be
// static costs nothing for the other branch.
#pragma once

#include "tigris/IR/Ids.h"
#include "tigris/Support/Expected.h"

#include <onnx/onnx_pb.h>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tigris {

using ValueId = Id<struct ValueTag>;
using NodeId = Id<struct NodeTag>;

/// Where names of a body are looked up. Keys point into the model.
struct Scope {
  /// The scope around an `If`; null for the model's graph and for functions.
  const Scope* parent = nullptr;
  /// Arguments of a function call, for attributes that are given by reference.
  std::map<std::string, const onnx::AttributeProto*, std::less<>> arguments;
  const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>* opsets = nullptr;
  /// Put before the names of a function's nodes and values: "call/".
  std::string prefix;
  /// Nameless nodes so far, by operator; a branch goes on counting where it stands.
  std::shared_ptr<std::map<std::string, unsigned>> nameless =
      std::make_shared<std::map<std::string, unsigned>>();
  unsigned depth = 0;
  /// Looked up only, never iterated.
  std::unordered_map<std::string_view, ValueId> values;
  /// Names of the body that are the caller's outputs: nodes of the body write those values themselves.
  std::unordered_map<std::string_view, ValueId> results;
  /// Names that some node or output of this body, or of a branch inside, reads.
  std::unordered_set<std::string_view> used;
};

struct SourceValue {
  /// Unique in the model: what the tensor will be called.
  std::string name;
  const onnx::TensorProto* initializer = nullptr;
  NodeId producer;
  /// The value this one is another name for, when a body passes it through.
  ValueId alias;
  /// What the model says about its type; null when it says nothing.
  const onnx::TypeProto* declared = nullptr;
  /// The tensor, once imported.
  TensorId tensor;
  /// No tensor will come: the producer was refused, or what it needs was.
  bool refused = false;
};

enum class VisitState : uint8_t { New, Open, Done };

struct SourceNode {
  const onnx::NodeProto* proto = nullptr;
  const Scope* scope = nullptr;
  /// Unique in the model.
  std::string name;
  VisitState state = VisitState::New;
};

class SourceGraph {
public:
  explicit SourceGraph(const onnx::ModelProto& model);

  /// Adds the model's own graph: inputs that no initializer fills come first.
  Status addMain();
  /// Adds a branch of an `If` node, which writes the node's outputs from then on.
  Status addBranch(NodeId call, const onnx::GraphProto& branch);
  /// Adds the body of a function that `call` calls, likewise.
  Status addFunction(NodeId call, const onnx::FunctionProto& function);
  /// Null when the node calls no function of the model.
  const onnx::FunctionProto* calledFunction(const SourceNode& node) const;

  const Scope& mainScope() const { return scopes_.front(); }
  SourceNode& node(NodeId id) { return nodes_[id.index()]; }
  SourceValue& value(ValueId id) { return values_[id.index()]; }
  /// Follows other names to the value itself.
  ValueId resolve(ValueId id) const;
  /// The value a name of a body stands for; BadModel names the reader if there is none.
  Expected<ValueId> find(const Scope& scope, std::string_view name,
                         const std::string& reader) const;
  /// The values a node reads; invalid ids for omitted inputs.
  Expected<std::vector<ValueId>> inputs(NodeId id) const;
  /// The values a node writes; invalid ids for omitted outputs.
  std::vector<ValueId> outputs(NodeId id) const;
  /// True when something in the node's body reads the value of this name.
  static bool isUsed(const Scope& scope, std::string_view name) {
    return scope.used.count(name) != 0;
  }

  /// Sizes of named dimensions ("batch"), as the model inputs bind them.
  void bindDimension(const std::string& symbol, int64_t size) { dimensions_[symbol] = size; }
  std::optional<int64_t> boundDimension(const std::string& symbol) const;

  /// A name no value has, `base` if possible; it is taken from then on.
  std::string freshValueName(const std::string& base);
  /// A name no node has, likewise.
  std::string freshNodeName(const std::string& base);

private:
  ValueId addValue(Scope& scope, std::string_view name);
  Expected<ValueId> defineValue(Scope& scope, std::string_view name, const std::string& what);
  Status addInitializers(Scope& scope, const onnx::GraphProto& graph);
  Status addNodes(Scope& scope, const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes);
  void addDeclarations(Scope& scope,
                       const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>& infos);
  Status addBody(Scope& scope, NodeId call, const std::vector<std::string_view>& names,
                 const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes,
                 const std::string& reader);
  Expected<Scope*> openScope(const SourceNode& call, const Scope* parent);

  const onnx::ModelProto& model_;
  std::deque<Scope> scopes_;
  std::deque<SourceValue> values_;
  std::deque<SourceNode> nodes_;
  std::set<std::string, std::less<>> valueNames_;
  std::set<std::string, std::less<>> nodeNames_;
  std::map<std::string, const onnx::FunctionProto*> functions_;
  std::map<std::string, int64_t> dimensions_;
};

} // namespace tigris
