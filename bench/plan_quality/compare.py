#!/usr/bin/env python3
"""Compares plans with their bounds, the greedy and the specified planner, another tool and Vela:
traffic, memory, smallest budgets.

usage: compare.py --tools BUILD/bin --corpus DIRECTORY [--corpus DIRECTORY]... [--case NAME]...
                  [--budgets 512,256,..] [--peer FILE.json] [--vela DIRECTORY] [--output FILE.json]

Uses the directories with a model.onnx below each corpus. For every budget in KiB (with ample slow
memory) it plans each model with every planner, and finds the smallest feasible fast memory with and
without slow memory. Geometric means follow the tables. Exits with code 77 if there are no models.
--peer compares with the figures of another tool, in the format of bench/plan_quality/README.md.
--vela creates a Python environment in the directory, installs Arm's Vela there and compiles each
model that has a model.tflite for the least SRAM. Nothing but Python is needed otherwise.
"""

import argparse
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import venv

SLOW = "64M"
AMPLE = "64M"
VELA = "ethos-u-vela==5.2.0"


def geometric_mean(values):
    values = [v for v in values if v]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def shape_options(folder):
    """--input-shape for inputs with free dimensions: the shapes the case was recorded with."""
    info = folder / "case.json"
    inputs = json.loads(info.read_text())["inputs"] if info.exists() else []
    return [
        f"--input-shape={port['name']}:{'x'.join(map(str, port['shape']))}"
        for port in inputs
        if not all(isinstance(size, int) for size in port["declared_shape"])
    ]


class Planner:
    """The tools on one normalized model. `quantizer`: a command that changes the imported module
    first."""

    def __init__(self, tools, folder, quantizer=()):
        self.tools = tools
        module = self.call("tigris-import", folder / "model.onnx", *shape_options(folder))
        if quantizer:
            module = self.call(*quantizer, data=module)
        self.stream = self.call("tigris-norm", data=module)

    def call(self, tool, *arguments, data=None):
        done = subprocess.run(
            [self.tools / tool, *map(str, arguments)], input=data, capture_output=True, check=False
        )
        if done.returncode == 3:
            return None
        if done.returncode != 0:
            raise RuntimeError(f"{tool}: {done.stderr.decode().strip().splitlines()[-1]}")
        return done.stdout

    def plan(self, *options):
        """The figures of tigris-dump, or None if the model does not fit."""
        planned = self.call("tigris-plan", *options, data=self.stream)
        return planned and json.loads(self.call("tigris-dump", "--format=json", data=planned))


def traffic(figures):
    return figures["slow_read_bytes"] + figures["slow_write_bytes"]


def memory(figures):
    return figures["fast_peak_bytes"] + figures["slow_peak_bytes"]


def vela_program(directory):
    """Path of vela in a separate environment, because it requires other versions of numpy."""
    program = directory / "bin/vela"
    if not program.exists():
        venv.create(directory, with_pip=True)
        subprocess.run([directory / "bin/pip", "install", "-q", VELA], check=True)
    return program


def vela_sram(program, model):
    """SRAM in bytes of Vela's smallest plan, or None if Vela cannot compile the model."""
    with tempfile.TemporaryDirectory() as work:
        done = subprocess.run(
            [
                program,
                model,
                "--optimise",
                "Size",
                "--accelerator-config",
                "ethos-u55-128",
                "--output-dir",
                work,
            ],
            capture_output=True,
            check=False,
        )
        summaries = list(pathlib.Path(work).glob("*summary*.csv"))
        if done.returncode != 0 or not summaries:
            return None
        row = next(csv.DictReader(summaries[0].open()))
        # None if Vela leaves all operators to the processor.
        return round(float(row["sram_memory_used"]) * 1024) or None


def measure_case(tools, folder, budgets, peer, vela):
    planner = Planner(tools, folder)
    result = {"budgets": {}}
    for planner_name in ("optimal", "greedy", "specification"):
        figures = planner.plan("-m", AMPLE, "-m", SLOW, f"--planner={planner_name}", "--min-fast")
        result[f"smallest_{planner_name}"] = figures["budget"]["fast"]
    figures = planner.plan("-m", AMPLE, "--min-fast", "--certificates")
    if figures:
        result["no_spill"] = figures["budget"]["fast"]
        result["no_spill_bound"] = figures["bounds"]["fast_peak_bytes"]
        result["one_stage"] = planner.plan("-m", AMPLE)["fast_peak_bytes"]
    if peer.get("min_budget_kib"):
        result["smallest_peer"] = peer["min_budget_kib"] * 1024
    if vela and (folder / "model.tflite").exists():
        result["vela"] = vela_sram(vela, folder / "model.tflite")
    for budget in budgets:
        ours = planner.plan("-m", f"{budget}K", "-m", SLOW)
        if not ours:
            continue
        row = {
            "traffic": traffic(ours),
            "bound": ours["compulsory_bytes"],
            "memory": memory(ours),
            "recompute": ours["recompute_macs"] / max(1, ours["macs"]),
            "calls": ours["kernel_calls"],
            "stages": ours["stages"],
        }
        greedy = planner.plan("-m", f"{budget}K", "-m", SLOW, "--planner=greedy")
        if greedy:
            row |= {"greedy": traffic(greedy), "greedy_memory": memory(greedy)}
        specified = planner.plan("-m", f"{budget}K", "-m", SLOW, "--planner=specification")
        if specified:
            row["specification"] = traffic(specified)
        other = peer.get("budgets", {}).get(str(budget), {})
        if other.get("fits"):
            row["peer_memory"] = other["fast_peak"] + other["slow_peak"]
            row["least_memory"] = memory(
                planner.plan("-m", f"{budget}K", "-m", SLOW, "--optimize=memory")
            )
            if other.get("slow_read") is not None:
                row["peer"] = other["slow_read"] + other["slow_write"]
        result["budgets"][budget] = row
    return result


