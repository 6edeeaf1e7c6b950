// Arrays in, one run (or several), arrays out, comparison and figures.
#include "tigris/Driver/Tools/RunTool.h"

#include "tigris/Driver/CommandLine/ToolMain.h"
#include "tigris/Driver/Host/Compare.h"
#include "tigris/Driver/Host/PlanRunner.h"
#include "tigris/Driver/Host/PortData.h"
#include "tigris/Driver/Host/Profile.h"
#include "tigris/Driver/Host/RuntimeBackends.h"
#include "tigris/Driver/Tools/RunSummary.h"
#include "tigris/Inspect/Dump.h"
#include "tigris/Inspect/Report.h"
#include "tigris/Support/FileIO.h"
#include "tigris/Support/Printable.h"
#include "tigris/Support/Progress.h"
#include "tigris/Target/Target.h"

#include <algorithm>

namespace tigris {

namespace {

struct RunFlags {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> expected;
  Tolerance tolerance;
  bool raw = false;
  bool sequence = false;
  std::optional<uint64_t> fast;
  std::optional<uint64_t> slow;
  std::string weightsFile;
  bool inputRows = false;
  bool outputRows = false;
  std::string stats = "text";
  bool profile = false;
  std::string profileSvg;
  std::string writeCosts;
  std::string measured;
  bool ignoreCrc = false;

