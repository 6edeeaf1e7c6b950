// Variables: handles name them, reads and assignments follow in the order of the operators.
#include "tigris/Import/Tflite/OpTables.h"

namespace tigris {

namespace {

using tflite::BuiltinOperator;

Status varHandle(OpContext& op) {
  if (op.require(0))
    op.scope().setHandle(op.outputIndex(0), Variables::nameOf(op.flat()));
  return op.status();
}

/// The variable of the first operand; empty after an error.
std::string variableOf(OpContext& op) {
  const std::string* name = op.scope().handle(op.inputIndex(0));
  if (name == nullptr)
    op.unsupported("its variable is not named by a VAR_HANDLE of the same subgraph");
  return name == nullptr ? std::string() : *name;
}

Status readVariable(OpContext& op) {
  if (!op.require(1))
    return op.status();
  const std::string name = variableOf(op);
  if (op.failed())
    return op.status();
  const Expected<TensorId> value =
      op.translator().variables().read(op.builder(), name, op.result());
  if (!value)
    return op.fail(value.error().id(), value.error().message());
  return op.finishAs(*value);
}

Status assignVariable(OpContext& op) {
  const std::string name = variableOf(op);
  const TensorId value = op.input(1);
  if (op.failed())
    return op.status();
  if (!value)
    return op.fail(DiagId::BadArity, "input 1 is missing");
  if (Status status = op.translator().variables().assign(op.builder(), name, value); !status)
    return op.fail(status.error().id(), status.error().message());
  return {};
}

Status callOnce(OpContext& op) {
  const auto* options = op.options<tflite::CallOnceOptions>();
  Variables& variables = op.translator().variables();
  const bool outer = variables.isInitializing;
  variables.isInitializing = true;
  const Expected<std::vector<TensorId>> results =
      op.translator().call(op, options == nullptr ? 0 : options->init_subgraph_index(), {}, "once");
  variables.isInitializing = outer;
  return results ? Status() : op.fail(results.error().id(), results.error().message());
}

constexpr OpRule StateOps[] = {
    {BuiltinOperator::VAR_HANDLE, 1, varHandle, "a variable that is assigned becomes a state"},
    {BuiltinOperator::READ_VARIABLE, 1, readVariable},
    {BuiltinOperator::ASSIGN_VARIABLE, 1, assignVariable},
    {BuiltinOperator::CALL_ONCE, 1, callOnce, "initial values that are known at import"},
};

} // namespace

std::span<const OpRule> stateOps() { return StateOps; }

} // namespace tigris
