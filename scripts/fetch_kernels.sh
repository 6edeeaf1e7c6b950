#!/usr/bin/env bash
# Downloads the vendors' kernel libraries into build/deps/: CMSIS-NN from PyPI. Pinned by hash, nothing is committed.
#
# usage: scripts/fetch_kernels.sh [cmsis-nn]...   default: all
# Does nothing where a library of the pinned version is there already. Needs network and python3 with pip.
set -euo pipefail
cd "$(dirname "$0")/.."

deps=build/deps
python=build/venv/bin/python
[ -x $python ] || python=python3

# A package of the PyPI that carries CMSIS-NN whole, as it was between its versions 5 and 6 (Apache-2.0).
fetch_cmsis-nn() {
  local hash=0ea6a694b8c1397bf52158c27854bbd4ddfca433ed4cf06a4c92843b480acbf0
  local stamp=$deps/cmsis-nn/pinned
  [ "$(cat $stamp 2>/dev/null)" != $hash ] || return 0
  echo "fetch_kernels: CMSIS-NN"
  rm -rf $deps/cmsis-nn $deps/download
  mkdir -p $deps/download
  echo "aidge_export_arm_cortexm==0.2.1 --hash=sha256:$hash" >$deps/download/pin.txt
  $python -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes \
    --dest $deps/download --requirement $deps/download/pin.txt
  $python -m zipfile -e $deps/download/*.whl $deps/download
  mkdir $deps/cmsis-nn
  mv $deps/download/aidge_export_arm_cortexm/_CMSIS-NN/CMSIS-NN/{Include,Source} $deps/cmsis-nn
  rm -rf $deps/download
  echo $hash >$stamp
}

libraries=("${@:-all}")
[ "${libraries[*]}" != all ] || libraries=(cmsis-nn)
for library in "${libraries[@]}"; do
  declare -F "fetch_$library" >/dev/null || {
    echo "usage: scripts/fetch_kernels.sh [cmsis-nn]..." >&2
    exit 2
  }
  "fetch_$library"
done
