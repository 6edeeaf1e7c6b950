"""Checks that the lists of places in CONTRIBUTING.md are complete and correct.

usage: check_contributing.py [ROOT]     exit 0 and silence if all is well, 1 and one line per
               difference
       check_contributing.py --self-test  tests that a missing place and a wrong one are found

Each section "To add ..." that lists places has a comment such as

    <!-- places of esp_nn: esp[_-]nn -->

The name is that of an example in the tree; the regular expression matches it, ignoring case. The
section must name every tracked file outside test/ that the expression matches. Conversely, the
expression must match every path at the beginning of a numbered or bulleted item of the section.
`<name>` in a path represents the name; a path that ends with / represents all files below it. Items
without a path at their beginning are instructions. Documents may mention any example and are not
checked unless the section names them.
"""

import pathlib
import re
import subprocess
import sys

SECTION = re.compile(r"^## (To add .*?)$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
PLACES = re.compile(r"<!-- places of (\S+): (.+?) -->")
ITEM = re.compile(r"^ *(?:\d+\.|\*) (`[^`]+`(?:(?:,| and) `[^`]+`)*)", re.MULTILINE)
IGNORED = re.compile(r"(test/|docs/|CHANGELOG\.md$|CONTRIBUTING\.md$|README\.md$)")


def differences(title, body, texts):
    """`texts`: the contents of the tracked files by path."""
    marker = PLACES.search(body)
    if not marker:
        return
    name, pattern = marker[1], re.compile(marker[2], re.IGNORECASE)
    found = {path for path, text in texts.items() if pattern.search(path) or pattern.search(text)}
    named = [
        path.replace("<name>", name)
        for item in ITEM.finditer(body)
        for path in re.findall(r"`([^`]+)`", item[1])
        if "/" in path or "." in path
    ]
    for path in named:
        if not any(file == path or path.endswith("/") and file.startswith(path) for file in found):
            yield f"CONTRIBUTING.md: {title}: {path} is listed, but nothing of {name} is there"
    for path in sorted(found):
        listed = any(
            path == place or place.endswith("/") and path.startswith(place) for place in named
        )
        if not listed and not IGNORED.match(path):
            yield f"CONTRIBUTING.md: {title}: {path} has a part of {name}, but is not listed"


def check(root):
    files = subprocess.run(
        ["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, text=True
    ).stdout.split("\0")
    texts = {
        name: (root / name).read_text(errors="replace")
        for name in files
        if name and (root / name).is_file()
    }
    for title, body in SECTION.findall((root / "CONTRIBUTING.md").read_text()):
        yield from differences(title, body, texts)


def self_test():
    texts = {"lib/a.cpp": "foo", "lib/b.cpp": "bar", "lib/FooKernel.cpp": "", "test/a.cpp": "foo"}
    body = (
        "<!-- places of Foo: \\bfoo -->\n1. `lib/a.cpp`: a row\n2. `lib/<name>Kernel.cpp`: code\n"
    )
    assert list(differences("x", body, texts)) == []
    assert "is not listed" in "".join(
        differences("x", body.replace("lib/a.cpp", "lib/"), {**texts, "cmake/c.cmake": "foo"})
    )
    assert "nothing of Foo" in "".join(differences("x", body.replace("a.cpp", "b.cpp"), texts))


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    if not (root / ".git").exists():
        sys.exit(77)  # an unpacked archive has no list of files
    found = list(check(root))
    if found:
        sys.exit("\n".join(found))


main()
