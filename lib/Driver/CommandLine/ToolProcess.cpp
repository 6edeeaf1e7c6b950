// Handlers for signals and failed allocations. They allocate nothing and take no lock.
#include "tigris/Driver/CommandLine/ToolProcess.h"

#include "tigris/Driver/CommandLine/ToolMain.h"
#include "tigris/Support/FileIO.h"
#include "tigris/Support/LargePages.h"
#include "tigris/Support/Progress.h"

#include <cerrno>
#include <string_view>
#include <unistd.h>

namespace tigris {

namespace {

void onFatalSignal(int signal) {
  removeTemporaries();
  // SA_RESETHAND has restored the default action.
  ::raise(signal);
}

void onBrokenPipe(int /*signal*/) {
  removeTemporaries();
  ::_exit(ExitFailure);
}

void onAllocationFailure() {
  removeTemporaries();
  reportOutOfMemory();
  ::_exit(ExitFailure);
}

void say(std::string_view text) {
  // A failure of this write cannot be reported.
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0)
    errno = 0;
}

#ifdef __GLIBC__
/// Constructors of libraries allocate before main(). This runs before them; only programs can have
/// such initializers.
using Initializer = void (*)();
[[gnu::section(".preinit_array"), gnu::used]] const Initializer BeforeConstructors = [] {
  std::set_new_handler(onAllocationFailure);
};
#endif

} // namespace

void reportOutOfMemory() {
  say(program_invocation_short_name);
  say(": error: not enough free memory for this input [");
  say(diagSpelling(DiagId::OutOfMemory));
  say("]\n");
}

ToolProcess::ToolProcess() : allocationFailed_(std::set_new_handler(onAllocationFailure)) {
  [[maybe_unused]] static const bool Once = (preferLargePagesForHeap(), true);
  for (size_t i = 0; i < Signals.size(); ++i) {
    struct sigaction action {};
    ::sigaction(Signals[i], nullptr, &before_[i]);
    const bool isFatal = Signals[i] != SIGPIPE && Signals[i] != SIGXFSZ;
    if (isFatal && before_[i].sa_handler == SIG_IGN)
      continue;
    action.sa_handler = isFatal ? onFatalSignal : Signals[i] == SIGPIPE ? onBrokenPipe : SIG_IGN;
    action.sa_flags = isFatal ? SA_RESETHAND : 0;
    ::sigaction(Signals[i], &action, nullptr);
  }
}

ToolProcess::~ToolProcess() {
  for (size_t i = 0; i < Signals.size(); ++i)
    ::sigaction(Signals[i], &before_[i], nullptr);
  std::set_new_handler(allocationFailed_);
}

} // namespace tigris
