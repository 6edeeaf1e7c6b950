// Costs of kernel calls as measured: fitted to samples, and as a file that tools write and read.
//
//   # anything
//   conv 3500 1.7          instructions (or any unit of time) per call and per unit of work
//   depthwise 12000 7.4    one line for each WorkClass, by its name
//   executor 480 5000      per call of a stage that runs ops whole, and of one that runs them on parts
//   slow-byte 4            per byte of slow memory
#pragma once

#include "tigris/Support/Expected.h"
#include "tigris/Target/KernelCosts.h"

#include <span>

namespace tigris {

/// What some calls of one op's kernel did and took.
struct CostSample {
  WorkClass work;
  double calls = 0;
  double units = 0; // of work, see workPerElement
  double cost = 0;
};

/// The costs that come nearest to the samples, with equal relative errors. Whatever has no samples is in proportion to
/// `base`; so are the executor and slow memory.
KernelCosts fitCosts(std::span<const CostSample> samples, const KernelCosts& base);

std::string printCosts(const KernelCosts& costs);

/// DiagId::BadValue for a line that is none of the above, names a cost twice or has a negative number, and where a
/// line is missing. `name` is the file's, for messages.
Expected<KernelCosts> parseCosts(std::string_view text, const std::string& name);

/// 'The line', as a message names it; "this line" if no person can have written it.
std::string quotedLine(std::string_view line);

} // namespace tigris