def show_table(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print(
            "  ".join(
                cell.ljust(w) if i == 0 else cell.rjust(w)
                for i, (cell, w) in enumerate(zip(row, widths))
            )
        )


def cell(value):
    return "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


def ratio(row, part, whole):
    return row[part] / row[whole] if row.get(part) and row.get(whole) else None


def smallest_rows(results):
    rows = [
        [
            "case",
            "smallest",
            "greedy",
            "specified",
            "peer",
            "no spill",
            "bound",
            "one stage",
            "Vela",
        ]
    ]
    for name, case in results.items():
        rows.append(
            [name]
            + [
                cell(case.get(key))
                for key in (
                    "smallest_optimal",
                    "smallest_greedy",
                    "smallest_specification",
                    "smallest_peer",
                    "no_spill",
                    "no_spill_bound",
                    "one_stage",
                    "vela",
                )
            ]
        )
    return rows


def report(results):
    rows = [
        [
            "case",
            "KiB",
            "traffic",
            "bound",
            "greedy",
            "specified",
            "peer",
            "/bound",
            "/greedy",
            "/specified",
            "/peer",
            "recomputed",
            "calls",
            "fast+slow",
            "/peer",
            "least",
            "/peer",
        ]
    ]
    every = []
    for name, case in results.items():
        for budget, row in case["budgets"].items():
            every.append(row)
            rows.append(
                [name, str(budget)]
                + [
                    cell(row.get(key))
                    for key in ("traffic", "bound", "greedy", "specification", "peer")
                ]
                + [
                    cell(ratio(row, "traffic", key))
                    for key in ("bound", "greedy", "specification", "peer")
                ]
                + [
                    f"{100 * row['recompute']:.1f} %",
                    str(row["calls"]),
                    str(row["memory"]),
                    cell(ratio(row, "memory", "peer_memory")),
                    cell(row.get("least_memory")),
                    cell(ratio(row, "least_memory", "peer_memory")),
                ]
            )
    show_table(rows)
    print()
    show_table(smallest_rows(results))
    cases = list(results.values())
    means = {
        "traffic / bound": geometric_mean(ratio(r, "traffic", "bound") for r in every),
        "traffic / greedy": geometric_mean(ratio(r, "traffic", "greedy") for r in every),
        "traffic / specified": geometric_mean(ratio(r, "traffic", "specification") for r in every),
        "traffic / peer": geometric_mean(ratio(r, "traffic", "peer") for r in every),
        "fast + slow / peer": geometric_mean(ratio(r, "memory", "peer_memory") for r in every),
        "least fast + slow / peer": geometric_mean(
            ratio(r, "least_memory", "peer_memory") for r in every
        ),
        "smallest / greedy": geometric_mean(
            ratio(c, "smallest_optimal", "smallest_greedy") for c in cases
        ),
        "smallest / peer": geometric_mean(
            ratio(c, "smallest_optimal", "smallest_peer") for c in cases
        ),
        "no spill / bound": geometric_mean(ratio(c, "no_spill", "no_spill_bound") for c in cases),
        "no spill / one stage": geometric_mean(ratio(c, "no_spill", "one_stage") for c in cases),
        "no spill / Vela": geometric_mean(ratio(c, "no_spill", "vela") for c in cases),
    }
    above = sum(1 for r in every if r.get("peer") and r["traffic"] > r["peer"])
    print("\ngeometric means")
    for name, value in means.items():
        if value:
            print(f"  {name:26}{value:.3f}")
    print(f"above the peer's traffic: {above} of {sum(1 for r in every if r.get('peer'))}")
    return means


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--corpus", type=pathlib.Path, action="append", required=True)
    parser.add_argument("--case", action="append", default=[])
    parser.add_argument("--budgets", default="512,256,128,64,32,16")
    parser.add_argument("--peer", type=pathlib.Path)
    parser.add_argument("--vela", type=pathlib.Path, metavar="DIRECTORY")
    parser.add_argument("--output", type=pathlib.Path)
    args = parser.parse_args()

    peer = json.loads(args.peer.read_text())["cases"] if args.peer else {}
    vela = vela_program(args.vela.resolve()) if args.vela else None
    results = {}
    for folder in sorted(
        path.parent for corpus in args.corpus for path in corpus.glob("*/model.onnx")
    ):
        if args.case and folder.name not in args.case:
            continue
        print(folder.name, file=sys.stderr)
        results[folder.name] = measure_case(
            args.tools,
            folder,
            [int(b) for b in args.budgets.split(",")],
            peer.get(folder.name, {}),
            vela,
        )
    if not results:
        print("skipped: no models")
        return 77
    means = report(results)
    if args.output:
        args.output.write_text(json.dumps({"cases": results, "means": means}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
