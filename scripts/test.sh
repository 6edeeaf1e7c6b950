#!/usr/bin/env bash
# The whole test run of the project: installs what is missing, then does what CI does (ci/ci.sh).
# The last line reads `N passed, N failed, N skipped`; the exit code is 0 when nothing failed.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/bootstrap.sh test
exec ci/ci.sh all
