// Parses command lines with boost::program_options, and converts exceptions to exit codes. No other
// code does the latter.
#include "tigris/Driver/CommandLine/ToolMain.h"

#include "tigris/Driver/CommandLine/Completions.h"
#include "tigris/Driver/CommandLine/HelpText.h"
#include "tigris/Driver/CommandLine/ToolProcess.h"
#include "tigris/Support/FileIO.h"
#include "tigris/Support/FileKind.h"
#include "tigris/Support/Printable.h"
#include "tigris/Support/Progress.h"
#include "tigris/Support/Version.h"

#include <boost/program_options.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <sys/ioctl.h>
#include <unistd.h>

namespace tigris {

namespace {

namespace po = boost::program_options;

constexpr const char* PositionalKey = "tigris positional";
constexpr unsigned MaxErrors = 20;

struct CommandLine {
  OptionTable table;
  std::vector<std::string> positional;
  std::vector<std::string> recorded;
  ToolFiles files;
  std::string output = "-";
  bool outputGiven = false;
  std::string depfile;
  std::string depfileTarget;
  bool ifChanged = false;
  std::string generate;
  std::string explain;
  bool help = false;
  bool version = false;
};

void writeStderr(const std::string& text) {
  ProgressLine::makeRoom();
  std::fwrite(text.data(), 1, text.size(), stderr);
}

/// Shows progress if standard error is a terminal that can erase a line.
void startProgress(const std::string& tool, std::optional<ProgressLine>& line) {
  const char* terminal = std::getenv("TERM");
  if (::isatty(STDERR_FILENO) == 0 || terminal == nullptr || std::string_view(terminal) == "dumb")
    return;
  constexpr size_t UsualColumns = 80;
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  line.emplace(
      tool, known ? size.ws_col : UsualColumns,
      [](const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); },
      ProgressLine::Timing());
}

bool colorWanted() {
  const char* noColor = std::getenv("NO_COLOR");
  return ::isatty(STDERR_FILENO) != 0 && (noColor == nullptr || *noColor == 0);
}

/// Colors the severity of each line: the first "error", "warning" or "note" between ": " and ": ".
std::string paint(const std::string& text) {
  struct Paint {
    const char* word;
    const char* code;
  };
  static constexpr Paint Paints[] = {
      {": error: ", "\033[1;31m"}, {": warning: ", "\033[1;35m"}, {": note: ", "\033[1;36m"}};
  std::string result;
  for (size_t start = 0; start < text.size();) {
    size_t end = text.find('\n', start);
    end = end == std::string::npos ? text.size() : end + 1;
    std::string line = text.substr(start, end - start);
    for (const Paint& paint : Paints) {
      const size_t at = line.find(paint.word);
      if (at == std::string::npos)
        continue;
      line.insert(at + std::string_view(paint.word).size() - 2, "\033[0m");
      line.insert(at + 2, paint.code);
      break;
    }
    result += line;
    start = end;
  }
  return result;
}

void printDiagnostic(const Diagnostic& diagnostic, const std::string& tool) {
  const std::string text = formatDiagnostic(diagnostic, tool);
  writeStderr(colorWanted() ? paint(text) : text);
}

std::string spellingOf(const OptionTable::Entry& entry) {
  return entry.shortName != 0 ? strCat("-", entry.shortName) : "--" + entry.longName;
}

void declareOptions(const ToolSpec& spec, CommandLine& line) {
  if (spec.output) {
    OptionTable::Entry& entry =
        line.table.add("output,o", spec.outputName.c_str(), "",
                       [&line](const std::string& value, const std::string&) -> Status {
                         line.output = value;
                         line.outputGiven = true;
                         return {};
                       });
    entry.help = spec.outputName != "FILE" ? "output directory"
                 : spec.outputRequired     ? "output file; - is standard output"
                                           : "output file (default: standard output)";
    if (spec.outputName == "FILE")
      entry.writes();
  }
  if (spec.options)
    spec.options(line.table);
  if (spec.output) {
    line.table.flag("if-changed", line.ifChanged,
                    "leave output files untouched if their bytes do not change");
    line.table
        .text("depfile", line.depfile, "FILE", "write a Makefile rule that lists the files read")
        .writes();
    line.table.text("depfile-target", line.depfileTarget, "NAME",
                    "target of the --depfile rule (default: the -o file)");
  }
  line.table.flag("help,h", line.help, "print this help and exit");
  line.table.choice("generate", line.generate, {"man", "bash", "zsh", "fish"},
                    "print the manual page or a shell's completions and exit");
  line.table.text("explain", line.explain, "ID",
                  "explain the message with this [ID], or 'all', and exit");
  line.table.flag("version", line.version, "print the version and exit");
}

/// Converts an exception of the library to one of our messages.
Error usageError(const po::error& error, const OptionTable& table) {
  if (const auto* unknown = dynamic_cast<const po::unknown_option*>(&error)) {
    std::vector<std::string> names;
    for (const OptionTable::Entry& entry : table.entries())
      names.push_back("--" + entry.longName);
    std::string name = unknown->get_option_name();
    name.resize(std::min(name.size(), name.find('=')));
    const auto near = name.starts_with("--") ? nearestSpelling(name, names) : std::nullopt;
    return makeError(DiagId::Usage, "unknown option '", name, "'",
                     near ? "; did you mean '" + *near + "'?" : "; see --help");
  }
  if (const auto* syntax = dynamic_cast<const po::invalid_command_line_syntax*>(&error)) {
    const std::string name = syntax->get_option_name();
    switch (syntax->kind()) {
    case po::invalid_syntax::missing_parameter:
    case po::invalid_syntax::empty_adjacent_parameter:
      return makeError(DiagId::Usage, "option '", name, "' needs a value; see --help");
    case po::invalid_syntax::extra_parameter:
      return makeError(DiagId::Usage, "option '", name, "' takes no value; see --help");
    default:
      return makeError(DiagId::Usage, "option '", name, "' is not well-formed; see --help");
    }
  }
  return makeError(DiagId::Usage, "the command line is not well-formed (", error.what(),
                   "); see --help");
}

void declareFile(const OptionTable::Entry& entry, const std::string& value,
                 const std::string& spelling, ToolFiles& files) {
  const std::string path = entry.fileOf ? entry.fileOf(value) : value;
  if (entry.fileUse == OptionTable::Entry::FileUse::None || path.empty())
    return;
  const std::string who = strCat("option '", spelling, "'");
  if (entry.fileUse == OptionTable::Entry::FileUse::Reads)
    files.reads(path, who);
  else
    files.writes(path, who);
}

Status parse(std::vector<std::string> arguments, const ToolSpec& spec, CommandLine& line) {
  // The library's own implicit values would consume the next argument as the value.
  for (std::string& argument : arguments) {
    if (argument == "--")
      break;
    if (!argument.starts_with("--"))
      continue;
    if (const auto* entry = line.table.find(argument.substr(2)); entry != nullptr && entry->implied)
      argument += "=" + *entry->implied;
  }

  po::options_description description;
  for (const OptionTable::Entry& entry : line.table.entries()) {
    std::string name = entry.longName;
    if (entry.shortName != 0)
      name += strCat(",", entry.shortName);
    if (entry.metavar.empty()) {
      description.add_options()(name.c_str(), "");
      continue;
    }
    description.add_options()(name.c_str(), po::value<std::vector<std::string>>(), "");
  }
  description.add_options()(PositionalKey, po::value<std::vector<std::string>>(), "");
  po::positional_options_description positional;
  positional.add(PositionalKey, -1);

  std::vector<po::option> given;
  try {
    namespace style = po::command_line_style;
    given = po::command_line_parser(arguments)
                .options(description)
                .positional(positional)
                .style(style::unix_style & ~style::allow_guessing)
                .run()
                .options;
  } catch (const po::error& error) {
    return usageError(error, line.table);
  }

  std::vector<std::string> seen;
  for (const po::option& option : given) {
    if (option.string_key == PositionalKey) {
      line.positional.insert(line.positional.end(), option.value.begin(), option.value.end());
      continue;
    }
    const OptionTable::Entry* entry = line.table.find(option.string_key);
    TIGRIS_CHECK(entry != nullptr);
    const std::string spelling = spellingOf(*entry);
    if (!entry->repeats && !entry->metavar.empty() &&
        std::find(seen.begin(), seen.end(), entry->longName) != seen.end())
      return makeError(DiagId::Usage, "option '", spelling, "' is given twice");
    seen.push_back(entry->longName);
    const std::string value = option.value.empty() ? "" : option.value[0];
    if (Status status = entry->take(value, spelling); !status)
      return status;
    declareFile(*entry, value, spelling, line.files);
    if (entry->recorded)
      line.recorded.push_back(entry->metavar.empty()
                                  ? "--" + entry->longName
                                  : strCat(spelling, entry->shortName != 0 ? ' ' : '=', value));
  }
  if (line.help || line.version || !line.generate.empty() || !line.explain.empty())
    return {};

  const size_t allowed = spec.input.empty() ? 0 : 1;
  if (line.positional.size() > allowed)
    return makeError(DiagId::Usage, "unexpected argument '", line.positional[allowed],
                     "'; see --help");
  if (spec.inputRequired && line.positional.empty())
    return makeError(DiagId::Usage, "no ", spec.input, " given; see --help");
  if (!line.depfile.empty() && line.output == "-")
    return makeError(DiagId::Usage, "option '--depfile' needs -o FILE, the target of its rule");
  if (spec.outputRequired && !line.outputGiven)
    return makeError(DiagId::Usage, "no -o ", spec.outputName, " given; see --help");
  if (line.output == "-" && line.outputGiven && spec.outputName != "FILE")
    return makeError(DiagId::Usage, "the output is several files; -o must name a directory");
  if (spec.outputRequired && line.output == "-" && ::isatty(STDOUT_FILENO) != 0)
    return makeError(DiagId::Usage,
                     "the output is binary and standard output is a terminal; specify -o FILE");
  if (allowed == 1 && line.positional.empty() && (!spec.needsInput || spec.needsInput()) &&
      ::isatty(STDIN_FILENO) != 0)
    return makeError(DiagId::Usage, "standard input is a terminal; name a file or pipe another "
                                    "tool's output into this one; see --help");
  return {};
}

} // namespace

