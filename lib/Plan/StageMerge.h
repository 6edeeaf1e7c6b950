// Merges stages between which nothing moves.
#pragma once

#include "tigris/IR/Plan.h"

namespace tigris {

/// Makes one stage of consecutive whole stages if nothing is spilled after the first and nothing
/// loaded before the second. Stages with tensors that overflow stay apart. Order, addresses,
/// traffic and kernel calls stay the same. Searches draft such stages because each has an arena
/// layout of its own around the residents.
void mergeWholeStages(Plan& plan);

} // namespace tigris
