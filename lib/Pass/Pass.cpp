// Access to option values, and the adapter that turns a function into a pass.
#include "tigris/Pass/Pass.h"

#include <algorithm>

namespace tigris {

namespace {

class FunctionPass : public Pass {
public:
  explicit FunctionPass(PassFunction function) : function_(function) {}
  PassStatus run(Graph& graph, PassContext& context) override { return function_(graph, context); }

private:
  PassFunction function_;
};

} // namespace

Pass::~Pass() = default;

bool PassOptions::flag(std::string_view name) const {
  const auto found = values_.find(name);
  return found != values_.end() && found->second != "false";
}

int64_t PassOptions::integer(std::string_view name, int64_t fallback) const {
  const auto found = values_.find(name);
  return found == values_.end() ? fallback : parseInt(found->second).value_or(fallback);
}

std::string PassOptions::text(std::string_view name, std::string_view fallback) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string(fallback) : found->second;
}

const PassOptionInfo* PassInfo::option(std::string_view optionName) const {
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const PassOptionInfo& o) { return o.name == optionName; });
  return found == options.end() ? nullptr : &*found;
}

PassInfo functionPass(std::string name, std::string summary, std::string doc, PassFunction run) {
  return {std::move(name), std::move(summary), std::move(doc), {}, [run](const PassOptions&) {
            return std::make_unique<FunctionPass>(run);
          }};
}

} // namespace tigris
