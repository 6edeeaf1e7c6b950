"""Checks that the models of bench/models compile, give the results of onnxruntime, and the same
bytes in every budget.

usage: run_built_models.py --bin DIR

Uses small sizes of all models, without and with slow memory. Skipped (exit 77) without numpy, onnx
or onnxruntime.
"""

import argparse
import importlib.util
import pathlib
import subprocess
import sys
import tempfile

MODELS = pathlib.Path(__file__).parents[2] / "bench/models"
CASES = {
    "mobilenet_v2.py": ["--width", "0.35", "--size", "32", "--classes", "10"],
    "mobilenet_v3_small.py": ["--width", "0.5", "--size", "32", "--classes", "10"],
    "ssd_mobilenet_v1.py": ["--size", "64"],
}
# Relative to the largest magnitude: a few steps of the output's scale, by which sums of products in
# another order may differ.
TOLERANCE = 0.05


def check(tools, builder, options, work):
    """The largest error relative to the largest magnitude of a result."""
    import numpy as np
    import onnx

    case = work / pathlib.Path(builder).stem
    subprocess.run(
        [sys.executable, MODELS / builder, *options, case], check=True, stderr=subprocess.DEVNULL
    )
    names = [result.name for result in onnx.load(case / "model.onnx").graph.output]
    expected = [np.load(case / f"output_{i}.npy") for i in range(len(names))]
    results = []
    for memory in (["-m1M"], ["-m8K", "-m1M"]):
        plan = work / "model.tgrs"
        subprocess.run(
            [tools / "tigris", "compile", case / "model.onnx", "-o", plan, *memory], check=True
        )
        files = [work / f"{name}.npy" for name in names]
        outputs = [word for name, file in zip(names, files) for word in ("-o", f"{name}={file}")]
        subprocess.run(
            [tools / "tigris-run", plan, "-i", case / "input_0.npy", *outputs],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        results.append([np.load(file) for file in files])
    if not all(map(np.array_equal, *results)):
        raise SystemExit(f"{builder}: the outputs depend on the memory")
    return max(
        np.abs(got - right).max() / np.abs(right).max() for got, right in zip(results[0], expected)
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    tools = parser.parse_args().bin
    if any(importlib.util.find_spec(name) is None for name in ("numpy", "onnx", "onnxruntime")):
        print("skipped: numpy, onnx and onnxruntime are needed")
        return 77
    worst = 0
    with tempfile.TemporaryDirectory() as work:
        for builder, options in CASES.items():
            error = check(tools, builder, options, pathlib.Path(work))
            print(f"{builder}: error {error:.2g} of the magnitude")
            worst = max(worst, error)
    return 0 if worst <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
