"""Checks rules that no compiler checks: file length, head comments, version, links.

usage: check_tree.py [ROOT]     exit 0 and silence if all is well, 1 and one line per breach

* no source file is longer than 1,000 lines;
* every source file begins with a comment that states its purpose;
* no file contains a marker for unfinished work;
* the newest version in CHANGELOG.md and the one in lib/Support/Version.h are the version CMake
builds;
* every relative link in a Markdown file leads to a file that exists.
"""

import pathlib
import re
import sys

FOLDERS = (
    "lib",
    "tools",
    "plugins",
    "runtime",
    "test",
    "examples",
    "scripts",
    "ci",
    "cmake",
    "bench",
    "docs",
)
CODE = {".h", ".c", ".cpp", ".def", ".py", ".sh", ".cmake"}
MAX_LINES = 1000
# Spelled in halves, or this file would be the first to break the rule.
MARKER = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
HEAD = re.compile(r'\A(#!.*\n)?(//|/\*|#(?!\w+ ?[<"])|""")')
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")


def check_code(name, text):
    lines = text.count("\n")
    if lines > MAX_LINES:
        yield f"{name}: {lines} lines, at most {MAX_LINES} are allowed"
    if text and not HEAD.match(text):
        yield f"{name}:1: begin with a comment that says what the file is for"
    for match in MARKER.finditer(text):
        yield f"{name}:{text.count(chr(10), 0, match.start()) + 1}: do it or drop it: {match[0]}"


def check_links(root, path):
    for match in LINK.finditer(path.read_text()):
        target = match[1]
        if "://" not in target and not (path.parent / target).exists():
            yield f"{path.relative_to(root).as_posix()}: link to {target}, which does not exist"


def check_version(root):
    built = re.search(r"project\(tigris VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text())
    told = re.search(r"^## \[([0-9.]+)\]", (root / "CHANGELOG.md").read_text(), re.MULTILINE)
    header = re.search(
        r'define TIGRIS_VERSION "([0-9.]+)"', (root / "lib/Support/Version.h").read_text()
    )
    if not header or not built or header[1] != built[1]:
        yield (
            f"lib/Support/Version.h says {header and header[1]}, CMakeLists.txt builds "
            f"{built and built[1]}"
        )
    if not built or not told or built[1] != told[1]:
        yield (
            f"CHANGELOG.md: newest version is {told and told[1]}, CMakeLists.txt builds "
            f"{built and built[1]}"
        )


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    breaches = list(check_version(root))
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in CODE or path.name == "CMakeLists.txt":
                breaches += check_code(path.relative_to(root).as_posix(), path.read_text())
    for path in (
        sorted(root.glob("*.md"))
        + sorted((root / "docs").rglob("*.md"))
        + sorted((root / "examples").rglob("*.md"))
    ):
        breaches += check_links(root, path)
    if breaches:
        sys.exit("\n".join(breaches))


main()
