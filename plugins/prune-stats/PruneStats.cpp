// Plugin prune-stats: reports how many weights of a model could be pruned. An analysis pass: it
// prints and returns Unchanged.
#include "tigris/IR/Elements.h"
#include "tigris/Pass/PassPlugin.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <numeric>
#include <sstream>

using namespace tigris;

namespace {

constexpr const char* Doc =
    R"(Magnitude pruning sets the smallest weights to zero. For every constant of at least
`min-elements` elements the pass prints how many elements are already zero, the magnitude below
which the smallest `sparsity` percent lie, and the share of the tensor's energy (the sum of squares)
that the others keep:

    tigris-norm --load-pass-plugin=prune-stats --passes='prune-stats{sparsity=75}' \
      model.yaml -o /dev/null

Magnitudes are real values: quantized weights are multiplied by their scales.)";

/// Real magnitudes of a constant.
std::vector<double> magnitudes(const Tensor& tensor) {
  std::vector<double> values = loadElements<double>(*tensor.data, tensor.type);
  if (tensor.quant) {
    const QuantParam& quant = *tensor.quant;
    const auto axis = static_cast<size_t>(std::max(quant.axis, 0));
    const auto inner = static_cast<size_t>(tensor.shape.elementsFrom(axis + 1));
    for (size_t i = 0; i < values.size(); ++i) {
      const size_t k = quant.perChannel() ? i / inner % quant.scale.size() : 0;
      values[i] = (values[i] - quant.zeroPoint[k]) * static_cast<double>(quant.scale[k]);
    }
  }
  for (double& value : values)
    value = std::fabs(value);
  return values;
}

class PruneStats : public Pass {
public:
  PruneStats(int64_t sparsity, int64_t minElements)
      : sparsity_(sparsity), minElements_(minElements) {}

  PassStatus run(Graph& graph, PassContext& context) override {
    if (sparsity_ < 0 || sparsity_ > 100)
      return context.fail(DiagId::BadPipeline, "option 'sparsity' of 'prune-stats' is ", sparsity_,
                          ", expected a percentage from 0 to 100");
    std::ostringstream out;
    out.exceptions(std::ios::badbit);
    out << "  elements   zero%   threshold  energy%  weights\n" << std::fixed;
    for (const TensorId id : graph.tensors()) {
      const Tensor& tensor = graph.tensor(id);
      if (tensor.isConstant() && tensor.elements() >= minElements_ &&
          (isFloat(tensor.type) || tensor.quant) && hasElements(tensor.type))
        printRow(out, tensor);
    }
    context.print(out.str());
    return PassStatus::Unchanged;
  }

private:
  void printRow(std::ostringstream& out, const Tensor& tensor) const {
    std::vector<double> sorted = magnitudes(tensor);
    std::sort(sorted.begin(), sorted.end());
    const auto count = static_cast<std::ptrdiff_t>(sorted.size());
    const auto zeros = std::count(sorted.begin(), sorted.end(), 0.0);
    const std::ptrdiff_t pruned = count * sparsity_ / 100;
    const auto energy = [&](std::ptrdiff_t first) {
      return std::inner_product(sorted.begin() + first, sorted.end(), sorted.begin() + first, 0.0);
    };
    const double all = energy(0);
    const double threshold = pruned < count ? sorted[static_cast<size_t>(pruned)] : sorted.back();
    out << std::setw(10) << count << std::setprecision(1) << std::setw(8)
        << 100.0 * static_cast<double>(zeros) / static_cast<double>(count) << std::setprecision(6)
        << std::setw(12) << threshold << std::setprecision(1) << std::setw(9)
        << (all > 0 ? 100 * energy(pruned) / all : 100) << "  " << tensor.name << '\n';
  }

  int64_t sparsity_;
  int64_t minElements_;
};

Status registerPasses(PluginRegistrar& registrar) {
  PassInfo info;
  info.name = "prune-stats";
  info.summary = "Prints what magnitude pruning would do to the weights";
  info.doc = Doc;
  info.options = {{"sparsity", PassOptionKind::Int, "percent of the weights to drop; 50"},
                  {"min-elements", PassOptionKind::Int, "ignore smaller constants; 64"}};
  info.create = [](const PassOptions& options) {
    return std::make_unique<PruneStats>(options.integer("sparsity", 50),
                                        options.integer("min-elements", 64));
  };
  return registrar.addPass(std::move(info));
}

} // namespace

TIGRIS_PASS_PLUGIN("prune-stats", "1.0.0", registerPasses)
