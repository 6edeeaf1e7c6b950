// Merges stages between which nothing moves.
#pragma once

#include "tigris/IR/Plan.h"

namespace tigris {

/// Makes one stage of consecutive whole and direct stages if the first copies nothing to slow memory
/// and the second nothing from it. Their ops access the same bytes in the same order, also those in
/// slow memory. Order, addresses, traffic and kernel calls stay the same. Searches draft such stages
/// because each has an arena layout of its own around the residents, and because direct stages
/// consist of one op.
void mergeStages(Plan& plan);

} // namespace tigris
