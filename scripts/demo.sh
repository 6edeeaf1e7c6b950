#!/usr/bin/env bash
# Builds TiGrIS from a fresh clone and runs a trained network on the C99 runtime.
#
# Installs what is missing, builds all tools and plugins, compiles both models of examples/digits
# for 64 KiB of fast memory, runs each on ten real images, and fails unless every output matches
# that of onnxruntime.
set -euo pipefail
cd "$(dirname "$0")/.."

budget=64K
bin=build/release/bin
out=build/demo
digits=examples/digits

scripts/bootstrap.sh build
mkdir -p $out
echo "building the tools and plugins (build/demo/build.log)"
{ cmake --preset release && cmake --build --preset release --target suite
} >$out/build.log 2>&1 || { tail -n 40 $out/build.log; exit 1; }

for model in f32 int8; do
  plan=$out/digits_$model.tgrs
  echo "tigris-import digits_$model.onnx | tigris-norm | tigris-plan -m $budget | tigris-emit -o $plan"
  $bin/tigris-import $digits/digits_$model.onnx | $bin/tigris-norm |
    $bin/tigris-plan -m $budget | $bin/tigris-emit -o $plan

  tolerance=$(awk -v model=$model '$1 == model { print $2 }' $digits/cases/tolerance.txt)
  for digit in 0 1 2 3 4 5 6 7 8 9; do
    $bin/tigris-run $plan --input image=$digits/cases/input_$digit.npy \
      --expect logits=$digits/cases/${model}_$digit.npy --atol "$tolerance" --rtol 0 \
      --output logits=$out/digits_${model}_$digit.npy --stats=json >$out/digits_${model}_$digit.json
  done
done

build/venv/bin/python $digits/show.py $out digits_f32 digits_int8
echo
echo "every score matches onnxruntime's: within 1e-4 (float32), within one step (int8)"
