// Edits of a planned stream as a person would make them: one number of its operators or of its plan is another one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tigris::property {

class StreamEdits {
public:
  /// Of what writeStream() gives for a planned graph.
  explicit StreamEdits(std::string text);

  size_t size() const { return edits_.size(); }
  /// The whole stream with one number changed.
  std::string edited(size_t index) const;
  /// The line with its number and what becomes of it.
  std::string describe(size_t index) const;

private:
  struct Edit {
    /// Of the number in the text.
    size_t at = 0;
    size_t length = 0;
    std::string value;
  };
  void addNumber(size_t at, size_t length);

  std::string text_;
  std::vector<Edit> edits_;
};

} // namespace tigris::property
