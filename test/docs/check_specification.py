"""Keeps docs/specification.md true: runs the command of every row.

usage: check_specification.py --build DIR [CLAIM...]     default: all claims

A row reads `| P17 | claim | works | files | proof | note |`. The state is `works`, `differs` (by
default the product does something else; the note says what and why), `partly` (open work; the note
says what is left) or `unmeasured` (no machine to measure it on; the note says so). The files exist.
A proof is one or more of these, separated by semicolons:

    `COMMAND` prints `TEXT`     TEXT is in what COMMAND writes to stdout and stderr, which ends
                                with 0; a second text follows after `and`
    `COMMAND` exits N
    `COMMAND`                   ends with 0
    test `NAME`                 a test of the build, which runs with the others

Commands run in a folder with the models of make_specification.py and the build's programs in PATH.
Exit: 0 everything holds, 1 something does not, 77 without numpy and onnx, which make the models.
"""

import argparse
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "specification.md"
STATES = ("works", "differs", "partly", "unmeasured")
CODE = r"`((?:[^`]|``)+)`"


class Row:
    def __init__(self, line, text):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)[|]", text.strip().strip("|"))]
        self.line, self.claim = line, cells[0]
        self.errors = []
        if len(cells) != 6:
            self.errors.append(f"{len(cells)} cells, not 6")
            return
        _, _, self.state, self.files, self.proof, self.note = (
            cell.replace("\\|", "|") for cell in cells
        )

    def check_text(self):
        if self.state not in STATES:
            self.errors.append(f"state '{self.state}'")
        if self.state != "works" and not self.note:
            self.errors.append(f"'{self.state}' without a note")
        names = re.findall(CODE, self.files)
        if not names and self.state != "unmeasured":
            self.errors.append("no file")
        self.errors += [f"no file {name}" for name in names if not (ROOT / name).exists()]

    def check_proof(self, tests, folder, environment):
        if self.state == "unmeasured":
            return
        for part in re.split(r";\s+(?=`|test )", self.proof):
            if named := re.fullmatch(f"test {CODE}", part):
                if named[1] not in tests:
                    self.errors.append(f"no test '{named[1]}'")
            elif command := re.match(CODE, part):
                self.run(command[1], part[command.end() :].strip(), folder, environment)
            else:
                self.errors.append(f"'{part}' is no proof")

    def run(self, command, expected, folder, environment):
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=120,
        )
        code = re.fullmatch(r"exits (\d+)", expected)
        texts = re.findall(CODE, expected)
        if not code and expected and not re.fullmatch(f"prints {CODE}(?: and {CODE})*", expected):
            self.errors.append(f"'{expected}' is no expectation")
        if done.returncode != (int(code[1]) if code else 0):
            self.errors.append(f"{command}: exit {done.returncode}\n{done.stdout}")
            return
        blanks = lambda text: " ".join(text.split())
        for text in texts:
            if blanks(text) not in blanks(done.stdout):
                self.errors.append(f"{command}: no '{text}' in\n{done.stdout}")


def rows_of(page):
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if re.match(r"[|] [PCTMS]\d+ [|]", line):
            yield Row(number, line)


def missing_claims(rows):
    """Claims are numbered from 1 within each text."""
    found = {}
    for row in rows:
        found.setdefault(row.claim[0], []).append(int(row.claim[1:]))
    for text, numbers in found.items():
        if numbers != list(range(1, len(numbers) + 1)):
            yield f"{PAGE.name}: the claims {text} are not 1 to {len(numbers)} in order"


def tests_of(build):
    listed = subprocess.run(
        ["ctest", "--test-dir", build, "-N"], check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    return set(re.findall(r"Test +#\d+: (.*)", listed))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("claims", nargs="*")
    args = parser.parse_args()
    if not all(importlib.util.find_spec(name) for name in ("numpy", "onnx")):
        print("skipped: numpy and onnx make the models")
        return 77
    build = pathlib.Path(args.build).resolve()
    environment = {**os.environ, "PATH": f"{build / 'bin'}:{os.environ['PATH']}"}
    environment["BUILD"], environment["SOURCE"] = str(build), str(ROOT)
    rows = list(rows_of(PAGE))
    failures = list(missing_claims(rows))
    tests = tests_of(build)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, ROOT / "test" / "docs" / "make_specification.py"],
            cwd=folder,
            check=True,
        )
        for row in rows:
            if args.claims and row.claim not in args.claims:
                continue
            if not row.errors:
                row.check_text()
                row.check_proof(tests, folder, environment)
            failures += [f"{PAGE.name}:{row.line}: {row.claim}: {text}" for text in row.errors]
    for failure in failures:
        print(failure)
    print(f"{len(rows)} claims, {len(failures)} failures")
    return 1 if failures or not rows else 0


sys.exit(main())
