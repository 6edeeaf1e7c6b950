// Emits the file, and opens it with the runtime's validator before returning it.
#include "tigris/Compile/Compiler.h"

#include "tigris/Support/Version.h"

#include "tigris.h"

#include <algorithm>
#include <cstddef>

namespace tigris {

namespace {

Error limitError(const tigris_plan& plan) {
  if (plan.error_op != TIGRIS_NONE) {
    const tigris_op& op = plan.ops[plan.error_op];
    return makeError(
        DiagId::UnsupportedOp, "op ", plan.error_op, " has ", uint32_t{op.inputs} + op.outputs,
        " operands, at most ", TIGRIS_MAX_OPERANDS,
        " are supported; build the tools and the runtime with a larger TIGRIS_MAX_OPERANDS");
  }
  return makeError(DiagId::UnsupportedOp, "the model has ", plan.port_count,
                   " inputs and outputs, at most ", TIGRIS_MAX_PORTS,
                   " can be in the caller's buffers; plan with --io=slow or --io=arena, or build "
                   "the tools and the runtime with a larger TIGRIS_MAX_PORTS");
}

/// The runtime rejects a file only if the emitter is wrong, or if the model exceeds a limit that
/// firmware can raise when it builds the runtime.
Status openWithRuntime(const std::string& file) {
  std::vector<std::max_align_t> aligned(file.size() / sizeof(std::max_align_t) + 1);
  std::copy(file.begin(), file.end(), reinterpret_cast<char*>(aligned.data()));
  tigris_plan plan;
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

Expected<std::string> Compiler::emit(const Graph& graph, EmitOptions options) {
  options.producer = "tigris-emit " TIGRIS_VERSION;
  Expected<std::string> file = emitPlan(graph, options);
  if (!file)
    return file;
  if (Status status = openWithRuntime(*file); !status)
    return status.takeError();
  return file;
}

Expected<std::optional<std::string>> Compiler::checkFlash(const Graph& graph) {
  if (!graph.plan()->budget.flash)
    return std::optional<std::string>();
  EmitOptions options;
  options.producer = "tigris-emit " TIGRIS_VERSION; // its length is part of the file's size
  Expected<std::string> file = emitPlan(graph, options);
  if (file || file.error().id() != DiagId::OverBudget)
    return file ? std::optional<std::string>() : Expected<std::optional<std::string>>(file.error());
  const auto fitsWith = [&](const char* option) {
    return std::optional<std::string>(
        strCat("the plan fits its flash budget only with tigris-emit ", option, ": ",
               file.error().message()));
  };
  std::string weights;
  if (graph.plan()->weights == WeightMemory::Copy) {
    options.weightsFile = &weights;
    return emitPlan(graph, options) ? fitsWith("--weights-file")
                                    : Expected<std::optional<std::string>>(file.takeError());
  }
  options.compress = Compression::Lz4;
  if (!emitPlan(graph, options))
    return file.takeError();
  return fitsWith("--compress=lz4");
}

} // namespace tigris
