// Parses the value of --weights.
#include "tigris/Driver/WeightsOption.h"

namespace tigris {

void addWeightsOption(OptionTable& table, WriteOptions& options) {
  table.add("weights", "inline|file:PATH|splat",
            "weights in the stream (default), in a side file, or a pattern instead of them",
            [&options](const std::string& value, const std::string& spelling) -> Status {
              if (value == "inline") {
                options.weights = WeightsMode::Inline;
              } else if (value == "splat") {
                options.weights = WeightsMode::Splat;
              } else if (value.starts_with("file:") && value.size() > 5) {
                options.weights = WeightsMode::File;
                options.weightsFile = value.substr(5);
              } else {
                return makeError(DiagId::Usage, "option '", spelling, "': '", value,
                                 "' is not one of inline, file:PATH, splat");
              }
              return {};
            });
}

} // namespace tigris
