"""Holds the smallest fast memory in which real models run without slow memory.

usage: run_least_memory.py --bin DIR [--slow]

For each entry of least_memory.json, a case of the corpus or a builder of bench/models with its
arguments, it checks that the plan with --min-fast and the entry's options
  - takes at most 2 % more fast memory than the entry states,
  - has no slow traffic, and computes nothing twice,
  - has a certificate, which is not above its peak,
  - counts what it predicts when it runs, also in 75 % of its fast memory,
  - gives the same bytes as all in one stage.
--slow: the entries marked as slow in place of the others. Skipped (exit 77) without numpy or, for
models of the corpus and of builders, without the corpus or onnxruntime.
"""

import argparse
import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pipeline

TOLERANCE = 1.02


def find_model(name, work):
    """The directory of a model; None if it cannot be had here."""
    builder, *arguments = name.split()
    if not builder.endswith(".py"):
        corpus = pipeline.corpus_directory()
        return corpus / name if corpus and (corpus / name).is_dir() else None
    if any(importlib.util.find_spec(module) is None for module in ("onnx", "onnxruntime")):
        return None
    command = [sys.executable, pipeline.ROOT / "bench/models" / builder, *arguments, work / "model"]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return work / "model"


def normalize(tools, directory, quantize, work):
    module = tools.call("import", directory / "model.onnx")
    if quantize:
        samples = work / "samples"
        samples.mkdir()
        shutil.copy(directory / "input_0.npy", samples)
        module = tools.call("quantize", "-s", samples, data=module)
    return tools.call("norm", data=module)


def check(tools, entry, directory, work):
    """(problems, note) of one entry."""
    module = normalize(tools, directory, entry.get("quantize", False), work)
    inputs = sorted(directory.glob("input_*.npy"))
    outputs = [work / path.name for path in sorted(directory.glob("output_*.npy"))]

    def run(*options):
        plan = work / "model.tgrs"
        tools.call("emit", "-o", plan, data=tools.call("plan", "-m64M", *options, data=module))
        return plan, tools.run(plan, inputs, outputs), [path.read_bytes() for path in outputs]

    _, _, expected = run()
    plan, stats, results = run("--min-fast", "--certificates", *entry["options"])
    problems = pipeline.prediction_errors(stats)
    problems += pipeline.dynamic_errors(tools, plan, stats, inputs, outputs)
    if results != expected:
        problems.append("other outputs than with all in one stage")
    peak, bound = stats["fast_peak_bytes"], stats["bounds"]["fast_peak_bytes"]
    if peak > TOLERANCE * entry["bytes"]:
        problems.append(f"takes {peak} bytes, expected at most {entry['bytes']} and 2 %")
    for key in ("slow_read_bytes", "slow_write_bytes", "recompute_macs"):
        if stats[key] != 0:
            problems.append(f"{key} are {stats[key]}")
    if not 0 < bound <= peak or "rows" not in stats["bounds"]["class"]:
        problems.append(f"the bound is {bound} ({stats['bounds']['class']})")
    return problems, f"{peak} bytes, {peak / max(bound, 1):.3f} of the bound"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--slow", action="store_true")
    options = parser.parse_args()
    pipeline.require_numpy()
    tools = pipeline.Tools(options.bin)
    entries = json.loads((pathlib.Path(__file__).parent / "least_memory.json").read_text())
    failed = ran = 0
    for entry in entries:
        if entry.get("slow", False) != options.slow:
            continue
        name = " ".join([entry["model"], *entry["options"]])
        with tempfile.TemporaryDirectory(prefix="tigris-e2e-") as work:
            directory = find_model(entry["model"], pathlib.Path(work))
            if directory is None:
                print(f"skipped {name}")
                continue
            problems, note = check(tools, entry, directory, pathlib.Path(work))
        ran += 1
        failed += bool(problems)
        print(f"{'failed' if problems else 'passed'} {name}: {note}")
        for problem in problems:
            print(f"    {problem}")
    if failed:
        return 1
    return 0 if ran else pipeline.SKIPPED


if __name__ == "__main__":
    sys.exit(main())
