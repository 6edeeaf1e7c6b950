// Checks for internal errors, enabled in every build. A failed check is a bug in TiGrIS, never a
// mistake in the user's input.
#pragma once

#include <stdexcept>
#include <string>

namespace tigris {

/// Thrown by TIGRIS_CHECK. Only a tool's main catches it: it prints the text, asks for a bug report
/// and exits with status 70.
class InternalError : public std::logic_error {
public:
  using std::logic_error::logic_error;
};

/// Thrown when damage in user data is found only on use (a lazily decoded weight whose checksum
/// fails). A tool's main prints it as an ordinary error and exits with status 1.
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
