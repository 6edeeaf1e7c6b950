"""Compares tigris-quantize with onnxruntime's quantizer on the same calibration samples.

usage: compare_quantizers.py --bin DIR [--methods minmax,percentile,...] [--samples N] [case...]

Calibrates both quantizers on N variations of each float model's input. On other variations, it
compares with the float model in onnxruntime: the ratio of signal to quantization noise in dB, and
the number of samples in which the same output is the largest. onnxruntime's models are QDQ, int8,
per channel, and run with all graph optimizations off. The committed digits model is a separate
case, whose ten images are used for both; random-SEED is a model of graph_maker.py.

Fails if the best method of tigris-quantize is more than TOLERANCE_DB below the best of onnxruntime,
or, for a model in KNOWN_GAPS_DB, more than its gap. Skipped (exit 77) without onnxruntime; rejected
models are ignored.
"""

import argparse
import contextlib
import io
import json
import logging
import pathlib
import shlex
import subprocess
import sys
import tempfile

import pipeline

TOLERANCE_DB = 0.5
# Its largest probability is between 1/2 and 1. Our int8 softmax has steps of 1/256, like TensorFlow
# Lite's; those of onnxruntime are smaller.
KNOWN_GAPS_DB = {"random-2": 3.2}
ORT_METHODS = {"minmax": "MinMax", "percentile": "Percentile", "entropy": "Entropy"}


