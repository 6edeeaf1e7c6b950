// The behavior of a tool's process when a signal ends it or when memory runs out, and its heap.
#pragma once

#include <array>
#include <csignal>
#include <new>

namespace tigris {

/// Reports that memory has run out. Allocates none.
void reportOutOfMemory();

/// While an object exists:
///  - Signals that end the process (HUP, INT, QUIT, TERM, XCPU) first remove temporary files
///    (removeTemporaries). Signals that were already ignored remain ignored, as nohup requires.
///  - A closed pipe (PIPE) ends the process silently with ExitFailure, as in `yes | head`.
///  - Exceeding the file size limit (XFSZ) is a failed write, not a signal.
///  - A failed C++ allocation ends the process with reportOutOfMemory() and ExitFailure. It does
///    not throw: streams would swallow the exception, and destructors and callbacks from C would
///    terminate.
/// The first object backs the heap with large pages (preferLargePagesForHeap).
class ToolProcess {
public:
  ToolProcess();
  ~ToolProcess();
  ToolProcess(const ToolProcess&) = delete;
  ToolProcess& operator=(const ToolProcess&) = delete;

private:
  static constexpr std::array<int, 7> Signals = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,
                                                 SIGXCPU, SIGPIPE, SIGXFSZ};

  std::array<struct sigaction, Signals.size()> before_{};
  std::new_handler allocationFailed_;
};

} // namespace tigris
