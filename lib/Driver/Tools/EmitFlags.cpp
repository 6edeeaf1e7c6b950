// Generates the selection header from the emitted file itself.
#include "tigris/Driver/Tools/EmitFlags.h"

#include "tigris/Driver/Tools/KernelHeader.h"
#include "tigris/Inspect/PlanFile.h"

namespace tigris {

void declareEmitting(OptionTable& table, EmitFlags& flags) {
  table.flag("xip", flags.options.xip,
             "mark the plan as executed in place from memory-mapped flash: no weight is copied");
  table
      .text("weights-file", flags.weightsFile, "FILE",
            "write the weights to FILE instead, for a plan that copies them with a reader")
      .writes();
  table.flag("strip", flags.options.strip,
             "omit what only tools read: the names of tensors and ops, except inputs and outputs, "
             "and the figures of the plan and its stages");
  table.flag("strip-names", flags.options.strip, "the old name of --strip");
  table
      .text("kernels-header", flags.kernelsHeader, "FILE",
            "write a C header that selects the kernels and runtime parts this plan needs")
      .writes();
}

void declareCompression(OptionTable& table, EmitFlags& flags) {
  table.choice("compress", flags.compress, {"none", "lz4"},
               "compress weights into the fast memory that the plan leaves free (default: as "
               "planned)");
}

EmitOptions emitOptions(EmitFlags& flags) {
  EmitOptions options = flags.options;
  options.compress = parseCompression(flags.compress);
  if (!flags.weightsFile.empty())
    options.weightsFile = &flags.weights;
  return options;
}

Status outputEmitted(ToolContext& context, std::string file, EmitFlags& flags) {
  if (!flags.kernelsHeader.empty()) {
    const Expected<PlanFile> plan = PlanFile::open(file, "the plan");
    if (!plan)
      return plan.error();
    context.outputFile(flags.kernelsHeader, kernelHeader(plan->plan()));
  }
  if (!flags.weightsFile.empty())
    context.outputFile(flags.weightsFile, std::move(flags.weights));
  context.output(std::move(file));
  return {};
}

} // namespace tigris
