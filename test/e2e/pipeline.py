"""The four-tool pipe and tigris-run as Python functions, for the end-to-end tests."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

SKIPPED = 77
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def skip(reason):
    """Ends the test as skipped. ctest and CI count skipped tests separately from passed ones."""
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def require_numpy():
    try:
        import numpy
    except ImportError:
        skip("numpy is not installed")
    return numpy


def corpus_directory():
    """TIGRIS_CORPUS, or ../shared/corpus beside the source tree; None if neither exists."""
    given = os.environ.get("TIGRIS_CORPUS")
    path = pathlib.Path(given) if given else ROOT.parent / "shared" / "corpus"
    return path if (path / "manifest.json").is_file() else None


class ToolError(Exception):
    """A tool failed; `text` is its standard error."""

    def __init__(self, code, text):
        super().__init__(f"exit code {code}: {text.strip()}")
        self.code = code
        self.text = text


class Tools:
    def __init__(self, directory):
        self.directory = pathlib.Path(directory).resolve()

    def path(self, tool):
        return str(self.directory / f"tigris-{tool}")

    def call(self, tool, *arguments, data=None):
        """Standard output of one tool, as bytes."""
        done = subprocess.run(
            [self.path(tool), *map(str, arguments)],
            input=data,
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        if done.returncode != 0:
            raise ToolError(done.returncode, done.stderr.decode(errors="replace"))
        return done.stdout

    def pipe(self, model, plan, plan_options, import_options=(), emit_options=()):
        """model -> plan through a real shell pipe."""
        stages = [
            ["import", str(model), *import_options],
            ["norm"],
            ["plan", *plan_options],
            ["emit", "-o", str(plan), *emit_options],
        ]
        command = " | ".join(shlex.join([self.path(s[0]), *s[1:]]) for s in stages)
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        if done.returncode != 0:
            raise ToolError(done.returncode, done.stderr.decode(errors="replace"))
        return plan

    def stages(self, model, plan_options, import_options=()):
        """The three streams of the pipe, one after the other."""
        imported = self.call("import", model, *import_options)
        normalized = self.call("norm", data=imported)
        planned = self.call("plan", *plan_options, data=normalized)
        return imported, normalized, planned

    def run(self, plan, inputs, outputs, *options):
        """The statistics of a run; `inputs` and `outputs` are files in the order of the model's."""
        arguments = [plan, "--stats=json", *options]
        for index, path in enumerate(inputs):
            arguments += ["--input", f"{index}={path}"]
        for index, path in enumerate(outputs):
            arguments += ["--output", f"{index}={path}"]
        return json.loads(self.call("run", *arguments))

    def dump(self, path):
        return json.loads(self.call("dump", "--format=json", path))


def smallest_budget(tools, normalized):
    """The smallest fast budget with slow memory in which all ops run in fast memory."""
    planned = tools.call("plan", "--min-fast", "-m", "64M", "-m", "64M", data=normalized)
    return max(1, int(re.search(rb"^  budget: {fast: (\d+)", planned, re.M)[1]))


MEASURED = [
    "fast_peak_bytes",
    "slow_peak_bytes",
    "slow_read_bytes",
    "slow_write_bytes",
    "kernel_calls",
]


def prediction_errors(stats):
    """One line for each figure for which the runtime's count differs from the plan's prediction."""
    measured = stats["measured"]
    return [
        f"{key}: predicted {stats[key]}, measured {measured[key]}"
        for key in MEASURED
        if stats[key] != measured[key]
    ]


def dynamic_errors(tools, plan, stats, inputs, outputs, options=()):
    """One line for each difference between a run in 75 % of the fast memory, with ample slow
    memory, and the run in full memory that produced `stats` and the files `outputs`."""
    required = stats["fast_peak_bytes"]
    if required < 4:
        return []
    first = [path.read_bytes() for path in outputs]
    less = tools.run(
        plan,
        inputs,
        outputs,
        "--fast",
        str(required * 3 // 4),
        "--slow",
        str(stats["slow_peak_bytes"] + 2 * required + 65536),
        *options,
    )["measured"]
    problems = []
    if [path.read_bytes() for path in outputs] != first:
        problems.append("75 % of the fast memory gives other outputs")
    if not less["dynamic"] or stats["measured"]["dynamic"]:
        problems.append("the runs say the wrong thing about being dynamic")
    if less["fast_peak_bytes"] > required * 3 // 4:
        problems.append(f"{less['fast_peak_bytes']} bytes used of {required * 3 // 4}")
    return problems
