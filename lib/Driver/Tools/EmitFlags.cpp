// Generates the selection header from the emitted file itself.
#include "tigris/Driver/Tools/EmitFlags.h"

#include "tigris/Driver/Tools/KernelHeader.h"
#include "tigris/Inspect/PlanFile.h"

namespace tigris {

void declareEmitting(OptionTable& table, EmitFlags& flags) {
  table.flag("xip", flags.options.xip,
             "mark the plan as executed in place from memory-mapped flash");
  table.choice("compress", flags.compress, {"none", "lz4"},
               "compress weights; the runtime unpacks them stage by stage into fast memory that "
               "the plan leaves free (default: none)");
  table.flag("strip", flags.options.strip,
             "omit what only tools read: the names of tensors and ops, except inputs and outputs, "
             "and the stats of the stages");
  table.flag("strip-names", flags.options.strip, "the old name of --strip");
  table
      .text("kernels-header", flags.kernelsHeader, "FILE",
            "write a C header that selects the kernels and runtime parts this plan needs")
      .writes();
}

EmitOptions emitOptions(const EmitFlags& flags) {
  EmitOptions options = flags.options;
  options.compress = flags.compress == "lz4" ? Compression::Lz4 : Compression::None;
  return options;
}

Status outputEmitted(ToolContext& context, std::string file, const EmitFlags& flags) {
  if (!flags.kernelsHeader.empty()) {
    const Expected<PlanFile> plan = PlanFile::open(file, "the plan");
    if (!plan)
      return plan.error();
    context.outputFile(flags.kernelsHeader, kernelHeader(plan->plan()));
  }
  context.output(std::move(file));
  return {};
}

} // namespace tigris
