"""Counts the Transposes that normalization leaves: none, except where KEPT says why.

usage: count_transposes.py --bin DIR [-v] [name...]

The models are those of stranger_models.py and, if TIGRIS_CORPUS is set, of the corpus. Skipped
(exit 77) without numpy and onnx.
"""

import argparse
import os
import pathlib
import re
import sys
import tempfile

import pipeline

HEADS = "attention: a product per head needs the heads before the positions"
KEPT = {
    "transformer": (10, HEADS),
    "conformer": (5, HEADS),
    "swin": (12, "windows of an image, and " + HEADS),
    "vit_micro_64_f32_dyn20_extdata": (15, HEADS),
    "vit_micro_64_f32_ts17": (15, HEADS),
    "mlp_mixer": (4, "layers that mix positions read them as the last dimension"),
    "pixel_shuffle": (1, "DepthToSpace moves every element"),
    "speech_gru": (2, "time is the last dimension of the spectrogram, the recurrent layer's first"),
}


def models(scratch):
    """Names and files."""
    import onnx
    import stranger_models

    for name, model in stranger_models.models():
        path = scratch / f"{name}.onnx"
        onnx.save(model, path)
        yield name, path
    if corpus := os.environ.get("TIGRIS_CORPUS"):
        for path in sorted(pathlib.Path(corpus).glob("*/model.onnx")):
            yield path.parent.name, path


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    try:
        import numpy
        import onnx
    except ImportError as missing:
        print(f"skipped: {missing}")
        return 77
    tools = pipeline.Tools(args.bin)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, path in models(pathlib.Path(folder)):
            if args.names and name not in args.names:
                continue
            module = tools.call("norm", data=tools.call("import", "--weights=splat", path))
            left = len(re.findall(rb"\{op: Transpose,", module))
            allowed, reason = KEPT.get(name, (0, ""))
            if args.verbose or left != allowed:
                print(f"{name}: {left} Transposes, expected {allowed} {reason}")
            failures += left != allowed
    print(f"{failures} failures")
    return 1 if failures else 0


sys.exit(main())
