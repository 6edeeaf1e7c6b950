#!/usr/bin/env python3
"""Compares RAM and results with TensorFlow Lite Micro for the same .tflite files.

usage: compare.py --tools BUILD/bin --corpus DIRECTORY... [--peer VENV] [--case NAME]... [--update]

Both run the same inputs; integer results must be the same bytes. The RAM of TensorFlow Lite Micro
is the arena that its recording allocator reports: activations with inputs and outputs, and the
persistent part (tensors, operators, states). Ours has model inputs and outputs in the arena, too
(--io=arena): arena and context, in one stage and in the least memory (--min-fast, nothing computed
twice). Models with states have them in buffers of the caller, which count. Both use reference
kernels, which need no scratch.

--peer names a virtual environment with the package tflite-micro (default: the running Python). It
is a 64-bit build, whose persistent part is larger than on a microcontroller; `activations` is the
same there. --update writes the table of docs/benchmarks.md. Exits with code 77 without the package
or the models.
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs/benchmarks.md"
BEGIN, END = "<!-- tflm: begin -->\n", "<!-- tflm: end -->\n"
AMPLE = "64M"
FLOAT_TOLERANCE = 1e-5  # of the largest magnitude


class Refused(Exception):
    pass


def output(command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, check=False, **options)
    if done.returncode != 0:
        raise Refused(done.stderr.decode(errors="replace").strip().splitlines()[-1])
    return done.stdout


def cases(folders, names):
    for folder in folders:
        for model in sorted(folder.glob("*/model.tflite")):
            if not names or model.parent.name in names:
                yield model.parent


def run_peer(python, case, out):
    """The bytes of the arena, with the outputs in `out`."""
    return json.loads(output([python, HERE / "peer.py", case / "model.tflite", case, out]))


def compiled(tools, case, out, *options):
    """The plan file and its summary."""
    plan = out / "model.tgrs"
    target = ["--target=cortex-m", "-m", AMPLE, "-m", "0"]
    output([tools / "tigris", "compile", case / "model.tflite", *target, *options, "-o", plan])
    return plan, json.loads(output([tools / "tigris-dump", "--format=json", plan]))


def least_ram(tools, case, out, *options):
    try:
        return compiled(tools, case, out, "--io=arena", *options)
    except Refused as reason:
        if "state" not in str(reason):
            raise
        return compiled(tools, case, out, *options)


def run_ours(tools, case, plan, out):
    """Whether the outputs equal those of the peer."""
    arguments = []
    for index in range(len(list(out.glob("input_*.npy")))):
        arguments += ["--input", f"{index}={out / f'input_{index}.npy'}"]
    count = len(list(out.glob("output_*.npy")))
    for index in range(count):
        arguments += ["--output", f"{index}={out / f'ours_{index}.npy'}"]
    output([tools / "tigris-run", plan, "--sequence", *arguments])
    for index in range(count):
        theirs = numpy.load(out / f"output_{index}.npy")
        ours = numpy.load(out / f"ours_{index}.npy").reshape(theirs.shape)
        if theirs.dtype.kind == "f":
            limit = FLOAT_TOLERANCE * max(1.0, float(numpy.abs(theirs).max()))
            if float(numpy.abs(ours - theirs).max()) > limit:
                return False
        elif not numpy.array_equal(ours, theirs):
            return False
    return True


def measure(options, case):
    with tempfile.TemporaryDirectory() as work:
        out = pathlib.Path(work)
        theirs = run_peer(options.peer, case, out)
        _, whole = least_ram(options.tools, case, out)
        plan, least = least_ram(options.tools, case, out, "--min-fast", "--recompute=none")
        return {
            "tflm": theirs["total"],
            "activations": theirs["activations"],
            "one stage": whole["ram_bytes"]["total"],
            "least": least["ram_bytes"]["total"],
            "file": (case / "model.tflite").stat().st_size,
            "plan": plan.stat().st_size,
            "equal": run_ours(options.tools, case, plan, out),
        }


def table(rows):
    heading = ["model", "TFLM, bytes", "its activations", "one stage", "of TFLM", "least"]
    heading += ["of TFLM", ".tflite", ".tgrs", "results"]
    lines = ["| " + " | ".join(heading) + " |", "|---" * len(heading) + "|"]
    for name, row in rows.items():
        cells = [name, row["tflm"], row["activations"], row["one stage"]]
        cells += [row["one stage"] / row["tflm"], row["least"], row["least"] / row["tflm"]]
        cells += [row["file"], row["plan"], "equal" if row["equal"] else "**differ**"]
        lines.append("| " + " | ".join(map(cell, cells)) + " |")
    means = [math.prod(r[key] / r["tflm"] for r in rows.values()) for key in ("one stage", "least")]
    means = [f"{mean ** (1 / len(rows)):.2f}" for mean in means]
    lines.append(f"| geometric mean | | | | {means[0]} | | {means[1]} | | | |")
    return "\n".join(lines) + "\n"


def cell(value):
    if isinstance(value, float):
        return f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) else value


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--corpus", type=pathlib.Path, action="append", required=True)
    parser.add_argument("--peer", type=pathlib.Path)
    parser.add_argument("--case", action="append", default=[])
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    options.peer = options.peer / "bin/python" if options.peer else sys.executable
    probe = subprocess.run([options.peer, "-c", "import tflite_micro"], capture_output=True)
    if probe.returncode != 0:
        print("skipped: no package tflite-micro")
        return 77
    rows = {}
    for case in cases(options.corpus, options.case):
        try:
            rows[case.name] = measure(options, case)
        except Refused as reason:
            print(f"{case.name}: {reason}", file=sys.stderr)
    if not rows:
        print("skipped: no models")
        return 77
    print(table(rows), end="")
    if options.update:
        head, rest = PAGE.read_text().split(BEGIN)
        PAGE.write_text(head + BEGIN + "\n" + table(rows) + "\n" + END + rest.split(END)[1])
    return 0 if all(row["equal"] for row in rows.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
