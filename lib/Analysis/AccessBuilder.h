// Builds the access rules of one op: one function per rule that Ops.def names.
#pragma once

#include "tigris/Analysis/BoxAccess.h"
#include "tigris/Analysis/ResizeTables.h"

namespace tigris {

/// The axes of the space of a recurrent layer.
enum RecurrentAxis : size_t { StepAxis, DirectionAxis, BatchAxis, UnitAxis };

/// Each rule returns false if every box of the result needs whole operands.
class AccessBuilder {
public:
  AccessBuilder(const Graph& graph, const Op& op)
      : graph_(graph), op_(op), y_(graph.tensor(op.output()).shape) {}

  /// See BoxAccess::make.
  std::optional<BoxAccess> build();

private:
  using Kind = AxisAccess::Kind;

  static bool fits(const Shape& shape) {
    return shape.rank() >= 1 && shape.rank() <= Box::MaxRank && shape.elements() > 0;
  }
  const Shape& shape(size_t input) const { return graph_.tensor(op_.input(input)).shape; }
  bool isConstant(size_t input) const { return graph_.tensor(op_.input(input)).isConstant(); }

  AxisAccess& rule(size_t input, size_t axis) { return access_.inputs_.at(input).at(axis); }
  BoxAccess::Cut& cut(size_t axis) { return access_.cuts_.at(axis); }
  void never(size_t axis) { cut(axis).kind = BoxAccess::Cut::Kind::Never; }
  void same(size_t input, size_t axis, size_t resultAxis) {
    rule(input, axis).kind = Kind::Same;
    rule(input, axis).axis = resultAxis;
  }

  bool hasSimilarResults() const;
  bool addInputs();
  bool addResult(TensorId output);
  bool addRules();
  void keepInOnePiece(size_t input);

  bool whole() { return false; }

  // AccessLines.cpp: broadcasts, products, and rules on whole axes.
  bool elements() { return broadcast(op_.inputs.size()); }
  bool scale() { return broadcast(1); }
  bool lines() { return wholeAxes(1); }
  bool norm() { return wholeAxes(y_.rank()); }
  bool argMax();
  bool reduction();
  bool product();
  bool broadcast(size_t count);
  bool wholeAxes(size_t count);
  bool reduce(const std::vector<bool>& reduced);
  void alignLeading(size_t input, size_t count, size_t resultCount);

  // AccessWindows.cpp: windows over rows and columns, and what moves elements along an axis.
  bool convolution() { return windows() && channels(); }
  bool pool();
  bool globalPool();
  bool resize();
  bool concat();
  bool slice();
  bool pad();
  bool windows();
  bool channels();
  bool isTransposed() const { return opInfo(op_.kind).opClass == OpClass::TransposedConvolution; }
  void addTable(size_t axis, const AxisTable& table);

  // AccessIndices.cpp: elements and blocks at indices.
  bool gather();
  bool gatherElements() { return byElement(true); }
  bool scatterElements() { return byElement(false); }
  bool gatherNd();
  bool scatterNd();
  bool hasIndices() const;
  bool byElement(bool gathers);
  void sameBlocks(size_t input, size_t first, size_t resultFirst);
  void keepConstantsInOnePiece();

  // AccessRecurrent.cpp: steps of sequences.
  bool recurrent();
  void extraResult(BoxAccess::Axes& axes) const;

  const Graph& graph_;
  const Op& op_;
  const Shape& y_;
  BoxAccess access_;
};

} // namespace tigris
