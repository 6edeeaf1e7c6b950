// Builds small graphs for the IR tests: constants from lists, and ops with inferred results.
#pragma once

#include "tigris/IR/ConstantEval.h"
#include "tigris/IR/Elements.h"
#include "tigris/IR/ShapeInference.h"

#include <doctest/doctest.h>

namespace tigris::test {

using Ints = std::vector<int64_t>;
using Reals = std::vector<double>;

class GraphBuilder {
public:
  Graph graph;

  TensorId input(const Shape& shape, DType type = DType::Float32) {
    const TensorId id = tensor("x", type, shape);
    graph.addInput({graph.tensor(id).name, id, type, shape, {}});
    return id;
  }
  TensorId tensor(std::string_view name, DType type, const Shape& shape) {
    Tensor tensor;
    tensor.name = graph.uniqueName(name);
    tensor.type = type;
    tensor.shape = shape;
    return graph.addTensor(std::move(tensor));
  }
  template <typename T>
  TensorId constant(const std::vector<T>& values, DType type, const Shape& shape) {
    return graph.addConstant("c", type, shape, storeElements(values, type));
  }
  TensorId floats(const std::vector<float>& values) {
    return constant(values, DType::Float32, {static_cast<int64_t>(values.size())});
  }
  TensorId floats(const std::vector<float>& values, const Shape& shape) {
    return constant(values, DType::Float32, shape);
  }
  TensorId ints(const Ints& values) {
    return constant(values, DType::Int64, {static_cast<int64_t>(values.size())});
  }
  TensorId ints(const Ints& values, const Shape& shape) {
    return constant(values, DType::Int64, shape);
  }
  TensorId bools(const Ints& values, const Shape& shape) {
    return constant(values, DType::Bool, shape);
  }
  /// A float constant of zeros, for weights whose values are irrelevant.
  TensorId weights(const Shape& shape) {
    return floats(std::vector<float>(static_cast<size_t>(shape.elements())), shape);
  }

  /// An op whose results have not been inferred.
  OpId op(OpKind kind, std::vector<TensorId> inputs, AttrMap attrs = {}, size_t results = 1) {
    Op op;
    op.kind = kind;
    op.inputs = std::move(inputs);
    op.attrs = std::move(attrs);
    for (size_t i = 0; i < results; ++i) {
      Tensor result;
      result.name = graph.uniqueName("y");
      result.hasShape = false;
      op.outputs.push_back(graph.addTensor(std::move(result)));
    }
    return graph.addOp(std::move(op));
  }
  /// The same with types and shapes of the results set.
  TensorId inferred(OpKind kind, std::vector<TensorId> inputs, AttrMap attrs = {},
                    size_t results = 1) {
    const OpId id = op(kind, std::move(inputs), std::move(attrs), results);
    const auto types = inferResults(graph.op(id), KnownValues(graph));
    REQUIRE_MESSAGE(types, (types ? std::string() : types.error().message()));
    for (size_t i = 0; i < results; ++i) {
      Tensor& result = graph.editTensor(graph.op(id).output(i));
      result.type = (*types)[i].type;
      result.shape = (*types)[i].shape;
      result.hasShape = true;
    }
    return graph.op(id).output();
  }
  void output(TensorId id) {
    const Tensor& tensor = graph.tensor(id);
    graph.addOutput({tensor.name, id, tensor.type, tensor.shape, {}});
  }
};

/// Shape of the first result, or the message of the error.
inline std::string shapeOf(GraphBuilder& builder, OpKind kind, std::vector<TensorId> inputs,
                           AttrMap attrs = {}, size_t results = 1) {
  const OpId id = builder.op(kind, std::move(inputs), std::move(attrs), results);
  const auto types = inferResults(builder.graph.op(id), KnownValues(builder.graph));
  return types ? types->front().shape.str() : types.error().message();
}

/// Asserts that inference fails with this id and a text that contains `part`.
inline void checkRefused(GraphBuilder& builder, OpKind kind, std::vector<TensorId> inputs,
                         AttrMap attrs, DiagId id, const std::string& part) {
  const OpId op = builder.op(kind, std::move(inputs), std::move(attrs));
  const auto types = inferResults(builder.graph.op(op), KnownValues(builder.graph));
  REQUIRE(!types);
  INFO(types.error().message());
  CHECK(types.error().id() == id);
  CHECK(types.error().message().find(part) != std::string::npos);
}

/// Values of all results of one op on constants; empty if there is no evaluation rule.
inline std::vector<Reals> evaluate(GraphBuilder& builder, OpKind kind, std::vector<TensorId> inputs,
                                   AttrMap attrs = {}, size_t results = 1,
                                   Activation act = Activation::None) {
  const OpId id = builder.op(kind, std::move(inputs), std::move(attrs), results);
  builder.graph.editOp(id).act = act;
  const KnownValues values(builder.graph);
  const Op& op = builder.graph.op(id);
  const auto types = inferResults(op, values);
  REQUIRE_MESSAGE(types, (types ? std::string() : types.error().message()));
  const auto blobs = evaluateOp(op, values, *types);
  std::vector<Reals> all;
  for (size_t i = 0; blobs && i < blobs->size(); ++i) {
    const ResultType& type = (*types)[i];
    CHECK((*blobs)[i]->size() == static_cast<size_t>(type.shape.elements()) * dtypeSize(type.type));
    all.push_back(loadElements<double>(*(*blobs)[i], type.type));
  }
  return all;
}

/// The same for the first result, which must exist.
inline Reals valueOf(GraphBuilder& builder, OpKind kind, std::vector<TensorId> inputs,
                     AttrMap attrs = {}, Activation act = Activation::None) {
  const auto all = evaluate(builder, kind, std::move(inputs), std::move(attrs), 1, act);
  REQUIRE(!all.empty());
  return all.front();
}

} // namespace tigris::test
