// The version of the project, used by `--version`, the history in modules, and the ABI tag of
// plugins.
#pragma once

/// Equals the version in CMakeLists.txt and the newest one in CHANGELOG.md.
#define TIGRIS_VERSION "0.1.0"
