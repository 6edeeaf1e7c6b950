"""Checks that each block of code in docs/plugins.md is part of a plugin, verbatim.

usage: check_plugin_docs.py     exit 0 and silence if all is well
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def plain(text):
    """The text without blank lines and indentation, which may differ on a page."""
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def main():
    page = (ROOT / "docs/plugins.md").read_text()
    sources = {
        "cpp": [plain(p.read_text()) for p in sorted((ROOT / "plugins").glob("*/*.cpp"))],
        "cmake": [
            plain(p.read_text()) for p in sorted((ROOT / "plugins").glob("*/CMakeLists.txt"))
        ],
    }
    blocks = re.findall(r"^```(cpp|cmake)\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    if len(blocks) < 5:
        sys.exit("docs/plugins.md: its code blocks were not found")
    for kind, block in blocks:
        if not any(plain(block) in source for source in sources[kind]):
            sys.exit(f"docs/plugins.md: no plugin contains this:\n{block}")


main()
