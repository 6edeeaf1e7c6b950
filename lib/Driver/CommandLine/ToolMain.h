// The frame of every tool's main function: options, --help, --version, streams, diagnostics, exit
// codes.
//
//   int planMain(int argc, char** argv) {
//     PlanFlags flags;
//     ToolSpec spec;
//     spec.name = "tigris-plan";
//     spec.summary = "Decides where and when every tensor of a normalized graph lives.";
//     spec.input = "IN";
//     spec.output = true;
//     spec.examples = "tigris-plan -m 256K -m 8M norm.yaml -o planned.yaml\n";
//     spec.options = [&](OptionTable& table) {
//       table.sizes("memory,m", flags.memory, "SIZE", "fast memory; given twice: fast, then slow");
//     };
//     spec.run = [&](ToolContext& context) -> Status {
//       Expected<std::string> text = context.readInput();
//       if (!text)
//         return text.takeError();
//       ...
//       context.output(std::move(result));
//       return {};
//     };
//     return toolMain(argc, argv, spec);
//   }
//
// What a run may rely on:
//  - nothing reaches standard output or any file unless `run` succeeds and no error was reported
//  (setVerdict is
//    the exception);
//  - files appear together at the end, or not at all, also where a signal or a lack of memory ends
//  the run; none
//    is written that the run also reads, or writes for another purpose (ToolFiles);
//  - warnings and errors reported to context.diagnostics() appear on standard error at once;
//  - exit codes: 0 success, 1 bad input (DataError and lack of host memory too), 2 wrong command
//  line
//    (DiagId::Usage, DiagId::BadPipeline), 3 does not fit the budget (DiagId::OverBudget), 70 a bug
//    (InternalError or any other exception).
#pragma once

#include "tigris/Driver/CommandLine/ToolFiles.h"
#include "tigris/Support/Printable.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tigris {

enum ExitCode : int {
  ExitOk = 0,
  ExitFailure = 1,
  ExitUsage = 2,
  ExitOverBudget = 3,
  ExitBug = 70
};

int exitCodeOf(DiagId id);

/// "0.1.0": the version of the project.
const char* tigrisVersion();

/// Declares options; a value is parsed into the variable it was declared with, which keeps its
/// content where the option is not given. Names are "long" or "long,s" with a one-letter short
/// form. Every variable must outlive the call of toolMain.
class OptionTable {
public:
  /// How an option is spelled and shown, and how a value is taken.
  struct Entry {
    std::string longName;
    char shortName = 0;
    std::string metavar; // empty: a flag without a value
    std::string help;
    bool repeats = false;
    /// The value where the option is given without one ("--stats" for "--stats=json").
    std::optional<std::string> implied;
    bool recorded = false;
    std::function<Status(const std::string& value, const std::string& spelling)> take;
    enum class FileUse : uint8_t { None, Reads, Writes } fileUse = FileUse::None;
    /// The file a value names, empty where it names none; null: the value is its path.
    std::function<std::string(const std::string& value)> fileOf;

    /// The option becomes part of the history entry (ToolContext::historyEntry): for those that
    /// change the result. Never for paths: outputs do not depend on where files lie.
    Entry& record() {
      recorded = true;
      return *this;
    }
    /// The value names a file that the run reads.
    Entry& reads() {
      fileUse = FileUse::Reads;
      return *this;
    }
    /// The value names a file that the run writes (ToolContext::outputFile).
    Entry& writes(std::function<std::string(const std::string& value)> path = {}) {
      fileUse = FileUse::Writes;
      fileOf = std::move(path);
      return *this;
    }
  };

  Entry& flag(const char* name, bool& target, const char* help);
  Entry& text(const char* name, std::string& target, const char* metavar, const char* help);
  Entry& text(const char* name, std::optional<std::string>& target, const char* metavar,
              const char* help);
  /// May be given several times; keeps the order.
  Entry& texts(const char* name, std::vector<std::string>& target, const char* metavar,
               const char* help);
  /// `--name` alone means `implied`; a value needs the equals sign: `--name=value`.
  Entry& optionalText(const char* name, std::optional<std::string>& target, const char* implied,
                      const char* metavar, const char* help);
  /// One of the listed words. The help shows them all.
  Entry& choice(const char* name, std::string& target, std::vector<std::string> words,
                const char* help);
  /// Bytes as parseSize takes them.
  Entry& size(const char* name, std::optional<uint64_t>& target, const char* metavar,
              const char* help);
  Entry& sizes(const char* name, std::vector<uint64_t>& target, const char* metavar,
               const char* help);
  Entry& integer(const char* name, int64_t& target, const char* metavar, const char* help,
                 int64_t minimum = INT64_MIN, int64_t maximum = INT64_MAX);
  /// Finite and not negative.
  Entry& real(const char* name, std::optional<double>& target, const char* metavar,
              const char* help);

  /// Any other option: `take` gets the value and the option's spelling ("-m") for messages.
  Entry& add(const char* name, const char* metavar, const char* help,
             std::function<Status(const std::string& value, const std::string& spelling)> take);

