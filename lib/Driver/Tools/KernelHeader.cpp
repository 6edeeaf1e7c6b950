// Maps opcodes, data types and other needs of a plan to macros of tigris_config.h.
#include "tigris/Driver/Tools/KernelHeader.h"

#include "tigris/Support/StringUtils.h"

#include "tigris.h"

#include <algorithm>
#include <set>

namespace tigris {

namespace {

/// Ops of this opcode whose first input has the dtype (0: any) need what the macro selects.
struct Group {
  int opcode;
  int dtype;
  std::string_view macro;
};

constexpr Group Groups[] = {
#define TIGRIS_KERNEL(group, name, dtype, kernel)                                                  \
  {TIGRIS_OP_##name, TIGRIS_##dtype, "KERNEL_" #group},
#define TIGRIS_ADAPTER(group, name, dtype) {TIGRIS_OP_##name, TIGRIS_##dtype, #group},
#include "tigris_opcodes.def"
};

void addGroups(int opcode, int dtype, std::set<std::string>& macros) {
  for (const Group& group : Groups)
    if (opcode == group.opcode && (group.dtype == 0 || group.dtype == dtype))
      macros.emplace(group.macro);
}

/// Adds the macros of the parts of the core that the stages, ports and weights of the plan need.
void addParts(const tigris_plan& plan, std::set<std::string>& macros) {
  for (uint32_t i = 0; i < plan.stage_count; ++i) {
    if (plan.stages[i].mode == TIGRIS_STAGE_TILED)
      macros.insert("TILED_STAGES");
    if (plan.stages[i].mode == TIGRIS_STAGE_STREAMED) {
      macros.insert("STREAMED_STAGES");
      if (plan.tilings[plan.stages[i].detail].tiles[2] > 1)
        macros.insert("STRIPES");
    }
  }
  for (uint32_t i = 0; i < plan.port_count; ++i)
    if (plan.ports[i].state != TIGRIS_NO_PORT)
      macros.insert("STATES");
  if (plan.weight_block_count != 0)
    macros.insert("WEIGHT_BLOCKS");
}

std::string definition(const std::string& macro, int value) {
  return strCat("#ifndef TIGRIS_", macro, "\n#define TIGRIS_", macro, " ", value, "\n#endif\n");
}

/// The number of entries in the context's table of ports, which is needed for the caller's buffers
/// and the dynamic arena.
uint32_t portEntries(const tigris_plan& plan) {
  return plan.summary->io_mode == TIGRIS_IO_SLOW ? 1 : std::max(plan.port_count, uint32_t{1});
}

/// Defines the macro as the largest value that any of several headers, or the command line,
/// requires.
std::string atLeast(std::string_view macro, uint32_t value) {
  return strCat("#if !defined(TIGRIS_", macro, ") || TIGRIS_", macro, " < ", value,
                "\n#undef TIGRIS_", macro, "\n#define TIGRIS_", macro, " ", value, "\n#endif\n");
}

} // namespace

std::string kernelHeader(const tigris_plan& plan) {
  std::set<std::string> macros;
  for (uint32_t i = 0; i < plan.op_count; ++i) {
    const tigris_op& op = plan.ops[i];
    if ((op.flags & TIGRIS_ROUND_EVEN) != 0)
      macros.insert("EVEN_KERNELS");
    addGroups(op.opcode, plan.tensors[plan.operands[op.operands].tensor].dtype, macros);
  }
  addParts(plan, macros);
  std::string text = "/* What one plan needs of the runtime when it gets the memory it needs; made "
                     "by tigris. Compile the runtime\n"
                     " * and the program with TIGRIS_SELECTION_HEADER naming this file, or one "
                     "that includes the headers of several\n"
                     " * plans: the runtime then has what any of them needs. A macro that is "
                     "defined before keeps its value; TIGRIS_MAX_PORTS only grows. */\n";
  for (const char* rest : {"KERNELS_DEFAULT", "PARTS_DEFAULT"})
    text += definition(rest, 0);
  for (const std::string& macro : macros)
    text += definition(macro, 1);
  return text + atLeast("MAX_PORTS", portEntries(plan));
}

} // namespace tigris