int exitCodeOf(DiagId id) {
  if (id == DiagId::Usage || id == DiagId::BadPipeline)
    return ExitUsage;
  return id == DiagId::OverBudget ? ExitOverBudget : ExitFailure;
}

const char* tigrisVersion() { return TIGRIS_VERSION; }

std::string ToolContext::inputName() const { return displayName(input_); }

Expected<std::string> ToolContext::readInput() const {
  Expected<std::string> text = readFile(input_);
  if (text && text->empty())
    return emptyInput(inputName());
  return text;
}

void ToolContext::outputFile(std::string path, std::string bytes) {
  TIGRIS_CHECK_MSG(files_.isOutput(path), path);
  outputFiles_.push_back({std::move(path), std::move(bytes)});
}

void ToolContext::log(const std::string& text) const { writeStderr(printableLines(text)); }

std::string ToolContext::historyEntry() const {
  std::string entry = toolName_ + " " + tigrisVersion();
  for (const std::string& option : recorded_)
    entry += " " + option;
  return entry;
}

Expected<std::string> ToolContext::depfileRule() const {
  // Escapes the characters that are special to make.
  const auto escape = [](const std::string& path) {
    std::string result;
    for (const char c : path) {
      if (c == ' ' || c == '#' || c == ':')
        result += '\\';
      result += c;
      if (c == '$')
        result += c;
    }
    return result;
  };
  // make has no escape for a line break.
  const auto isNameable = [](const std::string& path) {
    return path.find('\n') == std::string::npos;
  };
  if (!isNameable(depfileTarget_))
    return makeError(DiagId::Usage, "option '--depfile': the target '", depfileTarget_,
                     "' has a line break, which a Makefile cannot express");
  std::string rule = escape(depfileTarget_) + ":";
  std::string phony;
  for (const std::string& path : files_.inputs()) {
    if (path == "-" || !isNameable(path))
      continue;
    rule += " \\\n  " + escape(path);
    // A rule without a recipe allows make to continue after a dependency has been removed.
    phony += escape(path) + ":\n";
  }
  return rule + "\n" + phony;
}

