// Remarks: why a pass or the planner did not do something, for people who expected it to.
//
//   RemarkCollector remarks("qdq-.*");          // a tool, for --remarks=qdq-.*
//   ...
//   const RemarkOrigin origin("qdq-fold");      // the pass manager, around a pass
//   ...
//   remarkOn(op, "not-folded", "its weights are computed at run time");   // the pass
//
// Nothing is collected, and no text is formatted, unless the program has a RemarkCollector. Remarks
// never influence results.
#pragma once

#include "tigris/Support/StringUtils.h"

#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace tigris {

struct Remark {
  /// The pass, or "planner".
  std::string origin;
  /// What was not done, in kebab-case: "not-folded".
  std::string name;
  /// Name and kind of the operator concerned.
  std::string op;
  std::string kind;
  /// A clause without a capital and a period.
  std::string reason;

  bool operator==(const Remark&) const = default;
};

/// Collects the remarks of this thread while it exists. At most one per thread.
class RemarkCollector {
public:
  /// Keeps a remark if the regular expression matches its whole origin, or its whole origin and
  /// name, joined as "planner:not-streamed".
  explicit RemarkCollector(const std::string& pattern);
  ~RemarkCollector();
  RemarkCollector(const RemarkCollector&) = delete;
  RemarkCollector& operator=(const RemarkCollector&) = delete;

  /// This thread's collector; null if there is none.
  static RemarkCollector* current();

  /// In order of creation, without duplicates.
  const std::vector<Remark>& all() const { return remarks_; }
  void add(std::string_view name, std::string_view op, std::string_view kind, std::string reason);

private:
  friend class RemarkOrigin;

  std::regex pattern_;
  std::string origin_;
  std::vector<Remark> remarks_;
};

/// Names the origin of remarks while it exists. Its constructor drops earlier remarks of the same
/// origin, because the remarks of the latest run of a pass replace those of earlier runs.
class RemarkOrigin {
public:
  explicit RemarkOrigin(std::string_view origin);
  ~RemarkOrigin();
  RemarkOrigin(const RemarkOrigin&) = delete;
  RemarkOrigin& operator=(const RemarkOrigin&) = delete;

private:
  std::string outer_;
};

/// Remarks on an operator; strCat builds the reason from the arguments. Returns false, so that a
/// pass can write `return remarkOn(...)` where it leaves an operator unchanged.
template <typename Op, typename... Args>
bool remarkOn(const Op& op, std::string_view name, const Args&... reason) {
  if (RemarkCollector* collector = RemarkCollector::current())
    collector->add(name, op.name, op.kindName(), strCat(reason...));
  return false;
}

/// One line per remark: "remark: planner: not-streamed: op 'fc' (Gemm): ...".
std::string remarksText(const std::vector<Remark>& remarks);
/// {"remarks": [{"origin", "name", "op", "kind", "reason"}]}.
std::string remarksJson(const std::vector<Remark>& remarks);

} // namespace tigris
