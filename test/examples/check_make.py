"""Runs a copy of examples/Makefile and checks which tools it starts: all at first, then none, then
those that a change requires.

usage: check_make.py --bin DIR     exit 0 and silence if all is well, 77 without make
"""

import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Build:
    def __init__(self, folder, tools):
        self.folder, self.tools = folder, tools

    def __call__(self, *arguments):
        """Tools started by `make -j4`: {"import": 3, ...}."""
        done = subprocess.run(
            ["make", "-j4", f"TIGRIS={self.tools}/", *arguments],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            sys.exit(f"make failed:\n{done.stdout}{done.stderr}")
        return dict(collections.Counter(re.findall(r"tigris-(\w+) ", done.stdout)))

    def expect(self, what, expected, *arguments):
        time.sleep(0.02)  # make compares times of files
        started = self(*arguments)
        if started != expected:
            sys.exit(f"{what}: make started {started}, expected {expected}")


def touch(path, bytes_=None):
    path.write_bytes(path.read_bytes() if bytes_ is None else bytes_)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    tools = parser.parse_args().bin.resolve()
    if shutil.which("make") is None:
        print("no make")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="tigris make ") as temporary:
        # make does not support names with spaces in its own rules; the depfiles of our tools do.
        folder = pathlib.Path(temporary.replace(" ", "-"))
        shutil.copytree(ROOT / "examples", folder)
        plugins = folder / "plugins"
        plugins.mkdir()
        for name in ("hardswish.so", "lp-normalization.so"):
            shutil.copy(tools.parent / "lib/tigris/plugins" / name, plugins)
        os.environ["TIGRIS_PLUGIN_PATH"] = str(plugins)
        build = Build(folder, tools)
        try:
            build.expect("the first time", {"import": 3, "norm": 3, "plan": 6, "emit": 6})
            build.expect("the second time", {})
            plans = {p.name: p.read_bytes() for p in (folder / "build").glob("*.tgrs")}
            if len(plans) != 6:
                sys.exit(f"made {sorted(plans)}, expected 6 plans")

            touch(folder / "digits/digits_f32.onnx")
            build.expect("a model was touched but is the same", {"import": 1})
            build.expect("and again", {})
            touch(
                folder / "digits/digits_f32.onnx", (folder / "digits/digits_int8.onnx").read_bytes()
            )
            build.expect(
                "a model became another one", {"import": 1, "norm": 1, "plan": 2, "emit": 2}
            )
            touch(plugins / "hardswish.so")
            build.expect("a plugin was touched", {"norm": 1})
            build.expect(
                "one more budget", {"plan": 1, "emit": 1}, "BUDGETS_embedding=32K 64K 128K"
            )
            (folder / "build/digits_int8-8K.tgrs").unlink()
            build.expect("one plan was removed", {"emit": 1})
            build.expect("at the end", {})
        finally:
            shutil.rmtree(folder, ignore_errors=True)


main()
