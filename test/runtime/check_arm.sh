#!/bin/sh
# Compiles the runtime for 32-bit ARM with full warnings, whole and in configurations that leave
# parts out. The preset `arm` runs its tests.
#
# usage: check_arm.sh COMPILER BUILD_DIR
set -eu
compiler=$1
build=$2
here=$(cd "$(dirname "$0")" && pwd)
runtime=$here/../../runtime
mkdir -p "$build"

flags="-std=c99 -O2 -march=armv7-a -mfloat-abi=soft -pedantic -Wall -Wextra -Wshadow -Werror"
flags="$flags -ffp-contract=off -I$runtime/include -I$runtime/src"
for source in "$runtime"/src/*.c "$runtime"/src/*/*.c; do
  # shellcheck disable=SC2086
  "$compiler" $flags -Wconversion -c "$source" -o "$build/$(basename "$source" .c).o"
done
# The runtime without the dynamic arena compiles, too.
for name in exec/executor exec/dynamic; do
  # shellcheck disable=SC2086
  "$compiler" $flags -Wconversion -DTIGRIS_DYNAMIC_ARENA=0 -c "$runtime/src/$name.c" \
    -o "$build/without_$(basename $name).o"
done
# So does the runtime without tiled stages.
for name in check/check_tile check/check_stages exec/executor exec/tile exec/tile_op; do
  # shellcheck disable=SC2086
  "$compiler" $flags -Wconversion -DTIGRIS_TILED_STAGES=0 -c "$runtime/src/$name.c" \
    -o "$build/without_$(basename $name).o"
done
# So does the runtime without weight blocks.
for name in check/check_stages exec/executor; do
  # shellcheck disable=SC2086
  "$compiler" $flags -Wconversion -DTIGRIS_WEIGHT_BLOCKS=0 -c "$runtime/src/$name.c" \
    -o "$build/without_$(basename $name).o"
done
# So does the runtime without the checks of records, and with one family of ops or none.
# shellcheck disable=SC2086
"$compiler" $flags -Wconversion -DTIGRIS_VALIDATE=0 -c "$runtime/src/plan.c" -o "$build/trusted_plan.o"
for name in check/check_ops access/access access/access_op access/access_params; do
  for selection in -DTIGRIS_KERNEL_CONV_S8=1 -DTIGRIS_KERNEL_RESIZE=1 -DTIGRIS_OPS_DENSE=1; do
    # shellcheck disable=SC2086
    "$compiler" $flags -Wconversion -DTIGRIS_KERNELS_DEFAULT=0 $selection \
      -c "$runtime/src/$name.c" -o "$build/without_$(basename $name).o"
  done
done
