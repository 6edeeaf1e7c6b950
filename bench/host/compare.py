#!/usr/bin/env python3
"""Compares latency and memory of tigris-run with onnxruntime on one thread.

usage: compare.py --tools BUILD/bin --corpus DIRECTORY [--case NAME]... [--peer VENV] [--output
               FILE.json]

Each round runs both programs one after the other, each in a separate process, and takes the fastest
of several inferences. The ratio of a case is the median over its rounds; ratios above 1 mean that
TiGrIS is slower. The default cases are the convolutional ones of the corpus. --peer names a virtual
environment with the public package tigris-ml 0.12.1 (pip install tigris-ml==0.12.1): its compiler
and portable runtime then run the same models in the same rounds, unless it rejects them.
"""

import argparse
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

MIN_SECONDS = 0.2  # of inferences per process and round
MAX_REPEATS = 500


def measured(command, stderr=None):
    """Standard output and peak memory in bytes of a command that must succeed."""
    gnu_time = shutil.which("time")  # a small separate process: children inherit the peak of ours
    with tempfile.NamedTemporaryFile(mode="r") as peak:
        prefix = [gnu_time, "-f", "%M", "-o", peak.name] if gnu_time else []
        process = subprocess.Popen(
            prefix + command, stdout=subprocess.PIPE, stderr=stderr, text=True
        )
        out = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise subprocess.CalledProcessError(process.returncode, command)
        return out, int(peak.read().split()[-1] if gnu_time else usage.ru_maxrss) * 1024


def other_side(case, repeats):
    """Runs the model in onnxruntime and prints the fastest inference's seconds."""
    import numpy as np
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        case / "model.onnx", options, providers=["CPUExecutionProvider"]
    )
    feeds = {
        port.name: np.load(case / f"input_{i}.npy") for i, port in enumerate(session.get_inputs())
    }
    best = math.inf
    for _ in range(repeats + 2):  # two to warm up
        start = time.perf_counter()
        session.run(None, feeds)
        best = min(best, time.perf_counter() - start)
    print(best)


# Runs in the peer's environment: plan, array files, repeats; prints the fastest inference's
# seconds.
PEER = """
import math, sys, time
import numpy as np
from tigris.runtime import Session
with Session(sys.argv[1], slow_capacity=1 << 28) as session:
    # Its order of axes is its own; for the time the values do not matter.
    feeds = {port["name"]: np.load(name).astype(port["dtype"]).reshape(port["shape"])
             for port, name in zip(session.inputs, sys.argv[3:])}
    best = math.inf
    for _ in range(int(sys.argv[2]) + 1):
        start = time.perf_counter()
        session.run(feeds)
        best = min(best, time.perf_counter() - start)
print(best)
"""


def peer_plan(peer, case, plan):
    """Whether the peer's compiler accepts the model."""
    command = [peer / "bin/tigris", "compile", case / "model.onnx", "-m", "256M", "-o", plan]
    return (
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
        == 0
    )


def peer_child(peer, case, plan, repeats):
    """Seconds, or None if the peer's runtime rejects the plan of its compiler."""
    command = [
        str(word)
        for word in (
            peer / "bin/python",
            "-c",
            PEER,
            plan,
            repeats,
            *sorted(case.glob("input_*.npy")),
        )
    ]
    try:
        return float(measured(command, subprocess.DEVNULL)[0])
    except subprocess.CalledProcessError:
        return None


def print_shapes(case):
    """Prints --input-shape options for inputs with free dimensions: those of the arrays."""
    import numpy as np
    import onnx

    model = onnx.load(case / "model.onnx", load_external_data=False)
    for i, port in enumerate(model.graph.input):
        if any(not d.HasField("dim_value") for d in port.type.tensor_type.shape.dim):
            dims = "x".join(map(str, np.load(case / f"input_{i}.npy").shape))
            print(f"--input-shape={port.name}:{dims}")


