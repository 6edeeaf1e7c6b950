// Variables: what a model keeps from one invocation to the next, as resources with handles or as
// variable tensors.
//
// A variable that the model assigns becomes a state: an input with the value before the invocation
// and an output with the value after it, bound to each other. A variable that only an initializing
// subgraph (CALL_ONCE) assigns is a constant.
#pragma once

#include "tigris/Import/GraphBuilder.h"
#include "tigris/Import/Tflite/Tensors.h"

#include <map>
#include <set>

namespace tigris {

class Variables {
public:
  /// Finds the variables that subgraphs other than those of CALL_ONCE assign, and variable tensors.
  explicit Variables(const FlatModel& model);

  /// The name of the variable of a VAR_HANDLE.
  static std::string nameOf(const tflite::Operator& handle);

  /// Inside an initializing subgraph.
  bool isInitializing = false;

  /// The value that an operator reads now, after the assignments so far. States begin with zeros
  /// (the zero point); where the initial value is another, the first invocation selects it by a
  /// state of its own, which is false before and true after it. UnsupportedOp if the variable has
  /// no value yet.
  Expected<TensorId> read(GraphBuilder& builder, const std::string& name, const TensorFacts& facts);
  /// UnsupportedOp if an initial value is not known at compile time.
  Status assign(GraphBuilder& builder, const std::string& name, TensorId value);
  /// Adds an output for each state. UnsupportedOp if its type, shape or quantization differ from
  /// those of its input.
  Status addStates(GraphBuilder& builder) const;

private:
  /// The input that tells whether there was an invocation before.
  TensorId wasInvoked(GraphBuilder& builder);

  struct Variable {
    TensorId initial;
    /// The state's input; invalid if the model does not read the variable before it assigns it.
    TensorId input;
    TensorId current;
  };

  TensorId wasInvoked_;
  std::set<std::string> assigned_;
  /// Variable tensors, which begin with zeros.
  std::set<std::string> tensors_;
  std::map<std::string, Variable> variables_;
};

} // namespace tigris
