// Command lines of tools: values, messages and exit codes.
#include "tigris/Driver/CommandLine/ToolMain.h"

#include "tigris/Driver/CommandLine/HelpText.h"
#include "tigris/Support/FileIO.h"

#include <doctest/doctest.h>
#include <filesystem>
#include <unistd.h>

using namespace tigris;

namespace {

struct Flags {
  std::vector<uint64_t> memory;
  std::string planner = "greedy";
  std::optional<std::string> stats;
  std::optional<double> tolerance;
  int64_t count = 1;
  bool verbose = false;
};

ToolSpec specOf(Flags& flags) {
  ToolSpec spec;
  spec.name = "tigris-test";
  spec.summary = "Tests.";
  spec.input = "IN";
  spec.output = true;
  spec.examples = "tigris-test -m 1K in\n";
  spec.options = [&flags](OptionTable& table) {
    table.sizes("memory,m", flags.memory, "SIZE", "bytes").record();
    table.choice("planner", flags.planner, {"greedy", "optimal"}, "which").record();
    table.optionalText("stats", flags.stats, "text", "FORMAT", "numbers");
    table.real("atol", flags.tolerance, "X", "tolerance");
    table.integer("count", flags.count, "N", "how often", 1, 10);
    table.flag("verbose,v", flags.verbose, "more");
  };
  spec.run = [](ToolContext&) -> Status { return {}; };
  return spec;
}

/// Runs with standard error (and output) redirected to a file; returns the text.
struct Run {
  int code = 0;
  std::string err;
};

Run run(const ToolSpec& spec, std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), spec.name.c_str());
  const std::string path =
      (std::filesystem::temp_directory_path() / strCat("tigris-toolmain-", ::getpid())).string();
  std::fflush(stderr);
  const int saved = ::dup(STDERR_FILENO);
  FILE* file = std::fopen(path.c_str(), "w");
  REQUIRE(file != nullptr);
  ::dup2(::fileno(file), STDERR_FILENO);
  std::fclose(file);
  Run result;
  result.code = toolMain(static_cast<int>(arguments.size()), arguments.data(), spec);
  std::fflush(stderr);
  ::dup2(saved, STDERR_FILENO);
  ::close(saved);
  result.err = *readFile(path);
  std::filesystem::remove(path);
  return result;
}

} // namespace

TEST_CASE("values arrive in their variables, in order") {
  Flags flags;
  const Run result = run(specOf(flags), {"-m", "2M", "-m8M", "--planner=optimal", "--stats",
                                         "--atol", "1e-3", "--count=3", "-v", "-"});
  CHECK(result.code == 0);
  CHECK(result.err.empty());
  CHECK(flags.memory == std::vector<uint64_t>{2 << 20, 8 << 20});
  CHECK(flags.planner == "optimal");
  CHECK(flags.stats == "text");
  CHECK(flags.tolerance == 1e-3);
  CHECK(flags.count == 3);
  CHECK(flags.verbose);
}

TEST_CASE("an implied value never eats the next argument") {
  Flags flags;
  std::string input;
  ToolSpec spec = specOf(flags);
  spec.run = [&](ToolContext& context) -> Status {
    input = context.input();
    return {};
  };
  CHECK(run(spec, {"--stats", "file"}).code == 0);
  CHECK(flags.stats == "text");
  CHECK(input == "file");
  CHECK(run(spec, {"--stats=json", "file"}).code == 0);
  CHECK(flags.stats == "json");
}

TEST_CASE("wrong command lines exit 2 with one line that names the option") {
  const auto err = [](std::vector<const char*> arguments) {
    Flags flags;
    arguments.push_back("file");
    const Run result = run(specOf(flags), std::move(arguments));
    CHECK(result.code == ExitUsage);
    return result.err;
  };
  CHECK(err({"-m", "banana"}) == "tigris-test: error: option '-m': 'banana' is not a size; "
                                 "examples: 64K, 1.5M, 4096 [usage]\n");
  CHECK(err({"--planer=greedy"}) ==
        "tigris-test: error: unknown option '--planer'; did you mean '--planner'? [usage]\n");
  CHECK(err({"--plan=greedy"}).find("unknown option '--plan'") != std::string::npos);
  CHECK(err({"-x"}) == "tigris-test: error: unknown option '-x'; see --help [usage]\n");
  CHECK(err({"--planner=best"}) ==
        "tigris-test: error: option '--planner': 'best' is not one of greedy, optimal [usage]\n");
  CHECK(err({"--planner="}).find("needs a value") != std::string::npos);
  CHECK(err({"--verbose=1"}).find("takes no value") != std::string::npos);
  CHECK(err({"--count=0"}).find("is less than 1") != std::string::npos);
  CHECK(err({"--count=x"}).find("is not an integer") != std::string::npos);
  CHECK(err({"--atol=-1"}).find("is not a number of 0 or more") != std::string::npos);
  CHECK(err({"--count=1", "--count=2"}).find("is given twice") != std::string::npos);
  CHECK(err({"other"}) == "tigris-test: error: unexpected argument 'file'; see --help [usage]\n");
  Flags flags;
  const Run missing = run(specOf(flags), {"file", "-m"});
  CHECK(missing.code == ExitUsage);
  CHECK(missing.err.find("needs a value") != std::string::npos);
}

