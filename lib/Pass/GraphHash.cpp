// Hashes the fields in a fixed order, one word at a time because the graph is hashed around every
// pass. The length of every list precedes it, so that adjacent lists are unambiguous.
#include "tigris/Pass/GraphHash.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <type_traits>

namespace tigris {

namespace {

class Hasher {
public:
  void word(uint64_t value) {
    state_ = (state_ ^ value) * 0x9E3779B97F4A7C15ULL;
    // The high bits of the product depend on all bits, the low bits on few.
    state_ ^= state_ >> 32;
  }
  template <typename T>
  requires(std::is_integral_v<T> || std::is_enum_v<T>) void add(T value) {
    word(static_cast<uint64_t>(value));
  }
  void add(double value) { add(std::bit_cast<uint64_t>(value)); }
  void add(const std::string& text) {
    add(text.size());
    for (size_t at = 0; at < text.size(); at += sizeof(uint64_t)) {
      uint64_t part = 0;
      std::memcpy(&part, text.data() + at, std::min(sizeof part, text.size() - at));
      word(part);
    }
  }
  template <typename Tag> void add(Id<Tag> id) { add(id.index()); }
  template <typename T> void add(const std::vector<T>& items) { add(std::span<const T>(items)); }
  template <typename T> void add(std::span<const T> items) {
    add(items.size());
    for (const T& item : items)
      add(item);
  }
  template <typename T> void add(const std::optional<T>& value) {
    add(value.has_value());
    if (value)
      add(*value);
  }
  void add(const Shape& shape) { add(shape.dims()); }
  void add(const QuantParam& quant) {
    add(quant.scale.size());
    for (const float scale : quant.scale)
      add(std::bit_cast<uint32_t>(scale));
    add(quant.zeroPoint);
    add(quant.axis);
  }
  void add(const AttrMap& attrs) {
    for (const auto& [name, value] : attrs) {
      add(name);
      add(value.index());
      std::visit([this](const auto& v) { add(v); }, value);
    }
  }
  void add(const Tensor& tensor) {
    add(tensor.name);
    add(tensor.type);
    add(tensor.hasShape);
    add(tensor.shape);
    add(tensor.quant);
    add(tensor.data != nullptr);
    if (tensor.data)
      add(tensor.data->crc());
  }
  void add(const Op& op) {
    add(op.kind);
    add(op.name);
    add(op.inputs);
    add(op.outputs);
    add(op.attrs);
    add(op.act);
    add(op.origin);
    add(op.unknownKind);
  }
  void add(const Port& port) {
    add(port.name);
    add(port.tensor);
    add(port.type);
    add(port.shape);
    add(port.perm);
  }
  void add(const Placement& placement) {
    add(placement.tensor);
    add(placement.offset);
  }
  void add(const Stage& stage) {
    add(stage.mode());
    add(stage.ops);
    add(stage.loads);
    add(stage.spills);
    add(stage.wholeTensors());
    add(stage.peak);
  }
  void add(const Plan& plan) {
    add(plan.budget.fast);
    add(plan.budget.slow);
    add(plan.budget.flash);
    add(plan.target);
    add(plan.planner);
    add(plan.optimize);
    add(plan.io);
    add(plan.align);
    add(plan.stages);
    add(plan.slow);
    add(plan.stats.fastPeakBytes);
    add(plan.stats.slowPeakBytes);
    add(plan.stats.slowReadBytes);
    add(plan.stats.slowWriteBytes);
    add(plan.stats.macs);
    add(plan.provenOptimal);
  }
  uint64_t value() const { return state_; }

private:
  uint64_t state_ = 0xCBF29CE484222325ULL;
};

} // namespace

uint64_t structuralHash(const Graph& graph) {
  Hasher hasher;
  hasher.add(graph.form());
  hasher.add(graph.layout());
  hasher.add(graph.modelName());
  hasher.add(graph.opset());
  hasher.add(graph.inputs());
  hasher.add(graph.outputs());
  for (const TensorId id : graph.tensors()) {
    hasher.add(id);
    hasher.add(graph.tensor(id));
  }
  hasher.add(graph.order());
  for (const OpId id : graph.order())
    hasher.add(graph.op(id));
  hasher.add(graph.plan());
  return hasher.value();
}

} // namespace tigris
