"""Runs real models through the whole pipe and checks outputs, predicted figures, determinism and
round trips.

usage: run_corpus.py --bin DIR [--roundtrip PROGRAM] [--all] [CASE...]

For each case (default: those of cases.json) it checks that
  - the pipe import | norm | plan -m SIZE | emit works and gives the same bytes twice,
  - every module between the tools prints as it was read (--roundtrip),
  - the outputs agree with the references within the tolerance stated below,
  - the runtime counts what the plan predicts,
  - the model's inputs and outputs in caller buffers, in slow memory and in the arena give the same
  bytes,
  - so does every budget from 512K to 16K, the smallest feasible one and fractions of the peak, in
    stages and tiles, each within its budget,
  - and each of these plans in 75 % of its fast memory with ample slow memory,
  - neither the smallest budget nor the bytes of the plan beyond its weights are above those in
    cases.json.

Tolerances. float32: 1e-4 of the largest magnitude of the reference. Quantized: where TensorFlow
Lite's own outputs are in the case, one step of the output's scale from them (its integer arithmetic
is the same). For other cases it is the case's spread, which is the largest difference recorded
between two correct runtimes, but at least one step. `steps` in cases.json widens the tolerance,
with a reason.

Without the corpus (TIGRIS_CORPUS, default ../shared/corpus) or numpy the test is skipped (exit 77).
With --all every case of the corpus is tried and reported; rejected models are ignored.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import pipeline

FLOAT_TOLERANCE = 1e-4


def check_output(np, case, index, got, directory):
    """None, or what is wrong with output `index`; and a short note on how close it is."""
    info = case["outputs"][index]
    reference = np.load(directory / f"output_{index}.npy")
    scale = info.get("scale")
    tflite = directory / f"tflite_output_{index}.npy"
    if scale is not None and tflite.exists():
        reference = np.load(tflite)
    if got.dtype != reference.dtype or got.shape != reference.shape:
        return (
            f"is {got.dtype} {got.shape}, the reference {reference.dtype} {reference.shape}",
            "",
        )
    error = np.abs(got.astype(np.float64) - reference.astype(np.float64))
    if not np.isfinite(error).all():
        return "holds NaN or infinities", ""
    worst = float(error.max())
    if scale is None:
        magnitude = float(np.abs(reference).max())
        note = f"{worst / magnitude:.1e} of magnitude"
        return (note if worst > FLOAT_TOLERANCE * magnitude else None), note
    step = 1.0 if got.dtype.kind in "iu" else scale
    allowed = 1.0
    if not tflite.exists():
        spread = case["diff_to_ort_all_optimisations"][index]["max_abs"]
        allowed = max(allowed, spread / step, case.get("steps", 1))
    steps = worst / step
    note = f"{steps:.2f} steps of {allowed:g}" + (" (TFLite)" if tflite.exists() else "")
    return (note if steps > allowed + 0.01 else None), note


def check_round_trip(program, streams):
    problems = []
    for name, stream in zip(("imported", "normalized", "planned"), streams):
        done = subprocess.run([program], input=stream, stdout=subprocess.PIPE, check=False)
        if done.returncode != 0 or done.stdout != stream:
            problems.append(f"the {name} stream does not print back as it was read")
    return problems


def run_case(tools, np, case, directory, scratch, roundtrip):
    """(problems, notes) of one model."""
    problems, notes = [], []
    model = directory / "model.onnx"
    memory = ["-m", case["memory"]]
    plan = tools.pipe(model, scratch / "pipe.tgrs", memory)
    streams = tools.stages(model, memory)
    again = scratch / "again.tgrs"
    tools.call("emit", "-o", again, data=streams[2])
    if plan.read_bytes() != again.read_bytes():
        problems.append("the plan made again has other bytes")
    if roundtrip:
        problems += check_round_trip(roundtrip, streams)
    figures = tools.dump(plan)
    planned = json.loads(tools.call("dump", "--format=json", data=streams[2]))
    for key in pipeline.MEASURED:
        if planned[key] != figures[key]:
            problems.append(f"{key}: {planned[key]} in the stream, {figures[key]} in the plan")
    if figures["fast_peak_bytes"] > figures["budget"]["fast"]:
        problems.append(f"fast peak {figures['fast_peak_bytes']} exceeds the budget")

    inputs = [directory / f"input_{i}.npy" for i in range(len(case["inputs"]))]
    outputs = [scratch / f"output_{i}.npy" for i in range(len(case["outputs"]))]
    stats = tools.run(plan, inputs, outputs)
    problems += pipeline.prediction_errors(stats)
    for index, path in enumerate(outputs):
        problem, note = check_output(np, case, index, np.load(path), directory)
        notes.append(note)
        if problem:
            problems.append(f"output {index}: {problem}")
    notes.append(f"peak {figures['fast_peak_bytes']}, {stats['measured']['seconds'] * 1e3:.1f} ms")

    problems += pipeline.dynamic_errors(tools, plan, stats, inputs, outputs)
    first = [path.read_bytes() for path in outputs]
    peak = figures["fast_peak_bytes"]
    smallest = pipeline.smallest_budget(tools, streams[1])
    notes.append(f"smallest budget {smallest}")
    if smallest > case.get("smallest", peak):
        problems.append(
            f"the smallest budget is {smallest}, expected at most {case.get('smallest', peak)}"
        )
    beyond = figures["plan_bytes"] - figures["weight_bytes"]
    notes.append(f"{beyond} bytes beyond the weights")
    if beyond > case.get("beyond", beyond):
        problems.append(f"{beyond} bytes beyond the weights, expected at most {case['beyond']}")
    variants = {
        "slow": [*memory, "-m", "32M"],
        "arena": ["-m", "32M", "--io=arena"],
        "least arena": ["-m", "32M", "--io=arena", "--min-fast"],
        "one": ["-m", f"{smallest}"],
        "caller": ["-m", f"{peak // 2 + smallest}", "-m", "32M", "--io=caller"],
    }
    budgets = {peak * 3 // 4, peak // 2, smallest}
    budgets |= {kib * 1024 for kib in (512, 256, 128, 64, 32, 16)}
    for budget in sorted(budgets):
        if smallest <= budget < peak:
            variants[f"{budget} bytes"] = ["-m", str(budget), "-m", "32M"]
    for variant, options in variants.items():
        other = scratch / "other.tgrs"
        tools.call("plan", *options, "-o", scratch / "planned.yaml", data=streams[1])
        tools.call("emit", scratch / "planned.yaml", "-o", other)
        stats = tools.run(other, inputs, outputs)
        problems += [f"{variant}: {text}" for text in pipeline.prediction_errors(stats)]
        if stats["fast_peak_bytes"] > stats["budget"]["fast"]:
            problems.append(f"{variant}: the fast peak exceeds the budget")
        if [path.read_bytes() for path in outputs] != first:
            problems.append(f"{variant}: other outputs than with all in one stage")
        problems += [
            f"{variant}: {text}"
            for text in pipeline.dynamic_errors(tools, other, stats, inputs, outputs)
        ]
    return problems, notes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--roundtrip", help="program that reads and prints a stream")
    parser.add_argument("--all", action="store_true", help="every case of the corpus, as a survey")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    corpus = pipeline.corpus_directory()
    if corpus is None:
        pipeline.skip("no model corpus (set TIGRIS_CORPUS)")
    np = pipeline.require_numpy()
    tools = pipeline.Tools(options.bin)
    manifest = {case["name"]: case for case in json.loads((corpus / "manifest.json").read_text())}
    listed = json.loads((pathlib.Path(__file__).parent / "cases.json").read_text())
    settings = {entry["name"]: entry for entry in listed}
    names = options.cases or (list(manifest) if options.all else list(settings))

    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for name in names:
        if name not in manifest:
            print(f"skipped {name}: not in the corpus")
            counts["skipped"] += 1
            continue
        case = {"memory": "16M"} | manifest[name] | settings.get(name, {})
        with tempfile.TemporaryDirectory(prefix="tigris-e2e-") as scratch:
            try:
                problems, notes = run_case(
                    tools, np, case, corpus / name, pathlib.Path(scratch), options.roundtrip
                )
            except pipeline.ToolError as error:
                refused = name not in settings and error.code in (1, 3)
                problems, notes = ([] if refused else [str(error)]), [f"refused: {error}"]
        verdict = (
            "failed" if problems else "skipped" if notes[-1].startswith("refused") else "passed"
        )
        counts[verdict] += 1
        print(f"{verdict} {name}: " + "; ".join(notes))
        for problem in problems:
            print(f"    {problem}")
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    if counts["failed"]:
        return 1
    return 0 if counts["passed"] else pipeline.SKIPPED


if __name__ == "__main__":
    sys.exit(main())