def compile_case(tools, case, plan):
    """Whether the model could be compiled. This process stays small: children inherit its peak
    memory."""
    shapes = subprocess.run(
        [sys.executable, __file__, "--shapes", case], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.split()
    command = [
        tools / "tigris",
        "compile",
        case / "model.onnx",
        "-o",
        plan,
        "-m",
        "1G",
        "--target=x86-64",
    ]
    return subprocess.run(command + shapes, stderr=subprocess.DEVNULL).returncode == 0


def tigris(tools, case, plan, backend, repeats):
    inputs = sorted(case.glob("input_*.npy"))
    text, memory = measured(
        [tools / "tigris-run", plan, f"--backend={backend}", "--stats=json", f"--repeat={repeats}"]
        + [f"--input={i}={path}" for i, path in enumerate(inputs)]
    )
    return json.loads(text)["seconds"], memory


def onnxruntime_child(case, repeats):
    text, memory = measured([sys.executable, __file__, "--child", case, "--repeats", str(repeats)])
    return float(text), memory


def compare(arguments, case, plan):
    first, _ = tigris(arguments.tools, case, plan, arguments.backend, 1)
    repeats = max(3, min(MAX_REPEATS, int(MIN_SECONDS / max(first, 1e-6))))
    ours, theirs, memories, peers = [], [], [], []
    other_plan = plan.with_name("peer.tgrs")
    has_peer = arguments.peer and peer_plan(arguments.peer, case, other_plan)
    for _ in range(arguments.rounds):
        seconds, memory = tigris(arguments.tools, case, plan, arguments.backend, repeats)
        other, other_memory = onnxruntime_child(case, repeats)
        ours.append(seconds)
        theirs.append(other)
        memories.append((memory, other_memory))
        if has_peer:
            peers.append(peer_child(arguments.peer, case, other_plan, max(1, repeats // 50)))
            has_peer = peers[-1] is not None
    return {
        "name": case.name,
        "int8": "int8" in case.name,
        "tigris_seconds": min(ours),
        "onnxruntime_seconds": min(theirs),
        "ratio": statistics.median(a / b for a, b in zip(ours, theirs)),
        "peer_ratio": statistics.median(a / b for a, b in zip(ours, peers)) if has_peer else None,
        "tigris_rss": max(a for a, _ in memories),
        "onnxruntime_rss": max(b for _, b in memories),
    }


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def convolutional(corpus):
    for case in sorted(corpus.iterdir()):
        if (case / "model.onnx").exists():
            told = json.loads((case / "case.json").read_text())
            if any("Conv" in op for op in told.get("op_histogram", {})):
                yield case


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", type=pathlib.Path, help="where tigris and tigris-run are")
    parser.add_argument(
        "--corpus", type=pathlib.Path, help="folder of cases: model.onnx, input_0.npy, ..."
    )
    parser.add_argument("--case", action="append", help="only this case; may be repeated")
    parser.add_argument("--backend", default="host", help="kernels of tigris-run")
    parser.add_argument("--peer", type=pathlib.Path, help="virtual environment with tigris-ml")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", type=pathlib.Path, help="JSON goes here")
    parser.add_argument("--child", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--shapes", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--repeats", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        other_side(arguments.child, arguments.repeats)
        return
    if arguments.shapes:
        print_shapes(arguments.shapes)
        return
    if not arguments.tools or not arguments.corpus:
        parser.error("--tools and --corpus are needed")
    cases = (
        [arguments.corpus / name for name in arguments.case]
        if arguments.case
        else list(convolutional(arguments.corpus))
    )
    results = []
    print(f"{'case':34} {'tigris':>10} {'onnxrt':>10} {'ratio':>7} {'memory':>8} {'peer':>8}")
    with tempfile.TemporaryDirectory() as folder:
        plan = pathlib.Path(folder) / "model.tgrs"
        for case in cases:
            if not compile_case(arguments.tools, case, plan):
                print(f"{case.name:34} not compiled")
                continue
            result = compare(arguments, case, plan)
            results.append(result)
            print(
                f"{case.name:34} {result['tigris_seconds'] * 1e3:7.3f} ms "
                f"{result['onnxruntime_seconds'] * 1e3:7.3f} ms {result['ratio']:7.2f} "
                f"{result['tigris_rss'] / result['onnxruntime_rss']:8.2f} "
                + (f"{result['peer_ratio']:8.3f}" if result["peer_ratio"] else f"{'':>8}"),
                flush=True,
            )
    summary = {
        "float32": geometric_mean([r["ratio"] for r in results if not r["int8"]]),
        "int8": geometric_mean([r["ratio"] for r in results if r["int8"]]),
        "memory": geometric_mean([r["tigris_rss"] / r["onnxruntime_rss"] for r in results]),
        "peer": geometric_mean([r["peer_ratio"] for r in results if r["peer_ratio"]]),
    }
    for kind, mean in summary.items():
        if mean is not None:
            print(f"geometric mean of {kind}: {mean:.3f}")
    if arguments.output:
        arguments.output.write_text(
            json.dumps(
                {
                    "backend": arguments.backend,
                    "rounds": arguments.rounds,
                    "geometric_mean": summary,
                    "cases": results,
                },
                indent=2,
            )
            + "\n"
        )


main()
