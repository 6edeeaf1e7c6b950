// Stores both options unparsed; the compiler parses the pipeline.
#include "tigris/Driver/Tools/NormFlags.h"

namespace tigris {

void declareNormalizing(OptionTable& table, NormOptions& options) {
  table
      .text("passes", options.pipeline, "PIPELINE",
            "passes to run: 'default', 'specification', or as in "
            "'a,b{k=v},fixpoint(c,d),repeat{n=2}(e)' (default: 'default')")
      .record();
  table.texts("skip-pass", options.skip, "NAME", "skip this pass; may be repeated").record();
}

} // namespace tigris
