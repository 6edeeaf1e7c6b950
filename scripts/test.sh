#!/usr/bin/env bash
# Runs the whole test suite: installs missing dependencies, then runs CI (ci/ci.sh).
# The last line reads `N passed, N failed, N skipped`; the exit code is 0 if nothing failed.
#
# usage: scripts/test.sh [STAGE...]
#   STAGE     a stage of ci/ci.sh, such as `fast` or `nightly` (default: all)
#   coverage  prints the line coverage of lib/ and runtime/ by the tests not labeled slow
set -euo pipefail
cd "$(dirname "$0")/.."

level=test
for stage in "$@"; do
  [ "$stage" != coverage ] || level=coverage
done
scripts/bootstrap.sh $level
exec ci/ci.sh "${@:-all}"
