// Emits a plan. What is written has been opened by the runtime's own validator before.
#include "tigris/Driver/Tools/EmitFlags.h"

#include "tigris/Driver/Tools/KernelHeader.h"

#include "tigris.h"

#include <cstddef>

namespace tigris {

namespace {

Error limitError(const tigris_plan& plan) {
  if (plan.error_op != TIGRIS_NONE) {
    const tigris_op& op = plan.ops[plan.error_op];
    return makeError(
        DiagId::UnsupportedOp, "op ", plan.error_op, " '", tigris_plan_string(&plan, op.name),
        "' has ", uint32_t{op.inputs} + op.outputs, " operands, at most ", TIGRIS_MAX_OPERANDS,
        " are supported; build the tools and the runtime with a larger TIGRIS_MAX_OPERANDS");
  }
  return makeError(DiagId::UnsupportedOp, "the model has ", plan.port_count,
                   " inputs and outputs, at most ", TIGRIS_MAX_PORTS,
                   " can be in the caller's buffers; plan with --io=slow or --io=arena, or build "
                   "the tools and the runtime with a larger TIGRIS_MAX_PORTS");
}

/// The runtime refuses a file only when the emitter is wrong, or the model exceeds a limit that the
/// firmware can raise when it builds the runtime. `aligned` gets the file's bytes, which `plan` then refers to.
Status openWithRuntime(const std::string& file, std::vector<std::max_align_t>& aligned,
                       tigris_plan& plan) {
  aligned.resize(file.size() / sizeof(std::max_align_t) + 1);
  std::copy(file.begin(), file.end(), reinterpret_cast<char*>(aligned.data()));
  const tigris_status status = tigris_plan_open(&plan, aligned.data(), file.size());
  if (status == TIGRIS_E_LIMIT)
    return limitError(plan);
  if (status == TIGRIS_OK)
    return {};
  const std::string at =
      plan.error_op == TIGRIS_NONE ? std::string() : strCat(", op ", plan.error_op);
  TIGRIS_UNREACHABLE(strCat("the runtime refuses the file: ", tigris_status_text(status), at));
}

} // namespace

void declareEmitting(OptionTable& table, EmitFlags& flags) {
  table.flag("xip", flags.options.xip,
             "mark the plan as executed in place from memory-mapped flash");
  table.choice("compress", flags.compress, {"none", "lz4"},
               "compress weights; the runtime unpacks them stage by stage into fast memory that "
               "the plan leaves free (default: none)");
  table.flag("strip-names", flags.options.stripNames,
             "omit the names of tensors and ops, except inputs and outputs");
  table
      .text("kernels-header", flags.kernelsHeader, "FILE",
            "write a C header that selects the kernels and runtime parts this plan needs")
      .writes();
}

Expected<std::string> emitFile(const Graph& graph, const EmitFlags& flags) {
  EmitOptions options = flags.options;
  options.compress = flags.compress == "lz4" ? Compression::Lz4 : Compression::None;
  options.producer = strCat("tigris-emit ", tigrisVersion());
  Expected<std::string> file = emitPlan(graph, options);
  if (!file)
    return file;
  std::vector<std::max_align_t> aligned;
  tigris_plan plan;
  if (Status status = openWithRuntime(*file, aligned, plan); !status)
    return status.takeError();
  return file;
}

Status outputEmitted(ToolContext& context, std::string file, const EmitFlags& flags) {
  if (!flags.kernelsHeader.empty()) {
    std::vector<std::max_align_t> aligned;
    tigris_plan plan;
    if (Status status = openWithRuntime(file, aligned, plan); !status)
      return status;
    context.outputFile(flags.kernelsHeader, kernelHeader(plan));
  }
  context.output(std::move(file));
  return {};
}

} // namespace tigris
