// Compares the outputs of the graph before and after each pass.
#include "tigris/IR/Interpreter.h"
#include "tigris/Pass/Instrumentation.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace tigris {

namespace {

constexpr uint64_t Seed = 20240229;
constexpr double FloatTolerance = 0.001;
// One different rounding inside a quantized model moves its outputs by several steps.
constexpr double QuantizedTolerance = 0.02;

bool isQuantized(const Graph& graph) {
  const std::vector<TensorId> tensors = graph.tensors();
  return std::any_of(tensors.begin(), tensors.end(), [&](TensorId id) {
    return graph.tensor(id).quant || graph.tensor(id).type == DType::Int8 ||
           graph.tensor(id).type == DType::UInt8;
  });
}

class VerifyNumerics : public PassInstrumentation {
public:
  VerifyNumerics(std::optional<double> tolerance, TextSink log)
      : tolerance_(tolerance), log_(std::move(log)) {}

  void beforePass(const PassRun&, const Graph& graph) override {
    if (!before_)
      before_ = evaluate(graph);
  }

  Status afterPass(const PassRun& run, const Graph& graph, PassStatus status) override {
    if (status == PassStatus::Unchanged)
      return {};
    std::optional<PortValues> after = evaluate(graph);
    if (before_ && after)
      if (Status same = compare(run, graph, *after); !same)
        return same;
    before_ = std::move(after);
    return {};
  }

private:
  std::optional<PortValues> evaluate(const Graph& graph) {
    Expected<PortValues> values = interpretGraph(graph, randomInputs(graph, Seed));
    if (values)
      return std::move(*values);
    const std::string reason = values.error().message();
    if (log_ && reasons_.insert(reason).second)
      log_(strCat("numerics not verified: ", reason, "\n"));
    return std::nullopt;
  }

  Status compare(const PassRun& run, const Graph& graph, const PortValues& after) const {
    const double share =
        tolerance_.value_or(isQuantized(graph) ? QuantizedTolerance : FloatTolerance);
    for (size_t port = 0; port < after.size(); ++port) {
      const std::vector<double>& was = (*before_)[port];
      const std::vector<double>& is = after[port];
      const std::string& name = graph.outputs()[port].name;
      if (was.size() != is.size())
        return makeError(DiagId::PassFailed, "pass '", run.name, "' changed output '", name,
                         "' from ", was.size(), " to ", is.size(), " elements");
      double largest = 0;
      for (const double value : was)
        if (std::isfinite(value))
          largest = std::max(largest, std::fabs(value));
      for (size_t i = 0; i < is.size(); ++i)
        if (differs(was[i], is[i], share * largest))
          return makeError(DiagId::PassFailed, "pass '", run.name, "' changed output '", name,
                           "': element ", i, " was ", was[i], " and is ", is[i], "; ",
                           share * largest, " is tolerated")
              .note(strCat("it is number ", run.index, " of the pipeline; --pass-limit=", run.index,
                           " ends there, --reproducer=FILE keeps the graph before it"));
    }
    return {};
  }

  static bool differs(double was, double is, double allowed) {
    if (std::isnan(was) || std::isnan(is))
      return std::isnan(was) != std::isnan(is);
    return was != is && !(std::fabs(was - is) <= allowed);
  }

  std::optional<double> tolerance_;
  TextSink log_;
  std::optional<PortValues> before_;
  std::set<std::string> reasons_;
};

class Reproducer : public PassInstrumentation {
public:
  explicit Reproducer(GraphSaver save) : save_(std::move(save)) {}
  void beforePass(const PassRun& run, const Graph& graph) override { saved_ = save_(run, graph); }
  Status afterPass(const PassRun&, const Graph&, PassStatus) override { return saved_; }

private:
  GraphSaver save_;
  Status saved_;
};

} // namespace

std::unique_ptr<PassInstrumentation> makeVerifyNumerics(std::optional<double> tolerance,
                                                        TextSink log) {
  return std::make_unique<VerifyNumerics>(tolerance, std::move(log));
}

std::unique_ptr<PassInstrumentation> makeReproducer(GraphSaver save) {
  return std::make_unique<Reproducer>(std::move(save));
}

} // namespace tigris
