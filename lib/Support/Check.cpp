// Turns a failed check into an exception. It names the file without its directory: paths would make
// the message nondeterministic.
#include "tigris/Support/Check.h"

#include "tigris/Support/StringUtils.h"

#include <cstring>

namespace tigris {

void internalError(const char* condition, const char* file, int line, const std::string& detail) {
  const char* slash = std::strrchr(file, '/');
  std::string text =
      strCat(slash != nullptr ? slash + 1 : file, ":", line, ": check '", condition, "' failed");
  if (!detail.empty())
    text += ": " + detail;
  throw InternalError(text);
}

} // namespace tigris
