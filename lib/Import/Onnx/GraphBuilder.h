// Builds the imported graph op by op, with the types, shapes and small constant values known as it grows.
#pragma once

#include "tigris/IR/ShapeInference.h"
#include "tigris/Import/Onnx/TensorReader.h"

namespace tigris {

class GraphBuilder {
public:
  explicit GraphBuilder(DiagnosticEngine& diagnostics) : diagnostics_(diagnostics) {}
  GraphBuilder(const GraphBuilder&) = delete;
  GraphBuilder& operator=(const GraphBuilder&) = delete;

  Graph& graph() { return graph_; }
  const Graph& graph() const { return graph_; }
  const KnownValues& values() const { return values_; }
  const Tensor& tensor(TensorId id) const { return graph_.tensor(id); }

  /// The tensor's name must be new.
  TensorId addTensor(const std::string& name, DType type, const Shape& shape);
  TensorId addConstant(const std::string& name, ConstantData data);
  /// A tensor whose type its producer will decide.
  TensorId addResult(const std::string& name);

  /// Appends the op (its results are tensors of addResult) and infers its results; the error names the
  /// op. Unknown ops are taken as they are; their results must have types already.
  Status addOp(Op op);
  /// What neither a kernel nor a pass can execute of the graph so far: one error per op at most.
  std::vector<Error> unsupportedUses() const;

  /// Warns once that another float type became float32.
  void noteFloatType(int32_t onnxType);

private:
  DiagnosticEngine& diagnostics_;
  Graph graph_;
  KnownValues values_{graph_};
  /// Bytes of the values that were computed.
  uint64_t knownBytes_ = 0;
  bool floatTypeNoted_ = false;
};

} // namespace tigris
