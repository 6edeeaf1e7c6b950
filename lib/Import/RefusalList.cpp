// Derives the group, the node and the operator of an error from its message.
#include "tigris/Import/RefusalList.h"

#include <algorithm>

namespace tigris {

namespace {

/// Maximum number of groups that are shown, and of names in a note.
constexpr size_t MaxGroups = 20;
constexpr size_t MaxNames = 4;

/// The message without the names of nodes and tensors.
std::string groupKey(const std::string& message) {
  std::string key = message;
  for (const std::string_view word : {"node '", "op '", "tensor '"}) {
    size_t at = 0;
    while ((at = key.find(word, at)) != std::string::npos) {
      at += word.size();
      key.erase(at, std::min(key.find('\'', at), key.size()) - at);
    }
  }
  return key;
}

/// The text between two delimiters; empty if there is none.
std::string between(const std::string& text, std::string_view open, std::string_view close) {
  const size_t from = text.find(open);
  const size_t to = from == std::string::npos ? from : text.find(close, from + open.size());
  return to == std::string::npos ? "" : text.substr(from + open.size(), to - from - open.size());
}

std::string someOf(const std::vector<std::string>& names) {
  const size_t shown = std::min(names.size(), MaxNames);
  std::string text = "'" +
                     join(std::vector<std::string>(
                              names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown)),
                          "', '") +
                     "'";
  return names.size() == shown ? text : strCat(text, " and ", names.size() - shown, " others");
}

template <typename... Args> void addNote(Error& error, const Args&... text) {
  std::move(error).note(strCat(text...)); // changes the error in place
}

} // namespace

void RefusalList::add(Error error, const std::vector<std::string>& before) {
  const std::string message = error.message();
  ++counts_[between(message, "' (", "): ")];
  for (const std::string& name : before)
    if (std::find(before_.begin(), before_.end(), name) == before_.end())
      before_.push_back(name);
  const auto [found, isNew] = groupOf_.emplace(groupKey(message), groups_.size());
  if (isNew)
    groups_.push_back({std::move(error)});
  else
    groups_[found->second].others.push_back(between(message, " '", "' ("));
}

Error RefusalList::report(DiagnosticEngine& diagnostics) const {
  const size_t shown = std::min(groups_.size(), MaxGroups);
  std::vector<Error> errors;
  for (size_t i = 0; i < shown; ++i) {
    const std::vector<std::string>& others = groups_[i].others;
    errors.push_back(groups_[i].error);
    if (!others.empty())
      addNote(errors.back(), "likewise ", others.size(), " more: ", someOf(others));
  }
  for (size_t i = 0; i + 1 < shown; ++i)
    diagnostics.report(errors[i].diagnostic());
  Error last = errors.back();
  if (groups_.size() > shown)
    addNote(last, groups_.size() - shown, " more errors; these are the first ", shown);
  std::vector<std::string> counts;
  size_t nodes = 0;
  for (const auto& [op, count] : counts_) {
    nodes += count;
    counts.push_back(strCat(op, " (", count, ")"));
  }
  if (nodes > 1)
    addNote(last, nodes, " nodes are refused: ", join(counts, ", "));
  if (!before_.empty())
    addNote(last, "to compile the model up to there, end it with --output-tensor=NAME at ",
            someOf(before_));
  return last;
}

} // namespace tigris
