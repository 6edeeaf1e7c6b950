// The files of one run, so that none is written that the run also reads, or writes for another
// purpose.
#pragma once

#include "tigris/Support/FileIO.h"

#include <map>
#include <set>

namespace tigris {

class ToolFiles {
public:
  /// `who` stands in messages: "the input", "option '--costs'". "-" is standard input.
  void reads(const std::string& path, const std::string& who);
  /// Files that are written; streams, devices and FIFOs take part in nothing.
  void writes(const std::string& path, const std::string& who);

  /// DiagId::Usage for the first two uses of one file (FileId) that exclude each other: every two
  /// but reads.
  Status check() const;

  bool isOutput(const std::string& path) const { return outputs_.count(path) != 0; }
  /// Paths that are read, for --depfile.
  const std::set<std::string>& inputs() const { return inputs_; }

private:
  struct Use {
    std::string path;
    std::string who;
    bool written;
  };

  void add(const std::optional<FileId>& id, Use use);

  std::map<FileId, Use> uses_;
  std::set<std::string> inputs_;
  std::set<std::string> outputs_;
  std::optional<Error> clash_;
};

} // namespace tigris
