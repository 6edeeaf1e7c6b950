"""Runs TensorFlow Lite models through the whole pipe and compares their outputs with TensorFlow
Lite's.

usage: run_tflite.py --bin DIR [--all] [CASE...]

Cases are the models of the corpus with a model.tflite and tflite_output_*.npy, and those of the
TensorFlow Lite corpus, whose reference is TensorFlow Lite Micro where it can run the model. Each
runs with ample memory and with the smallest budget.

Integer outputs must be equal byte for byte. Float outputs of models with integers must be
equal too, as far as they are dequantized integers. Other float outputs must be within 1e-5 of the
largest magnitude.

Without the corpora (TIGRIS_CORPUS, default ../shared/corpus; TIGRIS_CORPUS_TFLITE, default
../shared/corpus-tflite) or numpy the test is skipped (exit 77). With --all every case is tried and
reported, also those that are refused.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile

import pipeline

FLOAT_TOLERANCE = 1e-5

# Cases that are not expected to work, and why.
REFUSED = {
    "audio_preprocessor_f32": "the operators of an audio front end are computed outside",
    "dtln_stage1_hybrid": "the reference quantizes activations at run time",
    "nested_while_f32": "the number of iterations depends on an input",
}

# Largest difference in steps where the reference in the corpus is not TensorFlow Lite Micro's.
STEPS = {
    "mlperf_ad_autoencoder_int8": 2,  # LiteRT rounds dense layers once
}

# Relative tolerance where the reference computes in other types.
TOLERANCE = {
    "kws_dscnn_hybrid": 0.08,  # quantizes activations at run time
}


def tflite_corpus():
    given = os.environ.get("TIGRIS_CORPUS_TFLITE")
    path = pathlib.Path(given) if given else pipeline.ROOT.parent / "shared" / "corpus-tflite"
    return path if (path / "manifest.json").is_file() else None


def find_cases():
    """(name, directory, prefix of its references)."""
    cases = []
    for root, prefix in (
        (pipeline.corpus_directory(), "tflite_output"),
        (tflite_corpus(), "output"),
    ):
        if root is None:
            continue
        for model in sorted(root.glob("*/model.tflite")):
            cases.append((model.parent.name, model.parent, prefix))
    return cases


def stored_input(np, array, port):
    """An input of the ONNX model's interface as the port's type and order of dimensions."""
    shape = port["shape"]
    if list(array.shape) != shape and array.ndim == 4:
        array = array.transpose(0, 2, 3, 1)
    if array.dtype.kind == "f" and port["dtype"] != "float32":
        stored = np.round(array / np.float32(port["scale"])) + port["zero_point"]
        limits = np.iinfo(port["dtype"])
        array = np.clip(stored, limits.min, limits.max).astype(port["dtype"])
    return np.ascontiguousarray(array)


def real_output(np, array, port, reference):
    """An output in the reference's type."""
    if reference.dtype.kind == "f" and array.dtype.kind in "iu":
        zero = np.int32(port["zero_point"])
        return (array.astype(np.int32) - zero).astype(np.float32) * np.float32(port["scale"])
    return array


def difference(np, name, got, reference, port):
    """None, or how the output differs."""
    if got.shape != reference.shape and got.size == reference.size:
        return f"has shape {got.shape}, the reference {reference.shape}"
    if got.dtype != reference.dtype or got.shape != reference.shape:
        return f"is {got.dtype} {got.shape}, the reference {reference.dtype} {reference.shape}"
    error = np.abs(got.astype(np.float64) - reference.astype(np.float64))
    worst = float(error.max()) if error.size else 0.0
    if not np.isfinite(worst):
        return "holds NaN or infinities"
    if got.dtype.kind in "iub" or port["dtype"] != "float32":
        step = 1 if got.dtype.kind in "iub" else port["scale"]
        if worst > STEPS.get(name, 0) * step * 1.001:
            return f"{worst / step:g} steps, {int((error > 0).sum())} of {error.size} differ"
        return None
    magnitude = float(np.abs(reference).max()) or 1.0
    if worst > TOLERANCE.get(name, FLOAT_TOLERANCE) * magnitude:
        return f"{worst / magnitude:.1e} of magnitude"
    return None


