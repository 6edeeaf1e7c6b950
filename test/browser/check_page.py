"""Opens pages of tigris-dump --format=html in headless Chromium and checks that everything is drawn
without console messages.

usage: check_page.py --bin DIR [--keep DIR]     exit 0 if all is well, 77 without Chromium

Tests the smallest and the largest model of the corpus, or the digits example without a corpus;
pages of one plan and of two, light and dark. --keep keeps the pages and their screenshots for
inspection.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def models():
    """(name, ONNX file, budgets of two plans)."""
    yield "digits", ROOT / "examples/digits/digits_int8.onnx", (
        ["-m", "64K"],
        ["-m", "400", "-m", "1M"],
    )
    given = os.environ.get("TIGRIS_CORPUS")
    corpus = pathlib.Path(given) if given else ROOT.parent / "shared/corpus"
    for name, budgets in (
        ("tflm_hello_world_int8", (["-m", "64K"], ["-m", "64K", "--io=arena"])),
        ("shufflenet_x05_128_f32_ts13", (["-m", "4M"], ["-m", "192K", "-m", "8M"])),
    ):
        if (corpus / name / "model.onnx").exists():
            yield name, corpus / name / "model.onnx", budgets


class Browser:
    def __init__(self, program, scratch):
        self.common = [
            program,
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--window-size=1280,1600",
            "--enable-logging=stderr",
            "--log-level=0",
            f"--user-data-dir={scratch / 'profile'}",
        ]

    def run(self, page, *options):
        done = subprocess.run(
            [*self.common, *options, page.as_uri()],
            check=False,
            timeout=120,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        if console:
            sys.exit(f"{page.name}: the console is not empty:\n" + "\n".join(console))
        return done.stdout


def require(condition, text):
    if not condition:
        sys.exit(text)


def check(browser, page, plans):
    dom = re.sub(r"<script.*?</script>", "", browser.run(page, "--dump-dom"), flags=re.DOTALL)
    require('data-ready="yes"' in dom, f"{page.name}: the script did not reach its end")
    require(dom.count('<svg class="memory"') >= plans, f"{page.name}: no memory map")
    require(dom.count("The peak, ") == plans, f"{page.name}: the peak is not explained")
    require(
        "NaN" not in dom and "undefined" not in dom and "[object" not in dom,
        f"{page.name}: broken values",
    )
    require(len(re.findall(r'class="block ', dom)) >= 2 * plans, f"{page.name}: hardly any buffers")
    for theme in ([], ["--force-dark-mode"]):
        picture = page.with_suffix(".dark.png" if theme else ".png")
        browser.run(page, f"--screenshot={picture}", *theme)
        require(picture.stat().st_size > 20000, f"{picture.name}: an empty picture")
    light, dark = (page.with_suffix(end).read_bytes() for end in (".png", ".dark.png"))
    require(light != dark, f"{page.name}: dark looks like light")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        print("skipped: no Chromium (apt install chromium)")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="tigris-page-") as temporary:
        scratch = pathlib.Path(temporary)
        folder = options.keep or scratch
        folder.mkdir(parents=True, exist_ok=True)
        browser = Browser(program, scratch)

        def tool(name, *arguments):
            subprocess.run(
                [options.bin / f"tigris-{name}", *arguments],
                check=True,
                stdin=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )

        for name, model, budgets in models():
            tool("import", model, "-o", scratch / "imported")
            tool("norm", scratch / "imported", "-o", scratch / "normalized")
            for i, budget in enumerate(budgets):
                tool("plan", *budget, scratch / "normalized", "-o", scratch / f"plan{i}")
            for i in range(2):
                page = folder / f"{name}-{i}.html"
                tool("dump", "--format=html", scratch / f"plan{i}", "-o", page)
                check(browser, page, 1)
            page = folder / f"{name}-both.html"
            tool(
                "dump",
                "--format=html",
                scratch / "plan0",
                f"--diff={scratch / 'plan1'}",
                "-o",
                page,
            )
            check(browser, page, 2)


main()
