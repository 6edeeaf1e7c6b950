"""Installs the project, moves the installation, and uses it from other projects.

usage: check_install.py --build DIR [--cxx COMPILER]     exit 0 and silence if all is well

Built against the moved installation: every plugin with CMake, one with pkg-config, and a firmware
project that compiles models, for the host and, if the toolchain is present, for ARM; there, with
CMSIS-NN in build/deps, a program of tigris codegen, too. It also checks that installed headers
include installed headers only, that manual pages and completions are installed, and that a second
build of the firmware does nothing.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def run(*command, environment=None, expect=0):
    done = subprocess.run(
        [str(c) for c in command],
        check=False,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=dict(os.environ, **(environment or {})),
    )
    if done.returncode != expect:
        sys.exit(
            f"exit code {done.returncode}, expected {expect}: {' '.join(map(str, command))}\n"
            f"{done.stdout}"
        )
    return done.stdout


def require(condition, text):
    if not condition:
        sys.exit(text)


def check_headers(prefix):
    headers = sorted((prefix / "include/tigris").rglob("*"))
    require(any(h.name == "PassPlugin.h" for h in headers), "PassPlugin.h is not installed")
    for header in headers:
        for name in (
            re.findall(r'#include "(tigris[^"]*)"', header.read_text()) if header.is_file() else ()
        ):
            require(
                (prefix / "include" / name).exists(),
                f"{header.relative_to(prefix)} includes {name}, which is not installed",
            )


def check_manuals(prefix):
    tools = sorted(p.name for p in (prefix / "bin").iterdir())
    require("tigris-norm" in tools, f"installed tools: {tools}")
    for tool in tools:
        for name in (
            f"man/man1/{tool}.1",
            f"bash-completion/completions/{tool}",
            f"zsh/site-functions/_{tool}",
            f"fish/vendor_completions.d/{tool}.fish",
        ):
            file = prefix / "share" / name
            require(file.is_file() and file.stat().st_size > 100, f"share/{name} is missing")
        run("bash", "-n", prefix / "share/bash-completion/completions" / tool)
    for command in ("analyze", "codegen", "compile"):
        require(
            (prefix / f"share/man/man1/tigris-{command}.1").is_file(),
            f"no manual of tigris {command}",
        )


def check_plugins(prefix, work, cxx, generator):
    norm = prefix / "bin/tigris-norm"
    listed = run(norm, "--load-pass-plugin=hardswish", "--print-passes")
    require("hardswish-decompose" in listed, "the installed plugin is not found by name")
    for plugin in (
        "hardswish",
        "live-bytes-schedule",
        "lp-normalization",
        "prune-stats",
        "slow-base",
    ):
        build = work / f"plugin-{plugin}"
        run(
            "cmake",
            "-S",
            ROOT / "plugins" / plugin,
            "-B",
            build,
            *generator,
            f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_CXX_COMPILER={cxx}",
        )
        run("cmake", "--build", build)
        listed = run(norm, f"--load-pass-plugin={build / plugin}.so", "--print-passes")
        require(f"(plugin '{plugin}' 1.0.0)" in listed, f"no pass of {plugin} in:\n{listed}")
    exported = run("nm", "-DC", "--defined-only", work / "plugin-hardswish/hardswish.so")
    require(
        "tigrisGetPassPluginInfo" in exported and "HardSwishDecompose" not in exported,
        f"hardswish.so exports\n{exported}",
    )
    if shutil.which("pkg-config"):
        search = {"PKG_CONFIG_PATH": str(next(prefix.rglob("tigris.pc")).parent)}
        flags = run("pkg-config", "--cflags", "--libs", "tigris", environment=search).split()
        library = work / "by-hand.so"
        run(
            cxx,
            "-shared",
            "-fPIC",
            "-O1",
            ROOT / "plugins/hardswish/HardSwish.cpp",
            "-o",
            library,
            *flags,
        )
        stream = ROOT / "test/tools/plugins/relu.yaml"
        text = run(
            norm,
            f"--load-pass-plugin={library}",
            "--passes=default,hardswish-decompose{relu6}",
            "--verify-numerics",
            stream,
        )
        require("op: Relu6" in text, text)


def started(build, *arguments):
    """The (tool, model) pairs that a build starts."""
    output = run("cmake", "--build", build, *arguments)
    return sorted(
        set(re.findall(r"tigris-(\w+) .*/(\w+)\.(?:imported|normalized|planned|tgrs)", output))
    )


def check_firmware(prefix, work, generator):
    models = work / "models"
    shutil.copytree(ROOT / "examples", models)
    build = work / "firmware"
    configure = (
        "cmake",
        "-S",
        HERE / "firmware",
        "-B",
        build,
        *generator,
        f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DMODELS={models}",
    )
    run(*configure)
    first = started(build)
    require(len(first) == 8, f"the first build started {first}")
    require(run(build / "firmware") == "digits: ok\nembedding: ok\n", "the plans do not open")
    # The runtime contains exactly what both models need; the first model alone would need less.
    linked = run("nm", build / "firmware")
    for symbol, expected in (
        ("tigris_conv_s8", True),
        ("tigris_conv_f32", True),
        ("tigris_recurrent_f32", False),
    ):
        require((f" {symbol}\n" in linked) == expected, f"{symbol} is linked: {not expected}")
    again = run("cmake", "--build", build)
    require(
        "tigris-" not in again and "Linking" not in again,
        f"the second build did something:\n{again}",
    )
    run(*configure, "-DFAST=16K")
    steps = started(build)
    require(steps == [("emit", "digits"), ("plan", "digits")], f"another budget started {steps}")
    (models / "digits/digits_int8.onnx").touch()
    steps = started(build)
    require(steps == [("import", "digits")] or not generator, f"a touched model started {steps}")
    run(*configure, "-DTIGRIS_SELECT_KERNELS=OFF", "-DTIGRIS_PROFILE=ON")
    run("cmake", "--build", build)
    require(
        "tigris_recurrent_f32" in run("nm", build / "firmware"),
        "TIGRIS_SELECT_KERNELS=OFF leaves kernels out",
    )

    if not shutil.which("make"):
        return
    # The other generator has fewer features but must also work. So must a name with a space.
    build = work / "by make"
    run(
        "cmake",
        "-S",
        HERE / "firmware",
        "-B",
        build,
        "-G",
        "Unix Makefiles",
        f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DMODELS={models}",
    )
    target = ("--target", "embedding")
    require(len(started(build, *target)) == 4, "make did not compile the model")
    steps = started(build, *target)
    require(steps == [], f"the second make started {steps}")
    (models / "embedding/embedding.onnx").touch()
    require(len(started(build, *target)) == 4, "make did not compile the changed model again")
    run("cmake", "--build", build, "-j4")
    require(
        run(build / "firmware") == "digits: ok\nembedding: ok\n",
        "the plans do not open in the build by make",
    )


def check_codegen(prefix, work):
    """Plan as C, runtime as sources, one command."""
    generated = work / "generated"
    run(
        prefix / "bin/tigris",
        "compile",
        ROOT / "examples/digits/digits_int8.onnx",
        "-m",
        "16K",
        "-o",
        work / "d.tgrs",
    )
    run(prefix / "bin/tigris", "codegen", work / "d.tgrs", "-o", generated)
    runtime = prefix / "share/tigris/runtime"
    run(
        "cc",
        "-std=c99",
        "-O0",
        '-DTIGRIS_SELECTION_HEADER="d_kernels.h"',
        "-I",
        generated,
        "-I",
        runtime / "include",
        "-I",
        runtime / "src",
        *sorted(generated.glob("*.c")),
        *sorted(runtime.glob("src/*.c")),
        *sorted(runtime.glob("src/*/*.c")),
        "-lm",
        "-o",
        work / "generated-program",
    )
    run(work / "generated-program")


def arm_sources(prefix, generated):
    """The sources of an ARM program on CMSIS-NN, as in docs/firmware.md; None without CMSIS-NN."""
    cmsis_nn = ROOT / "build/deps/cmsis-nn"
    if not cmsis_nn.exists():
        return None
    runtime = prefix / "share/tigris/runtime"
    folders = (
        generated,
        runtime / "src",
        *sorted(runtime.glob("src/*/")),
        runtime / "backends/cmsis_nn",
    )
    includes = (
        generated,
        runtime / "include",
        runtime / "src",
        runtime / "backends/common",
        cmsis_nn / "Include",
    )
    return (
        [f"-I{i}" for i in includes]
        + [f for folder in folders for f in sorted(folder.glob("*.c"))]
        + sorted(cmsis_nn.glob("Source/*/*.c"))
    )


def check_backend_of_target(prefix, work):
    """A plan made without a target, and a program for a target whose kernels need scratch."""
    generated = work / "generated-arm"
    run(
        prefix / "bin/tigris",
        "compile",
        ROOT / "examples/digits/digits_int8.onnx",
        "-m",
        "16K",
        "-o",
        work / "d.tgrs",
    )
    run(prefix / "bin/tigris", "codegen", work / "d.tgrs", "--target=cortex-m4", "-o", generated)
    sources = arm_sources(prefix, generated)
    if sources is None:
        return
    program = work / "generated-arm-program"
    run(
        "arm-none-eabi-gcc",
        "-march=armv7-a+fp",
        "-mfloat-abi=hard",
        "--specs=rdimon.specs",
        "-std=gnu99",
        "-O1",
        "-w",
        '-DTIGRIS_SELECTION_HEADER="d_kernels.h"',
        *sources,
        "-lm",
        "-o",
        program,
    )
    require(
        "tigris_cn_conv" in run("arm-none-eabi-nm", program), "the program does without CMSIS-NN"
    )
    run("qemu-arm", program)


def check_cross_build(prefix, work, generator):
    if not shutil.which("arm-none-eabi-gcc") or not shutil.which("qemu-arm"):
        return
    build = work / "firmware-arm"
    configured = run(
        "cmake",
        "-S",
        HERE / "firmware",
        "-B",
        build,
        *generator,
        f"-DCMAKE_TOOLCHAIN_FILE={ROOT / 'cmake/arm-none-eabi.cmake'}",
        f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DMODELS={ROOT / 'examples'}",
    )
    require("Warning" not in configured, configured)
    run("cmake", "--build", build)
    require(
        run("qemu-arm", build / "firmware") == "digits: ok\nembedding: ok\n",
        "the plans do not open on ARM",
    )
    check_backend_of_target(prefix, work)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--cxx", default="c++")
    options = parser.parse_args()
    generator = ("-G", "Ninja") if shutil.which("ninja") else ()
    with tempfile.TemporaryDirectory(prefix="tigris-install-") as temporary:
        work = pathlib.Path(temporary)
        run("cmake", "--install", options.build, "--prefix", work / "first")
        prefix = work / "moved"
        (work / "first").rename(prefix)
        check_headers(prefix)
        check_manuals(prefix)
        check_plugins(prefix, work, options.cxx, generator)
        check_firmware(prefix, work, generator)
        check_codegen(prefix, work)
        check_cross_build(prefix, work, generator)


main()
