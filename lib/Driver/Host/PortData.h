// Converts between the arrays of a model's user and the stored bytes of its ports: axis order and
// data type.
#pragma once

#include "tigris/Driver/Host/Npy.h"
#include "tigris/Inspect/PlanFile.h"

namespace tigris {

/// A model input or output of a plan.
struct PortView {
  std::string name; ///< its name, or its index if names have been stripped
  DType type;       ///< what the user sees; the stored type in raw mode
  Shape shape;      ///< what the user sees
  DType storedType;
  Shape storedShape;
  std::vector<int64_t> perm; ///< stored dimension i is user's dimension perm[i]; empty: same order
  float scale = 0;           ///< 0: not quantized
  int32_t zeroPoint = 0;
  bool isState = false; ///< kept from run to run
};

/// With `raw`, the user's numbers are the stored ones; the axis order is still the model's.
PortView viewPort(const PlanFile& file, const tigris_port& port, size_t index, bool raw);

/// The stored bytes of an array in the user's form. float32 to int8 is ONNX QuantizeLinear
/// (x / scale in float32, round half to even, add the zero point, saturate), uint8 to int8
/// subtracts 128; float16 is converted via float32. Fails with BadValue if type or shape differ or
/// an integer does not fit.
Expected<std::vector<uint8_t>> toStored(const PortView& port, const NpyArray& array);

/// The inverse. int8 to float32 is (q - zero point) * scale in float32; a float16 is the one
/// nearest to the float32.
NpyArray fromStored(const PortView& port, const uint8_t* stored);

/// Seeded random numbers of the port's type: floats in [-1, 1), or over the whole range that a
/// quantized tensor can express; bytes over their whole range; other integers 0 or 1, because they
/// are mostly indices. They are the same on every computer.
NpyArray randomArray(const PortView& port, uint64_t seed);

} // namespace tigris
