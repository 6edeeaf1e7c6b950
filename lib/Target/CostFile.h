// Measured costs of kernel calls: fitted to samples, and in a file that tools write and read.
//
//   # a comment
//   conv 3500 1.7          instructions (or another unit of time) per call and per unit of work
//   depthwise 12000 7.4    one line per WorkClass
//   executor 480 5000      per call in a stage that runs whole ops, and in one that runs parts
//   slow-byte 4            per byte of slow memory
#pragma once

#include "tigris/Support/Expected.h"
#include "tigris/Target/KernelCosts.h"

#include <span>

namespace tigris {

/// Work and cost of some calls of one op's kernel.
struct CostSample {
  WorkClass work;
  double calls = 0;
  double units = 0; // of work, see workPerElement
  double cost = 0;
};

/// The costs closest to the samples in relative error. Costs without samples, those of the executor
/// and of slow memory are scaled from `base`.
KernelCosts fitCosts(std::span<const CostSample> samples, const KernelCosts& base);

std::string printCosts(const KernelCosts& costs);

/// DiagId::BadValue for an unknown line, a duplicate or negative cost, or a missing line. `name` is
/// the file's name, for messages.
Expected<KernelCosts> parseCosts(std::string_view text, const std::string& name);

/// A line as messages quote it; "this line" if it is binary data.
std::string quotedLine(std::string_view line);

} // namespace tigris
