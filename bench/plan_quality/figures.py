#!/usr/bin/env python3
"""Measures the least fast memory without slow memory in every convention, and holds the figures.

usage: figures.py --tools BUILD/bin --corpus DIRECTORY [--models DIRECTORY] [--case NAME]...
                  (--check | --update)

The models are those of the corpus that are int8 and have convolutions, and others that bench/models
builds in --models (default: a temporary directory), which needs numpy, onnx and onnxruntime.

Conventions: `arena` has model inputs and outputs in the arena (--io=arena), `caller` leaves them to
the caller, `rows` moves them row by row (--input-rows, --output-rows or both). Nothing is
computed twice unless the title says so. Beside ST Edge AI's published totals: all RAM of the plan
for a Cortex-M7.

--check compares with figures.json: a figure that has grown by more than 2 % fails. --update writes
figures.json and the tables of docs/benchmarks.md. Exits with code 77 if there are no models.
"""

import argparse
import concurrent.futures
import dataclasses
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from compare import Planner, geometric_mean

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FIGURES = HERE / "figures.json"
PEER = HERE / "peer.json"
PAGE = ROOT / "docs/benchmarks.md"
BEGIN, END = "<!-- figures.py: begin -->\n", "<!-- figures.py: end -->\n"

TOLERANCE = 1.02
AMPLE = "64M"
# Options of each convention; the first that is possible counts.
CONVENTIONS = {
    "arena": [["--io=arena"]],
    "caller": [[]],
    "rows": [["--input-rows", "--output-rows"], ["--input-rows"], ["--output-rows"]],
}


# Classes of plans whose bound is a certificate.
CERTIFIED = re.compile("^(whole rows|single-stage)")


@dataclasses.dataclass
class Model:
    """A directory of the corpus, which tigris-quantize makes int8 first if `quantize`, or the
    arguments of a script of bench/models. `st`: KiB that ST Edge AI needs for the network in all,
    and its version."""

    case: str
    title: str
    script: tuple = ()
    quantize: bool = False
    recompute: int = 0
    st: tuple = ()

    @property
    def is_public(self):
        return not self.script and not self.quantize


def mobilenet_v2(width, size, st):
    case = f"mbv2_{width.replace('.', '')}_{size}_int8"
    options = ("mobilenet_v2.py", "--width", width, "--size", str(size))
    return Model(case, f"MobileNetV2 {width}, {size}", script=options, st=st)


# Totals of ST: github.com/STMicroelectronics/stm32ai-modelzoo, image_classification/*/README.md,
# "activations" and "runtime" RAM, commits 7f3764d (ST Edge AI Core 3.0) and 6f10965 (X-CUBE-AI
# 10.0).
MODELS = [
    Model("mlperf_vww_mbv1_int8", "MLPerf Tiny, visual wake words", st=(63.7, "3.0")),
    Model("mlperf_ic_resnet8_int8", "MLPerf Tiny, image classification", st=(69.7, "10.0")),
    Model("mlperf_kws_dscnn_int8", "MLPerf Tiny, keyword spotting"),
    Model("mbv1_100_224_int8_qdq_pt_u8", "MobileNetV1 1.0, 224", st=(900.1, "3.0")),
    Model("mbv2_035_96_int8_qdq_pc", "MobileNetV2 0.35, 96"),
    Model("resnet8_32_int8_qoperator", "ResNet8, 32"),
    Model("tcn_128_int8_qdq_pt_sym", "temporal convolutions"),
    Model("unet_convt_96_int8_qdq_pc_sym", "U-Net, 96"),
    Model("yolo_relu_160_int8_qdq_pc", "detector (YOLO), 160"),
    mobilenet_v2("0.35", 128, (241.1, "3.0")),
    mobilenet_v2("0.35", 224, (703.1, "3.0")),
    mobilenet_v2("1.0", 224, (1436.5, "3.0")),
    mobilenet_v2("1.4", 224, (2146.6, "3.0")),
    Model("squeezenet11_224_f32_ts11", "SqueezeNet 1.1, 224", quantize=True, st=(832.8, "3.0")),
    Model("ssd_mbv1_025_256_int8", "detector (SSD), 256", script=("ssd_mobilenet_v1.py",)),
    Model("mbv3s_100_224_int8", "MobileNetV3-small, 224", script=("mobilenet_v3_small.py",)),
    Model(
        "mbv3s_100_224_int8",
        "the same, 20 % recomputed",
        script=("mobilenet_v3_small.py",),
        recompute=20,
    ),
]


