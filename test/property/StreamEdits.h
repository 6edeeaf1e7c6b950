// Edits of a planned module: one number of its operators or of its plan is changed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tigris::property {

class StreamEdits {
public:
  /// For the output of writeModule() for a planned graph.
  explicit StreamEdits(std::string text);

  size_t size() const { return edits_.size(); }
  /// The whole module with the edit.
  std::string edited(size_t index) const;
  /// The line of the number before and after the edit.
  std::string describe(size_t index) const;

private:
  struct Edit {
    /// Position of the number in the text.
    size_t at = 0;
    size_t length = 0;
    std::string value;
  };
  void addNumber(size_t at, size_t length);

  std::string text_;
  std::vector<Edit> edits_;
};

} // namespace tigris::property
