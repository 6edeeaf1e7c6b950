// Units of work, counted from the records of a plan.
#include "tigris/Driver/Host/CostProfile.h"

#include "tigris/Emit/Emitter.h"
#include "tigris/Plan/Planner.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

/// y = transpose of x, [1, 4, 4, 8].
PlanFile transposing(DType type) {
  Graph graph;
  graph.setLayout(Layout::ChannelsLast);
  const auto port = [&](const char* name) {
    Tensor tensor;
    tensor.name = name;
    tensor.type = type;
    tensor.shape = Shape{1, 4, 4, 8};
    if (type == DType::Int8 || type == DType::Int16)
      tensor.quant = QuantParam{{0.5F}, {0}, -1};
    return Port{name, graph.addTensor(std::move(tensor)), type, Shape{1, 4, 4, 8}, {}};
  };
  const Port x = port("x");
  const Port y = port("y");
  graph.addInput(x);
  Op op;
  op.kind = OpKind::Transpose;
  op.name = "swap";
  op.inputs = {x.tensor};
  op.outputs = {y.tensor};
  op.attrs.set("perm", std::vector<int64_t>{0, 2, 1, 3});
  graph.addOp(std::move(op));
  graph.addOutput(y);
  graph.setForm(GraphForm::Normalized);
  PlanOptions options;
  options.budget.fast = 65536;
  Expected<Plan> plan = planGraph(graph, options);
  REQUIRE(plan);
  applyPlan(graph, std::move(*plan));
  const Expected<std::string> bytes = emitPlan(graph);
  REQUIRE(bytes);
  Expected<PlanFile> file = PlanFile::open(*bytes, "plan");
  REQUIRE(file);
  return std::move(*file);
}

} // namespace

TEST_CASE("cost samples: elements are elements, whatever their size") {
  for (const DType type :
       {DType::Float32, DType::Int8, DType::Int16, DType::Int32, DType::Int64, DType::Bool}) {
    CAPTURE(dtypeName(type));
    constexpr double Elements = 4 * 4 * 8;
    const CostSample sample =
        costSample(transposing(type), 0, 3, 3 * Elements * dtypeSize(type), 1000);
    CHECK(sample.work == WorkClass::Elements);
    CHECK(sample.calls == 3);
    CHECK(sample.units == doctest::Approx(3 * Elements));
  }
}
