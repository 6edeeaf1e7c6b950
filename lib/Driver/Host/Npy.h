// Reads and writes NumPy's .npy files, versions 1 to 3: the arrays that tigris-run reads and
// writes.
#pragma once

#include "tigris/IR/DType.h"
#include "tigris/IR/Shape.h"
#include "tigris/Support/Expected.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tigris {

/// Elements in row-major order, little-endian, exactly shape.elements() * dtypeSize(type) bytes.
struct NpyArray {
  DType type = DType::Undefined;
  Shape shape;
  std::vector<uint8_t> data;
};

/// Reads C and Fortran order. BadValue, located at `name`, for anything that is not a little-endian
/// array of float32, float64, float16, bool or a supported integer type.
Expected<NpyArray> parseNpy(std::string_view bytes, const std::string& name);

/// A version 1 file in C order, byte for byte what numpy.save writes.
std::string formatNpy(const NpyArray& array);

} // namespace tigris
