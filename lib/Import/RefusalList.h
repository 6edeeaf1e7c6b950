// The errors of nodes that cannot be imported, grouped: one message per operator and reason.
#pragma once

#include "tigris/Support/Diagnostics.h"
#include "tigris/Support/Expected.h"

#include <map>
#include <string>
#include <vector>

namespace tigris {

class RefusalList {
public:
  bool empty() const { return groups_.empty(); }

  /// Adds an error whose message begins with "node 'NAME' (OPERATOR): " or "op 'NAME' (OPERATOR):
  /// ". Errors that differ only in the names of nodes and tensors form a group. `before` are
  /// tensors at which the model could end instead.
  void add(Error error, const std::vector<std::string>& before);

  /// Reports one error per group, the last of which it returns. Notes list the other nodes of a
  /// group, count the operators, and tell how to cut the model. The list must not be empty.
  Error report(DiagnosticEngine& diagnostics) const;

private:
  struct Group {
    Error error;
    /// Names of the other nodes.
    std::vector<std::string> others = {};
  };

  std::vector<Group> groups_;
  std::map<std::string, size_t> groupOf_;
  /// Nodes by operator.
  std::map<std::string, size_t> counts_;
  std::vector<std::string> before_;
};

} // namespace tigris
