// The distinct steps of a streamed stage. Most steps repeat an earlier one.
#include "tigris/Plan/Stage/StreamModel.h"

namespace tigris {

bool StreamModel::Rows::isNew(const std::vector<Held>& step) {
  size_t hash = 0;
  for (const Held& rows : step)
    hash = hash * 31 + (size_t{rows.kept} << 32U | size_t{rows.all} << 16U | rows.gone);
  for (size_t i = hashes.size(); i-- > 0;)
    if (hashes[i] == hash && steps[i] == step)
      return false;
  hashes.push_back(hash);
  return true;
}

void StreamModel::Rows::add(const std::vector<Held>& step) {
  const auto isCovered = [](const std::vector<Held>& less, const std::vector<Held>& more) {
    for (size_t i = 0; i < less.size(); ++i)
      if (less[i].kept > more[i].kept || less[i].all > more[i].all ||
          less[i].all - less[i].gone > more[i].all - more[i].gone)
        return false;
    return true;
  };
  if (!isNew(step))
    return;
  steps.push_back(step);
  if (!tight.empty() && isCovered(step, steps[tight.back()]))
    return;
  while (!tight.empty() && isCovered(steps[tight.back()], step))
    tight.pop_back();
  tight.push_back(steps.size() - 1);
}

void StreamModel::Rows::keepTight() {
  std::vector<std::vector<Held>> kept;
  kept.reserve(tight.size());
  for (size_t& index : tight) {
    kept.push_back(std::move(steps[index]));
    index = kept.size() - 1;
  }
  steps = std::move(kept);
}

} // namespace tigris
