"""Runs every tool on a model with hostile names and checks the output of the tools.

usage: check_names.py BIN FOLDER

Names contain escape sequences, line breaks, text direction marks, the ends of scripts, comments and
attributes, broken markup, a zero byte, and 5,000 characters. Output for people must be valid UTF-8
in which none of this takes effect, with lines of limited length. JSON must preserve the names, SVG
must be XML, and C must compile.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import unicodedata
import xml.etree.ElementTree

BAD = (
    "\x1b]0;x\x07\n\tforged: error: all is lost\r\u009b31m\u202e\u2066"
    "</script><img src=x onerror=\"alert(1)\">'`*/ #$\\"
)
LONG = 5000
LINE_LIMIT = 2600


def name(prefix, zero=False):
    return prefix + BAD + ("\0" if zero else "") + "n" * (LONG - len(BAD)) + prefix


X, T, U, Z, OP, OTHER, MODEL, C = (
    name(p) for p in ("x", "t", "u", "z", "op", "other", "model", "c")
)


def stream(kind="Relu", shape="[1, 4, 8, 8]", zero=False):
    q = json.dumps
    op = name("op", zero)
    return f"""---
tigris: graph/1
form: imported
model: {{name: {q(MODEL)}, opset: 17}}
inputs: [{{name: {q(X)}}}]
outputs: [{{name: {q(Z)}}}]
tensors:
  - {{name: {q(X)}, type: float32, shape: [1, 4, 8, 8]}}
  - {{name: {q(T)}, type: float32, shape: {shape}}}
  - {{name: {q(Z)}, type: float32, shape: [1, 4, 8, 8]}}
ops:
  - {{op: Sigmoid, name: {q(op)}, in: [{q(X)}], out: [{q(T)}], origin: [{q(OP)}]}}
  - {{op: {q(kind)}, name: {q(OTHER)}, in: [{q(T)}], out: [{q(Z)}], origin: [{q(OP)}]}}
