// Records the files of one run. A run must not write a file that it also reads, or that it writes
// for another purpose.
#pragma once

#include "tigris/Support/FileIO.h"

#include <map>
#include <set>

namespace tigris {

class ToolFiles {
public:
  /// `who` names the use in messages: "the input", "option '--costs'". The path "-" is standard
  /// input.
  void reads(const std::string& path, const std::string& who);
  /// Declares a file that is written. Streams, devices and FIFOs never conflict.
  void writes(const std::string& path, const std::string& who);

  /// DiagId::Usage for the first two uses of one file (FileId) that conflict: any two of which at
  /// least one is a write.
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
