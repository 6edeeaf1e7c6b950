#!/usr/bin/env bash
# The whole test run of the project: installs what is missing, then does what CI does (ci/ci.sh).
# The last line reads `N passed, N failed, N skipped`; the exit code is 0 when nothing failed.
#
# usage: scripts/test.sh [STAGE...]
#   STAGE     a stage of ci/ci.sh, as `fast` or `nightly` (default: all that CI runs)
#   coverage  prints the line coverage of lib/ and runtime/ by the tests not labeled slow
set -euo pipefail
cd "$(dirname "$0")/.."

level=test
for stage in "$@"; do
  [ "$stage" != coverage ] || level=coverage
done
scripts/bootstrap.sh $level
exec ci/ci.sh "${@:-all}"
