// The tensors of one subgraph during its translation.
//
// A subgraph that is called (a branch, a loop body, a composite) is translated once per call, each
// time in a scope of its own.
#pragma once

#include "tigris/Import/Tflite/Tensors.h"

#include <map>
#include <optional>

namespace tigris {

class GraphScope {
public:
  /// `prefix` distinguishes the names of a called subgraph; empty for the main one.
  GraphScope(const FlatModel& model, size_t graphIndex, std::string prefix = {});

  const FlatGraph& graph() const { return model_.graphs()[graphIndex_]; }
  size_t graphIndex() const { return graphIndex_; }
  const std::string& prefix() const { return prefix_; }

  /// The tensor's name in the file, or `tensor_N`; with the scope's prefix.
  std::string nameOf(int32_t index) const;
  const tflite::Tensor& flat(int32_t index) const {
    return *graph().tensors[static_cast<size_t>(index)];
  }
  Expected<TensorFacts> facts(int32_t index) const { return factsOf(flat(index), nameOf(index)); }

  bool isConstant(int32_t index) const { return !model_.bytesOf(flat(index)).empty(); }

  /// The graph's tensor for one of the subgraph, added to the graph if it is a constant that has
  /// not been read before. Invalid if no operator has written it.
  Expected<TensorId> value(GraphBuilder& builder, int32_t index);
  void set(int32_t index, TensorId id) { values_[static_cast<size_t>(index)] = id; }
  bool isSet(int32_t index) const { return static_cast<bool>(values_[static_cast<size_t>(index)]); }

  /// Results of refused operators: operators that need them are skipped without a message.
  void refuse(int32_t index) { refused_[static_cast<size_t>(index)] = true; }
  bool isRefused(int32_t index) const { return refused_[static_cast<size_t>(index)]; }

  /// The variable that a VAR_HANDLE has written to a tensor; null if there is none.
  void setHandle(int32_t index, std::string variable) { handles_[index] = std::move(variable); }
  const std::string* handle(int32_t index) const {
    const auto found = handles_.find(index);
    return found == handles_.end() ? nullptr : &found->second;
  }

private:
  const FlatModel& model_;
  size_t graphIndex_;
  std::string prefix_;
  std::vector<TensorId> values_;
  std::vector<bool> refused_;
  std::map<int32_t, std::string> handles_;
};

} // namespace tigris
