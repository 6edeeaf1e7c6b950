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
// Guarantees:
//  - Nothing is written to standard output or to a file unless `run` succeeds and no error was
//    reported. The exception is setVerdict.
//  - Files appear together at the end, or not at all, even if a signal or a lack of memory ends the
//    run. A run writes no file that it also reads, or that it writes for another purpose
//    (ToolFiles).
//  - Warnings and errors reported to context.diagnostics() appear on standard error at once.
//  - Exit codes: 0 success, 1 bad input (also DataError and lack of host memory), 2 wrong command
//    line (DiagId::Usage, DiagId::BadPipeline), 3 does not fit the budget (DiagId::OverBudget), 70
//    a bug (InternalError or any other exception).
#pragma once

#include "tigris/Driver/CommandLine/ToolFiles.h"
#include "tigris/Support/Printable.h"
#include "tigris/Support/TextPieces.h"

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

/// Declares options. A value is parsed into the variable declared with the option; without the
/// option, the variable keeps its content. Names are "long", or "long,s" with a one-letter short
/// form. Every variable must outlive the call of toolMain.
class OptionTable {
public:
  /// How an option is spelled and documented, and how its value is parsed.
  struct Entry {
    std::string longName;
    char shortName = 0;
    std::string metavar; // empty: a flag without a value
    std::string help;
    bool repeats = false;
    /// The value if the option is given without one ("--stats" for "--stats=json").
    std::optional<std::string> implied;
    bool recorded = false;
    std::function<Status(const std::string& value, const std::string& spelling)> take;
    enum class FileUse : uint8_t { None, Reads, Writes } fileUse = FileUse::None;
    /// Returns the file that a value names, or an empty string if it names none. Null: the value is
    /// the path.
    std::function<std::string(const std::string& value)> fileOf;

    /// Adds the option to the history entry (ToolContext::historyEntry). For options that change
    /// the result, never for paths: outputs do not depend on the locations of files.
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
  /// May be given several times; the order is kept.
  Entry& texts(const char* name, std::vector<std::string>& target, const char* metavar,
               const char* help);
  /// `--name` alone means `implied`; a value needs the equals sign: `--name=value`.
  Entry& optionalText(const char* name, std::optional<std::string>& target, const char* implied,
                      const char* metavar, const char* help);
  /// One of the listed words. The help shows them all.
  Entry& choice(const char* name, std::string& target, std::vector<std::string> words,
                const char* help);
  /// A number of bytes, parsed by parseSize.
  Entry& size(const char* name, std::optional<uint64_t>& target, const char* metavar,
              const char* help);
  Entry& sizes(const char* name, std::vector<uint64_t>& target, const char* metavar,
               const char* help);
  Entry& integer(const char* name, int64_t& target, const char* metavar, const char* help,
                 int64_t minimum = INT64_MIN, int64_t maximum = INT64_MAX);
  /// Finite and not negative.
  Entry& real(const char* name, std::optional<double>& target, const char* metavar,
              const char* help);

  /// Any other option: `take` receives the value, and the option's spelling ("-m") for messages.
  Entry& add(const char* name, const char* metavar, const char* help,
             std::function<Status(const std::string& value, const std::string& spelling)> take);

  const std::vector<Entry>& entries() const { return entries_; }
  const Entry* find(const std::string& longName) const;

private:
  std::vector<Entry> entries_;
};

/// What toolMain passes to a tool's run.
class ToolContext {
public:
  ToolContext(std::string toolName, DiagnosticEngine& diagnostics)
      : toolName_(std::move(toolName)), diagnostics_(diagnostics) {}

  DiagnosticEngine& diagnostics() { return diagnostics_; }

  /// The positional argument, "-" if it was omitted.
  const std::string& input() const { return input_; }
  /// The whole input; DiagId::EmptyInput if it has no bytes.
  Expected<std::string> readInput() const;
  /// The input's name for messages: "model.yaml", "<stdin>".
  std::string inputName() const;

  /// The argument of -o, "-" if it was omitted.
  const std::string& outputPath() const { return outputPath_; }
  /// Sets what is written to -o (by default standard output) after success.
  void output(std::string bytes) { output(TextPieces(std::move(bytes))); }
  void output(TextPieces text) { output_ = std::move(text); }
  /// Adds a further file, written after success. Its path must have been declared, by an option
  /// with Entry::writes() or by writes() below.
  void outputFile(std::string path, std::string bytes);
  /// Creates a folder for output files, with its parents, after success.
  void outputFolder(std::string path) { folders_.push_back(std::move(path)); }
  /// Adds text for standard output, regardless of -o, converted by printableLines(); written after
  /// success.
  void print(const std::string& text) { printed_ += printableLines(text); }
  /// Writes text to standard error at once, converted by printableLines(): timings, dumps between
  /// passes.
  void log(const std::string& text) const;

  /// Fails the run but keeps its outputs: they are written as after success, then the error is
  /// reported, and it determines the exit code. For tools whose output describes the failure in
  /// detail.
  void setVerdict(Error error) { verdict_ = std::move(error); }

  /// Declares a further file that the run reads or writes, if the path is known only during the
  /// run. `who` names the file in messages: "option '--expect'", "external data". Files that are
  /// read are also listed by --depfile.
  void reads(const std::string& path, const std::string& who) const { files_.reads(path, who); }
  void writes(const std::string& path, const std::string& who) const { files_.writes(path, who); }
  /// DiagId::Usage if a declared output would overwrite a declared input or another output.
  /// toolMain checks before it writes outputs. A run that itself writes a file calls this first.
  Status checkFiles() const { return files_.check(); }

  /// Appends an option to historyEntry() that differs from the one given: "--load-pass-plugin=NAME"
  /// without its path.
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
  std::optional<TextPieces> output_;
  std::vector<File> outputFiles_;
  std::vector<std::string> folders_;
  std::string printed_;
  std::optional<Error> verdict_;
  mutable ToolFiles files_;
  std::string depfile_;
  std::string depfileTarget_;
  bool ifChanged_ = false;
};

/// Receives the description of a tool for the duration of the call; returns an exit code.
using SpecUser = std::function<int(const struct ToolSpec&)>;

/// A command of a tool: "run" of "tigris run".
struct ToolCommand {
  std::string name;
  /// A line for the list of commands.
  std::string summary;
  /// Passes the command's description to the function, and returns its result.
  std::function<int(const SpecUser&)> withSpec;
};

struct ToolSpec {
  /// "tigris-run", or "tigris run" for a command.
  std::string name;
  /// One sentence.
  std::string summary;
  /// The commands that the positional argument selects from; empty: the argument is a file.
  std::vector<ToolCommand> commands;
  /// Placeholder of the positional argument ("IN"); empty: the tool takes none.
  std::string input;
  /// If false, a missing argument means standard input, which must not be a terminal.
  bool inputRequired = false;
  /// Whether the run reads its input; called after the options are parsed. Null: always. If false,
  /// a terminal as standard input is not an error.
  std::function<bool()> needsInput;
  /// Adds -o/--output, --if-changed and --depfile.
  bool output = false;
  /// -o must be given (binary results).
  bool outputRequired = false;
  /// The placeholder of -o: a file, or "DIR" for a folder to which the run adds files
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
