"""Executes the commands that the documentation prints, as printed.

usage: run_docs.py [--build DIR] [--nightly] [--list] [PAGE...]     default: all of them

A page's ```sh blocks, and the lines after "    $ ", run in order in one shell (bash -euo pipefail)
at the top of a copy of the repository. Its build/release is DIR (default: build/release of this
tree), as scripts/demo.sh leaves it, and build/release/bin is in PATH unless the page puts it there
itself. HTML comments before a block state what the page does not show:

    <!-- test: before: COMMAND -->   runs first, for example to create a file that the block uses
    <!-- test: nightly: REASON -->   runs only with --nightly
    <!-- test: skip: REASON -->      never runs

With --nightly all pages run in one copy without a build, beginning with README.md and its
scripts/demo.sh. For commands inside sentences, the option names must be in --help and scripts must
be executable. Exit: 0 all passed, 1 something failed. Skipped blocks are printed with the reason.
"""

import argparse
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIRST_PAGES = ["README.md", "docs/getting-started.md"]
# Its commands are run by check_specification.py.
OTHER_PAGES = ["docs/specification.md"]


def tracked():
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).exists()]


# --------------------------------------------------------------------------------- pages


class Block:
    """Commands that run together: `kind` is run, nightly or skip."""

    def __init__(self, page, line, text, notes):
        self.where, self.text = f"{page}:{line}", text
        self.before = [value for key, value in notes if key == "before"]
        reasons = [(key, value) for key, value in notes if key in ("nightly", "skip")]
        self.kind, self.reason = reasons[-1] if reasons else ("run", "")

    def script(self):
        return "\n".join([f"echo '== {self.where}'", *self.before, self.text])


def blocks_of(page):
    """The page's blocks in order."""
    blocks, notes, fence = [], [], None
    for number, line in enumerate((ROOT / page).read_text().splitlines(), 1):
        if fence is not None:
            if line.strip() == "```":
                if fence[1]:
                    blocks.append(Block(page, fence[0], "\n".join(fence[2]), notes))
                    notes = []
                fence = None
            else:
                fence[2].append(line)
        elif line.startswith("```"):
            fence = (number, line.strip() == "```sh", [])
        elif note := re.fullmatch(r"<!-- test: (before|nightly|skip): (.+) -->", line):
            notes.append(note.groups())
        elif "<!-- test" in line:
            sys.exit(
                f"{page}:{number}: not '<!-- test: before|nightly|skip: TEXT -->' "
                "on a line of its own"
            )
        elif line.startswith("    $ "):
            blocks.append(Block(page, number, line[6:], notes))
            notes = []
    if notes:
        sys.exit(f"{page}: '<!-- test: {notes[0][0]}: ...' without a block behind it")
    return blocks


def pages():
    names = [
        name
        for name in tracked()
        if name not in OTHER_PAGES
        and re.fullmatch(r"README[.]md|CONTRIBUTING[.]md|(docs|examples)/.*[.]md", name)
    ]
    return sorted(
        names,
        key=lambda name: (
            FIRST_PAGES.index(name) if name in FIRST_PAGES else len(FIRST_PAGES),
            name,
        ),
    )


# ------------------------------------------------------------------- commands in sentences


@functools.lru_cache(None)
def help_of(command, binaries):
    program, *words = command.split()
    return subprocess.run(
        [binaries / program, *words, "--help"], check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def check_span(span, binaries, modes):
    """The problem with `span`, the text between two backticks, or None."""
    first = span.split()[0] if span.split() else ""
    if first in modes and " " in span and not modes[first]:
        yield f"{first} is not executable"
    command = re.match(r"tigris(-[a-z]+|( [a-z]+)?)(?= )", span)
    if command and (binaries / command[0].split()[0]).exists():
        for option in re.findall(r"(?<=[ \[])--[a-z][a-z-]*", span.split("|")[0]):
            if option not in help_of(command[0], binaries):
                yield f"{command[0]} has no option {option}"


def check_sentences(page, binaries):
    modes = {
        name: os.access(ROOT / name, os.X_OK) for name in tracked() if name.endswith((".py", ".sh"))
    }
    text = re.sub(r"```.*?```", "", (ROOT / page).read_text(), flags=re.DOTALL)
    return [
        f"{page}: `{span}`: {problem}"
        for span in re.findall(r"`([^`\n]+)`", text)
        for problem in check_span(span, binaries, modes)
    ]


# ----------------------------------------------------------------------------------- runs


def make_copy(folder, build):
    """Copies the repository's files, with links to the build. Without `build`, only the downloads
    are linked."""
    for name in tracked():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target, follow_symlinks=False)
    (folder / "build").mkdir()
    for name in ("venv", "deps"):
        if (ROOT / "build" / name).exists():
            (folder / "build" / name).symlink_to((ROOT / "build" / name).resolve())
    if build:
        (folder / "build/release").symlink_to(build.resolve())
    else:  # scripts in a clone list their files with git
        for command in (["init", "-q"], ["add", "."]):
            subprocess.run(["git", *command], cwd=folder, check=True)


def environment(page, folder):
    result = {key: value for key, value in os.environ.items() if key != "TIGRIS_PLUGIN_PATH"}
    if "export PATH=" not in (ROOT / page).read_text():
        result["PATH"] = f"{folder}/build/release/bin:{result['PATH']}"
    corpus = ROOT.parent / "shared/corpus"
    if corpus.exists():
        result.setdefault("TIGRIS_CORPUS", str(corpus))
    return result


def run_page(page, folder, nightly):
    """Runs the page in `folder`; True if all went well."""
    chosen = []
    for block in blocks_of(page):
        if block.kind == "run" or (block.kind == "nightly" and nightly):
            chosen.append(block.script())
        else:
            print(f"left out: {block.where}: {block.kind}: {block.reason}")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(chosen)],
        cwd=folder,
        check=False,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        errors="replace",
        env=environment(page, folder),
    )
    if done.returncode != 0:
        print(f"FAILED {page}: exit code {done.returncode}\n{done.stdout[-4000:]}")
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument(
        "--nightly", action="store_true", help="also what takes long, from a clone without a build"
    )
    parser.add_argument("--list", action="store_true", help="print the pages and stop")
    parser.add_argument("pages", nargs="*", metavar="PAGE")
    options = parser.parse_args()
    names = options.pages or pages()
    if options.list:
        print("\n".join(names))
        return 0
    failed = []
    shared = tempfile.TemporaryDirectory(prefix="tigris-docs-")
    for number, page in enumerate(names):
        folder = pathlib.Path(shared.name) / ("clone" if options.nightly else str(number))
        if not folder.exists():
            make_copy(folder, None if options.nightly else options.build)
        passed = run_page(page, folder, options.nightly)
        wrong = check_sentences(page, folder / "build/release/bin")
        print("".join(f"FAILED {text}\n" for text in wrong), end="")
        if not passed or wrong:
            failed.append(page)
    shared.cleanup()
    print(f"{len(names) - len(failed)} pages passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
