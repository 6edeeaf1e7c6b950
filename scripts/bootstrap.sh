#!/usr/bin/env bash
# Installs what a build (or the full test run) needs and is missing: Debian packages and build/venv.
#
# usage: scripts/bootstrap.sh [build|test|coverage|training]
#   build     compilers, libraries and the Python environment: all that scripts/demo.sh needs (default)
#   test      also clang, the formatters, the ARM tool chain and emulators that scripts/test.sh uses, and the
#             vendors' kernels (scripts/fetch_kernels.sh)
#   coverage  what test installs, and gcovr, which sums up line coverage
#   training  also the packages that examples/digits/train.py imports
# Does nothing, and asks for no rights, when everything is there. Needs apt and pip only if it is not.
set -euo pipefail
cd "$(dirname "$0")/.."

level=${1:-build}
case $level in
  build | test | coverage | training) ;;
  *) echo "usage: scripts/bootstrap.sh [build|test|coverage|training]" >&2; exit 2 ;;
esac

packages=(g++ cmake ninja-build ccache pkg-config python3-venv
          libprotobuf-dev protobuf-compiler libyaml-cpp-dev liblz4-dev
          libboost-program-options-dev doctest-dev)
if [ "$level" = test ] || [ "$level" = coverage ]; then
  packages+=(clang-14 libclang-rt-14-dev clang-format-14 clang-tidy-14
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

# A stamp holding the requirement files makes the second run free and notices a changed pin.
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

installMissingPackages
installPythonPackages
case $level in
  test | coverage) scripts/fetch_kernels.sh ;;
esac
