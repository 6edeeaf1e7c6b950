#!/usr/bin/env python3
"""Runs a .tflite model in TensorFlow Lite Micro, for compare.py.

usage: peer.py MODEL.tflite CASE OUT

CASE is a directory with case.json and input_<k>.npy, in the model's order or channels first. Runs
at most MAX_STEPS steps, writes inputs and outputs to OUT/input_<k>.npy and OUT/output_<k>.npy with
a leading axis of steps, and prints the bytes of the arena as JSON. Needs the package tflite-micro.
"""

import json
import os
import pathlib
import re
import sys
import tempfile

import numpy
from tflite_micro.python.tflite_micro import runtime

MAX_STEPS = 8
# Lines of RecordingMicroAllocator.
FIGURES = {
    "total": r"Arena allocation total (\d+) bytes",
    "activations": r"Arena allocation head (\d+) bytes",
    "persistent": r"Arena allocation tail (\d+) bytes",
}


def printed(call):
    """What the C++ side prints while `call` runs."""
    with tempfile.TemporaryFile() as file:
        saved = [os.dup(fd) for fd in (1, 2)]
        for fd in (1, 2):
            os.dup2(file.fileno(), fd)
        try:
            call()
        finally:
            for fd, old in zip((1, 2), saved):
                os.dup2(old, fd)
                os.close(old)
        file.seek(0)
        return file.read().decode(errors="replace")


def quantized(feed, details):
    """Real numbers as the integers of an input."""
    parameters = details["quantization_parameters"]
    stored = numpy.round(feed / parameters["scales"][0]) + parameters["zero_points"][0]
    limits = numpy.iinfo(details["dtype"])
    return numpy.clip(stored, limits.min, limits.max).astype(details["dtype"])


def main():
    model, case, out = map(pathlib.Path, sys.argv[1:])
    facts = json.loads((case / "case.json").read_text())
    feeds = [numpy.load(case / port["file"]) for port in facts["inputs"]]
    steps = min(facts.get("steps", 1), MAX_STEPS)
    if not facts.get("leading_axis_is_steps"):
        feeds, steps = [feed[None] for feed in feeds], 1
    interpreter = runtime.Interpreter.from_file(
        str(model), intrepreter_config=runtime.InterpreterConfig.kAllocationRecording
    )
    for index, feed in enumerate(feeds):
        details = interpreter.get_input_details(index)
        shape = tuple(details["shape"])
        if feed.shape[1:] != shape and feed.ndim > 3:
            feed = numpy.moveaxis(feed, 2, -1)
        if feed.dtype.kind == "f" and details["dtype"] != numpy.float32:
            feed = quantized(feed, details)
        feeds[index] = numpy.ascontiguousarray(feed[:steps]).reshape((steps, *shape))
        numpy.save(out / f"input_{index}.npy", feeds[index])
    results = []
    for step in range(steps):
        for index, feed in enumerate(feeds):
            interpreter.set_input(feed[step], index)
        interpreter.invoke()
        results.append([interpreter.get_output(i).copy() for i in range(len(facts["outputs"]))])
    for index, values in enumerate(zip(*results)):
        numpy.save(out / f"output_{index}.npy", numpy.stack(values))
    text = printed(interpreter.print_allocations)
    print(json.dumps({name: int(re.search(line, text)[1]) for name, line in FIGURES.items()}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
