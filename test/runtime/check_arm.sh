#!/bin/sh
# Builds the runtime and its tests for 32-bit ARM with full warnings and runs them under qemu-arm.
#
# usage: check_arm.sh COMPILER EMULATOR BUILD_DIR
set -eu
compiler=$1
emulator=$2
build=$3
here=$(cd "$(dirname "$0")" && pwd)
runtime=$here/../../runtime
mkdir -p "$build"

flags="-std=c99 -O2 -march=armv7-a -mfloat-abi=soft -pedantic -Wall -Wextra -Wshadow -Werror"
flags="$flags -ffp-contract=off -I$runtime/include -I$runtime/src -I$here"
objects=
for source in "$runtime"/src/*.c "$runtime"/src/*/*.c; do
  object=$build/$(basename "$source" .c).o
  # shellcheck disable=SC2086
  "$compiler" $flags -Wconversion -c "$source" -o "$object"
  objects="$objects $object"
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
# newlib's int32_t is long, which does not match the printf formats of the tests. The tests are not
# library code.
for name in plan_builder sample_plans sample_int8 sample_floats sample_stages random_plan \
  tile_graphs; do
  # shellcheck disable=SC2086
  "$compiler" $flags -c "$here/$name.c" -o "$build/$name.o"
  objects="$objects $build/$name.o"
done
for name in fixed_point layout plan kernels_conv kernels_dense kernels_pool kernels_binary \
  kernels_map kernels_normalize kernels_move kernels_reduce kernels_number kernels_index \
  kernels_recurrent kernels_even dynamic lz4_block blocks tiles hostile; do
  # shellcheck disable=SC2086
  "$compiler" $flags -DTIGRIS_HOSTILE_ROUNDS=1000 -DTIGRIS_DYNAMIC_PLANS=60 \
    --specs=rdimon.specs "$here/test_$name.c" \
    $objects -lm -o "$build/$name.elf"
  echo "== $name"
  "$emulator" "$build/$name.elf"
done