class Builder:
    """Finds or builds the directories of models."""

    def __init__(self, corpus, models):
        self.corpus, self.models = corpus, models
        self.can_build = all(map(importlib.util.find_spec, ("numpy", "onnx", "onnxruntime")))

    def folder(self, model):
        """The model's directory; None if it cannot be had."""
        if not model.script:
            folder = self.corpus / model.case
            return folder if (folder / "model.onnx").exists() else None
        folder = self.models / model.case
        if not (folder / "model.onnx").exists():
            if not self.can_build:
                return None
            script, *options = model.script
            subprocess.run(
                [sys.executable, ROOT / "bench/models" / script, *options, folder],
                check=True,
                stderr=subprocess.DEVNULL,
            )
        return folder


def quantized(tools, folder):
    """The float model of the folder, made int8 by tigris-quantize with its only sample."""
    with tempfile.TemporaryDirectory() as samples:
        shutil.copy(folder / "input_0.npy", samples)
        return Planner(tools, folder, ("tigris-quantize", "-s", samples))


def least(planner, convention, *options):
    """The plan in the least fast memory without slow memory; None if the convention is refused."""
    for choice in CONVENTIONS[convention]:
        try:
            return planner.plan("-m", AMPLE, "--min-fast", *choice, *options)
        except RuntimeError as error:
            if "[unsupported-op]" not in str(error):
                raise
    return None


def measure(tools, model, folder):
    planner = quantized(tools, folder) if model.quantize else Planner(tools, folder)
    options = [f"--recompute={model.recompute}"] if model.recompute else []
    result = {}
    for convention in CONVENTIONS:
        figures = least(planner, convention, *options)
        if figures is None:
            continue
        bounds = figures["bounds"]
        result[convention] = {
            "fast": figures["fast_peak_bytes"],
            "certificate": (
                bounds["fast_peak_bytes"] if CERTIFIED.search(bounds["class"]) else None
            ),
        }
        if model.st:
            device = least(planner, convention, "--target=cortex-m7")
            result[convention]["ram"] = device["ram_bytes"]["total"]
    return result


def ratio(result, convention):
    """Fast memory over the certificate; None without one."""
    row = result.get(convention, {})
    return row["fast"] / row["certificate"] if row.get("certificate") else None


def st_ratio(model, result, convention):
    row = result.get(convention, {})
    return row["ram"] / (model.st[0] * 1024) if model.st and "ram" in row else None


def against_peer(tools, corpus, cases):
    """Slow traffic, and fast and slow memory together, relative to the peer's in its budgets."""
    traffic, memory = [], []
    for name, peer in json.loads(PEER.read_text())["cases"].items():
        if (cases and name not in cases) or not (corpus / name / "model.onnx").exists():
            continue
        planner = Planner(tools, corpus / name)
        for budget, other in peer["budgets"].items():
            figures = planner.plan("-m", f"{budget}K", "-m", AMPLE)
            if figures is None:
                continue
            memory.append(
                (figures["fast_peak_bytes"] + figures["slow_peak_bytes"])
                / (other["fast_peak"] + other["slow_peak"])
            )
            if other["slow_read"] is not None:
                moved = figures["slow_read_bytes"] + figures["slow_write_bytes"]
                traffic.append(moved / (other["slow_read"] + other["slow_write"]))
    if not memory:
        return {}
    return {
        "slow traffic, geometric mean": geometric_mean(traffic),
        "slow traffic, worst": max(traffic),
        "fast and slow memory, geometric mean": geometric_mean(memory),
    }


def means(results):
    public = [results[m.title] for m in MODELS if m.is_public and m.title in results]
    with_st = [(m, results[m.title]) for m in MODELS if m.st and m.title in results]
    return {
        convention: {
            "over certificate": geometric_mean(ratio(r, convention) for r in public),
            "of ST": geometric_mean(st_ratio(m, r, convention) for m, r in with_st),
        }
        for convention in CONVENTIONS
    }


def kib(size):
    return "-" if size is None else f"{size / 1024:,.1f}"


def decimal(value):
    return "-" if value is None else f"{value:.2f}"


