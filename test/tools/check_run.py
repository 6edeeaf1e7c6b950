"""Tests test/run.py itself: what its checks accept and reject."""

import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import run  # noqa: E402

ACCEPTED = [
    ("a\nb\nc", "# CHECK: a\n# CHECK: c"),
    ("a\nb", "# CHECK: a\n# CHECK-NEXT: b"),
    ("a\n\nb", "# CHECK: a\n# CHECK-EMPTY:\n# CHECK-NEXT: b"),
    ("x  1\ty", "# CHECK: x 1 y"),
    ("value 12 end", "# CHECK: value {{[0-9]+}} end"),
    ("a\nc", "# CHECK: a\n# CHECK-NOT: b\n# CHECK: c"),
    ("a\nc\nb", "# CHECK: a\n# CHECK-NOT: b\n# CHECK: c"),
    ("one two", "# CHECK: one\n# CHECK: two"),
    ("[1, 2]", "# CHECK: [1, 2]"),
]
REFUSED = [
    ("a", "# CHECK: b"),
    ("b\na", "# CHECK: a\n# CHECK: b"),
    ("a\nx\nb", "# CHECK: a\n# CHECK-NEXT: b"),
    ("a\nb", "# CHECK: a\n# CHECK-EMPTY:"),
    ("a\nb\nc", "# CHECK: a\n# CHECK-NOT: b\n# CHECK: c"),
    ("a\nb", "# CHECK: a\n# CHECK-NOT: b"),
    ("value x end", "# CHECK: value {{[0-9]+}} end"),
    ("axb", "# CHECK: a.b"),
]


def check_matching():
    for output, text in ACCEPTED:
        problem = run.run_checks(run.parse_checks(text, "CHECK"), output)
        assert problem is None, (output, text, problem)
    for output, text in REFUSED:
        assert run.run_checks(run.parse_checks(text, "CHECK"), output), (output, text)


def check_generated():
    output = "a {{b}} [[c]]\n\n  d\n"
    text = "\n".join(run.generated(output, "CHECK"))
    assert run.run_checks(run.parse_checks(text, "CHECK"), output) is None, text
    assert run.run_checks(run.parse_checks(text, "CHECK"), output.replace("d", "e")), text


def verdict(name, text):
    with tempfile.TemporaryDirectory() as folder:
        test = pathlib.Path(folder) / name
        test.write_text(text)
        done = subprocess.run(
            [sys.executable, run.__file__, str(test)],
            stdout=subprocess.PIPE,
            check=False,
            text=True,
        )
        return done.returncode, done.stdout.splitlines()[-1]


def check_runner():
    one_passed, one_failed = (0, "1 passed, 0 failed, 0 skipped"), (
        1,
        "0 passed, 1 failed, 0 skipped",
    )
    assert verdict("a.test", "# RUN: echo hi | %check %s\n# CHECK: hi\n") == one_passed
    assert verdict("a.test", "# RUN: echo ho | %check %s\n# CHECK: hi\n") == one_failed
    assert verdict("a.test", "# RUN: false | cat\n") == one_failed
    assert verdict("a.test", "# RUN: false\n# RUN: true\n") == one_failed
    assert verdict("a.test", "nothing to run\n") == one_failed
    assert verdict("bad-a.test", "# RUN: %exit 3 sh -c 'exit 3'\n") == one_passed
    assert verdict("bad-a.test", "# RUN: %exit 3 sh -c 'exit 4'\n") == one_failed
    assert verdict("bad-a.test", "# RUN: %exit 1 sh -c 'kill -SEGV $$'\n") == one_failed
    assert verdict("bad-a.test", "# RUN: true\n") == one_failed
    assert verdict("a.test", "# RUN: %exit 3 sh -c 'exit 3'\n") == one_failed


check_matching()
check_generated()
check_runner()
