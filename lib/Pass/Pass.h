// A graph-to-graph transformation, and its description for the pass manager, the pipeline parser
// and the documentation.
//
// A pass is a class, or a plain function wrapped by functionPass():
//
//   PassStatus run(Graph& graph, PassContext& context);
//   PassInfo info = functionPass("silu-decompose", "Silu becomes Sigmoid and Mul", Doc, run);
//
// Contract of run():
//  - Unchanged: the graph is exactly as before, and so is its structural hash (Pass/GraphHash.h).
//  - Changed: the graph is legal for its form. Shapes, types and quantization of every tensor that
//    the pass created or modified are set; nothing infers them later.
//  - Failed: at least one error was reported to the context; the caller discards the graph.
//  - Running the pass again right after Changed returns Unchanged.
#pragma once

#include "tigris/IR/Graph.h"
#include "tigris/Support/Diagnostics.h"
#include "tigris/Support/Expected.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tigris {

enum class PassStatus : uint8_t { Unchanged, Changed, Failed };

inline PassStatus changedIf(bool changed) {
  return changed ? PassStatus::Changed : PassStatus::Unchanged;
}

using TextSink = std::function<void(std::string_view)>;

/// Where a pass reports. A warning does not affect the status; an error must be followed by Failed.
struct PassContext {
  DiagnosticEngine& diagnostics;
  /// Output of passes whose purpose is to print; may be empty. Takes whole lines.
  TextSink log = {};

  void print(std::string_view text) const {
    if (log)
      log(text);
  }

  /// Reports an error and returns Failed: `return context.fail(DiagId::UnsupportedOp, "op '", name,
  /// "': ...")`.
  template <typename... Args> PassStatus fail(DiagId id, const Args&... text) {
    diagnostics.error(id, text...);
    return PassStatus::Failed;
  }
  PassStatus fail(const Error& error) {
    diagnostics.report(error.diagnostic());
    return PassStatus::Failed;
  }
};

class Pass {
public:
  virtual ~Pass();
  [[nodiscard]] virtual PassStatus run(Graph& graph, PassContext& context) = 0;
};

/// Flag: present or absent, or an explicit true/false. Int: a decimal number. Text: any text
/// without spaces and braces.
enum class PassOptionKind : uint8_t { Flag, Int, Text };

struct PassOptionInfo {
  std::string name;
  PassOptionKind kind = PassOptionKind::Flag;
  std::string help;
};

/// Option values of one pipeline element, already checked against the pass's PassOptionInfo list.
/// Ordered by name so that printed pipelines are deterministic. A flag without a value holds "".
class PassOptions {
public:
  void set(std::string name, std::string value) { values_[std::move(name)] = std::move(value); }
  bool flag(std::string_view name) const;
  int64_t integer(std::string_view name, int64_t fallback) const;
  std::string text(std::string_view name, std::string_view fallback = {}) const;

  bool empty() const { return values_.empty(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  bool operator==(const PassOptions&) const = default;

private:
  std::map<std::string, std::string, std::less<>> values_;
};

struct PassInfo {
  /// Unique in a registry, in kebab-case.
  std::string name;
  /// One line without a period.
  std::string summary;
  /// Markdown: the purpose of the pass and a before/after example. Becomes its section of
  /// docs/passes.md.
  std::string doc;
  std::vector<PassOptionInfo> options;
  std::function<std::unique_ptr<Pass>(const PassOptions&)> create;

  const PassOptionInfo* option(std::string_view optionName) const;
};

using PassFunction = PassStatus (*)(Graph&, PassContext&);

/// A pass without options or state.
PassInfo functionPass(std::string name, std::string summary, std::string doc, PassFunction run);

} // namespace tigris
