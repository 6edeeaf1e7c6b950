"""Configures a copy of the runtime without the vendors' kernels, adds the kernels as
scripts/fetch_kernels.sh does, and configures again. The kernels must then be found. A directory
that the user names must be accepted or rejected, depending on its contents.

usage: check_late_parts.py     exit 0 and silence if all is well
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# backend: folder below build/deps, cache variable, files that make it a library
LIBRARIES = {
    "cmsis_nn": (
        "cmsis-nn",
        "TIGRIS_CMSIS_NN_DIR",
        ("Include/arm_nnfunctions.h", "Source/Any/any.c"),
    ),
    "esp_nn": (
        "esp-nn",
        "TIGRIS_ESP_NN_DIR",
        (
            "include/esp_nn.h",
            "src/any/any_ansi.c",
            "src/convolution/esp_nn_conv_esp32s3.c",
            "src/convolution/esp_nn_depthwise_conv_s8_esp32s3.c",
            "src/softmax/esp_nn_softmax_s8_esp32s3.c",
        ),
    ),
}


def backends(work, *arguments, expect=0):
    done = subprocess.run(
        ["cmake", "-S", work / "runtime", "-B", work / "out", *arguments],
        check=False,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if done.returncode != expect:
        sys.exit(
            f"cmake {' '.join(arguments)}: exit code {done.returncode}, expected {expect}\n"
            f"{done.stdout}"
        )
    listed = subprocess.run(
        ["cmake", "--build", work / "out", "--target", "help"],
        check=True,
        text=True,
        stdout=subprocess.PIPE,
    ).stdout
    return [name for name in LIBRARIES if f"tigris_backend_{name}\n" in listed.replace(":", "\n")]


def require(found, expected, what):
    if found != expected:
        sys.exit(f"{what}: backends {found}, expected {expected}")


def make_library(folder, files):
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text("")


def main():
    with tempfile.TemporaryDirectory(prefix="tigris-late-") as temporary:
        work = pathlib.Path(temporary)
        shutil.copytree(ROOT / "runtime", work / "runtime")
        require(backends(work), [], "without libraries")
        for name, (folder, variable, files) in LIBRARIES.items():
            make_library(work / "build/deps" / folder, files)
            require(backends(work), [name], f"{folder} came late")
            shutil.rmtree(work / "build/deps" / folder)
            require(backends(work), [], f"{folder} went away")
            make_library(work / "elsewhere" / folder, files)
            require(
                backends(work, f"-D{variable}={work / 'elsewhere' / folder}"),
                [name],
                f"{variable} names it",
            )
            backends(work, f"-D{variable}={work}", expect=1)
            require(backends(work, f"-D{variable}="), [], f"{variable} no longer names it")


main()
