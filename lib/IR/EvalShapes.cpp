// Operators whose values depend on shapes and counts only.
#include "tigris/IR/EvalRules.h"

#include <algorithm>

namespace tigris::eval {

Outcome shapeOf(const OpValues& op) {
  const Shape& x = op.shape(0);
  const auto rank = static_cast<int64_t>(x.rank());
  const int64_t given = op.attrs().getInt("start");
  const int64_t start =
      std::clamp(given < 0 ? std::max(given, -rank) + rank : given, int64_t{0}, rank);
  const auto first = x.begin() + static_cast<std::ptrdiff_t>(start);
  return one(std::vector<int64_t>(first, first + static_cast<std::ptrdiff_t>(op.result().shape[0])),
             DType::Int64);
}

Outcome sizeOf(const OpValues& op) {
  return one(std::vector<int64_t>{op.shape(0).elements()}, DType::Int64);
}

Outcome range(const OpValues& op) {
  return inArithmetic(op.type(0), [&](auto zero) -> Outcome {
    using T = decltype(zero);
    const T start = op.load<T>(0)[0];
    const T delta = op.load<T>(2)[0];
    std::vector<T> values(static_cast<size_t>(op.result().shape[0]));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = start + static_cast<T>(i) * delta;
    return one(values, op.result().type);
  });
}

Outcome constantOfShape(const OpValues& op) {
  const ResultType& result = op.result();
  const unsigned size = dtypeSize(result.type);
  std::vector<uint8_t> bytes(static_cast<size_t>(result.shape.elements()) * size);
  if (op.has(1)) {
    const BlobRef fill = op.blob(1);
    for (size_t i = 0; i < bytes.size(); i += size)
      copyBytes(bytes.data() + i, fill->bytes());
  }
  return std::vector<BlobRef>{makeBlob(std::move(bytes))};
}

} // namespace tigris::eval