class Case:
    def __init__(self, np, tools, name, directory, prefix, scratch):
        self.np = np
        self.tools = tools
        self.name = name
        self.directory = directory
        self.prefix = prefix
        self.scratch = scratch
        info = json.loads((directory / "case.json").read_text())
        self.steps = info.get("steps", 1) if info.get("leading_axis_is_steps") else None
        self.stateful = info.get("stateful", False)
        self.counts = (len(info["inputs"]), len(info["outputs"]))

    def ports(self, plan):
        """Those of the model; states follow them."""
        figures = self.tools.dump(plan)
        inputs = figures["inputs"][: self.counts[0]]
        outputs = figures["outputs"][: self.counts[1]]
        return inputs, outputs

    def run(self, plan):
        """The outputs, stacked over the steps."""
        np = self.np
        inputs, outputs = self.ports(plan)
        arrays = [np.load(self.directory / f"input_{i}.npy") for i in range(len(inputs))]
        if self.prefix != "output":
            arrays = [stored_input(np, array, port) for array, port in zip(arrays, inputs)]
        if self.steps is None:
            return outputs, self.run_once(plan, inputs, outputs, arrays, [])
        if self.stateful:
            return outputs, self.run_once(plan, inputs, outputs, arrays, ["--sequence"])
        results = [
            self.run_once(plan, inputs, outputs, [array[k] for array in arrays], [])
            for k in range(self.steps)
        ]
        return outputs, [np.stack(parts) for parts in zip(*results)]

    def run_once(self, plan, inputs, outputs, arrays, options):
        np = self.np
        arguments = [plan, "--stats=json", *options]
        for port, array in zip(inputs, arrays):
            path = self.scratch / f"in_{len(arguments)}.npy"
            np.save(path, array)
            arguments += ["--input", f"{port['name']}={path}"]
        paths = []
        for port in outputs:
            paths.append(self.scratch / f"out_{len(paths)}.npy")
            arguments += ["--output", f"{port['name']}={paths[-1]}"]
        self.tools.call("run", *arguments)
        return [np.load(path) for path in paths]

    def check(self):
        """Problems, one per line."""
        np = self.np
        plan = self.scratch / "plan.tgrs"
        _, normalized, planned = self.tools.stages(
            self.directory / "model.tflite", ["-m", "64M", "-m", "64M"]
        )
        self.tools.call("emit", "-o", plan, data=planned)
        ports, results = self.run(plan)
        problems = []
        for index, (port, got) in enumerate(zip(ports, results)):
            reference = np.load(self.directory / f"{self.prefix}_{index}.npy")
            problem = difference(
                np, self.name, real_output(np, got, port, reference), reference, port
            )
            if problem:
                problems.append(f"output {index} ('{port['name']}'): {problem}")
        smallest = pipeline.smallest_budget(self.tools, normalized)
        least = self.tools.call("plan", "-m", str(smallest), "-m", "64M", data=normalized)
        self.tools.call("emit", "-o", plan, data=least)
        _, again = self.run(plan)
        if any(a.tobytes() != b.tobytes() for a, b in zip(results, again)):
            problems.append(f"other outputs in {smallest} bytes")
        return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("cases", nargs="*")
    arguments = parser.parse_args()
    np = pipeline.require_numpy()
    cases = find_cases()
    if not cases:
        pipeline.skip("there is no corpus with TensorFlow Lite models")
    tools = pipeline.Tools(arguments.bin)
    failed = 0
    for name, directory, prefix in cases:
        if arguments.cases and name not in arguments.cases:
            continue
        if name in REFUSED and not arguments.all and name not in arguments.cases:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            case = Case(np, tools, name, directory, prefix, pathlib.Path(scratch))
            try:
                problems = case.check()
            except pipeline.ToolError as error:
                problems = [error.text.strip().splitlines()[0]]
        print(f"{'ok    ' if not problems else 'FAILED'} {name}")
        for problem in problems:
            print(f"         {problem}")
        failed += bool(problems)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
