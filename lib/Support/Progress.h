// What long work says about itself while it runs, and the line on a terminal that shows it.
//
//   Progress progress("op", graph.order().size());
//   for (OpId id : graph.order()) {
//     progress.step(graph.op(id).name);
//     ...
//   }
//
// Work creates a Progress wherever it has a loop that can take long; nothing is shown unless the program
// keeps a ProgressLine, as tools do on a terminal. Neither has any influence on results.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace tigris {

/// One piece of work on the thread of the current ProgressLine. Pieces nest, and end in the opposite order of
/// their beginning: objects of this class live on the stack.
class Progress {
public:
  /// `total`: the number of steps, 0 where it is not known.
  explicit Progress(std::string what, size_t total = 0);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// The next step begins; `name` is shown with it.
  void step(std::string_view name = {});
  /// Steps begun so far.
  size_t count() const { return count_; }

private:
  friend class ProgressLine;

  std::string what_;
  size_t total_;
  size_t count_ = 0;
  std::string name_;
  Progress* outer_ = nullptr;
};

/// While it lives, the pieces of work of this thread appear as one line, outermost first:
/// "tigris-norm: pass 12 (qdq-fold), op 3 of 40 (conv1)". One per thread at most.
class ProgressLine {
public:
  using Clock = std::chrono::steady_clock;
  struct Timing {
    /// Work that ends earlier shows nothing.
    Clock::duration delay = std::chrono::milliseconds(500);
    /// From one change of the line to the next.
    Clock::duration interval = std::chrono::milliseconds(100);
  };

  /// `write` receives text and control characters for a terminal that is `columns` wide; texts that come from
  /// models are made printable, and the line is cut to fit.
  ProgressLine(std::string name, size_t columns, std::function<void(const std::string&)> write,
               Timing timing);
  /// Erases the line.
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Makes room on the terminal for other output if this thread has a line; it comes back with the next step.
  static void makeRoom();

private:
  friend class Progress;

  void erase();
  void poll();
  std::string text() const;

  std::string name_;
  size_t columns_;
  std::function<void(const std::string&)> write_;
  Timing timing_;
  Clock::time_point next_;
  Progress* innermost_ = nullptr;
  bool shown_ = false;
};

} // namespace tigris
