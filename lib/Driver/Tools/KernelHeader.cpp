// Which macro of tigris_config.h stands for which opcode and dtype, and for which other need of a plan.
#include "tigris/Driver/Tools/KernelHeader.h"

#include "tigris/Support/StringUtils.h"

#include "tigris.h"

#include <algorithm>
#include <set>

namespace tigris {

namespace {

/// Opcodes `first` to `last` whose first input has the dtype (0: any) need the group.
struct Group {
  int first;
  int last;
  int dtype;
  const char* macro;
};

constexpr Group Groups[] = {
    {TIGRIS_OP_CONV, TIGRIS_OP_CONV, TIGRIS_F32, "KERNEL_CONV_F32"},
    {TIGRIS_OP_CONV, TIGRIS_OP_CONV, TIGRIS_S8, "KERNEL_CONV_S8"},
    {TIGRIS_OP_CONV, TIGRIS_OP_CONV, TIGRIS_S8, "CMSIS_NN_CONV"},
    {TIGRIS_OP_DEPTHWISE_CONV, TIGRIS_OP_DEPTHWISE_CONV, TIGRIS_F32, "KERNEL_DEPTHWISE_CONV_F32"},
    {TIGRIS_OP_DEPTHWISE_CONV, TIGRIS_OP_DEPTHWISE_CONV, TIGRIS_S8, "KERNEL_DEPTHWISE_CONV_S8"},
    {TIGRIS_OP_DEPTHWISE_CONV, TIGRIS_OP_DEPTHWISE_CONV, TIGRIS_S8, "CMSIS_NN_DEPTHWISE"},
    {TIGRIS_OP_CONV_TRANSPOSE, TIGRIS_OP_CONV_TRANSPOSE, TIGRIS_F32, "KERNEL_CONV_TRANSPOSE_F32"},
    {TIGRIS_OP_CONV_TRANSPOSE, TIGRIS_OP_CONV_TRANSPOSE, TIGRIS_S8, "KERNEL_CONV_TRANSPOSE_S8"},
    {TIGRIS_OP_FULLY_CONNECTED, TIGRIS_OP_FULLY_CONNECTED, TIGRIS_F32,
     "KERNEL_FULLY_CONNECTED_F32"},
    {TIGRIS_OP_FULLY_CONNECTED, TIGRIS_OP_FULLY_CONNECTED, TIGRIS_S8, "KERNEL_FULLY_CONNECTED_S8"},
    {TIGRIS_OP_FULLY_CONNECTED, TIGRIS_OP_FULLY_CONNECTED, TIGRIS_S8, "CMSIS_NN_DENSE"},
    {TIGRIS_OP_MATMUL, TIGRIS_OP_MATMUL, TIGRIS_F32, "KERNEL_MATMUL_F32"},
    {TIGRIS_OP_MATMUL, TIGRIS_OP_MATMUL, TIGRIS_S8, "KERNEL_MATMUL_S8"},
    {TIGRIS_OP_CONV, TIGRIS_OP_CONV_TRANSPOSE, TIGRIS_S16, "KERNEL_CONV_S16"},
    {TIGRIS_OP_FULLY_CONNECTED, TIGRIS_OP_MATMUL, TIGRIS_S16, "KERNEL_DENSE_S16"},
    {TIGRIS_OP_MAX_POOL, TIGRIS_OP_REDUCE, TIGRIS_S16, "KERNEL_POOL_S16"},
    {TIGRIS_OP_ADD, TIGRIS_OP_CLAMP, TIGRIS_S16, "KERNEL_MAP_S16"},
    {TIGRIS_OP_MAX_POOL, TIGRIS_OP_GLOBAL_AVERAGE_POOL, TIGRIS_F32, "KERNEL_POOL_F32"},
    {TIGRIS_OP_MAX_POOL, TIGRIS_OP_GLOBAL_AVERAGE_POOL, TIGRIS_S8, "KERNEL_POOL_S8"},
    {TIGRIS_OP_MAX_POOL, TIGRIS_OP_GLOBAL_AVERAGE_POOL, TIGRIS_S8, "CMSIS_NN_POOL"},
    {TIGRIS_OP_REDUCE, TIGRIS_OP_REDUCE, TIGRIS_F32, "KERNEL_REDUCE_F32"},
    {TIGRIS_OP_REDUCE, TIGRIS_OP_REDUCE, TIGRIS_S8, "KERNEL_REDUCE_S8"},
    {TIGRIS_OP_ARG_MAX, TIGRIS_OP_TOP_K, 0, "KERNEL_SEARCH"},
    {TIGRIS_OP_ADD, TIGRIS_OP_FMOD, TIGRIS_F32, "KERNEL_BINARY_F32"},
    {TIGRIS_OP_ADD, TIGRIS_OP_FMOD, TIGRIS_S8, "KERNEL_BINARY_S8"},
    {TIGRIS_OP_ADD, TIGRIS_OP_FMOD, TIGRIS_S32, "KERNEL_BINARY_INT"},
    {TIGRIS_OP_ADD, TIGRIS_OP_FMOD, TIGRIS_S64, "KERNEL_BINARY_INT"},
    {TIGRIS_OP_ADD, TIGRIS_OP_ADD, TIGRIS_S8, "CMSIS_NN_BINARY"},
    {TIGRIS_OP_MUL, TIGRIS_OP_MUL, TIGRIS_S8, "CMSIS_NN_BINARY"},
    {TIGRIS_OP_UNARY, TIGRIS_OP_UNARY, TIGRIS_F32, "KERNEL_UNARY_F32"},
    {TIGRIS_OP_LOOKUP, TIGRIS_OP_BATCH_NORM, TIGRIS_F32, "KERNEL_MAP"},
    {TIGRIS_OP_LOOKUP, TIGRIS_OP_BATCH_NORM, TIGRIS_S8, "KERNEL_MAP"},
    {TIGRIS_OP_EQUAL, TIGRIS_OP_XOR, 0, "KERNEL_LOGIC"},
    {TIGRIS_OP_WHERE, TIGRIS_OP_WHERE, 0, "KERNEL_LOGIC"},
    {TIGRIS_OP_SOFTMAX, TIGRIS_OP_LOG_SOFTMAX, TIGRIS_F32, "KERNEL_SOFTMAX_F32"},
    {TIGRIS_OP_SOFTMAX, TIGRIS_OP_SOFTMAX, TIGRIS_S8, "KERNEL_SOFTMAX_S8"},
    {TIGRIS_OP_SOFTMAX, TIGRIS_OP_SOFTMAX, TIGRIS_S8, "CMSIS_NN_SOFTMAX"},
    {TIGRIS_OP_LAYER_NORM, TIGRIS_OP_LAYER_NORM, 0, "KERNEL_LAYER_NORM_F32"},
    {TIGRIS_OP_CONCAT, TIGRIS_OP_RESHAPE, 0, "KERNEL_MOVE"},
    {TIGRIS_OP_GATHER, TIGRIS_OP_GATHER, 0, "KERNEL_MOVE"},
    {TIGRIS_OP_RESIZE, TIGRIS_OP_RESIZE, 0, "KERNEL_RESIZE"},
    {TIGRIS_OP_GATHER_ND, TIGRIS_OP_SCATTER_ND, 0, "KERNEL_INDEX"},
    {TIGRIS_OP_SCATTER_ELEMENTS, TIGRIS_OP_SCATTER_ELEMENTS, 0, "KERNEL_INDEX"},
    {TIGRIS_OP_QUANTIZE, TIGRIS_OP_REQUANTIZE, 0, "KERNEL_QUANTIZE"},
    {TIGRIS_OP_CAST, TIGRIS_OP_CAST, 0, "KERNEL_CAST"},
    {TIGRIS_OP_LSTM, TIGRIS_OP_RNN, 0, "KERNEL_RECURRENT_F32"},
};

void addGroups(int opcode, int dtype, std::set<std::string>& macros) {
  for (const Group& group : Groups)
    if (opcode >= group.first && opcode <= group.last && (group.dtype == 0 || group.dtype == dtype))
      macros.insert(group.macro);
}

/// The macros of the parts of the core that stages, ports and weights of the plan need.
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

/// Entries of the context's table of ports, which buffers of the caller and the dynamic arena need.
uint32_t portEntries(const tigris_plan& plan) {
  return plan.summary->io_mode == TIGRIS_IO_SLOW ? 1 : std::max(plan.port_count, uint32_t{1});
}

/// The largest value that any of several headers, or the command line, asks for.
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
