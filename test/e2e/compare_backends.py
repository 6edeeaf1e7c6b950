"""Checks that every quantized model of the corpus gives the same bytes on another backend as on the
reference kernels.

usage: compare_backends.py --bin DIR BACKEND TARGET [CASE...]

Plans each case for TARGET in one stage, in the smallest feasible fast memory and in 64 KiB, and
runs the plans on both backends with the same random input: in memory with room for all scratch,
and in exactly the memory of -m. Also runs plans without scratch in the smallest memory, which ops
that need some must leave to the reference kernels. Without the corpus (TIGRIS_CORPUS, default
../shared/corpus), numpy or the backend it is skipped (exit 77).
"""

import argparse
import json
import pathlib
import sys
import tempfile

import pipeline


# Backends for whose targets plans reserve all scratch.
RESERVED = ("cmsis-nn",)


def outputs(tools, plan, backend, count, scratch, *memory):
    files = [scratch / f"{backend}-{i}.npy" for i in range(count)]
    arguments = [a for i, f in enumerate(files) for a in ("--output", f"{i}={f}")]
    options = ("--raw", f"--backend={backend}", "--stats=json", *memory, *arguments)
    stats = json.loads(tools.call("run", plan, *options))
    return stats, [f.read_bytes() for f in files]


def run_plan(tools, where, budget, target, backend, scratch):
    plan = scratch / "plan.tgrs"
    planned = tools.call("plan", *budget, f"--target={target}", scratch / "normalized.yaml")
    tools.call("emit", "-o", plan, data=planned)
    made = json.loads(tools.call("dump", "--format=json", plan))
    count = len(made["outputs"])
    stats, got = outputs(tools, plan, backend, count, scratch)
    _, want = outputs(tools, plan, "reference", count, scratch)
    if got != want:
        yield f"{where}: other bytes than the reference"
    measured = stats["measured"]
    if measured["fallback_calls"] != 0:
        yield f"{where}: lacks scratch in memory with room for all of it"
    granted = f"--fast={made['budget']['fast']}"
    short, got = outputs(tools, plan, backend, count, scratch, granted)
    if got != want:
        yield f"{where}: other bytes than the reference in exactly -m"
    if short["measured"]["dynamic"]:
        yield f"{where}: places tensors at run time, although it has its memory"
    fallbacks = short["measured"]["fallback_ops"]
    if fallbacks and target != "cortex-m" and backend in RESERVED:
        yield f"{where}: {fallbacks} ops lack scratch that the plan should reserve"
    print(
        f"{where}: fast {stats['fast_peak_bytes']}, scratch {stats['kernel_scratch_bytes']} of "
        f"{measured['scratch_bytes']}, {stats['tiled_stages']} tiled, {fallbacks} ops fall back"
    )


def run_case(tools, name, directory, options, scratch):
    normalized = scratch / "normalized.yaml"
    imported = tools.call("import", directory / "model.onnx")
    normalized.write_bytes(tools.call("norm", data=imported))
    for target in (options.target, "cortex-m"):
        budgets = [["--min-fast", "-m", "64M", "-m", "1G"]]
        if target == options.target:
            budgets += [["-m", "64M"], ["-m", "64K", "-m", "16M"]]
        for budget in budgets:
            where = f"{name} for {target} with {' '.join(budget)}"
            yield from run_plan(tools, where, budget, target, options.backend, scratch)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("backend")
    parser.add_argument("target")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    pipeline.require_numpy()
    corpus = pipeline.corpus_directory()
    if corpus is None:
        pipeline.skip("no corpus; set TIGRIS_CORPUS")
    tools = pipeline.Tools(options.bin)
    manifest = json.loads((corpus / "manifest.json").read_text())
    known = [c["name"] for c in (manifest if isinstance(manifest, list) else manifest["cases"])]
    problems = []
    for name in options.cases or [n for n in known if "int8" in n]:
        with tempfile.TemporaryDirectory() as scratch:
            try:
                problems += run_case(tools, name, corpus / name, options, pathlib.Path(scratch))
            except pipeline.ToolError as error:
                if "option '--backend'" in error.text:
                    pipeline.skip(error.text.strip())
                problems.append(f"{name}: {error}")
    if problems:
        sys.exit("\n".join(problems))


main()