TEST_CASE("failures of the run become exit codes") {
  Flags flags;
  ToolSpec spec = specOf(flags);
  const auto code = [&](std::function<Status(ToolContext&)> body) {
    spec.run = std::move(body);
    return run(spec, {"file"});
  };
  CHECK(code([](ToolContext&) -> Status { return makeError(DiagId::OverBudget, "no"); }).code == 3);
  CHECK(code([](ToolContext&) -> Status { return makeError(DiagId::BadGraph, "no"); }).code == 1);
  CHECK(code([](ToolContext&) -> Status { throw DataError("bad"); }).code == 1);
  CHECK(code([](ToolContext&) -> Status { throw std::bad_alloc(); }).code == 1);
  const Run bug = code([](ToolContext&) -> Status { TIGRIS_UNREACHABLE("x"); });
  CHECK(bug.code == ExitBug);
  CHECK(bug.err.find("please report it") != std::string::npos);
}

TEST_CASE("nothing is written unless the run succeeded without errors") {
  Flags flags;
  ToolSpec spec = specOf(flags);
  const std::string path =
      (std::filesystem::temp_directory_path() / strCat("tigris-toolmain-out-", ::getpid()))
          .string();
  const std::string option = "--output=" + path;
  spec.run = [](ToolContext& context) -> Status {
    context.output("bytes");
    context.diagnostics().error(DiagId::BadGraph, "reported");
    return {};
  };
  CHECK(run(spec, {option.c_str(), "in"}).code == 1);
  CHECK(!std::filesystem::exists(path));
  spec.run = [](ToolContext& context) -> Status {
    context.output("bytes");
    return {};
  };
  CHECK(run(spec, {option.c_str(), "in"}).code == 0);
  CHECK(*readFile(path) == "bytes");
  std::filesystem::remove(path);
}

TEST_CASE("the history entry holds recorded options only") {
  Flags flags;
  ToolSpec spec = specOf(flags);
  std::string history;
  spec.run = [&](ToolContext& context) -> Status {
    history = context.historyEntry();
    return {};
  };
  CHECK(run(spec, {"-m", "1K", "--planner=optimal", "-v", "in"}).code == 0);
  CHECK(history == strCat("tigris-test ", tigrisVersion(), " -m 1K --planner=optimal"));
}

TEST_CASE("many errors are cut short") {
  Flags flags;
  ToolSpec spec = specOf(flags);
  spec.run = [](ToolContext& context) -> Status {
    for (int i = 0; i < 25; ++i)
      context.diagnostics().error(DiagId::BadGraph, "error ", i);
    return {};
  };
  const Run result = run(spec, {"in"});
  CHECK(result.code == 1);
  CHECK(result.err.find("error 19") != std::string::npos);
  CHECK(result.err.find("error 20") == std::string::npos);
  CHECK(result.err.find("5 more errors not shown") != std::string::npos);
}

TEST_CASE("a verdict is told after the result is written") {
  Flags flags;
  ToolSpec spec = specOf(flags);
  spec.run = [](ToolContext& context) -> Status {
    context.output("the whole story\n");
    context.setVerdict(makeError(DiagId::OverBudget, "too much"));
    return {};
  };
  const std::string path =
      (std::filesystem::temp_directory_path() / strCat("tigris-verdict-", ::getpid())).string();
  const Run result = run(spec, {"-m", "1K", "in", "-o", path.c_str()});
  CHECK(result.code == ExitOverBudget);
  CHECK(result.err == "tigris-test: error: too much [over-budget]\n");
  const Expected<std::string> written = readFile(path);
  REQUIRE(written);
  CHECK(*written == "the whole story\n");
  std::filesystem::remove(path);
}

TEST_CASE("completions know the commands of a tool, and the options of each") {
  Flags flags;
  ToolSpec spec = specOf(flags);
  const auto withSpec = [](const SpecUser& use) {
    bool deep = false;
    ToolSpec command;
    command.name = "tigris-test look";
    command.input = "FILE";
    command.options = [&](OptionTable& table) { table.flag("deep", deep, "further down"); };
    return use(command);
  };
  spec.commands = {{"look", "looks", withSpec}};
  CHECK(helpText(spec).starts_with("usage: tigris-test IN [OPTION]...\n"));
  const auto contains = [&](const char* shell, const char* text) {
    const std::string all = generatedText(spec, shell);
    INFO(all);
    return all.find(text) != std::string::npos;
  };
  CHECK(contains("bash", "look) _tigris_test__${COMP_WORDS[1]}; return ;;"));
  CHECK(contains("bash", "_tigris_test__look() {"));
  CHECK(contains("bash", "'--deep --help"));
  CHECK(contains("zsh", "look) _tigris_test__look ;;"));
  CHECK(contains("zsh", "  '--deep[further down]'"));
  CHECK(contains("fish", "complete -c tigris-test -n __fish_use_subcommand -f -a look -d 'looks'"));
  CHECK(contains("fish", "complete -c tigris-test -n '__fish_seen_subcommand_from look' -l deep "));
}
