"""Checks that the models of bench/models compile, give the results of onnxruntime, and the same
bytes in every budget.

usage: run_built_models.py --bin DIR

Uses a small MobileNetV2, without and with slow memory. Skipped (exit 77) without numpy, onnx or
onnxruntime.
"""

import argparse
import importlib.util
import pathlib
import subprocess
import sys
import tempfile

BUILDER = pathlib.Path(__file__).parents[2] / "bench/models/mobilenet_v2.py"
# Relative to the largest magnitude: a few steps of the output's scale, by which sums of products in
# another order may differ.
TOLERANCE = 0.05


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    tools = parser.parse_args().bin
    if any(importlib.util.find_spec(name) is None for name in ("numpy", "onnx", "onnxruntime")):
        print("skipped: numpy, onnx and onnxruntime are needed")
        return 77
    import numpy as np

    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        subprocess.run(
            [sys.executable, BUILDER, "--width", "0.35", "--size", "32", "--classes", "10", work],
            check=True,
            stderr=subprocess.DEVNULL,
        )
        expected = np.load(work / "output_0.npy")
        results = []
        for memory in (["-m1M"], ["-m8K", "-m1M"]):
            plan = work / "model.tgrs"
            subprocess.run(
                [tools / "tigris", "compile", work / "model.onnx", "-o", plan, *memory], check=True
            )
            subprocess.run(
                [tools / "tigris-run", plan, "-i", work / "input_0.npy", "-o", work / "got.npy"],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            results.append(np.load(work / "got.npy"))
        if not np.array_equal(*results):
            print("the outputs depend on the memory")
            return 1
        error = np.abs(results[0] - expected).max() / np.abs(expected).max()
        print(f"error {error:.2g} of the magnitude")
        return 0 if error <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
