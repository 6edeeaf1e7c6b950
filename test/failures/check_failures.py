"""Runs the tools under failures: no memory, little memory, a signal, a full disk, a closed pipe.

usage: check_failures.py --bin DIR --faults LIBRARY --model FILE.onnx [--points N] [-k TEXT]

A run either exits with code 0 and the outputs of an undisturbed run, or with another code, a
message and no output: existing files are unchanged, and no temporary file is left.
"""

import argparse
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile

MODES = ("imported.yaml", "normalized.yaml", "planned.yaml", "model.tgrs")


def commands(model, made):
    """{name: command line}; OUT/ in an argument is a folder of outputs; `made` contains the
    intermediate files."""
    return {
        "import": [
            "tigris-import",
            model,
            "-o",
            "OUT/a.yaml",
            "--weights=file:OUT/w.bin",
            "--depfile=OUT/a.d",
        ],
        "norm": ["tigris-norm", made / "imported.yaml", "-o", "OUT/a.yaml"],
        "plan": ["tigris-plan", "-m", "64K", made / "normalized.yaml", "-o", "OUT/a.yaml"],
        "emit": [
            "tigris-emit",
            made / "planned.yaml",
            "-o",
            "OUT/a.tgrs",
            "--kernels-header=OUT/k.h",
        ],
        "dump-html": ["tigris-dump", "--format=html", made / "model.tgrs", "-o", "OUT/a.html"],
        "dump-text": ["tigris-dump", "--ops", "--memory", made / "model.tgrs", "-o", "OUT/a.txt"],
        "run": ["tigris-run", made / "model.tgrs", "-o", "OUT/a.npy"],
        "codegen": ["tigris", "codegen", made / "model.tgrs", "-o", "OUT"],
        "compile": ["tigris", "compile", model, "-m", "64K", "-o", "OUT/a.tgrs"],
        "analyze": ["tigris", "analyze", model, "-m", "64K"],
    }


class Runner:
    def __init__(self, arguments, folder):
        self.bin = pathlib.Path(arguments.bin)
        self.faults = arguments.faults
        self.folder = pathlib.Path(folder)
        self.errors = []

    def run(self, command, settings=None, **options):
        """(exit code, output files and standard output, standard error) of a run into an empty
        folder."""
        out = self.folder / "out"
        out.mkdir(exist_ok=True)
        for old in out.iterdir():
            old.unlink()
        line = [str(self.bin / command[0])] + [str(a).replace("OUT", str(out)) for a in command[1:]]
        environment = dict(os.environ, LD_PRELOAD=self.faults, LC_ALL="C.UTF-8", **(settings or {}))
        done = subprocess.run(
            line,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            check=False,
            **options,
        )
        files = {path.name: path.read_bytes() for path in sorted(out.iterdir())}
        # The output contains times, which differ between runs.
        stdout = b"" if command[0] == "tigris-run" else done.stdout
        return done.returncode, {**files, "stdout": stdout}, done.stderr.decode(errors="replace")

    def check(self, what, result, reference, codes):
        code, outputs, err = result
        if code == 0 and outputs == reference:
            return
        kept = [name for name in outputs if name != "stdout"]
        if code not in codes or kept or ("error: " not in err and code > 0):
            self.errors.append(
                f"{what}: exit {code}, outputs {sorted(kept)}, standard error: {err.strip()[:300]}"
            )

    def count(self, command):
        read, write = os.pipe()
        _, reference, _ = self.run(
            command, {"TIGRIS_COUNT_ALLOCATIONS": str(write)}, pass_fds=[write]
        )
        os.close(write)
        with os.fdopen(read) as pipe:
            return int(pipe.read()), reference

    def sweep(self, name, command, points):
        total, reference = self.count(command)
        step = max(1, total // points)
        for n in sorted({*range(1, total + 1, step), total}):
            result = self.run(command, {"TIGRIS_FAIL_ALLOCATION": str(n)})
            self.check(f"{name}, allocation {n} of {total} fails", result, reference, {1})
            if result[0] != 0 and "[out-of-memory]" not in result[2]:
                self.errors.append(
                    f"{name}, allocation {n} of {total} fails: {result[2].strip()[:300]}"
                )

    def signals(self, name, command):
        _, reference, _ = self.run(command)
        if len(reference) == 1:
            return
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
            result = self.run(command, {"TIGRIS_SIGNAL_WHILE_WRITING": str(int(number))})
            expected = 1 if number == signal.SIGPIPE else -number
            if result[0] != expected or set(result[1]) != {"stdout"}:
                self.errors.append(
                    f"{name}, {number.name}: exit {result[0]}, outputs {sorted(result[1])}"
                )

    def full_disk(self, name, command):
        """Files are limited to a few bytes, and nothing can be written to standard output."""
        _, reference, _ = self.run(command)

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))

        if len(reference) > 1:
            self.check(f"{name}, full disk", self.run(command, preexec_fn=limit), {}, {1})

    def small_address_space(self, name, command):
        """Less than the tools reserve for their heap where there is no limit."""
        _, reference, _ = self.run(command)

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (120 << 20, 120 << 20))

        self.check(f"{name}, 120 MiB", self.run(command, preexec_fn=limit), reference, set())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--faults", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--points", type=int, default=8)
    parser.add_argument("-k", default="", help="only commands whose name holds this")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder) / "made"
        made.mkdir()
        runner = Runner(arguments, folder)
        for name, output in zip(("import", "norm", "plan", "emit"), MODES):
            command = commands(arguments.model, made)[name]
            code, outputs, err = runner.run(command[: command.index("-o") + 2])
            if code != 0:
                sys.exit(f"{name}: exit {code}: {err}")
            (made / output).write_bytes(next(iter(outputs.values())))
        for name, command in commands(arguments.model, made).items():
            if arguments.k not in name:
                continue
            runner.sweep(name, command, arguments.points)
            runner.signals(name, command)
            runner.full_disk(name, command)
            runner.small_address_space(name, command)
    print("\n".join(runner.errors[:40]) or "all failures are clean")
    return 1 if runner.errors else 0


if __name__ == "__main__":
    sys.exit(main())