  const std::vector<Entry>& entries() const { return entries_; }
  const Entry* find(const std::string& longName) const;

private:
  std::vector<Entry> entries_;
};

/// What the frame hands to a tool's run.
class ToolContext {
public:
  ToolContext(std::string toolName, DiagnosticEngine& diagnostics)
      : toolName_(std::move(toolName)), diagnostics_(diagnostics) {}

  DiagnosticEngine& diagnostics() { return diagnostics_; }

  /// The positional argument, "-" where it was left out.
  const std::string& input() const { return input_; }
  /// The whole input; EmptyInput where it has no bytes.
  Expected<std::string> readInput() const;
  /// The input's name for messages: "model.yaml", "<stdin>".
  std::string inputName() const;

  /// The target of -o, "-" where it was left out.
  const std::string& outputPath() const { return outputPath_; }
  /// Hands over what goes to -o (standard output where it was left out); written after success.
  void output(std::string bytes);
  /// Hands over a further file, written after success. Its path has been declared, by an option
  /// that writes() or by writes() below.
  void outputFile(std::string path, std::string bytes);
  /// Makes a folder for output files, and those around it, after success.
  void outputFolder(std::string path) { folders_.push_back(std::move(path)); }
  /// Adds text for standard output whatever -o says, as printableLines() has it; written after
  /// success.
  void print(const std::string& text) { printed_ += printableLines(text); }
  /// Writes to standard error now, as printableLines() has it: timings, dumps between passes.
  void log(const std::string& text) const;

  /// The result is bad news: the outputs are written as after success, then the error is reported,
  /// and the exit code is its. For tools that show what is wrong in detail.
  void setVerdict(Error error) { verdict_ = std::move(error); }

  /// Declares a further file that the run reads or writes: those that only the run can know. `who`
  /// says in messages what it is: "option '--expect'", "external data". What is read goes into
  /// --depfile, too.
  void reads(const std::string& path, const std::string& who) const { files_.reads(path, who); }
  void writes(const std::string& path, const std::string& who) const { files_.writes(path, who); }
  /// Whether a declared output would overwrite a declared input or another output. Asked before
  /// outputs are written; a run that writes a file before its end asks before that.
  Status checkFiles() const { return files_.check(); }

  /// Appends to historyEntry() what is not an option as given: "--load-pass-plugin=NAME" without
  /// its path.
  void addToHistory(std::string option) { recorded_.push_back(std::move(option)); }
  /// "tigris-norm 0.1.0 --passes=default": the tool, its version and the recorded options as given.
  std::string historyEntry() const;

private:
  friend int toolMain(int argc, const char* const* argv, const struct ToolSpec& spec);

  Status writeOutputs() const;
  Expected<std::string> depfileRule() const;

  struct File {
    std::string path;
    std::string bytes;
  };

  std::string toolName_;
  DiagnosticEngine& diagnostics_;
  std::string input_ = "-";
  std::string outputPath_ = "-";
  std::vector<std::string> recorded_;
  std::optional<std::string> output_;
  std::vector<File> outputFiles_;
  std::vector<std::string> folders_;
  std::string printed_;
  std::optional<Error> verdict_;
  mutable ToolFiles files_;
  std::string depfile_;
  std::string depfileTarget_;
  bool ifChanged_ = false;
};

/// Is lent the description of a tool; returns an exit code.
using SpecUser = std::function<int(const struct ToolSpec&)>;

/// A tool inside of a tool: "tigris run".
struct ToolCommand {
  std::string name;
  /// A line for the list of commands.
  std::string summary;
  /// Describes the command to the user, and returns what that returns.
  std::function<int(const SpecUser&)> withSpec;
};

struct ToolSpec {
  /// "tigris-run", or "tigris run" for a command.
  std::string name;
  /// One sentence.
  std::string summary;
  /// What the positional argument is one of; empty: it is a file.
  std::vector<ToolCommand> commands;
  /// Placeholder of the positional argument ("IN"); empty: the tool takes none.
  std::string input;
  /// Without it, a missing argument means standard input (refused when that is a terminal).
  bool inputRequired = false;
  /// Asked after the options are parsed; null: always. When false a terminal as standard input is
  /// no mistake.
  std::function<bool()> needsInput;
  /// Adds -o/--output, --if-changed and --depfile.
  bool output = false;
  /// -o must be given (binary results).
  bool outputRequired = false;
  /// What -o names: a file, or "DIR" for a folder to which the run adds files
  /// (ToolContext::outputFile).
  std::string outputName = "FILE";
  /// One command per line, shown under EXAMPLES.
  std::string examples;
  /// Further paragraphs for --help, after the options; may be empty.
  std::string details;
  std::function<void(OptionTable&)> options;
  std::function<Status(ToolContext&)> run;
};

/// What --help prints.
std::string helpText(const ToolSpec& spec);

/// What --generate prints: "man" is the manual page, "bash", "zsh" and "fish" completions.
std::string generatedText(const ToolSpec& spec, const std::string& format);

/// Parses the command line, runs the tool, prints diagnostics, writes outputs; returns the exit
/// code.
int toolMain(int argc, const char* const* argv, const ToolSpec& spec);

} // namespace tigris
