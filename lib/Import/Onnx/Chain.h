// Builds several ops for one node as one expression; the first failure is kept and reported at the
// end.
#pragma once

#include "tigris/Import/Onnx/NodeContext.h"

#include <limits>

namespace tigris {

inline constexpr float Infinity = std::numeric_limits<float>::infinity();

class Chain {
public:
  explicit Chain(NodeContext& node) : node_(node) {}

  /// Adds an op with one result; returns an invalid id after a failure.
  TensorId op(std::string_view suffix, OpKind kind, std::vector<TensorId> inputs,
              AttrMap attrs = {}) {
    if (failed())
      return {};
    Expected<TensorId> result = node_.step(suffix, kind, std::move(inputs), std::move(attrs));
    if (!result) {
      status_ = result.takeError();
      return {};
    }
    return *result;
  }
  TensorId reshape(std::string_view suffix, TensorId x, const Shape& shape) {
    return op(suffix, OpKind::Reshape, {x}, {{"shape", shape.dims()}});
  }
  TensorId transpose(std::string_view suffix, TensorId x, std::vector<int64_t> perm) {
    return op(suffix, OpKind::Transpose, {x}, {{"perm", std::move(perm)}});
  }
  /// Elements [begin, end) of one axis.
  TensorId slice(std::string_view suffix, TensorId x, int64_t axis, int64_t begin, int64_t end) {
    using Ints = std::vector<int64_t>;
    return op(suffix, OpKind::Slice, {x},
              {{"starts", Ints{begin}}, {"ends", Ints{end}}, {"axes", Ints{axis}}});
  }
  /// A reduction over one axis, which stays as 1.
  TensorId reduce(std::string_view suffix, OpKind kind, TensorId x, std::vector<int64_t> axes) {
    return op(suffix, kind, {x}, {{"axes", std::move(axes)}, {"keepdims", int64_t{1}}});
  }

  /// Adds the op that represents the node, or returns the failure before it.
  Status finish(OpKind kind, std::vector<TensorId> inputs, AttrMap attrs = {}) {
    if (failed())
      return status_;
    return node_.finish(kind, std::move(inputs), std::move(attrs));
  }
  /// Adds the op that writes one result of several.
  Status finishOutput(size_t index, OpKind kind, std::vector<TensorId> inputs, AttrMap attrs = {}) {
    if (failed())
      return status_;
    return node_.finishOutput(index, kind, std::move(inputs), std::move(attrs));
  }

  bool failed() const { return !status_; }
  const Status& status() const { return status_; }

private:
  NodeContext& node_;
  Status status_;
};

} // namespace tigris
