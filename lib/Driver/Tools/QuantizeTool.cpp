// The options of tigris-quantize, and its runs on the samples.
#include "tigris/Driver/Tools/QuantizeTool.h"

#include "tigris/Driver/Host/Compare.h"
#include "tigris/Driver/Host/GraphRunner.h"
#include "tigris/Driver/Host/SampleFolder.h"
#include "tigris/Driver/Tools/ToolCompiler.h"
#include "tigris/Driver/Tools/WeightsOption.h"
#include "tigris/IR/Verifier.h"
#include "tigris/Quantize/Calibration.h"
#include "tigris/Quantize/Prepare.h"
#include "tigris/Support/Printable.h"
#include "tigris/Support/Progress.h"

namespace tigris {

namespace {

struct QuantizeFlags {
  std::optional<std::string> samples;
  int64_t maxSamples = INT64_MAX;
  std::string method = "minmax";
  std::optional<double> percentile;
  bool perChannel = false;
  bool perTensor = false;
  bool symmetric = false;
  bool biasCorrection = false;
  bool noBiasCorrection = false;
  std::vector<std::string> keepFloat;
  bool verbose = false;
  WriteOptions write;
};

void declare(OptionTable& table, QuantizeFlags& flags) {
  table.text("samples,s", flags.samples, "DIR",
             "directory of .npy samples in the model's own axis order and type (required)");
  table.integer("max-samples", flags.maxSamples, "N", "use the first N samples (default: all)", 1)
      .record();
  table
      .choice("method", flags.method, {"minmax", "percentile", "entropy", "mse"},
              "calibration method for activation ranges (default: minmax)")
      .record();
  table
      .real("percentile", flags.percentile, "P",
            "percentage of values that --method=percentile covers (default: 99.999)")
      .record();
  table
      .flag("per-channel", flags.perChannel,
            "one scale per output channel of the weights (the default)")
      .record();
  table.flag("per-tensor", flags.perTensor, "one scale per weight tensor").record();
  table.flag("symmetric", flags.symmetric, "use zero point 0 for activations").record();
  table
      .flag("bias-correction", flags.biasCorrection,
            "compensate the mean error of rounded weights in the biases (the default)")
      .record();
  table.flag("no-bias-correction", flags.noBiasCorrection, "leave biases unchanged").record();
  table
      .texts("float", flags.keepFloat, "NAME",
             "keep this op, ONNX node or kind of operator in float; may be repeated")
      .record();
  table.flag("verbose,v", flags.verbose,
             "list operators left in float, and compare int8 with float outputs on the samples");
  addWeightsOption(table, flags.write);
}

Expected<QuantizeOptions> quantizeOptions(const QuantizeFlags& flags) {
  if (!flags.samples)
    return makeError(
        DiagId::Usage,
        "no calibration samples; specify a directory of .npy files with --samples DIR");
  if (flags.perChannel && flags.perTensor)
    return makeError(DiagId::Usage, "--per-channel and --per-tensor exclude each other");
  if (flags.biasCorrection && flags.noBiasCorrection)
    return makeError(DiagId::Usage,
                     "--bias-correction and --no-bias-correction exclude each other");
  QuantizeOptions options;
  options.range.method = *parseRangeMethod(flags.method);
  options.range.percentile = flags.percentile.value_or(options.range.percentile);
  if (flags.percentile && options.range.method != RangeMethod::Percentile)
    return makeError(DiagId::Usage, "--percentile needs --method=percentile");
  if (!(options.range.percentile > 50 && options.range.percentile <= 100))
    return makeError(DiagId::Usage, "--percentile is ", options.range.percentile,
                     ", expected more than 50 and at most 100");
  options.range.symmetric = flags.symmetric;
  options.perChannel = !flags.perTensor;
  options.biasCorrection = !flags.noBiasCorrection;
  options.keepFloat = flags.keepFloat;
  return options;
}

Expected<SampleFolder> openSamples(const GraphRunner& runner, const QuantizeFlags& flags) {
  std::vector<SampleInput> inputs;
  for (const PortView& view : runner.inputs())
    inputs.push_back({view.name, view.type, view.shape});
  return SampleFolder::open(*flags.samples, std::move(inputs));
}

Status calibrate(const ToolContext& context, const Graph& graph, const QuantizeFlags& flags,
                 Calibration& calibration) {
  const Expected<std::unique_ptr<GraphRunner>> created =
      GraphRunner::create(graph, calibration.tensors());
  if (!created)
    return created.error();
  GraphRunner& runner = **created;
  const Expected<SampleFolder> samples = openSamples(runner, flags);
  if (!samples)
    return samples.error();
  for (const std::vector<std::string>& files : samples->files())
    for (const std::string& file : files)
      context.reads(file, "option '--samples'");

  Progress progress("calibrating, sample");
  const size_t first = graph.outputs().size();
  return samples->forEach(
      static_cast<size_t>(flags.maxSamples), [&](const std::vector<NpyArray>& arrays) -> Status {
        progress.step();
        if (Status ran = runner.run(arrays); !ran)
          return ran;
        for (size_t i = 0; i < calibration.tensors().size(); ++i) {
          const PortView& view = runner.results()[first + i];
          calibration.add(i, runner.floats(first + i), view.storedShape, view.perm);
        }
        return {};
      });
}

std::vector<double> elementsOf(const NpyArray& array) {
  std::vector<double> elements(static_cast<size_t>(array.shape.elements()));
  for (size_t i = 0; i < elements.size(); ++i)
    elements[i] = elementAt(array, i);
  return elements;
}

Status compare(ToolContext& context, const Graph& before, const Graph& after,
               const QuantizeFlags& flags) {
  const Expected<std::unique_ptr<GraphRunner>> real = GraphRunner::create(before, {});
  if (!real)
    return real.error();
  const Expected<std::unique_ptr<GraphRunner>> integer = GraphRunner::create(after, {});
  if (!integer)
    return integer.error();
  const Expected<SampleFolder> samples = openSamples(**real, flags);
  if (!samples)
    return samples.error();
  std::vector<OutputAgreement> agreements((*real)->results().size());
  Progress progress("comparing, sample");
  Status status = samples->forEach(
      static_cast<size_t>(flags.maxSamples), [&](const std::vector<NpyArray>& arrays) -> Status {
        progress.step();
        for (GraphRunner* runner : {real->get(), integer->get()})
          if (Status ran = runner->run(arrays); !ran)
            return ran;
        for (size_t i = 0; i < agreements.size(); ++i)
          agreements[i].add(elementsOf((*real)->result(i)), elementsOf((*integer)->result(i)));
        return {};
      });
  if (!status)
    return status;
  for (size_t i = 0; i < agreements.size(); ++i) {
    const OutputAgreement& agreement = agreements[i];
    context.log(strCat("output '", printableName((*real)->results()[i].name), "': ",
                       agreement.isExact() ? "exact"
                                           : formatFixed(agreement.decibels(), 1) +
                                                 " dB signal to quantization noise",
                       ", the same largest element in ", agreement.sameLargest(), " of ",
                       progress.count(), " samples\n"));
  }
  return {};
}

Status quantize(ToolContext& context, QuantizeFlags& flags) {
  const Expected<QuantizeOptions> options = quantizeOptions(flags);
  if (!options)
    return options.error();
  Expected<Graph> graph = readGraphInput(context);
  if (!graph)
    return graph.takeError();
  if (graph->form() != GraphForm::Imported || graph->layout() != Layout::ChannelsFirst)
    return makeError(DiagId::BadGraph, "the graph is ", graphFormName(graph->form()),
                     " already; run tigris-quantize between tigris-import and tigris-norm");
  const Expected<bool> prepared = prepareForQuantization(*graph, context.diagnostics());
  // Errors of passes have been reported.
  if (!prepared || !*prepared)
    return prepared ? Status() : Status(prepared.error());
  if (Status status = checkQuantizable(*graph, *options); !status)
    return status;
  Calibration calibration(*graph, options->biasCorrection);
  if (Status status = calibrate(context, *graph, flags, calibration); !status)
    return status;
  const Graph before = *graph;
  const Expected<QuantizeSummary> summary =
      quantizeGraph(*graph, calibration.observations(), *options);
  if (!summary)
    return summary.error();
  for (const std::string& warning : summary->warnings)
    context.diagnostics().warn(DiagId::BadValue, warning);
  if (!verifyGraph(*graph, context.diagnostics()))
    return {};
  if (flags.verbose) {
    context.log(strCat(summary->integerOps, " operators in int8, ", summary->floatOps.size(),
                       " in float", summary->floatOps.empty() ? "" : ": ",
                       printableMessage(join(summary->floatOps, ", ")), "\n"));
    if (Status status = compare(context, before, *graph, flags); !status)
      return status;
  }
  graph->addHistory(context.historyEntry());
  return outputModule(context, *graph, flags.write);
}

} // namespace

int quantizeMain(int argc, const char* const* argv) {
  QuantizeFlags flags;
  ToolSpec spec;
  spec.name = "tigris-quantize";
  spec.summary = "Quantizes an imported float module to int8 with ranges calibrated on samples.";
  spec.input = "IN";
  spec.output = true;
  spec.options = [&](OptionTable& table) { declare(table, flags); };
  spec.details =
      "Each .npy file in DIR holds one sample, or several along an additional leading dimension.\n"
      "For a model with several inputs, DIR has one subdirectory per input, named after the input\n"
      "or its index. A hundred samples are enough. Operators without an int8 form stay in float.\n";
  spec.examples =
      "tigris-import model.onnx | tigris-quantize -s images | tigris-norm | tigris-plan -m 256K\n"
      "tigris-quantize -s images --method=mse --per-tensor -v model.yaml -o int8.yaml\n"
      "tigris-quantize -s images --float=Softmax --float=/head/Conv in.yaml -o q.yaml\n";
  spec.run = [&](ToolContext& context) { return quantize(context, flags); };
  return toolMain(argc, argv, spec);
}

} // namespace tigris