Status ToolContext::writeOutputs() const {
  if (Status status = checkFiles(); !status)
    return status;
  const Expected<std::string> rule = depfile_.empty() ? std::string() : depfileRule();
  if (!rule)
    return rule.error();
  for (const std::string& folder : folders_) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
      return makeError(DiagId::IoError, "cannot make directory '", folder, "': ", error.message());
  }
  OutputFiles files;
  const auto add = [&](const std::string& path, std::vector<std::string_view> pieces) {
    return ifChanged_ ? files.addIfChanged(path, std::move(pieces))
                      : files.add(path, std::move(pieces));
  };
  Status status;
  for (size_t i = 0; status && i < outputFiles_.size(); ++i)
    status = add(outputFiles_[i].path, {outputFiles_[i].bytes});
  if (status && output_)
    status = add(outputPath_, output_->views());
  if (status && !depfile_.empty())
    status = add(depfile_, {*rule});
  if (status && !printed_.empty())
    status = files.add("-", printed_);
  return status ? files.commit() : status;
}

std::string helpText(const ToolSpec& spec) {
  CommandLine line;
  declareOptions(spec, line);
  return helpText(spec, line.table);
}

std::string generatedText(const ToolSpec& spec, const std::string& format) {
  CommandLine line;
  declareOptions(spec, line);
  if (format == "man")
    return manPage(spec, line.table);
  std::vector<std::string> commands;
  for (const ToolCommand& command : spec.commands)
    command.withSpec([&](const ToolSpec& commandSpec) {
      commands.push_back(generatedText(commandSpec, format));
      return static_cast<int>(ExitOk);
    });
  return completionScript(spec, line.table, format, commands);
}