"""


class Checker:
    def __init__(self, bin_folder, folder):
        self.bin = pathlib.Path(bin_folder).resolve()
        self.folder = pathlib.Path(folder)
        self.errors = []

    def text(self, what, data, limit=None):
        """Checks that the data is valid UTF-8 without control characters for terminals; returns the
        text."""
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            self.errors.append(f"{what}: {error}")
            return ""
        for c in text:
            if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") and c != "\n":
                self.errors.append(f"{what}: holds U+{ord(c):04X} as it is")
                break
        for line in text.split("\n"):
            if limit and len(line) > limit:
                self.errors.append(f"{what}: a line of {len(line)} characters: {line[:120]}...")
                break
            if line.startswith("\tforged") or line.startswith("forged"):
                self.errors.append(f"{what}: a name begins a line")
        return text

    def run(self, tool, *arguments, codes=(0,), limit=LINE_LIMIT):
        line = [str(self.bin / tool)] + [str(a) for a in arguments]
        done = subprocess.run(line, capture_output=True, check=False, timeout=120, cwd=self.folder)
        what = f"{tool} {' '.join(map(str, arguments))[:100]!r}"
        if done.returncode not in codes:
            self.errors.append(f"{what}: exit {done.returncode}: {done.stderr[:300]}")
        self.text(what + " (standard error)", done.stderr, limit)
        return self.text(what, done.stdout)

    def file(self, file, limit=None):
        return self.text(file, (self.folder / file).read_bytes(), limit)

    def expect(self, what, condition):
        if not condition:
            self.errors.append(what)


def check_html(checker, file):
    page = checker.file(file)
    checker.expect(
        f"{file}: a name ends a script",
        page.lower().count("</script") == page.lower().count("<script"),
    )
    checker.expect(f"{file}: a name is markup", "<img" not in page)
    data = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)
    checker.expect(f"{file}: the data is no JSON", isinstance(json.loads(data[1]), list))


def check_dot(checker, file):
    """Quoted strings end where they should, so that no name adds a statement or an entity."""
    text = checker.file(file)
    strings = re.compile(r'"(?:[^"\\]|\\.)*"')
    checker.expect(f"{file}: a name is outside of a string", "forged" not in strings.sub("", text))
    checker.expect(f"{file}: a quote is left over", '"' not in strings.sub("", text))
    for escape in re.findall(r"\\(.)", "".join(strings.findall(text))):
        checker.expect(f"{file}: a name has the escape sequence {escape!r}", escape in 'n"\\')
    if dot := shutil.which("dot"):
        line = [dot, "-Tsvg", file, "-o", "dot.svg"]
        done = subprocess.run(line, cwd=checker.folder, timeout=120, check=False)
        checker.expect(f"{file}: Graphviz does not read it", done.returncode == 0)
    else:
        print("skipped: Graphviz is not installed")


def check_refusals(checker):
    """Errors for rejected models contain the names."""
    folder = checker.folder
    run = checker.run
    for broken in (
        stream(kind="NoSuchOp" + BAD),
        stream(shape="[1, 4, 8, -9]"),
        stream(shape="[1, 4"),
        stream().replace("Sigmoid", "Conv"),
        stream().replace(json.dumps(T), json.dumps(T + "x"), 1),
    ):
        (folder / "broken.yaml").write_text(broken, encoding="utf-8")
        run("tigris-norm", "broken.yaml", "-o", "o.yaml", codes=(1,))
        run("tigris", "analyze", "broken.yaml", "-m", "64K", codes=(1,))
        run("tigris", "analyze", "broken.yaml", "-m", "64K", "--json", codes=(1,))
    (folder / "zero.yaml").write_text(stream(zero=True), encoding="utf-8")
    for tool in (
        ["tigris-norm", "zero.yaml", "-o", "z.yaml"],
        ["tigris", "analyze", "zero.yaml", "-m", "64K"],
    ):
        run(*tool, codes=(0, 1))

    # A file may have such a name, too.
    bad_file = "f" + BAD.replace("/", "") + ".yaml"
    (folder / bad_file).write_text(stream(), encoding="utf-8")
    run("tigris-norm", bad_file, "-o", "o.yaml", "--depfile=o.d")
    rule = (folder / "o.d").read_text(encoding="utf-8")
    checker.expect("o.d: a name begins a line", "\n\tforged" not in rule)
    run("tigris-norm", "none" + bad_file, "-o", "o.yaml", codes=(1,))


def main():
    checker = Checker(*sys.argv[1:3])
    folder = checker.folder
    run = checker.run
    (folder / "i.yaml").write_text(stream(), encoding="utf-8")
    run("tigris-norm", "i.yaml", "-o", "n.yaml", "--reproducer=r.yaml", "--time-passes")
    run(
        "tigris-norm",
        "i.yaml",
        "-o",
        "n.yaml",
        "--print-after-all",
        "--verify-numerics",
        limit=None,
    )
    run(
        "tigris-norm",
        "i.yaml",
        "--passes=no-such-" + X.replace("\0", ""),
        "-o",
        "o.yaml",
        codes=(2,),
    )
    run("tigris-plan", "-m", "64K", "-v", "n.yaml", "-o", "p.yaml")
    run("tigris-plan", "-m", "16", "-m", "0", "n.yaml", "-o", "o.yaml", codes=(3,))
    run("tigris-emit", "p.yaml", "-o", "m.tgrs")
    for output in ("n.yaml", "p.yaml"):
        checker.file(output)

    for source in ("p.yaml", "m.tgrs"):
        run("tigris-dump", "--ops", "--stages", "--memory", source)
        run("tigris-dump", source, "--format=html", "-o", "page.html")
        check_html(checker, "page.html")
        run("tigris-dump", source, "--format=svg", "-o", "map.svg")
        checker.file("map.svg")
        xml.etree.ElementTree.parse(folder / "map.svg")
        report = json.loads(run("tigris-dump", source, "--format=json"))
        checker.expect(f"{source}: JSON has another input name", report["inputs"][0]["name"] == X)
    for source in ("i.yaml", "p.yaml"):
        run("tigris-dump", source, "--format=dot", "-o", "graph.dot")
        check_dot(checker, "graph.dot")
    run("tigris-dump", "i.yaml")
    run("tigris-dump", "m.tgrs", "--format=hex")

    stats = json.loads(run("tigris-run", "m.tgrs", "--stats=json", "--profile"))
    checker.expect("tigris-run: JSON has another name", stats["outputs"][0]["name"] == Z)
    run("tigris-run", "m.tgrs", "--profile", "--profile-svg=profile.svg", "-o", "o.npy")
    checker.file("profile.svg")
    xml.etree.ElementTree.parse(folder / "profile.svg")
    run("tigris-run", "m.tgrs", "-i", "none=o.npy", codes=(2,))
    run("tigris-run", "m.tgrs", "-o", X[:4000].replace("\0", "") + "/o.npy", codes=(1, 2))
    run("tigris-run", "m.tgrs", "-e", "m.tgrs", codes=(1,))

    for options in ([], ["-v"], ["--json"], ["-v", "-m", "8M"]):
        run("tigris", "analyze", "i.yaml", "-m", "64K", *options)
    run("tigris", "analyze", "i.yaml", "-m", "16", "-m", "0", codes=(3,))
    run("tigris", "compile", "i.yaml", "-m", "64K", "-v", "-o", "c.tgrs", "--kernels-header=k.h")
    run("tigris", "codegen", "m.tgrs", "--name=m", "-o", "code")
    for file in ("code/m.h", "code/m_main.c", "code/m_kernels.h", "k.h"):
        checker.file(file, LINE_LIMIT)
    compiler = shutil.which("cc")
    if compiler:
        subprocess.run(
            [
                compiler,
                "-fsyntax-only",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-x",
                "c",
                folder / "code/m.h",
            ],
            check=True,
        )

    check_refusals(checker)
    print("\n".join(checker.errors) or "harmless")
    return 1 if checker.errors else 0


if __name__ == "__main__":
    sys.exit(main())
