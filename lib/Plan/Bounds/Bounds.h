// The lower bounds that are reported with a plan.
#pragma once

#include "tigris/Plan/Stage/StageNeed.h"

namespace tigris {

/// Sets plan.bounds and plan.provenOptimal of a plan with all its stages and stats, without
/// certificates. `need`: the op that needs most memory when it is cut as finely as possible.
void addBounds(const Graph& graph, const StageNeed& need, Plan& plan);

/// Minimum cuts that a certificate may compute: for every plan; for the smallest feasible fast
/// memory and if certificates are asked for.
inline constexpr size_t CertificateFlows = 100;
inline constexpr size_t ThoroughCertificateFlows = 600;

/// Makes rowPeakBound the bound of the fast peak if the plan is of its class.
void addCertificate(const Graph& graph, size_t flows, Plan& plan);

} // namespace tigris
