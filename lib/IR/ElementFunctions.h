// Functions of one element: the formulas of Ops.def for operators of class Function.
#pragma once

#include "tigris/IR/Op.h"

namespace tigris {

/// The attributes of a function, with the defaults of Ops.def where the operator has none.
struct FunctionParams {
  /// The float attributes in the order of the row; 0 where there are fewer.
  float a = 0;
  float b = 0;
  /// Gelu by tanh instead of erf.
  bool tanhForm = false;
};

FunctionParams functionParams(const Op& op);

/// The function of `kind`, whose class must be Function, computed in float or double throughout.
template <typename T> T elementFunction(OpKind kind, T x, const FunctionParams& params);

} // namespace tigris
