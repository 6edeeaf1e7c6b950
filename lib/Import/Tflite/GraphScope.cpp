// Adds constants to the graph on their first use.
#include "tigris/Import/Tflite/GraphScope.h"

#include "tigris/Support/StringUtils.h"

namespace tigris {

GraphScope::GraphScope(const FlatModel& model, size_t graphIndex, std::string prefix)
    : model_(model), graphIndex_(graphIndex), prefix_(std::move(prefix)),
      values_(graph().tensors.size()), refused_(graph().tensors.size()) {}

std::string GraphScope::nameOf(int32_t index) const {
  const std::string name = textOf(flat(index).name());
  return prefix_ + (name.empty() ? strCat("tensor_", index) : name);
}

Expected<TensorId> GraphScope::value(GraphBuilder& builder, int32_t index) {
  TensorId& id = values_[static_cast<size_t>(index)];
  if (id || !isConstant(index))
    return id;
  const std::string name = nameOf(index);
  Expected<TensorFacts> known = facts(index);
  if (!known)
    return known.takeError();
  Expected<ConstantData> data = constantOf(model_, flat(index), *known, name);
  if (!data)
    return data.takeError();
  id = builder.addConstant(builder.graph().uniqueName(name), std::move(*data));
  builder.graph().editTensor(id).quant = known->quant;
  return id;
}

} // namespace tigris
