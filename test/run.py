"""Runs the golden tests of the tools: files with RUN: and CHECK: lines, in a subset of lit and
FileCheck.

usage: run.py [--bin DIR] [--corpus DIR] [-j N] [-k TEXT] [--update] [-v] [PATH...]
       run.py --check FILE [--check-prefix=NAME]    the expansion of %check: checks standard input
               against FILE
       run.py --exit N COMMAND...                   the expansion of %exit: succeeds if COMMAND
               exits with N

A test is a file `*.test`. Its RUN: lines run in order under `bash -e -o pipefail`; a trailing
backslash continues a line. The test passes if all of them succeed. Substitutions:

    %s %S     the test file, its directory           %src     the source tree
    %t %T     a temporary path prefix, its directory %corpus  the model corpus (REQUIRES: corpus)
    %tigris-import ...  each tool of --bin, and %tigris           %python  this interpreter
    %lib      the libraries beside --bin
    %check    run.py --check                         %exit N  run.py --exit N

Checks: CHECK: (later on), CHECK-NEXT: (on the next line), CHECK-EMPTY: (an empty next line),
CHECK-NOT: (not before the next match). Runs of blanks are equal; {{...}} is a regular expression.
After a line with `AUTO:` all checks are generated: --update rewrites them from the output of the
tools.

A file is named bad-*.test if and only if it expects a failure (%exit with a number other than 0).
Exit: 0 all passed, 1 some failed, 77 all skipped. The last line counts them.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = ["import", "quantize", "norm", "plan", "emit", "dump", "run"]
TIMEOUT_SECONDS = 300
SKIPPED = 77


# ---------------------------------------------------------------------------------- checks


def squeeze(line):
    return re.sub(r"[ \t]+", " ", line)


def to_regex(pattern):
    """Literal text that may contain {{regular expressions}}."""
    parts = re.split(r"\{\{(.*?)\}\}", pattern)
    return re.compile(
        "".join(re.escape(squeeze(p)) if i % 2 == 0 else f"(?:{p})" for i, p in enumerate(parts))
    )


def parse_checks(text, prefix):
    """[(kind, pattern, line number)] of the file's check lines."""
    rule = re.compile(rf"(?<![\w-]){re.escape(prefix)}(-NEXT|-NOT|-EMPTY)?:(.*)$")
    checks = []
    for number, line in enumerate(text.splitlines(), 1):
        found = rule.search(line)
        if found:
            checks.append((found.group(1) or "", found.group(2).strip(), number))
    return checks


def run_checks(checks, output):
    """None, or a text that states which check failed and the position in the output."""
    lines = [squeeze(line) for line in output.split("\n")]
    row, column = 0, 0  # where the next search starts
    absent = []  # CHECK-NOT patterns waiting for the next match

    def search(pattern, first_row, first_column, last_row):
        for r in range(first_row, min(last_row, len(lines))):
            found = to_regex(pattern).search(lines[r], first_column if r == first_row else 0)
            if found:
                return r, found
        return None

    def forbidden(end_row, end_column):
        for pattern, number in absent:
            hit = search(pattern, row, column, end_row + 1)
            if hit and (hit[0], hit[1].start()) < (end_row, end_column):
                return f"line {number}: CHECK-NOT: {pattern}\n  found: {lines[hit[0]]}"
        return None

    for kind, pattern, number in checks:
        if kind == "-NOT":
            absent.append((pattern, number))
            continue
        if kind == "":
            hit = search(pattern, row, column, len(lines))
        else:
            empty = kind == "-EMPTY"
            at = row + 1
            hit = search("{{^$}}" if empty else pattern, at, 0, at + 1)
        if not hit:
            near = lines[min(row + (kind != ""), len(lines) - 1)]
            return f"line {number}: CHECK{kind}: {pattern}\n  not found; output stands at: {near}"
        problem = forbidden(hit[0], hit[1].start())
        if problem:
            return problem
        absent = []
        row, column = hit[0], hit[1].end()
    return forbidden(len(lines), 0)


def generated(output, prefix):
    """Check lines that pin the whole output."""
    result = []
    for index, line in enumerate(output.rstrip("\n").split("\n")):
        quoted = re.sub(r"\{\{|\[\[", lambda m: "{{" + re.escape(m.group()) + "}}", line)
        if line == "":
            result.append(f"# {prefix}-EMPTY:")
        else:
            result.append(f"# {prefix}{'-NEXT' if index else ''}: {quoted}".rstrip())
    return result


def main_check(arguments):
    parser = argparse.ArgumentParser(prog="run.py --check")
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--check-prefix", default="CHECK")
    options = parser.parse_args(arguments)
    output = sys.stdin.buffer.read().decode(errors="replace")
    text = options.file.read_text()
    marker = re.search(r"^.*\bAUTO:.*$", text, re.MULTILINE)
    if marker and os.environ.get("TIGRIS_UPDATE") == "1":
        head = text[: marker.end()]
        options.file.write_text("\n".join([head, *generated(output, options.check_prefix)]) + "\n")
        return 0
    checks = parse_checks(text, options.check_prefix)
    if not checks:
        print(f"{options.file}: no {options.check_prefix}: lines", file=sys.stderr)
        return 1
    problem = run_checks(checks, output)
    if problem:
        print(f"{options.file}: {problem}\n--- whole output:\n{output}", file=sys.stderr)
        return 1
    return 0


