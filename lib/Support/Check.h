// Always-on checks for our own mistakes: a failed check is a bug in TiGrIS, never the user's input.
#pragma once

#include <stdexcept>
#include <string>

namespace tigris {

/// Thrown by TIGRIS_CHECK. Only a tool's main catches it: it prints the text, asks for a report and exits 70.
class InternalError : public std::logic_error {
public:
  using std::logic_error::logic_error;
};

/// Thrown where damaged user data is only found while it is being used (a lazily decoded weight
/// whose checksum fails). A tool's main prints it as an ordinary error and exits 1.
class DataError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

[[noreturn]] void internalError(const char* condition, const char* file, int line,
                                const std::string& detail = {});

} // namespace tigris

#define TIGRIS_CHECK(condition)                                                                    \
  ((condition) ? static_cast<void>(0) : ::tigris::internalError(#condition, __FILE__, __LINE__))
#define TIGRIS_CHECK_MSG(condition, detail)                                                        \
  ((condition) ? static_cast<void>(0)                                                              \
               : ::tigris::internalError(#condition, __FILE__, __LINE__, detail))
#define TIGRIS_UNREACHABLE(detail)                                                                 \
  ::tigris::internalError("unreachable", __FILE__, __LINE__, detail)