int toolMain(int argc, const char* const* argv, const ToolSpec& spec) {
  const ToolProcess process;

  int exitCode = ExitOk;
  unsigned errors = 0;
  const auto report = [&](const Diagnostic& diagnostic) {
    if (diagnostic.severity == Severity::Error) {
      if (exitCode == ExitOk)
        exitCode = exitCodeOf(diagnostic.id);
      if (++errors > MaxErrors)
        return;
    }
    printDiagnostic(diagnostic, spec.name);
  };

  std::optional<ProgressLine> progress;
  try {
    CommandLine line;
    declareOptions(spec, line);
    const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    DiagnosticEngine diagnostics(report);
    ToolContext context(spec.name, diagnostics);
    Status status = parse(arguments, spec, line);
    if (status && line.help) {
      context.print(helpText(spec));
    } else if (status && !line.generate.empty()) {
      context.print(generatedText(spec, line.generate));
    } else if (status && !line.explain.empty()) {
      Expected<std::string> text = explainDiagnostic(line.explain);
      if (text)
        context.print(*text);
      else
        status = text.takeError();
    } else if (status && line.version) {
      context.print(spec.name + " " + tigrisVersion() + "\n");
    } else if (status) {
      if (!line.positional.empty())
        context.input_ = line.positional[0];
      context.outputPath_ = line.output;
      context.recorded_ = line.recorded;
      context.depfile_ = line.depfile;
      context.depfileTarget_ = line.depfileTarget.empty() ? line.output : line.depfileTarget;
      context.ifChanged_ = line.ifChanged;
      context.files_ = line.files;
      if (!spec.input.empty())
        context.reads(context.input_, "the input");
      startProgress(spec.name, progress);
      status = context.checkFiles();
      if (status)
        status = spec.run(context);
      progress.reset();
    }
    if (status && errors == 0)
      status = context.writeOutputs();
    if (status && context.verdict_)
      status = std::move(*context.verdict_);
    if (!status)
      report(status.error().diagnostic());
  } catch (const DataError& error) {
    report({DiagId::BadWeights, Severity::Error, {}, error.what(), {}});
  } catch (const std::bad_alloc&) {
    reportOutOfMemory();
    return ExitFailure;
  } catch (const std::length_error&) {
    reportOutOfMemory();
    return ExitFailure;
  } catch (const std::exception& error) {
    writeStderr(strCat(spec.name, ": internal error: ", error.what(), "\n", spec.name,
                       ": note: this is a bug; please report it with the command line and the "
                       "input\n"));
    return ExitBug;
  }
  if (errors > MaxErrors)
    writeStderr(strCat(spec.name, ": note: ", errors - MaxErrors, " more errors not shown\n"));
  return exitCode;
}

} // namespace tigris