def main_exit(arguments):
    expected, command = int(arguments[0]), arguments[1:]
    # Shells do not change SIGPIPE. Python ignores it, and the tools would inherit that.
    actual = subprocess.run(command, check=False, restore_signals=True).returncode
    if actual != expected:
        print(f"exit code {actual}, expected {expected}: {shlex.join(command)}", file=sys.stderr)
        return 1
    return 0


# ------------------------------------------------------------------------------------ tests


class Suite:
    def __init__(self, options):
        self.options = options
        self.bin = options.bin.resolve()
        self.temporary = pathlib.Path(tempfile.mkdtemp(prefix="tigris-test-"))
        self.corpus = (
            options.corpus.resolve() if options.corpus and options.corpus.is_dir() else None
        )

    def substitutions(self, test, scratch):
        me = f"{shlex.quote(sys.executable)} {shlex.quote(str(ROOT / 'test' / 'run.py'))}"
        table = {f"%tigris-{tool}": shlex.quote(str(self.bin / f"tigris-{tool}")) for tool in TOOLS}
        table |= {
            "%check": f"{me} --check",
            "%exit": f"{me} --exit",
            "%src": str(ROOT),
            "%tigris": shlex.quote(str(self.bin / "tigris")),
            "%lib": str(self.bin.parent / "lib"),
            "%python": shlex.quote(sys.executable),
            "%corpus": str(self.corpus),
            "%%": "%",
            "%s": str(test),
            "%S": str(test.parent),
            "%t": str(scratch / (test.name + ".tmp")),
            "%T": str(scratch),
        }
        return table

    def run(self, test):
        """(verdict, text): verdict is 'passed', 'failed' or 'skipped'."""
        text = test.read_text()
        features = set(re.findall(r"REQUIRES:\s*(\S+)", text))
        if "corpus" in features and self.corpus is None:
            return "skipped", "no model corpus (set TIGRIS_CORPUS)"
        commands = re.findall(r"RUN:\s*(.*)", text)
        if not commands:
            return "failed", "no RUN: line"
        script = "\n".join(commands).replace("\\\n", "")
        expects_failure = re.search(r"%exit [1-9]", script) is not None
        if expects_failure != test.name.startswith("bad-"):
            return "failed", "a test is named bad-* exactly when it expects a failure (%exit N)"
        scratch = self.temporary / f"{test.parent.name}-{test.stem}"
        scratch.mkdir()
        table = self.substitutions(test, scratch)
        names = sorted(table, key=len, reverse=True)
        script = re.sub("|".join(re.escape(n) for n in names), lambda m: table[m.group()], script)
        environment = dict(
            os.environ,
            LC_ALL="C.UTF-8",
            NO_COLOR="1",
            TIGRIS_UPDATE="1" if self.options.update else "0",
        )
        try:
            # The trace goes to a descriptor that the commands do not redirect.
            traced = "exec 19>&1; BASH_XTRACEFD=19; set -x\n" + script
            done = subprocess.run(
                ["bash", "-e", "-o", "pipefail", "-c", traced],
                cwd=scratch,
                env=environment,
                stdin=subprocess.DEVNULL,
                check=False,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=TIMEOUT_SECONDS,
            )
        except subprocess.TimeoutExpired:
            return "failed", f"no end after {TIMEOUT_SECONDS} s"
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        output = done.stdout.decode(errors="replace")
        if done.returncode != 0:
            return "failed", f"exit code {done.returncode}\n{output}"
        return "passed", output


def collect(paths, wanted):
    tests = []
    for path in paths or [ROOT / "test"]:
        tests += sorted(path.rglob("*.test")) if path.is_dir() else [path]
    return [t.resolve() for t in tests if wanted in str(t)]


def main():
    if sys.argv[1:2] == ["--check"]:
        return main_check(sys.argv[2:])
    if sys.argv[1:2] == ["--exit"]:
        return main_exit(sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=pathlib.Path, metavar="PATH")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    corpus = os.environ.get("TIGRIS_CORPUS")
    parser.add_argument(
        "--corpus",
        type=pathlib.Path,
        default=pathlib.Path(corpus) if corpus else ROOT.parent / "shared/corpus",
    )
    parser.add_argument("-j", type=int, default=os.cpu_count(), metavar="N")
    parser.add_argument(
        "-k", default="", metavar="TEXT", help="only tests whose path contains TEXT"
    )
    parser.add_argument("--update", action="store_true", help="rewrite checks below AUTO: lines")
    parser.add_argument("-v", action="store_true", help="name every test")
    options = parser.parse_args()
    suite = Suite(options)
    tests = collect(options.paths, options.k)
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    try:
        with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
            for test, (verdict, text) in zip(tests, pool.map(suite.run, tests)):
                counts[verdict] += 1
                name = os.path.relpath(test, ROOT)
                if verdict == "failed":
                    print(f"FAILED {name}: {text}")
                elif options.v or verdict == "skipped":
                    print(f"{verdict} {name}" + (f": {text}" if verdict == "skipped" else ""))
    finally:
        shutil.rmtree(suite.temporary, ignore_errors=True)
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    if counts["failed"] or not tests:
        return 1
    return SKIPPED if counts["passed"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
