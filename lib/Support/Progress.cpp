// Maintains the stack of active work and formats it as a line at most every tenth of a second.
#include "tigris/Support/Progress.h"

#include "tigris/Support/Check.h"
#include "tigris/Support/Printable.h"
#include "tigris/Support/StringUtils.h"

#include <algorithm>
#include <utility>

namespace tigris {

namespace {

thread_local ProgressLine* current = nullptr;

constexpr const char* EraseLine = "\r\033[K";

/// The first `columns` bytes or fewer, so that no UTF-8 sequence is split. A byte takes at most one
/// column.
std::string cut(std::string text, size_t columns) {
  if (text.size() <= columns)
    return text;
  while (columns > 0 && (static_cast<unsigned char>(text[columns]) & 0xC0) == 0x80)
    --columns;
  text.resize(columns);
  return text;
}

} // namespace

Progress::Progress(std::string what, size_t total) : what_(std::move(what)), total_(total) {
  if (current == nullptr)
    return;
  outer_ = std::exchange(current->innermost_, this);
  current->poll();
}

Progress::~Progress() {
  // The line may have been created or destroyed since.
  if (current != nullptr && current->innermost_ == this)
    current->innermost_ = outer_;
}

void Progress::step(std::string_view name) {
  ++count_;
  if (current == nullptr)
    return;
  name_ = name;
  current->poll();
}

ProgressLine::ProgressLine(std::string name, size_t columns,
                           std::function<void(const std::string&)> write, Timing timing)
    : name_(std::move(name)), columns_(columns), write_(std::move(write)), timing_(timing),
      next_(Clock::now() + timing.delay) {
  TIGRIS_CHECK(current == nullptr);
  current = this;
}

ProgressLine::~ProgressLine() {
  erase();
  current = nullptr;
}

void ProgressLine::makeRoom() {
  if (current != nullptr)
    current->erase();
}

void ProgressLine::erase() {
  if (std::exchange(shown_, false))
    write_(EraseLine);
}

void ProgressLine::poll() {
  const Clock::time_point now = Clock::now();
  if (now < next_)
    return;
  next_ = now + timing_.interval;
  shown_ = true;
  // The last column stays free: some terminals wrap as soon as it is filled.
  write_(EraseLine + cut(text(), std::max<size_t>(columns_, 2) - 1));
}

std::string ProgressLine::text() const {
  std::string work;
  for (const Progress* piece = innermost_; piece != nullptr; piece = piece->outer_) {
    std::string part = piece->what_;
    if (piece->count_ > 0)
      part += strCat(" ", piece->count_);
    if (piece->count_ > 0 && piece->total_ > 0)
      part += strCat(" of ", piece->total_);
    if (!piece->name_.empty())
      part += strCat(" (", piece->name_, ")");
    work = work.empty() ? part : strCat(part, ", ", work);
  }
  return printable(strCat(name_, ": ", work));
}

} // namespace tigris
