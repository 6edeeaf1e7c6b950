"""Checks rules that no compiler checks: file length, head comments, version, links.

usage: check_tree.py [ROOT]     exit 0 and silence if all is well, 1 and one line per breach

* no source file is longer than 500 lines, unless its head states why ("Over 500 lines: ..."), and
  no shorter one has such a reason;
* no function is longer than 100 lines, and no line of C, C++ or Python is longer than 100 columns,
  except for the text of models in raw strings of tests;
* no string literal breaks in the middle of a word, so that searches find the word;
* every source file begins with a comment that states its purpose;
* no file contains a marker for unfinished work;
* the newest version in CHANGELOG.md and the one in lib/Support/Version.h are those of the CMake
  project;
* every relative link in a Markdown file leads to a file that exists.
"""

import ast
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
MAX_LINES = 500
MAX_FUNCTION = 100
MAX_COLUMNS = 100
RAW_STRING = re.compile(r'R"(\w*)\((.*?)\)\1"', re.DOTALL)
REASON = re.compile(r"\bOver 500 lines: \w")
HEAD_LINES = 25
# The format of clang-format is assumed: the first line of a signature is indented less than its
# continuation.
BODY = re.compile(r"\) (?:const |noexcept |override |mutable )*\{$")
CONTROL = re.compile(r" *(?:\} )?(?:if|for|while|switch|else|do|namespace|struct|class|enum|#)\b")
BROKEN_WORD = re.compile(r'(?<![\\%0-9x])[a-z0-9]-?"\n\s*"[a-z0-9-]')
# Split in halves, because otherwise this file would violate the rule.
MARKER = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
HEAD = re.compile(r'\A(#!.*\n)?(//|/\*|#(?!\w+ ?[<"])|""")')
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def functions(name, text):
    """Pairs of a function's first line and its number of lines."""
    if name.endswith(".py"):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                yield node.name, node.end_lineno - node.lineno + 1
    elif name.endswith((".h", ".c", ".cpp")):
        yield from c_functions(text.split("\n"))


def indent_of(line):
    return len(line) - len(line.lstrip())


def c_functions(lines):
    for end_of_signature, line in enumerate(lines):
        if not BODY.search(line):
            continue
        start = end_of_signature
        while start > 0 and indent_of(lines[start]) >= 4 and lines[start - 1].strip():
            start -= 1
        indent = indent_of(lines[start])
        if indent > 2 or CONTROL.match(lines[start]):
            continue
        closing = re.compile(f" {{{indent}}}}}")
        for end in range(end_of_signature, len(lines)):
            if closing.match(lines[end]):
                yield lines[start].strip(), end - start + 1
                break


def check_code(name, text):
    lines = text.count("\n")
    head = "\n".join(text.split("\n")[:HEAD_LINES])
    excused = bool(REASON.search(head))
    if lines > MAX_LINES and not excused:
        yield f"{name}: {lines} lines; split it at {MAX_LINES}, or say in its head why not"
    if lines <= MAX_LINES and excused:
        yield f"{name}: {lines} lines; the reason for more than {MAX_LINES} can go"
    for function, count in functions(name, text):
        if count > MAX_FUNCTION:
            yield f"{name}: {function} has {count} lines, at most {MAX_FUNCTION} are allowed"
    if name.endswith((".h", ".c", ".cpp")):
        for match in BROKEN_WORD.finditer(text):
            yield f"{name}:{line_of(text, match.start())}: a string breaks in the middle of a word"
    code = text
    if name.startswith("test/"):
        code = RAW_STRING.sub(lambda match: "\n" * match[0].count("\n"), text)
    for number, line in enumerate(code.split("\n"), 1):
        if len(line) > MAX_COLUMNS and name.endswith((".h", ".c", ".cpp", ".def", ".py")):
            yield f"{name}:{number}: {len(line)} columns, at most {MAX_COLUMNS} are allowed"
    if text and not HEAD.match(text):
        yield f"{name}:1: begin with a comment that says what the file is for"
    for match in MARKER.finditer(text):
        yield f"{name}:{line_of(text, match.start())}: do it or drop it: {match[0]}"


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
