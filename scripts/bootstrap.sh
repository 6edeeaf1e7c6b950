#!/usr/bin/env bash
# Installs the missing dependencies of a build or of the full test run: Debian packages and
# build/venv.
#
# usage: scripts/bootstrap.sh [build|test|coverage|training]
#   build     compilers, libraries and the Python environment, as scripts/demo.sh needs them
#             (default)
#   test      also clang, the formatters, the ARM toolchain and emulators that scripts/test.sh uses,
#             the vendors' kernels (scripts/fetch_kernels.sh), and TensorFlow Lite Micro in build/tflm
#   coverage  as test, and gcovr, which summarizes line coverage
#   training  as build, and the packages that examples/digits/train.py imports
# If everything is installed, does nothing and needs no privileges, apt or pip.
set -euo pipefail
cd "$(dirname "$0")/.."

level=${1:-build}
case $level in
  build | test | coverage | training) ;;
  *) echo "usage: scripts/bootstrap.sh [build|test|coverage|training]" >&2; exit 2 ;;
esac

packages=(g++ cmake ninja-build ccache pkg-config python3-venv
          libprotobuf-dev protobuf-compiler libflatbuffers-dev
          flatbuffers-compiler libyaml-cpp-dev liblz4-dev
          libboost-program-options-dev doctest-dev)
if [ "$level" = test ] || [ "$level" = coverage ]; then
  packages+=(clang-14 libclang-rt-14-dev clang-format-14 clang-tidy-14 black
             gcc-arm-none-eabi libnewlib-arm-none-eabi gcc-aarch64-linux-gnu libc6-dev-arm64-cross
             qemu-user qemu-system-arm make)
fi
[ "$level" != coverage ] || packages+=(gcovr)

installMissingPackages() {
  command -v dpkg-query >/dev/null || {
    echo "bootstrap: not a Debian system; make sure these are installed: ${packages[*]}" >&2
    return 0
  }
  local missing=() name
  for name in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q '^install ok' || missing+=("$name")
  done
  [ ${#missing[@]} -gt 0 ] || return 0

  local asRoot=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
      echo "bootstrap: run as root: apt-get install ${missing[*]}" >&2
      exit 1
    }
    asRoot=(sudo)
  fi
  echo "bootstrap: installing ${missing[*]}"
  "${asRoot[@]}" apt-get update -qq
  "${asRoot[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# A stamp with the requirement files makes later runs fast and detects changed versions.
installPythonPackages() {
  local files=(scripts/requirements.txt) venv=build/venv
  [ "$level" != training ] || files+=(scripts/requirements-training.txt)
  local stamp=$venv/installed-$level
  [ "$level" = training ] || stamp=$venv/installed-base
  if [ -f "$stamp" ] && cat "${files[@]}" | cmp -s - "$stamp"; then
    return 0
  fi
  echo "bootstrap: setting up $venv"
  [ -x $venv/bin/python ] || python3 -m venv $venv
  $venv/bin/python -m pip install --quiet --disable-pip-version-check "${files[@]/#/--requirement=}"
  cat "${files[@]}" >"$stamp"
}

# There are wheels for few processors and versions of Python. Tests that compare with it skip.
installPeer() {
  local file=scripts/requirements-tflm.txt venv=build/tflm
  cmp -s $file $venv/installed && return 0
  echo "bootstrap: setting up $venv"
  { [ -x $venv/bin/python ] || python3 -m venv $venv; } &&
    $venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement=$file &&
    cp $file $venv/installed ||
    echo "bootstrap: tflite-micro is not available; tests that compare with it skip" >&2
}

installMissingPackages
installPythonPackages
case $level in
  test | coverage)
    installPeer
    scripts/fetch_kernels.sh
    ;;
esac
