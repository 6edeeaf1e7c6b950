// The caller's buffers are those of ports that the runtime does not move row by row.
#include "tigris/Inspect/RamUse.h"

#include "tigris/Analysis/RowPorts.h"
#include "tigris/Support/MathUtils.h"

namespace tigris {

namespace {

/// Fast memory without the caller's buffers.
RamUse fastUse(uint64_t arena, uint64_t scratch, uint64_t align, size_t ports) {
  RamUse ram;
  ram.arena = scratch != 0 ? alignUp(arena, align) : arena;
  ram.scratch = scratch;
  ram.context = TIGRIS_INSTANCE_BYTES(ports);
  return ram;
}

/// Whether the runtime accepts a callback for the port at `index`, an input or an output.
bool takesRows(const PlanFile& file, unsigned index, bool isInput) {
  tigris_context context = {};
  context.plan = &file.plan();
  const tigris_row_hook hook = [](void*, uint32_t, uint32_t, void*) { return 0; };
  const auto set = isInput ? tigris_set_input_rows : tigris_set_output_rows;
  return file.plan().port_count <= TIGRIS_MAX_PORTS &&
         set(&context, index, hook, nullptr) == TIGRIS_OK;
}

} // namespace

RamUse ramUse(const Graph& graph, const Plan& plan) {
  RamUse ram = fastUse(plan.stats.fastPeakBytes, plan.scratch, plan.align,
                       graph.inputs().size() + graph.outputs().size());
  ram.slow = plan.stats.slowPeakBytes;
  if (plan.io != IoMode::Caller)
    return ram;
  const std::set<TensorId> byRows = portsByRows(graph, plan);
  const auto buffers = [&](const std::vector<Port>& ports) {
    uint64_t bytes = 0;
    for (const Port& port : ports)
      if (byRows.count(port.tensor) == 0 && !graph.tensor(port.tensor).isConstant())
        bytes += graph.tensor(port.tensor).bytes();
    return bytes;
  };
  ram.inputs = buffers(graph.inputs());
  ram.outputs = buffers(graph.outputs());
  return ram;
}

RamUse ramUse(const PlanFile& file) {
  const tigris_plan& plan = file.plan();
  const tigris_summary& summary = file.summary();
  RamUse ram = fastUse(summary.fast_bytes, summary.scratch_bytes, summary.align, plan.port_count);
  ram.slow = summary.slow_bytes;
  if (summary.io_mode != TIGRIS_IO_CALLER)
    return ram;
  for (unsigned i = 0; i < file.inputs().size(); ++i)
    ram.inputs += takesRows(file, i, true) ? 0 : tigris_input_bytes(&plan, i);
  for (unsigned i = 0; i < file.outputs().size(); ++i)
    if (!file.isConstantPort(file.outputs()[i]) && !takesRows(file, i, false))
      ram.outputs += tigris_output_bytes(&plan, i);
  return ram;
}

} // namespace tigris
