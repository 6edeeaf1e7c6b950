// Whether an output equals its reference, and if not, how far apart the two are.
#pragma once

#include "tigris/Driver/Host/Npy.h"

namespace tigris {

/// An element matches if |got - want| <= atol + rtol * |want|. Two NaNs match, and so do equal
/// infinities.
struct Tolerance {
  std::optional<double> atol;
  std::optional<double> rtol;
};

struct Comparison {
  size_t mismatches = 0;
  size_t elements = 0;
  double maxAbs = 0; ///< largest |got - want|
  double maxRel = 0; ///< largest |got - want| / |want| over elements with want != 0
  size_t worst = 0;  ///< row-major index of the element that exceeds its tolerance by most
  double worstGot = 0;
  double worstWant = 0;
  double atol = 0; ///< the absolute tolerance that was used
  bool ok() const { return mismatches == 0; }
};

/// Both arrays must have the same type and shape; otherwise the error is BadValue and names `name`.
/// If neither tolerance is given, floats may differ by 1e-4 (float16: 2e-3) of the largest finite
/// magnitude in `want`, and integers must be equal.
Expected<Comparison> compareArrays(const std::string& name, const NpyArray& got,
                                   const NpyArray& want, const Tolerance& tolerance);

/// "max error 0.0012 at [0, 3] (got 0.5, expected 0.4988), ..."
std::string describe(const Comparison& comparison, const Shape& shape);

/// Element `index` of an array as a number.
double elementAt(const NpyArray& array, size_t index);

} // namespace tigris
