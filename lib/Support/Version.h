// The version of the project: `--version`, the history of streams, the ABI tag of plugins.
#pragma once

/// Equal to the version in CMakeLists.txt and to the newest one in CHANGELOG.md.
#define TIGRIS_VERSION "0.1.0"
