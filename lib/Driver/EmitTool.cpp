// Options of tigris-emit. What it writes has been opened by the runtime's own validator before.
#include "tigris/Driver/EmitTool.h"

#include "tigris/Driver/GraphInput.h"
#include "tigris/Emit/Emitter.h"

#include "tigris.h"

namespace tigris {

namespace {

/// The runtime refuses a file only when the emitter is wrong, or the model exceeds a limit that the
/// firmware can raise when it builds the runtime.
Status checkWithRuntime(const std::string& file) {
  std::vector<std::max_align_t> aligned(file.size() / sizeof(std::max_align_t) + 1);
  std::copy(file.begin(), file.end(), reinterpret_cast<char*>(aligned.data()));
  tigris_plan plan;
  const tigris_status status = tigris_plan_open(&plan, aligned.data(), file.size());
  if (status == TIGRIS_E_LIMIT)
    return makeError(DiagId::UnsupportedOp, "the model has more than ", TIGRIS_MAX_PORTS,
                     " inputs and outputs, or an op with more than ", TIGRIS_MAX_OPERANDS,
                     " operands; build tools and runtime with a larger TIGRIS_MAX_PORTS or "
                     "TIGRIS_MAX_OPERANDS");
  if (status == TIGRIS_OK)
    return {};
  const std::string at =
      plan.error_op == TIGRIS_NONE ? std::string() : strCat(", op ", plan.error_op);
  TIGRIS_UNREACHABLE(strCat("the runtime refuses the file: ", tigris_status_text(status), at));
}

Status emit(ToolContext& context, EmitOptions& options) {
  const Expected<Graph> graph = readGraphInput(context);
  if (!graph)
    return graph.error();
  options.producer = strCat("tigris-emit ", tigrisVersion());
  Expected<std::string> file = emitPlan(*graph, options);
  if (!file)
    return file.takeError();
  if (Status status = checkWithRuntime(*file); !status)
    return status;
  context.output(std::move(*file));
  return {};
}

} // namespace

int emitMain(int argc, const char* const* argv) {
  EmitOptions options;
  std::string compress = "none";
  ToolSpec spec;
  spec.name = "tigris-emit";
  spec.summary = "Writes the .tgrs file that the runtime executes.";
  spec.input = "IN";
  spec.output = true;
  spec.outputRequired = true;
  spec.options = [&](OptionTable& table) {
    table.flag(
        "xip", options.xip,
        "record that the firmware keeps the plan in memory-mapped flash and executes it there");
    table.choice(
        "compress", compress, {"none", "lz4"},
        "pack weights; they are unpacked stage by stage into the fast memory the plan leaves "
        "free (default: none)");
    table.flag("strip-names", options.stripNames,
               "leave out the names of tensors and ops; inputs and outputs keep theirs");
  };
  spec.examples = "tigris-emit planned.yaml -o model.tgrs\n"
                  "tigris-import model.onnx | tigris-norm | tigris-plan -m 256K | tigris-emit "
                  "--xip -o model.tgrs\n"
                  "tigris-import model.onnx | tigris-norm | tigris-plan -m 256K --reserve=64K | "
                  "tigris-emit --compress=lz4 -o model.tgrs\n";
  spec.run = [&](ToolContext& context) {
    options.compress = compress == "lz4" ? Compression::Lz4 : Compression::None;
    return emit(context, options);
  };
  return toolMain(argc, argv, spec);
}

} // namespace tigris
