// Builds the imported graph op by op and tracks types, shapes and small constant values.
#pragma once

#include "tigris/IR/ShapeInference.h"
#include "tigris/Support/Diagnostics.h"

#include <set>

namespace tigris {

/// A constant in the graph's representation.
struct ConstantData {
  DType type = DType::Undefined;
  Shape shape;
  BlobRef data;
};

class GraphBuilder {
public:
  explicit GraphBuilder(DiagnosticEngine& diagnostics) : diagnostics_(diagnostics) {}
  GraphBuilder(const GraphBuilder&) = delete;
  GraphBuilder& operator=(const GraphBuilder&) = delete;

  Graph& graph() { return graph_; }
  const Graph& graph() const { return graph_; }
  const KnownValues& values() const { return values_; }
  const Tensor& tensor(TensorId id) const { return graph_.tensor(id); }

  /// The name must be unused.
  TensorId addTensor(const std::string& name, DType type, const Shape& shape);
  TensorId addConstant(const std::string& name, ConstantData data);
  /// A tensor whose type its producer will determine.
  TensorId addResult(const std::string& name);

  /// Appends the op, whose results come from addResult, and infers its results; an error names the
  /// op. Unknown ops are appended unchanged; their results must have types already.
  Status addOp(Op op);
  /// The ops so far that neither a kernel nor a pass can execute, and why.
  std::vector<std::pair<OpId, Error>> unsupportedUses() const;
  /// Removes ops whose results nothing reads, such as those that were needed only for known values,
  /// and the tensors that are unused then.
  void eraseDeadOps();

  template <typename... Args> void warn(DiagId id, const Args&... text) {
    diagnostics_.warn(id, text...);
  }
  /// The same, but only once for all calls with this id.
  template <typename... Args> void warnOnce(DiagId id, const Args&... text) {
    if (warned_.insert(id).second)
      warn(id, text...);
  }

private:
  DiagnosticEngine& diagnostics_;
  Graph graph_;
  KnownValues values_{graph_};
  /// Total bytes of the computed values.
  uint64_t knownBytes_ = 0;
  std::set<DiagId> warned_;
};

} // namespace tigris