def table(heading, rows):
    lines = [heading, *rows]
    text = ["| " + " | ".join(line) + " |\n" for line in lines]
    return text[0] + "|---" * len(heading) + "|\n" + "".join(text[1:])


def page(figures):
    """The section of docs/benchmarks.md."""
    results, mean = figures["models"], figures["means"]
    rows = []
    for model in MODELS:
        row = [model.title]
        for convention in CONVENTIONS:
            found = results[model.title].get(convention, {})
            row += [kib(found.get("fast")), decimal(ratio(results[model.title], convention))]
        rows.append(row)
    average = ["geometric mean, public models"]
    for convention in CONVENTIONS:
        average += ["", decimal(mean[convention]["over certificate"])]
    heading = ["int8 model"]
    for convention in CONVENTIONS:
        heading += [f"{convention}, KiB", "over certificate"]
    text = table(heading, [*rows, average])
    rows = []
    for model in MODELS:
        if not model.st:
            continue
        row = [model.title, f"{model.st[0]:,.1f} ({model.st[1]})"]
        for convention in CONVENTIONS:
            found = results[model.title].get(convention, {})
            row += [
                kib(found.get("ram")),
                decimal(st_ratio(model, results[model.title], convention)),
            ]
        rows.append(row)
    average = ["geometric mean", ""]
    for convention in CONVENTIONS:
        average += ["", decimal(mean[convention]["of ST"])]
    heading = ["all RAM, KiB", "ST Edge AI"]
    for convention in CONVENTIONS:
        heading += [convention, "of ST"]
    text += "\n" + table(heading, [*rows, average])
    rows = [[name, f"{value:.3f}"] for name, value in figures["peer"].items()]
    return text + "\n" + table(["relative to the public peer, in its budgets", ""], rows)


def with_page(figures):
    """docs/benchmarks.md with the section of these figures."""
    text = PAGE.read_text()
    head, rest = text.split(BEGIN)
    return head + BEGIN + "\n" + page(figures) + "\n" + END + rest.split(END)[1]


def flat(figures, path=()):
    """(path, number) of every figure that must not grow."""
    for key, value in figures.items():
        if isinstance(value, dict):
            yield from flat(value, (*path, key))
        elif key != "certificate" and value is not None:
            yield (*path, key), value


def check(figures, complete):
    """The problems of the figures, compared with those of the file."""
    held = json.loads(FIGURES.read_text())
    problems = []
    if with_page(held) != PAGE.read_text():
        problems.append("docs/benchmarks.md does not show figures.json; run figures.py --update")
    known = dict(flat(held))
    for path, value in flat(figures):
        name = ", ".join(path)
        if path[0] != "models" and not complete:
            continue
        if path not in known:
            problems.append(f"{name}: {value:.6g}, not in figures.json")
        elif value > known[path] * TOLERANCE:
            problems.append(f"{name}: {value:.6g}, held at {known[path]:.6g}")
        elif value * TOLERANCE < known[path]:
            print(f"better: {name}: {value:.6g} instead of {known[path]:.6g}")
    return problems


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--corpus", type=pathlib.Path, required=True)
    parser.add_argument("--models", type=pathlib.Path)
    parser.add_argument("--case", action="append", default=[])
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--check", action="store_true")
    action.add_argument("--update", action="store_true")
    args = parser.parse_args()

    with tempfile.TemporaryDirectory() as work:
        builder = Builder(args.corpus, args.models or pathlib.Path(work))
        asked = [m for m in MODELS if not args.case or m.case in args.case]
        folders = {model.title: builder.folder(model) for model in asked}
        for title, folder in folders.items():
            if folder is None:
                print(f"skipped: {title}")
        found = [model for model in asked if folders[model.title]]
        if not found:
            print("skipped: no models")
            return 77
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = [pool.submit(measure, args.tools, m, folders[m.title]) for m in found]
            results = {m.title: job.result() for m, job in zip(found, jobs)}
    figures = {
        "models": results,
        "means": means(results),
        "peer": against_peer(args.tools, args.corpus, args.case),
    }
    complete = len(found) == len(MODELS)
    if args.update:
        if not complete:
            print("--update needs all models")
            return 1
        FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
        PAGE.write_text(with_page(figures))
        return 0
    problems = check(figures, complete)
    for problem in problems:
        print(problem)
    print(f"{len(found)} models, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
