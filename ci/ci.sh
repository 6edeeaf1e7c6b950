#!/usr/bin/env bash
# Defines what CI checks. Stages run in the order given. A failing stage does not stop the others,
# so that one run reports everything.
#
# usage: ci/ci.sh [STAGE...]
#   format       clang-format 14 and black change no source; commit messages have a short subject and
#                a body
#   release      g++ -O2 -Werror, every test (layering, tree rules, unit, tools, end to end)
#   asan         clang 14 -Werror with address and undefined-behavior sanitizers, every test not
#                labeled slow
#   runtime      the C99 runtime alone: pedantic C99 without the C++ side, and 32-bit ARM under QEMU
#   tidy         clang-tidy 14 over lib/ and tools/
#   docs         the demo of the README (the release stage tests all other commands of the
#                documentation)
#   nightly      the tests labeled nightly, which take hours, in the release build
#   analyze      clang's analyzer at its default depth; tidy limits the depth in large functions
#   coverage     the tests not labeled slow, and the lines of lib/ and runtime/ that they execute
#   fast         format and release without the tests labeled slow
#   all          all of the above except nightly, analyze, coverage and fast (default)
#
# Needs what `scripts/bootstrap.sh test` installs. The last line is `N passed, N failed, N skipped`:
# the sum over all ctest runs, where a stage that fails otherwise (a build, the format) counts as
# one.
set -uo pipefail
cd "$(dirname "$0")/.."

results=build/ci
rm -rf $results
mkdir -p $results
failedStages=()

build() { # PRESET [CMAKE-ARGUMENTS...]
  cmake --preset "$1" >"$results/configure-$1.log" 2>&1 || { cat "$results/configure-$1.log"; return 1; }
  cmake --build --preset "$@"
}

# Every build tests the vendor libraries that are present in build/deps.
checkBackends() { # PRESET
  local pin backend listed
  listed=$(ctest --test-dir "build/$1" -N) || return
  for pin in build/deps/*/pinned; do
    [ -e "$pin" ] || continue
    backend=$(basename "$(dirname "$pin")")
    grep -q "Test *#.*: runtime/${backend//-/_}-kernels" <<<"$listed" || {
      echo "ci.sh: build/deps has $backend, but build/$1 does not test it"
      return 1
    }
  done
}

runTests() { # PRESET CTEST-ARGUMENTS...: returns 0 even if tests fail, as their count tells it
  local preset=$1
  shift
  checkBackends "$preset" || return
  ctest --test-dir "build/$preset" --output-on-failure --no-tests=error -j "$(nproc)" \
    --output-junit "$PWD/$results/$preset.xml" "$@"
  grep -q '<testcase' "$results/$preset.xml"
}

# Older messages are history; a shallow clone has fewer commits.
checkMessages() {
  ! git log -20 --no-merges --format='%h %s' 2>/dev/null | awk 'length($0) > length($1) + 1 + 72' |
    grep . || { echo "ci.sh: a commit subject has at most 72 columns"; return 1; }
  ! git log -20 --no-merges --format='%h %s%x09%b%x00' 2>/dev/null |
    tr '\n\0' ' \n' | awk -F'\t' '$1 ~ /[^ ]/ && $2 !~ /[^ ]/ { print $1 }' |
    grep . || { echo "ci.sh: a commit has a body, which says why"; return 1; }
}

stage_format() {
  git ls-files -z -- '*.h' '*.c' '*.cpp' | xargs -0 clang-format-14 --dry-run -Werror &&
    git ls-files -z -- '*.py' | xargs -0 black --check --quiet && checkMessages
}

stage_release() { build release && runTests release -LE nightly; }

stage_nightly() { build release && runTests release -L nightly; }

stage_fast() { stage_format && build release && runTests release -LE slow; }

stage_asan() { build asan && runTests asan -LE slow; }

stage_runtime() {
  build runtime-c99 && runTests runtime-c99 -LE slow && build arm && runTests arm
}

tidy() { # PRESET CLANG-TIDY-ARGUMENTS...: the last one says which sources
  local preset=$1
  shift
  # sed, not grep, leaves out the command lines: grep fails when there is no finding to print.
  run-clang-tidy-14 -quiet -p "build/$preset" "$@" 2>"$results/tidy.err" | sed '/^clang-tidy-14 /d' || {
    grep '^Error while processing' "$results/tidy.err"
    return 1
  }
}

# Compiles each source separately, which also checks that it includes what it needs.
analyze() { # STATES-PER-FUNCTION
  tidy tidy -checks='-*,clang-analyzer-*' -extra-arg=-Xclang -extra-arg=-analyzer-config \
    -extra-arg=-Xclang "-extra-arg=max-nodes=$1" "$PWD/(lib|tools)/.*\.cpp$"
}

# The time of most checks is that of parsing the standard library's headers, so these checks run on
# batches of sources. The analyzer checks main files only. Few functions have more than 10,000
# states, but they take most of its time.
stage_tidy() {
  build asan && build tidy --target tigris_onnx tigris_tflite_header || return # the generated headers
  tidy asan -checks='-clang-analyzer-*,-bugprone-suspicious-include' \
    -header-filter='.*/(lib|tools)/.*\.(h|cpp)$' "$PWD/(build/asan/CMakeFiles|lib|tools)/.*" &&
    analyze 10000
}

stage_analyze() { build tidy --target tigris_onnx tigris_tflite_header && analyze 225000; }

stage_coverage() {
  build coverage && runTests coverage -LE slow &&
    gcovr --root . --object-directory build/coverage --gcov-ignore-parse-errors \
      --json "$results/coverage.json" || return
  local part
  for part in lib runtime; do
    gcovr --root . --add-tracefile "$results/coverage.json" --filter "$part/" |
      sed -n "s/^TOTAL/line coverage of $part: /p"
  done
}

stage_docs() { scripts/demo.sh; }

stages=("${@:-all}")
if [ "${stages[*]}" = all ]; then
  stages=(format release asan runtime tidy docs)
fi
for stage in "${stages[@]}"; do
  declare -F "stage_$stage" >/dev/null || {
    echo "ci.sh: no stage '$stage'; see the head of ci/ci.sh" >&2
    exit 2
  }
done

for stage in "${stages[@]}"; do
  echo "== $stage"
  started=$SECONDS
  "stage_$stage" || failedStages+=("$stage")
  echo "== $stage took $((SECONDS - started)) s"
done

# Counts the <testcase status= > elements of all ctest reports. A test that could not run (no
# executable, a failed fixture) counts as failed. Only a test that requests it, or that is disabled,
# counts as skipped.
counts=$(cat $results/*.xml 2>/dev/null | awk '
  /<testcase .*status="run"/ { ++passed }
  /<testcase .*status="fail"/ { ++failed }
  /<testcase .*status="disabled"/ { ++skipped }
  /<testcase .*status="notrun"/ { ++failed }
  /^[ \t]*<skipped message="SKIP_/ { --failed; ++skipped }
  END { print passed + 0, failed + 0, skipped + 0 }')
read -r passed failed skipped <<<"$counts"
if [ ${#failedStages[@]} -gt 0 ]; then
  echo "failed stages: ${failedStages[*]}"
  failed=$((failed + ${#failedStages[@]}))
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