  bool profiles() const { return profile || !profileSvg.empty() || !writeCosts.empty(); }
  int64_t repeat = 1;
  int64_t seed = 1;
  std::string backend = runtimeBackendNames().front();
};

std::vector<PortView> viewPorts(const PlanFile& file, std::span<const tigris_port> ports,
                                bool raw) {
  std::vector<PortView> views;
  for (const tigris_port& port : ports)
    views.push_back(viewPort(file, port, views.size(), raw));
  return views;
}

/// NAME=FILE, or FILE alone if there is only one port. NAME may also be the index of the port.
struct Binding {
  size_t port;
  std::string path;
};
Expected<Binding> bind(const std::vector<PortView>& ports, const std::string& text,
                       const char* what) {
  for (size_t equals = text.find('='); equals != std::string::npos;
       equals = text.find('=', equals + 1)) {
    const std::string name = text.substr(0, equals);
    for (size_t i = 0; i < ports.size(); ++i)
      if (ports[i].name == name || strCat(i) == name)
        return Binding{i, text.substr(equals + 1)};
  }
  std::vector<std::string> names;
  for (const PortView& port : ports)
    names.push_back("'" + port.name + "'");
  if (const size_t equals = text.find('='); equals != std::string::npos)
    return makeError(DiagId::Usage, "the model has no ", what, " '", text.substr(0, equals),
                     "'; it has ", join(names, ", "));
  if (ports.size() != 1)
    return makeError(DiagId::Usage, "the model has several ", what, "s; name one for '", text,
                     "': NAME=", text, ", where NAME is one of ", join(names, ", "));
  return Binding{0, text};
}

Expected<std::vector<Binding>> bindAll(const std::vector<PortView>& ports,
                                       const std::vector<std::string>& texts, const char* what) {
  std::vector<Binding> bindings;
  for (const std::string& text : texts) {
    Expected<Binding> binding = bind(ports, text, what);
    if (!binding)
      return binding.takeError();
    bindings.push_back(std::move(*binding));
  }
  return bindings;
}

/// The files of --input, --output and --expect.
struct Bindings {
  std::vector<Binding> inputs;
  std::vector<Binding> outputs;
  std::vector<Binding> expected;
};

/// Declares the files, so that conflicts are detected before the model runs.
Expected<Bindings> bindFiles(ToolContext& context, const RunFlags& flags,
                             const std::vector<PortView>& inputPorts,
                             const std::vector<PortView>& outputPorts) {
  Expected<std::vector<Binding>> inputs = bindAll(inputPorts, flags.inputs, "input");
  if (!inputs)
    return inputs.takeError();
  Expected<std::vector<Binding>> outputs = bindAll(outputPorts, flags.outputs, "output");
  if (!outputs)
    return outputs.takeError();
  Expected<std::vector<Binding>> expected = bindAll(outputPorts, flags.expected, "output");
  if (!expected)
    return expected.takeError();
  for (const Binding& binding : *inputs)
    context.reads(binding.path, "option '--input'");
  for (const Binding& binding : *expected)
    context.reads(binding.path, "option '--expect'");
  for (const Binding& binding : *outputs)
    context.writes(binding.path, "option '--output'");
  if (Status status = context.checkFiles(); !status)
    return status.takeError();
  return Bindings{std::move(*inputs), std::move(*outputs), std::move(*expected)};
}

Expected<NpyArray> loadArray(const std::string& path) {
  Expected<std::string> bytes = readFile(path);
  if (!bytes)
    return bytes.takeError();
  return parseNpy(*bytes, displayName(path));
}

/// The stored bytes of all inputs of one run; empty for a state that is not given.
using Inputs = std::vector<std::vector<uint8_t>>;

/// Splits an array along its first dimension into the arrays of successive runs.
Expected<std::vector<NpyArray>> stepsOf(const PortView& port, const NpyArray& array) {
  if (array.shape.rank() != port.shape.rank() + 1)
    return makeError(DiagId::BadShape, "input '", port.name, "': the array is ", array.shape.str(),
                     ", --sequence takes ", port.shape.str(),
                     " with an additional leading dimension");
  const auto count = static_cast<size_t>(array.shape[0]);
  const std::vector<int64_t> dims = array.shape.dims();
  std::vector<NpyArray> steps(count);
  const size_t bytes = count == 0 ? 0 : array.data.size() / count;
  for (size_t i = 0; i < count; ++i) {
    const auto from = array.data.begin() + static_cast<std::ptrdiff_t>(i * bytes);
    steps[i].type = array.type;
    steps[i].shape = Shape(std::vector<int64_t>(dims.begin() + 1, dims.end()));
    steps[i].data.assign(from, from + static_cast<std::ptrdiff_t>(bytes));
  }
  return steps;
}

/// Adds the array of a port to the inputs of each run.
Status addInput(const std::vector<PortView>& ports, size_t port, const NpyArray& array,
                const RunFlags& flags, std::vector<Inputs>& runs) {
  std::vector<NpyArray> steps = {array};
  if (flags.sequence && !ports[port].isState) {
    Expected<std::vector<NpyArray>> parts = stepsOf(ports[port], array);
    if (!parts)
      return parts.takeError();
    steps = std::move(*parts);
    if (steps.empty() || (runs.size() > 1 && runs.size() != steps.size()))
      return makeError(DiagId::BadShape, "input '", ports[port].name, "': a sequence of ",
                       steps.size(), ", expected ", runs.size() > 1 ? strCat(runs.size()) : "some");
    runs.resize(steps.size(), Inputs(ports.size()));
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    Expected<std::vector<uint8_t>> bytes = toStored(ports[port], steps[i]);
    if (!bytes)
      return bytes.takeError();
    runs[i][port] = std::move(*bytes);
  }
  return {};
}

/// The inputs of every run.
Expected<std::vector<Inputs>> loadInputs(const std::vector<PortView>& ports,
                                         const std::vector<Binding>& bindings,
                                         const RunFlags& flags) {
  std::vector<Inputs> runs(1, Inputs(ports.size()));
  std::vector<bool> given(ports.size(), false);
  for (const Binding& binding : bindings) {
    if (given[binding.port])
      return makeError(DiagId::Usage, "input '", ports[binding.port].name, "' is given twice");
    given[binding.port] = true;
    const Expected<NpyArray> array = loadArray(binding.path);
    if (!array)
      return array.error();
    if (Status status = addInput(ports, binding.port, *array, flags, runs); !status)
      return status.takeError();
  }
  for (size_t i = 0; i < ports.size(); ++i) {
    if (given[i] || ports[i].isState)
      continue;
    if (!flags.inputs.empty() || flags.sequence)
      return makeError(DiagId::Usage, "no array for input '", ports[i].name,
                       "'; specify all inputs, or none to use random data");
    Expected<std::vector<uint8_t>> bytes =
        toStored(ports[i], randomArray(ports[i], static_cast<uint64_t>(flags.seed) + i));
    if (!bytes)
      return bytes.takeError();
    runs[0][i] = std::move(*bytes);
  }
  return runs;
}

/// Executes the runs in order and returns the outputs. With --sequence, each output contains the
/// results of all runs, in an additional leading dimension. `seconds` receives the total time of
/// all runs.
Expected<std::vector<NpyArray>> makeRuns(PlanRunner& runner, const std::vector<PortView>& ports,
                                         const std::vector<Inputs>& runs, bool sequence,
                                         double& seconds) {
  std::vector<NpyArray> results(ports.size());
  seconds = 0;
  for (const Inputs& inputs : runs) {
    if (Status status = runner.run(inputs); !status)
      return status.takeError();
    seconds += runner.seconds();
    for (size_t port = 0; port < ports.size(); ++port) {
      NpyArray array = fromStored(ports[port], runner.output(port));
      if (&inputs == &runs.front())
        results[port] = std::move(array);
      else
        results[port].data.insert(results[port].data.end(), array.data.begin(), array.data.end());
    }
  }
  for (NpyArray& array : results) {
    std::vector<int64_t> dims = array.shape.dims();
    if (sequence)
      dims.insert(dims.begin(), static_cast<int64_t>(runs.size()));
    array.shape = Shape(std::move(dims));
  }
  return results;
}

/// Compares the outputs named by --expect. Every mismatch is a separate error.
Expected<std::vector<ExpectedResult>> compareOutputs(const std::vector<PortView>& ports,
                                                     const std::vector<NpyArray>& outputs,
                                                     const std::vector<Binding>& bindings,
                                                     const RunFlags& flags,
                                                     DiagnosticEngine& diagnostics) {
  std::vector<ExpectedResult> results;
  for (const Binding& binding : bindings) {
    const Expected<NpyArray> want = loadArray(binding.path);
    if (!want)
      return want.error();
    const PortView& port = ports[binding.port];
    const NpyArray& got = outputs[binding.port];
    const Expected<Comparison> compared = compareArrays(port.name, got, *want, flags.tolerance);
    if (!compared)
      return compared.error();
    if (!compared->ok())
      diagnostics.error(
          DiagId::Mismatch, "output '", port.name, "': ", compared->mismatches, " of ",
          compared->elements, " elements differ by more than ", compared->atol,
          flags.tolerance.rtol ? strCat(" + ", *flags.tolerance.rtol, " relative") : std::string(),
          "; ", describe(*compared, got.shape));
    results.push_back({port.name, *compared});
  }
  return results;
}

/// --write-costs: in nanoseconds of this host, or in the unit of --measured.
Status writeCosts(ToolContext& context, const PlanFile& file, const RunFlags& flags,
                  const Profile& profile) {
  std::vector<CostSample> samples = profile.samples();
  if (!flags.measured.empty()) {
    const Expected<std::string> text = readFile(flags.measured);
    if (!text)
      return text.error();
    Expected<std::vector<CostSample>> measured = parseMeasured(*text, flags.measured, file);
    if (!measured)
      return measured.takeError();
    samples = std::move(*measured);
  }
  const Expected<Target> target = findTarget(file.target());
  const KernelCosts base = target ? target->costs : allTargets().front().costs;
  context.outputFile(flags.writeCosts, printCosts(fitCosts(samples, base)));
  return {};
}

Status execute(ToolContext& context, const RunFlags& flags) {
  const Expected<std::string> bytes = context.readInput();
  if (!bytes)
    return bytes.error();
  const Expected<PlanFile> file = PlanFile::open(*bytes, context.inputName(), flags.ignoreCrc);
  if (!file)
    return file.error();
  const std::vector<PortView> inputPorts = viewPorts(*file, file->inputs(), flags.raw);
  const std::vector<PortView> outputPorts = viewPorts(*file, file->outputs(), flags.raw);
  const Expected<Bindings> files = bindFiles(context, flags, inputPorts, outputPorts);
  if (!files)
    return files.error();
  const Expected<std::vector<Inputs>> runs = loadInputs(inputPorts, files->inputs, flags);
  if (!runs)
    return runs.error();

  Expected<PlanRunner> runner =
      PlanRunner::create(*file, *runtimeBackend(flags.backend), flags.fast, flags.slow);
  if (!runner)
    return runner.takeError();
  std::optional<std::string> weights;
  if (!flags.weightsFile.empty()) {
    Expected<std::string> content = readFile(flags.weightsFile);
    if (!content)
      return content.takeError();
    weights = std::move(*content);
  }
  if (Status status = runner->readWeights(weights ? &*weights : nullptr); !status)
    return status;
  if (Status status = runner->moveByRows(flags.inputRows, flags.outputRows); !status)
    return status;
  Profile profile(*file);
  profile.setRuns(flags.repeat);
  if (flags.profiles())
    if (Status status = profile.attach(*runner); !status)
      return status;
  std::vector<NpyArray> outputs;
  double seconds = 0;
  Progress progress("run", static_cast<size_t>(flags.repeat));
  for (int64_t i = 0; i < flags.repeat; ++i) {
    progress.step();
    double taken = 0;
    runner->reset();
    Expected<std::vector<NpyArray>> results =
        makeRuns(*runner, outputPorts, *runs, flags.sequence, taken);
    if (!results)
      return results.takeError();
    seconds = i == 0 ? taken : std::min(seconds, taken);
    for (size_t port = 0; port < outputs.size(); ++port)
      if (outputs[port].data != (*results)[port].data)
        return makeError(DiagId::Mismatch, "output '", outputPorts[port].name, "': run ", i + 1,
                         " produced different bytes than run 1");
    outputs = std::move(*results);
  }

  for (const Binding& binding : files->outputs)
    context.outputFile(binding.path, formatNpy(outputs[binding.port]));
  const Expected<std::vector<ExpectedResult>> compared =
      compareOutputs(outputPorts, outputs, files->expected, flags, context.diagnostics());
  if (!compared)
    return compared.error();

  if (!flags.writeCosts.empty())
    if (Status status = writeCosts(context, *file, flags, profile); !status)
      return status;
  if (!flags.profileSvg.empty())
    context.outputFile(flags.profileSvg, profile.svg());
  const Report report = reportOf(*file);
  if (flags.stats == "json") {
    context.print(
        jsonSummary(report, *runner, seconds, *compared, flags.profile ? &profile : nullptr));
    return {};
  }
  for (size_t port = 0; port < outputPorts.size(); ++port)
    context.print(describeOutput(outputPorts[port], outputs[port]));
  for (const ExpectedResult& result : *compared)
    context.print(strCat("output '", printableName(result.name),
                         "' agrees with its reference: max error ", result.comparison.maxAbs, " (",
                         result.comparison.atol, " allowed)\n"));
  context.print(textSummary(report, *runner, seconds));
  if (flags.profile)
    context.log(profile.table());
  return {};
}

} // namespace

int withRunSpec(const char* name, const SpecUser& use) {
  RunFlags flags;
  ToolSpec spec;
  spec.name = name;
  spec.summary = "Runs a .tgrs plan on the C runtime with arrays from .npy files.";
  spec.input = "PLAN";
  spec.inputRequired = true;
  spec.options = [&](OptionTable& table) {
    table.texts("input,i", flags.inputs, "NAME=FILE", "array for a model input");
    table.texts("output,o", flags.outputs, "NAME=FILE", "file for a model output");
    table.texts("expect,e", flags.expected, "NAME=FILE", "reference array for a model output");
    table.flag("sequence", flags.sequence,
               "run once per index of an additional leading dimension of the arrays");
    table.real("atol", flags.tolerance.atol, "X", "absolute tolerance of --expect");
    table.real("rtol", flags.tolerance.rtol, "X", "relative tolerance of --expect");
    table.flag("raw", flags.raw, "read and write stored values (int8 where quantized)");
    table.size("fast", flags.fast, "SIZE",
               "fast memory to provide (default: what the plan needs; with less, tensors overflow "
               "to slow memory)");
    table.size("slow", flags.slow, "SIZE", "slow memory to provide (default: what the plan needs)");
    table
        .text("weights-file", flags.weightsFile, "FILE",
              "the weights of a plan that was emitted without them (tigris-emit --weights-file)")
        .reads();
    table.flag("input-rows", flags.inputRows,
               "deliver inputs row by row through a callback, as firmware with a sensor does");
    table.flag("output-rows", flags.outputRows, "deliver outputs row by row through a callback");
    table.choice("stats", flags.stats, {"text", "json"},
                 "format of the statistics (default: text)");
    table.integer("repeat", flags.repeat, "N",
                  "run N times and report the fastest run (default: 1)", 1);
    table.integer("seed", flags.seed, "N",
                  "seed of the random inputs used without --input (default: 1)", 0);
    table.choice("backend", flags.backend, runtimeBackendNames(), "kernel backend");
    table.flag("profile", flags.profile,
               "print the time per operator on standard error, or as 'profile' in --stats=json");
    table.text("profile-svg", flags.profileSvg, "FILE", "write the profile as a picture").writes();
    table
        .text("write-costs", flags.writeCosts, "FILE",
              "write kernel costs fitted to the profile, for tigris-plan --costs")
        .writes();
    table
        .text("measured", flags.measured, "FILE",
              "fit --write-costs to device measurements: lines OP CALLS OUTPUT_BYTES COST")
        .reads();
    table.flag("ignore-crc", flags.ignoreCrc, "accept a plan with a wrong checksum");
  };
  spec.details =
      "Arrays have the model's own axis order and type, as in onnxruntime. NAME can be omitted if\n"
      "there is only one input or output; an index (0, 1, ...) also works as a name. With\n"
      "--sequence, outputs are stacked along the same leading dimension. A state (tigris-import\n"
      "--state) is kept from run to run; it starts as zero, or as the array given, which has no\n"
      "additional dimension. Without --atol and --rtol, --expect tolerates 1e-4 (float16: 2e-3) "
      "of\n"
      "the reference's largest magnitude in floats and no difference in integers. A mismatch "
      "exits\n"
      "with code 1.";
  spec.examples = "tigris-run model.tgrs --input image.npy --output scores.npy\n"
                  "tigris-run model.tgrs --input x=in.npy --expect y=ref.npy --atol 1e-3\n"
                  "tigris-run model.tgrs --seed 7 --repeat 10 --stats=json\n";
  spec.run = [&](ToolContext& context) { return execute(context, flags); };
  return use(spec);
}

int runMain(int argc, const char* const* argv) {
  return withRunSpec("tigris-run",
                     [&](const ToolSpec& spec) { return toolMain(argc, argv, spec); });
}

} // namespace tigris
