"""Checks that `tigris compile` gives the same bytes and exit codes as the pipe of tools, and that
`tigris analyze` agrees.

usage: compare_driver.py --bin DIR [NAME...]     every model of the corpus, or those named
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import pipeline

BUDGETS = (["-m", "256K", "-m", "16M"], ["-m", "48K", "-m", "16M", "-f", "200K"], ["-m", "128K"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    corpus = pipeline.corpus_directory()
    if corpus is None:
        pipeline.skip("no model corpus (set TIGRIS_CORPUS)")
    tools = pipeline.Tools(options.bin)
    tigris = str(options.bin / "tigris")
    problems, compared = [], 0
    for case in json.loads((corpus / "manifest.json").read_text()):
        if options.names and case["name"] not in options.names:
            continue
        model = corpus / case["name"] / "model.onnx"
        for budget in BUDGETS:
            where = f"{case['name']} {' '.join(budget)}"
            with tempfile.TemporaryDirectory() as scratch:
                pipe, driver = pathlib.Path(scratch, "pipe.tgrs"), pathlib.Path(
                    scratch, "driver.tgrs"
                )
                try:
                    tools.pipe(model, pipe, budget)
                    code = 0
                except pipeline.ToolError as error:
                    code = error.code
                done = subprocess.run(
                    [tigris, "compile", model, *budget, "-o", driver],
                    check=False,
                    stdin=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
                told = subprocess.run(
                    [tigris, "analyze", "--json", model, *budget],
                    check=False,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
                compared += 1
                # An empty stream ends the pipe with code 1, regardless of the exit code of the
                # failed tool.
                if (done.returncode == 0) != (code == 0):
                    problems.append(
                        f"{where}: the pipe exits {code}, tigris compile {done.returncode}"
                    )
                elif code == 0 and pipe.read_bytes() != driver.read_bytes():
                    problems.append(f"{where}: other bytes than the pipe's")
                if told.returncode != done.returncode:
                    problems.append(
                        f"{where}: tigris compile exits {done.returncode}, "
                        f"analyze {told.returncode}"
                    )
                analysis = json.loads(told.stdout)
                if analysis["fits"] != (code == 0):
                    problems.append(f"{where}: analyze says fits: {analysis['fits']}")
                if code == 0 and analysis["plan_bytes"] != driver.stat().st_size:
                    problems.append(
                        f"{where}: analyze says {analysis['plan_bytes']} bytes of flash"
                    )
    if problems:
        sys.exit("\n".join(problems))
    print(f"{compared} plans compared")


main()
