// The table of ops with sums, and the conditions on their shapes.
#include "tigris/Analysis/RowSums.h"

#include "tigris/Analysis/Box.h"
#include "tigris/IR/ShapeInference.h"

#include <algorithm>

namespace tigris {

namespace {

struct Summing {
  OpKind kind;
  /// Whether a sum has the type of the operand; otherwise it is an int32 or a float.
  bool isValue;
};

constexpr Summing Table[] = {
    {OpKind::GlobalAveragePool, false}, {OpKind::ReduceMean, false},
    {OpKind::ReduceSum, false},         {OpKind::ReduceMax, true},
    {OpKind::ReduceMin, true},          {OpKind::ReduceProd, false},
    {OpKind::ReduceL1, false},          {OpKind::ReduceL2, false},
    {OpKind::ReduceSumSquare, false},   {OpKind::ReduceLogSum, false},
};

bool reducesRows(const Graph& graph, const Op& op) {
  if (op.kind == OpKind::GlobalAveragePool)
    return true;
  const size_t rank = graph.tensor(op.input(0)).shape.rank();
  const std::vector<int64_t> axes = op.attrs.getInts("axes");
  return graph.tensor(op.output()).shape.rank() == rank &&
         (axes.empty() || std::any_of(axes.begin(), axes.end(), [&](int64_t axis) {
            return normalizeAxis(axis, rank) == RowAxis;
          }));
}

} // namespace

uint64_t rowSumBytes(const Graph& graph, const Op& op) {
  constexpr uint64_t SumBytes = 4;
  const auto* row = std::find_if(std::begin(Table), std::end(Table),
                                 [&](const Summing& entry) { return entry.kind == op.kind; });
  if (row == std::end(Table))
    return 0;
  const Tensor& x = graph.tensor(op.input(0));
  const Shape& y = graph.tensor(op.output()).shape;
  const bool hasKernel = x.type == DType::Int8 || x.type == DType::Float32;
  if (x.isConstant() || !hasKernel || x.shape.rank() < 3 || x.shape.rank() > Box::MaxRank ||
      y.rank() < 2 || x.shape[0] != y[0] || y[RowAxis] != 1 || !reducesRows(graph, op))
    return 0;
  return static_cast<uint64_t>(y.elements() / y[0]) * (row->isValue ? dtypeSize(x.type) : SumBytes);
}

} // namespace tigris
