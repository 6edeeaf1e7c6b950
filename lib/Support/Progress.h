// Progress reports of long-running work, and the terminal line that shows them.
//
//   Progress progress("op", graph.order().size());
//   for (OpId id : graph.order()) {
//     progress.step(graph.op(id).name);
//     ...
//   }
//
// Code creates a Progress for every loop that can take a long time. Nothing is shown unless the
// program has a ProgressLine, as tools do on a terminal. Neither influences results.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace tigris {

/// One piece of work on the thread of the current ProgressLine. Pieces nest; objects of this class
/// live on the stack and end in reverse order.
class Progress {
public:
  /// `total`: number of steps; 0 if unknown.
  explicit Progress(std::string what, size_t total = 0);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Begins the next step; `name` is shown with it.
  void step(std::string_view name = {});
  /// Number of steps begun so far.
  size_t count() const { return count_; }

private:
  friend class ProgressLine;

  std::string what_;
  size_t total_;
  size_t count_ = 0;
  std::string name_;
  Progress* outer_ = nullptr;
};

/// Shows the work of this thread as one line, outermost piece first: "tigris-norm: pass 12
/// (qdq-fold), op 3 of 40 (conv1)". At most one per thread.
class ProgressLine {
public:
  using Clock = std::chrono::steady_clock;
  struct Timing {
    /// Work that ends earlier is not shown.
    Clock::duration delay = std::chrono::milliseconds(500);
    /// Minimum time between updates of the line.
    Clock::duration interval = std::chrono::milliseconds(100);
  };

  /// `write` receives text and control characters for a terminal with `columns` columns. Texts from
  /// models are made printable, and the line is cut to fit.
  ProgressLine(std::string name, size_t columns, std::function<void(const std::string&)> write,
               Timing timing);
  /// Erases the line.
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Erases this thread's line, if any, to make room for other output. The next step shows the line
  /// again, subject to Timing.
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
