#!/bin/sh
# Builds the runtime and the host backend's NEON kernels for 64-bit ARM and runs the tests of
# convolutions, dense layers and pools on them.
#
# usage: check_aarch64.sh COMPILER EMULATOR BUILD_DIR
set -eu
compiler=$1
emulator=$2
build=$3
here=$(cd "$(dirname "$0")" && pwd)
runtime=$here/../../runtime
host=$runtime/backends/host
mkdir -p "$build"

flags="-std=c99 -O2 -pedantic -Wall -Wextra -Wshadow -Werror"
flags="$flags -I$runtime/include -I$runtime/src -I$host -I$here"
objects=
# compile SOURCE OPTION...: adds the object to the list.
compile() {
  source=$1
  shift
  object=$build/$(basename "$(dirname "$source")")_$(basename "$source" .c).o
  # shellcheck disable=SC2086
  "$compiler" $flags "$@" -c "$source" -o "$object"
  objects="$objects $object"
}
for source in "$runtime"/src/*.c "$runtime"/src/*/*.c; do
  compile "$source" -Wconversion -ffp-contract=off
done
for source in "$host"/*.c; do
  compile "$source" -Wconversion -ffp-contract=fast -fwrapv -DHOST_LEVEL=neon -DTIGRIS_HOST_NEON=1
done
for name in plan_builder sample_plans sample_int8 sample_floats sample_sequences sample_micro \
  sample_stages random_plan tile_graphs; do
  compile "$here/$name.c"
done
for name in kernels_conv kernels_dense kernels_pool; do
  # shellcheck disable=SC2086
  "$compiler" $flags '-DTEST_BACKEND_HEADER="backend_host.h"' "$here/test_$name.c" $objects \
    -static -lm -o "$build/$name"
  "$emulator" "$build/$name"
done
