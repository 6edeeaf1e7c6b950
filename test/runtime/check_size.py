#!/usr/bin/env python3
"""Measures the flash and RAM of the runtime on a Cortex-M4 and compares them with stored limits.

usage: check_size.py COMPILER [--write]     exit 0 if nothing exceeds sizes.txt, 1 if something does

Each line of sizes.txt is a build: its name, the maximum number of bytes of flash for the runtime's
own code and tables, and the compiler options. --write stores the measured values plus 2 %. The
runtime is compiled with -Os and linked with --gc-sections to size_program.c, like firmware. Code of
the C library (memcpy, libgcc) is listed separately. The link map must not contain heap or stdio
functions, and plan and context together must not exceed 1 KiB.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RUNTIME = HERE.parents[1] / "runtime"
CPU = ["-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"]
FLAGS = [
    *CPU,
    "-Os",
    "-std=c99",
    "-ffunction-sections",
    "-fdata-sections",
    "-ffp-contract=off",
    f"-I{RUNTIME}/include",
    f"-I{RUNTIME}/src",
]
FORBIDDEN = re.compile(r"\b(_?malloc|_?free|_?realloc|_?calloc|_sbrk|v?f?printf|puts|fopen)(_r)?\b")
MOST_STATE = 1024
COLUMNS = "{:<18}{:>9}{:>9}{:>9}  {}"


def kept(map_text):
    """{object: bytes} of code and constants in the linked program."""
    sizes = {}
    text = map_text[map_text.index("Linker script and memory map") :]
    pattern = re.compile(
        r"^ \.(?:text|rodata)\S*\s+0x[0-9a-f]+\s+0x([0-9a-f]+) (\S+)$", re.MULTILINE
    )
    for size, origin in pattern.findall(text):
        name = re.sub(r".*/|\)$", "", origin).replace("(", ":")
        sizes[name] = sizes.get(name, 0) + int(size, 16)
    return sizes


def build(compiler, options, folder):
    objects = []
    sources = [HERE / "size_program.c"] + [
        path
        for path in RUNTIME.glob("src/**/*.c")
        if path.parent.name != "kernels" or "-DWITH_KERNELS" in options
    ]
    for source in sorted(sources):
        target = folder / (source.stem + ".o")
        subprocess.run([compiler, *FLAGS, *options, "-c", source, "-o", target], check=True)
        objects.append(target)
    subprocess.run(
        [
            compiler,
            *CPU,
            "-nostartfiles",
            "--specs=nano.specs",
            "--specs=nosys.specs",
            "-Wl,-e,main",
            "-Wl,--gc-sections",
            f"-Wl,-Map={folder}/map",
            *objects,
            "-lm",
            "-o",
            folder / "program.elf",
        ],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    return (folder / "map").read_text()


def state_bytes(compiler, folder):
    """sizeof(tigris_plan) + sizeof(tigris_context)."""
    lines = subprocess.run(
        [compiler.replace("gcc", "nm"), "-S", folder / "size_program.o"],
        check=True,
        text=True,
        capture_output=True,
    ).stdout
    return sum(int(size, 16) for size in re.findall(r"^\w+ (\w+) \w size_of_", lines, re.MULTILINE))


def measure(compiler, options):
    with tempfile.TemporaryDirectory(prefix="tigris-size-") as name:
        folder = pathlib.Path(name)
        text = build(compiler, options, folder)
        sizes = kept(text)
        heap = FORBIDDEN.search(text[text.index("Linker script and memory map") :])
        ours = {path.stem + ".o" for path in RUNTIME.glob("src/**/*.c")}
        return {
            "runtime": sum(n for o, n in sizes.items() if o in ours),
            "library": sum(n for o, n in sizes.items() if o not in ours and o != "size_program.o"),
            "state": state_bytes(compiler, folder),
            "heap": heap and heap.group(0),
            "objects": {o: n for o, n in sizes.items() if o in ours},
        }


def check_families():
    """Checks that every kernel also selects the rules of its operators."""
    text = (RUNTIME / "include/tigris_config.h").read_text()
    kernels = set(re.findall(r"^#define (TIGRIS_KERNEL_\w+)", text, re.MULTILINE))
    conditions = " ".join(re.findall(r"^#if (TIGRIS_KERNEL_(?:.*\\\n)*.*)", text, re.MULTILINE))
    missing = sorted(kernels - set(re.findall(r"TIGRIS_KERNEL_\w+", conditions)))
    if missing:
        sys.exit(f"tigris_config.h: no TIGRIS_OPS_... asks for {', '.join(missing)}")


def main():
    check_families()
    compiler = sys.argv[1]
    table = HERE / "sizes.txt"
    written = []
    failures = []
    print(COLUMNS.format("build", "bytes", "limit", "library", "options"))
    for line in table.read_text().splitlines():
        if not line or line.startswith("#"):
            written.append(line)
            continue
        name, limit, *options = line.split()
        found = measure(compiler, options)
        print(COLUMNS.format(name, found["runtime"], limit, found["library"], " ".join(options)))
        if "-v" in sys.argv:
            for item, size in sorted(found["objects"].items(), key=lambda entry: -entry[1]):
                print(f"    {item:<24}{size:>7}")
        if found["runtime"] > int(limit):
            failures.append(f"{name}: {found['runtime']} bytes, the limit is {limit}")
        if found["heap"]:
            failures.append(f"{name}: the map names {found['heap']}")
        if found["state"] > MOST_STATE:
            failures.append(f"{name}: plan and context take {found['state']} bytes of RAM")
        written.append(" ".join([name, str(found["runtime"] * 102 // 100), *options]))
        state = found["state"]
    print(f"plan and context: {state} bytes of RAM")
    if "--write" in sys.argv:
        table.write_text("\n".join(written) + "\n")
        return
    if failures:
        sys.exit("\n".join(failures))


main()
