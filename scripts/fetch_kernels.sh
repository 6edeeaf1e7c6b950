#!/usr/bin/env bash
# Downloads the vendors' kernel libraries into build/deps/: CMSIS-NN from PyPI, ESP-NN from
# crates.io. Versions are pinned by hash; nothing is committed.
#
# usage: scripts/fetch_kernels.sh [cmsis-nn|esp-nn]...   default: all
# Does nothing for a library that is already present in the pinned version. Needs network, python3
# with pip for CMSIS-NN and cargo for ESP-NN. A library that cannot be downloaded is skipped with a
# message, and so are the tests of its backend. A library of another version is an error.
set -euo pipefail
cd "$(dirname "$0")/.."

deps=build/deps
python=build/venv/bin/python
[ -x $python ] || python=python3

# A PyPI package that contains all of CMSIS-NN, as of a revision between its versions 5 and 6
# (Apache-2.0).
fetch_cmsis-nn() {
  local hash=0ea6a694b8c1397bf52158c27854bbd4ddfca433ed4cf06a4c92843b480acbf0
  local stamp=$deps/cmsis-nn/pinned
  [ "$(cat $stamp 2>/dev/null)" != $hash ] || return 0
  echo "fetch_kernels: CMSIS-NN"
  rm -rf $deps/cmsis-nn $deps/download
  mkdir -p $deps/download
  echo "aidge_export_arm_cortexm==0.2.1 --hash=sha256:$hash" >$deps/download/pin.txt
  $python -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes \
    --dest $deps/download --requirement $deps/download/pin.txt || {
    echo "fetch_kernels: pip cannot download CMSIS-NN, which is left out" >&2
    return 0
  }
  $python -m zipfile -e $deps/download/*.whl $deps/download
  mkdir $deps/cmsis-nn
  mv $deps/download/aidge_export_arm_cortexm/_CMSIS-NN/CMSIS-NN/{Include,Source} $deps/cmsis-nn
  rm -rf $deps/download
  echo $hash >$stamp
}

# A crate that contains all of ESP-NN, version 1.2.3 (Apache-2.0). Cargo checks the download against
# its registry.
fetch_esp-nn() {
  local hash=ac2b85968c43888d6ad001d1ae3ed79712553d6c361b878a80c731e5faea4be4
  local stamp=$deps/esp-nn/pinned
  [ "$(cat $stamp 2>/dev/null)" != $hash ] || return 0
  command -v cargo >/dev/null || {
    echo "fetch_kernels: no cargo, so no ESP-NN" >&2
    return 0
  }
  echo "fetch_kernels: ESP-NN"
  rm -rf $deps/esp-nn $deps/download
  mkdir -p $deps/download/src
  touch $deps/download/src/lib.rs
  printf '[package]\nname = "fetch"\nversion = "0.0.0"\n[dependencies]\nesp_nn_sys = "=0.2.1"\n[workspace]\n' \
    >$deps/download/Cargo.toml
  (cd $deps/download && cargo vendor --quiet >/dev/null) || {
    echo "fetch_kernels: cargo cannot download ESP-NN, which is left out" >&2
    return 0
  }
  local crate=$deps/download/vendor/esp_nn_sys
  grep -q "\"package\":\"$hash\"" $crate/.cargo-checksum.json || {
    echo "fetch_kernels: ESP-NN is not the pinned one" >&2
    return 1
  }
  mkdir $deps/esp-nn
  mv $crate/vendor/esp-nn/{include,src,LICENSE} $deps/esp-nn
  rm -rf $deps/download
  echo $hash >$stamp
}

libraries=("${@:-all}")
[ "${libraries[*]}" != all ] || libraries=(cmsis-nn esp-nn)
for library in "${libraries[@]}"; do
  declare -F "fetch_$library" >/dev/null || {
    echo "usage: scripts/fetch_kernels.sh [cmsis-nn|esp-nn]..." >&2
    exit 2
  }
  "fetch_$library"
done