def variations(np, base, count, seed):
    """Inputs that resemble `base`: shifted and mirrored along long axes, other contrast, some
    noise."""
    rng = np.random.default_rng(seed)
    low, high, spread = base.min(), base.max(), base.std()
    result = []
    for _ in range(count):
        x = base
        for axis in range(1, x.ndim):
            if x.shape[axis] > 16:
                x = np.roll(x, int(rng.integers(-x.shape[axis] // 4, x.shape[axis] // 4 + 1)), axis)
                if rng.random() < 0.3:
                    x = np.flip(x, axis)
        x = x * rng.uniform(0.7, 1.1) + rng.normal(0, 0.1, x.shape) * spread
        result.append(np.clip(x, low, high).astype(base.dtype))
    return result


def random_case(np, name, samples, scratch):
    """The model that graph_maker.py generates from the seed in the name, with normally distributed
    inputs."""
    import graph_maker
    import onnx

    seed = int(name.split("-")[1])
    model = graph_maker.random_model(seed)
    onnx.save(model, str(scratch / f"{name}.onnx"))
    shape = [dim.dim_value for dim in model.graph.input[0].type.tensor_type.shape.dim]
    rng = np.random.default_rng([seed, 4])
    draw = lambda: [[rng.normal(0, 1, shape).astype(np.float32)] for _ in range(samples)]
    return name, scratch / f"{name}.onnx", draw(), draw()


def float_cases(np, names, samples, scratch=None):
    """(name, model path, calibration inputs, evaluation inputs); an input is a list of arrays.
    Models named random-SEED are written to `scratch`."""
    digits = pipeline.ROOT / "examples" / "digits"
    if not names or "digits" in names:
        images = [[np.load(digits / "cases" / f"input_{i}.npy")] for i in range(10)]
        yield "digits", digits / "digits_f32.onnx", images, images
    for name in names:
        if name.startswith("random-"):
            yield random_case(np, name, samples, scratch)
    corpus = pipeline.corpus_directory()
    if corpus is None:
        return
    for case in json.loads((corpus / "manifest.json").read_text()):
        if case["dtype"] != "float32" or (names and case["name"] not in names):
            continue
        directory = corpus / case["name"]
        bases = [np.load(directory / f"input_{i}.npy") for i in range(len(case["inputs"]))]
        sets = []
        for seed in (1, 2):
            columns = [variations(np, base, samples, seed) for base in bases]
            sets.append([list(row) for row in zip(*columns)])
        yield case["name"], directory / "model.onnx", *sets


class Figures:
    """Agreement with the float outputs."""

    def __init__(self, np, wanted, got):
        signal = noise = 0.0
        self.same, self.count = 0, len(wanted)
        for want, have in zip(wanted, got):
            for reference, value in zip(want, have):
                reference, value = reference.astype(np.float64), value.astype(np.float64)
                signal += (reference**2).sum()
                noise += ((reference - value) ** 2).sum()
            first, value = want[0].ravel(), have[0].ravel()
            self.same += bool(value[first.argmax()] >= value.max())
        self.db = 10 * np.log10(signal / noise) if noise > 0 else float("inf")

    def __str__(self):
        return f"{self.db:6.1f} dB {self.same:3d}/{self.count}"


class Ort:
    """The reference: float results, and models of its quantizer."""

    def __init__(self):
        import onnxruntime

        self.ort = onnxruntime
        logging.getLogger().setLevel(logging.ERROR)

    def session(self, path):
        options = self.ort.SessionOptions()
        options.graph_optimization_level = self.ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        return self.ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def run(self, path, inputs):
        session = self.session(path)
        names = [port.name for port in session.get_inputs()]
        return [session.run(None, dict(zip(names, arrays))) for arrays in inputs]

    def quantize(self, model, target, inputs, method):
        from onnxruntime import quantization
        import onnx.version_converter
        from onnxruntime.quantization import shape_inference

        names = [port.name for port in self.session(model).get_inputs()]

        class Reader(quantization.CalibrationDataReader):
            def __init__(self):
                self.rows = iter(inputs)

            def get_next(self):
                row = next(self.rows, None)
                return None if row is None else dict(zip(names, row))

        source = onnx.load(str(model))  # with its external data
        if source.opset_import[0].version < 13:  # earlier opsets have one scale per tensor only
            source = onnx.version_converter.convert_version(source, 13)
        loaded, prepared = target.with_suffix(".loaded.onnx"), target.with_suffix(".prepared.onnx")
        onnx.save(source, str(loaded))
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            shape_inference.quant_pre_process(str(loaded), str(prepared), skip_symbolic_shape=True)
            quantization.quantize_static(
                str(prepared),
                str(target),
                Reader(),
                quant_format=quantization.QuantFormat.QDQ,
                per_channel=True,
                activation_type=quantization.QuantType.QInt8,
                weight_type=quantization.QuantType.QInt8,
                calibrate_method=getattr(quantization.CalibrationMethod, ORT_METHODS[method]),
            )


def tigris_results(tools, np, model, scratch, calibration, evaluation, options):
    """Results of the quantized model, and the messages of tigris-quantize."""
    folder = scratch / "samples"
    if not folder.exists():
        folder.mkdir()
        for port in range(len(calibration[0])):
            place = folder / str(port) if len(calibration[0]) > 1 else folder
            place.mkdir(exist_ok=True)
            for index, row in enumerate(calibration):
                np.save(place / f"{index:04}.npy", row[port])
    command = " | ".join(
        shlex.join([tools.path(stage[0]), *stage[1:]])
        for stage in [
            ["import", str(model)],
            ["quantize", "-s", str(folder), *options],
            ["norm"],
            ["plan", "-m", "512M"],
            ["emit", "-o", str(scratch / "model.tgrs")],
        ]
    )
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    if done.returncode != 0:
        raise pipeline.ToolError(done.returncode, done.stderr.decode(errors="replace"))
    outputs = len(tools.dump(scratch / "model.tgrs")["outputs"])
    results = []
    for row in evaluation:
        inputs = []
        for port, array in enumerate(row):
            inputs.append(scratch / f"in_{port}.npy")
            np.save(inputs[-1], array)
        files = [scratch / f"out_{i}.npy" for i in range(outputs)]
        tools.run(scratch / "model.tgrs", inputs, files)
        results.append([np.load(file) for file in files])
    return results


def compare(tools, np, ort, case, options):
    """Prints a line per quantizer and method; the best figures of ours and of theirs."""
    name, model, calibration, evaluation = case
    wanted = ort.run(model, evaluation)
    ours, theirs = [], []
    with tempfile.TemporaryDirectory(prefix="tigris-e2e-") as scratch:
        scratch = pathlib.Path(scratch)
        for method in options.methods.split(","):
            if method not in ORT_METHODS:
                continue
            try:
                ort.quantize(model, scratch / "ort.onnx", calibration, method)
                theirs.append(Figures(np, wanted, ort.run(scratch / "ort.onnx", evaluation)))
                print(
                    f"{name:34} onnxruntime {method:10}                      {theirs[-1]}",
                    flush=True,
                )
            except Exception as error:  # its failures are not failures of the test
                print(
                    f"{name:34} onnxruntime {method:10} failed: {str(error).splitlines()[0][:60]}"
                )
        for method in options.methods.split(","):
            for extra in ([], ["--no-bias-correction"]):
                got = tigris_results(
                    tools,
                    np,
                    model,
                    scratch,
                    calibration,
                    evaluation,
                    [f"--method={method}", *extra, *options.option],
                )
                ours.append(Figures(np, wanted, got))
                print(
                    f"{name:34} tigris      {method:10} {' '.join(extra):20} {ours[-1]}", flush=True
                )
    best = max(figures.db for figures in ours)
    return best, max((figures.db for figures in theirs), default=best)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--methods", default="minmax,percentile,entropy,mse")
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument(
        "--option", action="append", default=[], help="further option of tigris-quantize"
    )
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    np = pipeline.require_numpy()
    try:
        ort = Ort()
    except ImportError:
        pipeline.skip("onnxruntime is not installed (scripts/bootstrap.sh training)")
    tools = pipeline.Tools(options.bin)
    worse, compared = [], 0
    with tempfile.TemporaryDirectory(prefix="tigris-e2e-") as scratch:
        for case in float_cases(np, options.cases, options.samples, pathlib.Path(scratch)):
            try:
                ours, theirs = compare(tools, np, ort, case, options)
            except pipeline.ToolError as error:
                print(f"{case[0]:34} refused: {error}")
                if error.code not in (1, 3):
                    worse.append(f"{case[0]}: exit code {error.code}")
                continue
            compared += 1
            if ours < theirs - TOLERANCE_DB and case[0] in KNOWN_GAPS_DB:
                print(f"known shortfall: {case[0]}: {ours:.1f} dB, onnxruntime {theirs:.1f} dB")
            if ours < theirs - KNOWN_GAPS_DB.get(case[0], TOLERANCE_DB):
                worse.append(f"{case[0]}: {ours:.1f} dB, onnxruntime reaches {theirs:.1f} dB")
    print(f"{compared} models compared, {len(worse)} worse than onnxruntime")
    print("\n".join(worse))
    if worse:
        return 1
    return 0 if compared else pipeline.SKIPPED


if __name__ == "__main__":
    sys.exit(main())
