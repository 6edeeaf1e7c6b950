// Functions of one element: the formulas in Ops.def for operators of class Function.
#pragma once

#include "tigris/IR/Op.h"

namespace tigris {

/// The attributes of a function, with the defaults of Ops.def for omitted ones.
struct FunctionParams {
  /// The float attributes in the order of the row; missing ones are 0.
  float a = 0;
  float b = 0;
  /// Gelu with tanh instead of erf.
  bool tanhForm = false;
};

FunctionParams functionParams(const Op& op);

/// The function of `kind`, whose class must be Function, computed entirely in float or double.
template <typename T> T elementFunction(OpKind kind, T x, const FunctionParams& params);

} // namespace tigris
