// Instrumentations that verify, print, time and stop around passes.
#include "tigris/Pass/Instrumentation.h"

#include "tigris/IR/Verifier.h"
#include "tigris/Pass/GraphHash.h"

#include <algorithm>
#include <chrono>
#include <iomanip>
#include <sstream>

namespace tigris {

namespace {

class VerifyEach : public PassInstrumentation {
public:
  void beforePass(const PassRun&, const Graph& graph) override { hash_ = structuralHash(graph); }

  Status afterPass(const PassRun& run, const Graph& graph, PassStatus status) override {
    if (status == PassStatus::Unchanged) {
      if (structuralHash(graph) == hash_)
        return {};
      return makeError(DiagId::PassFailed, "pass '", run.name,
                       "' changed the graph but reported that it did not")
          .note(strCat("compare --print-before=", run.name, " with --print-after=", run.name));
    }
    DiagnosticEngine found;
    if (verifyGraph(graph, found))
      return {};
    Diagnostic failure =
        makeError(DiagId::PassFailed, "pass '", run.name, "' broke the graph").diagnostic();
    for (const Diagnostic& diagnostic : found.all())
      failure.notes.push_back(strCat(diagnostic.message, " [", diagSpelling(diagnostic.id), "]"));
    failure.notes.push_back(
        strCat("rerun with --print-before=", run.name, " --print-after-all to see what it did"));
    return Error(std::move(failure));
  }

private:
  uint64_t hash_ = 0;
};

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class PrintGraph : public PassInstrumentation {
public:
  PrintGraph(PrintGraphOptions options, GraphPrinter print)
      : options_(std::move(options)), print_(std::move(print)) {}

  void beforePass(const PassRun& run, const Graph& graph) override {
    if (contains(options_.before, run.name))
      print_(strCat("before ", run.name, " (", run.index, ")"), graph);
  }

  Status afterPass(const PassRun& run, const Graph& graph, PassStatus status) override {
    if (options_.afterAll || contains(options_.after, run.name) ||
        (options_.changed && status == PassStatus::Changed))
      print_(strCat("after ", run.name, " (", run.index, ")"), graph);
    return {};
  }

private:
  PrintGraphOptions options_;
  GraphPrinter print_;
};

class TimePasses : public PassInstrumentation {
public:
  explicit TimePasses(TextSink print) : print_(std::move(print)) {}

  void beforePass(const PassRun&, const Graph&) override { start_ = Clock::now(); }

  Status afterPass(const PassRun& run, const Graph&, PassStatus status) override {
    Total& total = totals_[std::string(run.name)];
    total.seconds += std::chrono::duration<double>(Clock::now() - start_).count();
    ++total.runs;
    total.changes += status == PassStatus::Changed ? 1 : 0;
    return {};
  }

  void finished() override {
    std::vector<std::pair<std::string, Total>> rows(totals_.begin(), totals_.end());
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
      return a.second.seconds > b.second.seconds;
    });
    double sum = 0;
    for (const auto& row : rows)
      sum += row.second.seconds;
    std::ostringstream out;
    out.exceptions(std::ios::badbit);
    out << "      ms      %  runs  changed  pass\n" << std::fixed;
    for (const auto& [name, total] : rows)
      out << std::setprecision(3) << std::setw(8) << total.seconds * 1e3 << std::setprecision(1)
          << std::setw(7) << (sum > 0 ? 100 * total.seconds / sum : 0) << std::setw(6) << total.runs
          << std::setw(9) << total.changes << "  " << name << '\n';
    out << std::setprecision(3) << std::setw(8) << sum * 1e3 << "  100.0                  total\n";
    print_(out.str());
  }

private:
  using Clock = std::chrono::steady_clock;
  struct Total {
    double seconds = 0;
    unsigned runs = 0;
    unsigned changes = 0;
  };
  TextSink print_;
  Clock::time_point start_;
  std::map<std::string, Total> totals_;
};

class StopAfter : public PassInstrumentation {
public:
  explicit StopAfter(std::string name) : name_(std::move(name)) {}
  bool shouldRun(const PassRun&) override { return !stopped_; }
  Status afterPass(const PassRun& run, const Graph&, PassStatus) override {
    stopped_ |= run.name == name_;
    return {};
  }

private:
  std::string name_;
  bool stopped_ = false;
};

class PassLimit : public PassInstrumentation {
public:
  explicit PassLimit(unsigned limit) : limit_(limit) {}
  bool shouldRun(const PassRun& run) override { return run.index <= limit_; }

private:
  unsigned limit_;
};

} // namespace

std::unique_ptr<PassInstrumentation> makeVerifyEach() { return std::make_unique<VerifyEach>(); }
std::unique_ptr<PassInstrumentation> makePrintGraph(PrintGraphOptions options, GraphPrinter print) {
  return std::make_unique<PrintGraph>(std::move(options), std::move(print));
}
std::unique_ptr<PassInstrumentation> makeTimePasses(TextSink print) {
  return std::make_unique<TimePasses>(std::move(print));
}
std::unique_ptr<PassInstrumentation> makeStopAfter(std::string passName) {
  return std::make_unique<StopAfter>(std::move(passName));
}
std::unique_ptr<PassInstrumentation> makePassLimit(unsigned limit) {
  return std::make_unique<PassLimit>(limit);
}

} // namespace tigris
