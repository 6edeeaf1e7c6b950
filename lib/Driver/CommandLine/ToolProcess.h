// What the process of a tool does when it is told to end, or when the computer has no more to give.
#pragma once

#include <array>
#include <csignal>
#include <new>

namespace tigris {

/// The last words where memory runs out; they need none.
void reportOutOfMemory();

/// While it lives:
///  - signals that end the process (HUP, INT, QUIT, TERM, XCPU) remove temporary files first
///  (removeTemporaries);
///    those that are ignored already stay ignored, as nohup wants it;
///  - a reader that left early (PIPE) ends it quietly, as `yes | head` ends, with ExitFailure;
///  - a file beyond the limit of its size (XFSZ) is a failed write, not a signal;
///  - a failed allocation of C++ ends it with reportOutOfMemory() and ExitFailure. It is not
///  thrown: streams,
///    destructors and callbacks from C would swallow it or stop at it.
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
