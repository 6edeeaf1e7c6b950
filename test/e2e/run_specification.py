"""Runs real models with the specified passes, and with the specified planner in several budgets.

usage: run_specification.py --bin DIR [CASE...]

For each case (default: all of the corpus) it checks that
  - tigris-plan accepts what --passes=specification makes of the model,
  - the outputs agree with the references within the tolerance of run_corpus.py,
  - --planner=specification gives the same bytes in fractions of the peak down to the smallest
    budget that it finds, and the runtime counts what its plans predict.

Without the corpus (TIGRIS_CORPUS, default ../shared/corpus) or numpy the test is skipped (exit 77).
"""

import argparse
import json
import pathlib
import sys
import tempfile

import pipeline
import run_corpus

PLANNER = "--planner=specification"


def budgets_of(tools, normalized, peak):
    planned = tools.call("plan", "-m", "64M", "-m", "64M", "--min-fast", PLANNER, data=normalized)
    smallest = json.loads(tools.call("dump", "--format=json", data=planned))["budget"]["fast"]
    return sorted({max(smallest, peak * part // 4) for part in (3, 2, 1)} | {smallest})


def run_case(tools, np, case, directory, scratch):
    """(problems, notes) of one model."""
    problems, notes = [], []
    imported = tools.call("import", directory / "model.onnx")
    normalized = tools.call("norm", "--passes=specification", data=imported)
    inputs = [directory / f"input_{i}.npy" for i in range(len(case["inputs"]))]
    outputs = [scratch / f"output_{i}.npy" for i in range(len(case["outputs"]))]
    plan = scratch / "plan.tgrs"

    def run(*options):
        planned = tools.call("plan", *map(str, options), data=normalized)
        tools.call("emit", "-o", plan, data=planned)
        stats = tools.run(plan, inputs, outputs)
        return stats, pipeline.prediction_errors(stats)

    stats, wrong = run("-m", "32M")
    problems += wrong
    for index, path in enumerate(outputs):
        problem, note = run_corpus.check_output(np, case, index, np.load(path), directory)
        notes.append(note)
        if problem:
            problems.append(f"output {index}: {problem}")
    first = [path.read_bytes() for path in outputs]
    for budget in budgets_of(tools, normalized, stats["fast_peak_bytes"]):
        stats, wrong = run("-m", budget, "-m", "64M", PLANNER)
        notes.append(f"{budget}: {stats['stages']} stages")
        problems += [f"{budget} bytes: {text}" for text in wrong]
        if stats["fast_peak_bytes"] > budget:
            problems.append(f"{budget} bytes: the fast peak exceeds the budget")
        if [path.read_bytes() for path in outputs] != first:
            problems.append(f"{budget} bytes: other outputs than with all in one stage")
    return problems, notes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
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
    failures = 0
    for name in options.cases or manifest:
        case = manifest[name] | settings.get(name, {})
        with tempfile.TemporaryDirectory(prefix="tigris-e2e-") as scratch:
            try:
                problems, notes = run_case(tools, np, case, corpus / name, pathlib.Path(scratch))
            except pipeline.ToolError as error:
                problems, notes = [str(error)], []
        failures += 1 if problems else 0
        print(f"{'failed' if problems else 'passed'} {name}: " + "; ".join(notes))
        for problem in problems:
            print(f"    {problem}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
