// Name resolution for an ONNX file: values and nodes of the graph, of inlined branches and of
// functions.
//
// ONNX names are scoped: a branch of `If` also sees the enclosing names, a function only its own.
// Bodies are added when the importer reaches them, so that an `If` with a static condition costs
// nothing for the other branch. The body of a loop is added once per iteration.
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

/// The scope in which names of a body are looked up. Keys point into the model.
struct Scope {
  /// The scope around an `If` or a loop; null for the model's graph and for functions.
  const Scope* parent = nullptr;
  /// Arguments of a function call, for attributes that are references.
  std::map<std::string, const onnx::AttributeProto*, std::less<>> arguments;
  const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>* opsets = nullptr;
  /// Prefix for the names of a function's nodes and values: "call/".
  std::string prefix;
  /// Number of unnamed nodes so far by operator; a branch continues the count of its scope.
  std::shared_ptr<std::map<std::string, unsigned>> nameless =
      std::make_shared<std::map<std::string, unsigned>>();
  unsigned depth = 0;
  /// Used for lookup only, never iterated.
  std::unordered_map<std::string_view, ValueId> values;
  /// Names of the body that are outputs of the call: nodes of the body write those values directly.
  std::unordered_map<std::string_view, ValueId> results;
  /// Names that a node or output of this body, or of a nested branch, reads.
  std::unordered_set<std::string_view> used;
};

struct SourceValue {
  /// Unique in the model: the name of the tensor.
  std::string name;
  const onnx::TensorProto* initializer = nullptr;
  NodeId producer;
  /// The value for which this is another name, if a body passes a value through.
  ValueId alias;
  /// The type that the model declares; null if none.
  const onnx::TypeProto* declared = nullptr;
  /// The tensor, set when the value is imported.
  TensorId tensor;
  /// No tensor will be created: the producer, or something it needs, was rejected.
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

  /// Adds the model's own graph, starting with the inputs that have no initializer.
  Status addMain();
  /// Adds a branch of an `If` node; the branch then writes the node's outputs.
  Status addBranch(NodeId call, const onnx::GraphProto& branch);
  /// Adds the body of the function that `call` calls; the body then writes the node's outputs.
  Status addFunction(NodeId call, const onnx::FunctionProto& function);
  /// Opens the scope that all iterations of the loop `call` share, with the constants of its body.
  Expected<Scope*> openLoop(NodeId call, const onnx::GraphProto& body);
  /// The scope of an iteration and the values of the body's outputs.
  struct Iteration {
    const Scope* scope = nullptr;
    std::vector<ValueId> results;
  };
  /// Adds an iteration of a loop: a copy of the nodes of `body`, whose inputs are `arguments`.
  Expected<Iteration> addIteration(NodeId call, const Scope& loop, const onnx::GraphProto& body,
                                   int64_t iteration, const std::vector<ValueId>& arguments);
  /// Nodes that addIteration has added.
  size_t iterationNodes() const { return iterationNodes_; }
  /// A value that the importer has computed; it has no producer.
  ValueId addComputed(TensorId tensor);
  /// Makes a result of a node another name of `target`.
  void replaceResult(ValueId result, ValueId target);
  /// Null if the node does not call a function of the model.
  const onnx::FunctionProto* calledFunction(const SourceNode& node) const;

  const Scope& mainScope() const { return scopes_.front(); }
  /// Of the model's own graph first, in the order of the file.
  size_t nodeCount() const { return nodes_.size(); }
  SourceNode& node(NodeId id) { return nodes_[id.index()]; }
  SourceValue& value(ValueId id) { return values_[id.index()]; }
  /// Follows aliases to the value itself.
  ValueId resolve(ValueId id) const;
  /// The value of a name in a body; if there is none, BadModel names the reader.
  Expected<ValueId> find(const Scope& scope, std::string_view name,
                         const std::string& reader) const;
  /// The value of a name in the model's own graph, and all such names in alphabetical order.
  std::optional<ValueId> findInMain(std::string_view name) const;
  std::vector<std::string> namesInMain() const;
  /// The values that a node reads; ids of omitted inputs are invalid.
  Expected<std::vector<ValueId>> inputs(NodeId id) const;
  /// The values that a node writes; ids of omitted outputs are invalid.
  std::vector<ValueId> outputs(NodeId id) const;
  /// Whether something in the node's body reads the value with this name.
  static bool isUsed(const Scope& scope, std::string_view name) {
    return scope.used.count(name) != 0;
  }
  /// Makes isUsed true for a name in the model's own graph, which must outlive this object.
  void markUsed(std::string_view name) { scopes_.front().used.insert(name); }

  /// Size of a named dimension ("batch"), as bound by the model inputs.
  void bindDimension(const std::string& symbol, int64_t size) { dimensions_[symbol] = size; }
  std::optional<int64_t> boundDimension(const std::string& symbol) const;

  /// Reserves an unused value name, `base` if possible.
  std::string freshValueName(const std::string& base);
  /// Reserves an unused node name, `base` if possible.
  std::string freshNodeName(const std::string& base);

private:
  ValueId addValue(Scope& scope, std::string_view name);
  Expected<ValueId> defineValue(Scope& scope, std::string_view name, const std::string& what);
  Status addInitializers(Scope& scope, const onnx::GraphProto& graph);
  Status addNode(Scope& scope, const onnx::NodeProto& proto);
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
  size_t iterationNodes_ = 0;
};

} // namespace tigris
