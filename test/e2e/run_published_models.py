"""Compares third-party models published on PyPI with onnxruntime.

usage: run_published_models.py --bin DIR

Downloads the packages of published_models.json (pinned by hash) into build/deps/models and extracts
their ONNX files. Each model is compiled with ample memory and in the smallest feasible budget.
Outputs must be those of onnxruntime within TOLERANCE of their largest magnitude, and the same bytes
in both budgets. Skipped (exit 77) without numpy, onnxruntime or network.
"""

import argparse
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import pipeline

TOLERANCE = 1e-3
# The outputs of a detector for noise are almost zero. Magnitudes below this are compared with an
# absolute tolerance.
SMALLEST_MAGNITUDE = 1e-3
DOWNLOADS = pipeline.ROOT / "build" / "deps" / "models"


def fetch(package, sha256):
    """The package's wheel; skips the test if it cannot be downloaded."""
    folder = DOWNLOADS / sha256[:16]
    if not list(folder.glob("*.whl")):
        folder.mkdir(parents=True, exist_ok=True)
        pin = folder / "pin.txt"
        pin.write_text(f"{package} --hash=sha256:{sha256}\n")
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "pip",
                "download",
                "--quiet",
                "--disable-pip-version-check",
                "--no-deps",
                "--require-hashes",
                "--dest",
                folder,
                "--requirement",
                pin,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if done.returncode != 0:
            pipeline.skip(f"pip cannot download {package}: {done.stdout.strip()[-200:]}")
    return next(iter(sorted(folder.glob("*.whl"))))


def reference(path, case):
    """Inputs in the order of the model's, those with a fixed value left out, and onnxruntime's
    outputs."""
    import numpy as np
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(5)
    feeds = {}
    for port in session.get_inputs():
        if port.name in case.get("values", {}):
            shape = [1 if isinstance(dim, str) else dim for dim in port.shape]
            feeds[port.name] = np.full(shape, case["values"][port.name], np.int64)
        else:
            shape = case["shapes"].get(port.name, port.shape)
            feeds[port.name] = rng.standard_normal(shape).astype(np.float32)
    outputs = session.run(None, feeds)
    return [value for name, value in feeds.items() if name not in case.get("values", {})], outputs


def check(tools, path, case, work):
    """The problems of one model, one line each."""
    import numpy as np

    inputs, expected = reference(path, case)
    files = [work / f"in{i}.npy" for i in range(len(inputs))]
    for file, value in zip(files, inputs):
        np.save(file, value)
    options = [
        f"--input-shape={name}:{'x'.join(map(str, shape))}"
        for name, shape in case["shapes"].items()
    ]
    options += [f"--input-value={name}:{value}" for name, value in case.get("values", {}).items()]
    normalized = tools.call("norm", data=tools.call("import", path, *options))
    results = []
    smallest = pipeline.smallest_budget(tools, normalized)
    for budget in ("256M", str(smallest)):
        plan = work / "model.tgrs"
        tools.call(
            "emit", "-o", plan, data=tools.call("plan", "-m", budget, "-m", "256M", data=normalized)
        )
        outputs = [work / f"out{i}.npy" for i in range(len(expected))]
        tools.run(plan, files, outputs)
        results.append([np.load(file) for file in outputs])
    problems = []
    worst = 0
    for want, ample, tight in zip(expected, *results):
        if not np.array_equal(ample, tight):
            problems.append(f"{smallest} bytes of fast memory give other outputs")
        magnitude = max(float(np.abs(want).max()), SMALLEST_MAGNITUDE)
        worst = max(worst, float(np.abs(ample - want).max()) / magnitude)
    if worst > case.get("tolerance", TOLERANCE):
        problems.append(f"off by {worst:.2g} of the largest magnitude")
    print(f"{path.name:40} {smallest:9} bytes at least, error {worst:.1e}", *problems, flush=True)
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    tools = pipeline.Tools(parser.parse_args().bin)
    if any(importlib.util.find_spec(name) is None for name in ("numpy", "onnxruntime")):
        pipeline.skip("numpy and onnxruntime are needed")
    packages = json.loads((pathlib.Path(__file__).parent / "published_models.json").read_text())
    failures = 0
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        for package in packages:
            wheel = zipfile.ZipFile(fetch(package["package"], package["sha256"]))
            for case in package["models"]:
                model = pathlib.Path(wheel.extract(case["file"], work))
                failures += bool(check(tools, model, case, work))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
