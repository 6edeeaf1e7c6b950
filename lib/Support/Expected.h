// A value or the error that explains its absence: the return type of all code that can fail on user
// input.
//
//   Expected<Graph> graph = readModule(text);
//   if (!graph)
//     return graph.takeError();
//   use(*graph);
//
// Bugs are not reported this way: they are TIGRIS_CHECK failures (Support/Check.h).
#pragma once

#include "tigris/Support/Check.h"
#include "tigris/Support/Diagnostics.h"

#include <optional>
#include <utility>

namespace tigris {

/// One failure, ready to print. Converts implicitly to any Expected<T>.
class [[nodiscard]] Error {
public:
  explicit Error(Diagnostic diagnostic) : diagnostic_(std::move(diagnostic)) {}

  const Diagnostic& diagnostic() const& { return diagnostic_; }
  const std::string& message() const { return diagnostic_.message; }
  DiagId id() const { return diagnostic_.id; }

  /// Adds a note and returns the error, so that calls can be chained in a return statement.
  Error&& note(std::string text) && {
    diagnostic_.notes.push_back(std::move(text));
    return std::move(*this);
  }
  Error&& at(SourceLoc loc) && {
    diagnostic_.loc = std::move(loc);
    return std::move(*this);
  }

private:
  Diagnostic diagnostic_;
};

/// `return makeError(DiagId::BadAttr, "op '", name, "': ...");`
template <typename... Args> Error makeError(DiagId id, const Args&... text) {
  // Built in steps: g++ 12 warns about a moved-from member of an aggregate temporary as
  // uninitialized.
  Diagnostic diagnostic;
  diagnostic.id = id;
  diagnostic.message = strCat(text...);
  return Error(std::move(diagnostic));
}

template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : value_(std::move(value)) {}
  Expected(Error error) : error_(std::move(error)) {}

  explicit operator bool() const { return value_.has_value(); }
  T& operator*() & { return *checked(); }
  const T& operator*() const& { return *const_cast<Expected*>(this)->checked(); }
  T&& operator*() && { return std::move(*checked()); }
  T* operator->() { return checked(); }
  const T* operator->() const { return const_cast<Expected*>(this)->checked(); }

  const Error& error() const {
    TIGRIS_CHECK(error_.has_value());
    return *error_;
  }
  Error takeError() {
    TIGRIS_CHECK(error_.has_value());
    return std::move(*error_);
  }

private:
  T* checked() {
    TIGRIS_CHECK(value_.has_value());
    return &*value_;
  }

  std::optional<T> value_;
  std::optional<Error> error_;
};

/// Success or a failure. `return {};` is success.
template <> class [[nodiscard]] Expected<void> {
public:
  Expected() = default;
  Expected(Error error) : error_(std::move(error)) {}

  explicit operator bool() const { return !error_.has_value(); }
  const Error& error() const {
    TIGRIS_CHECK(error_.has_value());
    return *error_;
  }
  Error takeError() {
    TIGRIS_CHECK(error_.has_value());
    return std::move(*error_);
  }

private:
  std::optional<Error> error_;
};

using Status = Expected<void>;

} // namespace tigris
