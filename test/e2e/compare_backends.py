"""Checks that every quantized model of the corpus gives the same bytes on another backend as on the
reference kernels.

usage: compare_backends.py --bin DIR [--any-scratch] BACKEND TARGET [CASE...]

Plans each case for TARGET in one stage and in the smallest feasible fast memory, and runs both
plans on both backends with the same random input. Unless --any-scratch is given, a backend must not
need more scratch than the plan leaves. A plan for another target must be rejected in memory that
lacks the scratch, not run in the dynamic arena. Without the corpus (TIGRIS_CORPUS, default
../shared/corpus), numpy or the backend it is skipped (exit 77).
"""

import argparse
import json
import pathlib
import re
import sys
import tempfile

import pipeline


def outputs(tools, plan, backend, count, scratch):
    files = [scratch / f"{backend}-{i}.npy" for i in range(count)]
    arguments = [a for i, f in enumerate(files) for a in ("--output", f"{i}={f}")]
    stats = json.loads(
        tools.call("run", plan, "--raw", f"--backend={backend}", "--stats=json", *arguments)
    )
    return stats, [f.read_bytes() for f in files]


def smallest(tools, normalized, target):
    try:
        tools.call("plan", "-m", "1", "-m", "1G", f"--target={target}", normalized)
    except pipeline.ToolError as error:
        found = re.search(r"smallest fast budget that fits is (\d+) bytes", error.text)
        if found:
            return found[1]
        raise
    return "1"


def run_case(tools, name, directory, options, scratch):
    backend, target = options.backend, options.target
    normalized, plan = scratch / "normalized.yaml", scratch / "plan.tgrs"
    imported = tools.call("import", directory / "model.onnx")
    normalized.write_bytes(tools.call("norm", data=imported))
    for budget in (["-m", "64M"], ["-m", smallest(tools, normalized, target), "-m", "1G"]):
        planned = tools.call("plan", *budget, f"--target={target}", normalized)
        tools.call("emit", "-o", plan, data=planned)
        count = len(json.loads(tools.call("dump", "--format=json", plan))["outputs"])
        stats, got = outputs(tools, plan, backend, count, scratch)
        _, want = outputs(tools, plan, "reference", count, scratch)
        where = f"{name} with {' '.join(budget)}"
        if got != want:
            yield f"{where}: other bytes than the reference"
        asked, left = stats["measured"]["scratch_bytes"], stats["kernel_scratch_bytes"]
        if asked > left and not options.any_scratch:
            yield f"{where}: the backend asks for {asked} bytes of scratch, the plan leaves {left}"
        print(
            f"{where}: fast {stats['fast_peak_bytes']}, scratch {left}, "
            f"{stats['tiled_stages']} tiled"
        )


def run_mismatch(tools, name, options, scratch):
    """The plan of a target without scratch, with one byte less than the backend needs."""
    planned = tools.call("plan", "-m", "64M", "--target=cortex-m", scratch / "normalized.yaml")
    plan = scratch / "mismatch.tgrs"
    tools.call("emit", "-o", plan, data=planned)
    stats, _ = outputs(tools, plan, options.backend, 1, scratch)
    asked = stats["measured"]["scratch_bytes"]
    if asked == 0:
        return
    try:
        tools.call(
            "run",
            plan,
            f"--backend={options.backend}",
            "--slow=64M",
            f"--fast={stats['fast_peak_bytes'] + asked - 1}",
        )
        yield f"{name}: runs without room for {asked} bytes of scratch"
    except pipeline.ToolError as error:
        if f"needs {asked} bytes of scratch, the plan leaves 0" not in error.text:
            yield f"{name}: {error.text}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--any-scratch", action="store_true")
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
                problems += run_mismatch(tools, name, options, pathlib.Path(scratch))
            except pipeline.ToolError as error:
                if "option '--backend'" in error.text:
                    pipeline.skip(error.text.strip())
                problems.append(f"{name}: {error}")
    if problems:
        sys.exit("\n".join(problems))


main()
