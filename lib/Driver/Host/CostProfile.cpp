// Counts units of work from the records of a plan, as Target/KernelCosts.h does from a graph.
#include "tigris/Driver/Host/CostProfile.h"

#include "tigris/Support/StringUtils.h"

#include <array>
#include <cctype>
#include <cstring>

namespace tigris {

namespace {

double elementsOf(const tigris_tensor& tensor) {
  return static_cast<double>(tensor.bytes) / dtypeSize(planDType(tensor.dtype));
}

struct Work {
  WorkClass kind;
  double perElement;
};

Work workOf(const PlanFile& file, const tigris_op& op) {
  const std::span<const tigris_operand> operands = file.operands(op);
  const auto tensor = [&](size_t i) -> const tigris_tensor& {
    return file.tensor(operands[i].tensor);
  };
  const tigris_tensor& output = tensor(op.inputs);
  const double in = elementsOf(tensor(0));
  const double out = elementsOf(output);
  const double channels = output.rank == 0 ? 1 : file.dims(output).back();
  switch (op.opcode) {
  case TIGRIS_OP_CONV:
    return {WorkClass::Conv, elementsOf(tensor(1)) / channels};
  case TIGRIS_OP_DEPTHWISE_CONV:
    return {WorkClass::Depthwise, elementsOf(tensor(1)) / channels};
  case TIGRIS_OP_CONV_TRANSPOSE: {
    const double inputs = file.dims(tensor(0)).back();
    return {WorkClass::Conv, in * elementsOf(tensor(1)) / inputs / out};
  }
  case TIGRIS_OP_FULLY_CONNECTED:
    return {WorkClass::Dense, elementsOf(tensor(1)) / channels};
  case TIGRIS_OP_MATMUL:
    return {WorkClass::Dense, static_cast<double>(file.dims(tensor(0)).back())};
  case TIGRIS_OP_MAX_POOL:
  case TIGRIS_OP_AVERAGE_POOL: {
    tigris_pool_params params;
    std::memcpy(&params, file.params(op), sizeof params);
    return {WorkClass::Pool, static_cast<double>(params.kernel_h) * params.kernel_w};
  }
  case TIGRIS_OP_GLOBAL_AVERAGE_POOL:
  case TIGRIS_OP_REDUCE:
    return {WorkClass::Pool, in / out};
  default:
    return {WorkClass::Elements, 1};
  }
}

} // namespace

CostSample costSample(const PlanFile& file, size_t op, double calls, double outputBytes,
                      double cost) {
  const tigris_op& record = file.ops()[op];
  const tigris_tensor& output = file.tensor(file.operands(record)[record.inputs].tensor);
  const Work work = workOf(file, record);
  const double elements = outputBytes * elementsOf(output) / output.bytes;
  return {work.kind, calls, elements * work.perElement, cost};
}

Expected<std::vector<CostSample>> parseMeasured(std::string_view text, const std::string& name,
                                                const PlanFile& file) {
  std::vector<CostSample> samples;
  int number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (line.empty() || std::isalpha(static_cast<unsigned char>(line.front())) != 0)
      continue;
    const std::vector<std::string_view> words = split(line, ' ');
    std::array<double, 4> values = {};
    bool isGood = words.size() == values.size();
    for (size_t i = 0; isGood && i < values.size(); ++i) {
      const std::optional<double> value = parseDouble(words[i]);
      isGood = value && *value >= 0 && *value < 1e18;
      values[i] = value.value_or(0);
    }
    if (!isGood || values[0] >= static_cast<double>(file.ops().size()))
      return makeError(DiagId::BadValue, quotedLine(line),
                       " is not OP CALLS OUTPUT_BYTES COST with OP below ", file.ops().size())
          .at({name, number, 0});
    samples.push_back(
        costSample(file, static_cast<size_t>(values[0]), values[1], values[2], values[3]));
  }
  return samples;
}

} // namespace tigris
