"""Compares element types of the interface, data movement of integers, and many inputs and outputs
with onnxruntime.

usage: run_types.py --bin DIR [-v] [name...]

Small models, each planned in ample memory and in the smallest feasible fast memory:
 - integers that are moved between quantized regions without QuantizeLinear around the movement, as
   converters of uint8 TensorFlow Lite models write them, and at the model's inputs and outputs;
 - uint8, int8, uint16, int16 and float16 inputs and outputs, and casts between all of these and
   the wide types;
 - twelve outputs, and twenty-four key and value caches as inputs and outputs, in every io mode.
Integers must be the same, float16 within a few steps. Skipped (exit 77) without numpy, onnx and
onnxruntime.
"""

import argparse
import importlib.util
import pathlib
import sys
import tempfile

import pipeline

SCALE, ZERO = 0.05, 120
SHAPE = [1, 4, 6, 6]


class Case:
    """A model under construction, and its inputs."""

    def __init__(self, onnx, np, name, tolerance=0.0):
        self.onnx, self.np, self.name, self.tolerance = onnx, np, name, tolerance
        self.rng = np.random.default_rng(len(name))
        self.nodes, self.constants, self.inputs, self.outputs, self.feed = [], [], [], [], {}

    def type_of(self, kind):
        return self.onnx.helper.np_dtype_to_tensor_dtype(self.np.dtype(kind))

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(self.np.asarray(array), name))
        return name

    def input(self, kind, shape=SHAPE, low=None, high=None):
        np, name = self.np, f"x{len(self.inputs)}"
        self.inputs.append(self.onnx.helper.make_tensor_value_info(name, self.type_of(kind), shape))
        if np.dtype(kind).kind == "f":
            values = (
                self.rng.normal(0, 1, shape) if low is None else self.rng.uniform(low, high, shape)
            )
        elif kind == "bool":
            values = self.rng.integers(0, 2, shape)
        else:
            info = np.iinfo(kind)
            values = self.rng.integers(
                info.min if low is None else low, info.max if high is None else high, shape
            )
        self.feed[name] = values.astype(kind)
        return name

    def op(self, kind, *operands, results=1, **attributes):
        names = [
            "" if o is None else o if isinstance(o, str) else self.constant(o) for o in operands
        ]
        outputs = [f"t{len(self.nodes)}_{i}" for i in range(results)]
        self.nodes.append(
            self.onnx.helper.make_node(
                kind, names, outputs, name=f"{kind}{len(self.nodes)}", **attributes
            )
        )
        return outputs[0] if results == 1 else outputs

    def cast(self, x, kind):
        return self.op("Cast", x, to=self.type_of(kind))

    def params(self, kind="uint8"):
        np = self.np
        return np.float32(SCALE), np.array(ZERO if np.iinfo(kind).min == 0 else 3, kind)

    def quantize(self, x, kind="uint8"):
        return self.op("QuantizeLinear", x, *self.params(kind))

    def dequantize(self, x, kind="uint8"):
        return self.op("DequantizeLinear", x, *self.params(kind))

    def conv(self, x, channels=4, kind="uint8"):
        """A quantized convolution, from integers to integers."""
        np = self.np
        weights = self.rng.integers(-127, 128, (channels, channels, 3, 3)).astype(np.int8)
        w = self.op("DequantizeLinear", weights, np.float32(0.004), np.int8(0))
        y = self.op("Conv", self.dequantize(x, kind), w, pads=[1, 1, 1, 1])
        return self.quantize(y, kind)

    def output(self, name, kind):
        self.outputs.append(self.onnx.helper.make_tensor_value_info(name, self.type_of(kind), None))

    def model(self):
        make = self.onnx.helper
        graph = make.make_graph(self.nodes, "types", self.inputs, self.outputs, self.constants)
        return make.make_model(graph, opset_imports=[make.make_opsetid("", 21)], ir_version=10)


def moves(np, kind):
    """The operators that move integers of shape SHAPE: name, and function that builds them."""
    i64 = lambda *values: np.array(values, np.int64)
    table = np.arange(24).reshape(1, 4, 6, 1).astype(kind)
    every = {
        "Transpose": lambda c, x: c.op("Transpose", x, perm=[0, 1, 3, 2]),
        "NHWC and back": lambda c, x: c.op(
            "Transpose", c.op("Transpose", x, perm=[0, 2, 3, 1]), perm=[0, 3, 2, 1]
        ),
        "Reshape": lambda c, x: c.op("Reshape", c.op("Reshape", x, i64(4, 36)), i64(1, 4, 4, 9)),
        "Flatten": lambda c, x: c.op("Reshape", c.op("Flatten", x), i64(1, 4, 9, 4)),
        "Squeeze": lambda c, x: c.op("Unsqueeze", c.op("Squeeze", x, i64(0)), i64(0)),
        "Slice": lambda c, x: c.op("Slice", x, i64(1, 5), i64(5, -7), i64(2, 3), i64(1, -2)),
        "Split": lambda c, x: c.op(
            "Concat", *c.op("Split", x, i64(2, 2), results=2, axis=1)[::-1], axis=1
        ),
        "Concat with itself": lambda c, x: c.op(
            "Slice", c.op("Concat", x, x, axis=2), i64(2), i64(8), i64(2)
        ),
        "Concat with a constant": lambda c, x: c.op("Concat", x, table, axis=3),
        "Pad": lambda c, x: c.op("Pad", x, i64(0, 0, 1, 0, 0, 0, 1, 2), np.array(7, kind)),
        "Pad by nothing said": lambda c, x: c.op("Pad", x, i64(0, 0, 1, 0, 0, 0, 1, 2)),
        "Pad, edge": lambda c, x: c.op("Pad", x, i64(0, 0, 1, 0, 0, 0, 1, 2), mode="edge"),
        "Gather": lambda c, x: c.op("Gather", x, i64(3, 0, 0, 2), axis=1),
        "Expand": lambda c, x: c.op(
            "Expand", c.op("Slice", x, i64(0), i64(1), i64(2)), i64(1, 4, 5, 6)
        ),
        "Tile": lambda c, x: c.op("Tile", x, i64(1, 1, 2, 1)),
        "Identity": lambda c, x: c.op("Identity", x),
        "Where": lambda c, x: c.op("Where", np.arange(6) % 2 == 0, x, np.array(9, kind)),
    }
    if kind in ("uint8", "int8"):
        every["MaxPool"] = lambda c, x: c.op("MaxPool", x, kernel_shape=[2, 2], pads=[1, 0, 0, 1])
        every["Resize"] = lambda c, x: c.op(
            "Resize", x, None, np.array([1, 1, 2, 2], np.float32), mode="nearest"
        )
        every["DepthToSpace"] = lambda c, x: c.op(
            "Slice",
            c.op("SpaceToDepth", c.op("DepthToSpace", x, blocksize=2), blocksize=2),
            i64(0),
            i64(4),
            i64(1),
        )
    if kind in ("uint8", "int8"):
        every["Max"] = lambda c, x: c.op("Max", x, np.array(100, kind))
        every["Clip"] = lambda c, x: c.op("Clip", x, np.array(20, kind), np.array(110, kind))
        every["ReduceMax"] = lambda c, x: c.op("ReduceMax", x, i64(2), keepdims=1)
    return every


def movement(onnx, np):
    for kind in ("uint8", "int8"):
        for name, move in moves(np, kind).items():
            # between two convolutions
            c = Case(onnx, np, f"{name} of {kind} between", 1)
            y = c.conv(move(c, c.conv(c.quantize(c.input("float32"), kind), kind=kind)), kind=kind)
            c.output(c.dequantize(y, kind), "float32")
            yield c
            # at an input, at an output, and both
            c = Case(onnx, np, f"{name} of {kind} at an input", 1)
            c.output(c.dequantize(c.conv(move(c, c.input(kind)), kind=kind), kind), "float32")
            yield c
            c = Case(onnx, np, f"{name} of {kind} at an output", 1)
            c.output(move(c, c.conv(c.quantize(c.input("float32"), kind), kind=kind)), kind)
            yield c
    for kind in ("uint8", "int8", "uint16", "int16"):
        for name, move in moves(np, kind).items():
            c = Case(onnx, np, f"{name} of {kind} alone")
            c.output(move(c, c.input(kind)), kind)
            yield c
            c = Case(onnx, np, f"{name} of {kind}, then Cast")
            c.output(c.cast(move(c, c.input(kind)), "float32"), "float32")
            yield c


def casts(onnx, np):
    kinds = ("uint8", "int8", "uint16", "int16", "int32", "int64", "bool", "float32", "float16")
    wide = ("int32", "int64", "bool", "float32")
    for source in kinds:
        for target in kinds:
            if source == target or (source in wide and target in wide):
                continue
            tolerance = 1e-3 if "float16" in (source, target) else 0
            # Integers of any size wrap around. Floats are inside the range of the target, as C's
            # conversion requires.
            bounds = ()
            if tolerance and source in wide[:2] or source.startswith("float"):
                bounds = (0, 250) if target in ("uint8", "uint16") else (-100, 100)
            c = Case(onnx, np, f"{source} to {target}", tolerance)
            c.output(c.cast(c.input(source, SHAPE, *bounds), target), target)
            yield c
            c = Case(onnx, np, f"{source} to {target} and back", tolerance)
            x = c.input(source, SHAPE, *bounds)
            c.output(
                c.op(
                    "Transpose",
                    c.cast(c.op("Transpose", c.cast(x, target), perm=[0, 2, 3, 1]), source),
                    perm=[0, 3, 1, 2],
                ),
                source,
            )
            yield c


def images(onnx, np):
    """uint8 images as inputs, as cameras deliver them, and images as outputs."""
    weights = lambda c: c.rng.normal(0, 0.2, (3, 3, 3, 3)).astype(np.float32)
    c = Case(onnx, np, "image, Cast, normalization, Conv", 1e-5)
    x = c.op("Transpose", c.cast(c.input("uint8", [1, 8, 8, 3]), "float32"), perm=[0, 3, 1, 2])
    x = c.op(
        "Div",
        c.op("Sub", x, np.array([120, 110, 100], np.float32).reshape(1, 3, 1, 1)),
        np.float32(60),
    )
    c.output(c.op("Conv", x, weights(c), pads=[1, 1, 1, 1]), "float32")
    yield c
    c = Case(onnx, np, "image in and image out", 1)
    x = c.op("Mul", c.cast(c.input("uint8", [1, 3, 8, 8]), "float32"), np.float32(1 / 255))
    y = c.op(
        "Clip",
        c.op("Mul", c.op("Conv", x, weights(c), pads=[1, 1, 1, 1]), np.float32(255)),
        np.float32(0),
        np.float32(255),
    )
    c.output(c.cast(y, "uint8"), "uint8")
    yield c
    c = Case(onnx, np, "mask out")
    x = c.input("float32", [1, 5, 8, 8])
    c.output(c.cast(c.op("ArgMax", x, axis=1, keepdims=0), "uint8"), "uint8")
    c.output(c.cast(c.op("Greater", x, np.float32(0)), "uint8"), "uint8")
    yield c
    c = Case(onnx, np, "DequantizeLinear of an input", 1e-6)
    c.output(c.op("Sigmoid", c.dequantize(c.input("uint8"))), "float32")
    yield c
    c = Case(onnx, np, "ArgMax and TopK of uint8")
    x = c.input("uint8")
    c.output(c.op("ArgMax", x, axis=3, keepdims=1), "int64")
    values, _ = c.op("TopK", c.cast(x, "int32"), np.array([2], np.int64), results=2, axis=3)
    c.output(c.cast(values, "uint8"), "uint8")
    yield c
    c = Case(onnx, np, "float16 throughout", 4e-3)
    x = c.input("float16", [1, 3, 8, 8])
    y = c.op("Relu", c.op("Conv", x, weights(c).astype(np.float16), pads=[1, 1, 1, 1]))
    c.output(
        c.op("Add", c.op("Conv", y, weights(c).astype(np.float16)), np.float16(0.5)), "float16"
    )
    c.output(c.op("Transpose", x, perm=[0, 2, 3, 1]), "float16")
    yield c
    c = Case(onnx, np, "float16 in, float32 out", 1e-5)
    c.output(
        c.op("Conv", c.cast(c.input("float16", [1, 3, 8, 8]), "float32"), weights(c)), "float32"
    )
    yield c


def many(onnx, np):
    c = Case(onnx, np, "twelve outputs", 1e-6)
    x = c.input("float32", [1, 3, 8, 8])
    for i in range(12):
        w = c.rng.normal(0, 0.2, (2, 3, 3, 3)).astype(np.float32)
        c.output(c.op("Conv", x, w, strides=[1 + i % 3] * 2), "float32")
    yield c
    c = Case(onnx, np, "24 caches", 1e-6)
    token = c.input("float32", [1, 1, 8])
    for _ in range(24):
        old = c.input("float32", [1, 5, 8])
        new = c.op("MatMul", token, c.rng.normal(0, 0.3, (8, 8)).astype(np.float32))
        c.output(
            c.op(
                "Slice",
                c.op("Concat", old, new, axis=1),
                np.array([1]),
                np.array([6]),
                np.array([1]),
            ),
            "float32",
        )
    yield c


class Bench:
    def __init__(self, np, onnx, ort, tools, scratch):
        self.np, self.onnx, self.ort, self.tools, self.scratch = np, onnx, ort, tools, scratch

    def reference(self, path, case):
        options = self.ort.SessionOptions()
        options.graph_optimization_level = self.ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 4
        session = self.ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        return session.run(None, case.feed)

    def results(self, normalized, case, options):
        plan = self.scratch / "model.tgrs"
        self.tools.call("emit", "-o", plan, data=self.tools.call("plan", *options, data=normalized))
        files = []
        for name, array in case.feed.items():
            self.np.save(self.scratch / f"{name}.npy", array)
            files.append(self.scratch / f"{name}.npy")
        outputs = [self.scratch / f"y{i}.npy" for i in range(len(case.outputs))]
        self.tools.run(plan, files, outputs)
        return [self.np.load(path) for path in outputs]

    def differs(self, case, got, want):
        """What is wrong with an output, or None."""
        if got.dtype != want.dtype or got.shape != want.shape:
            return f"is {got.dtype}{list(got.shape)}, should be {want.dtype}{list(want.shape)}"
        a, b = got.astype(self.np.float64), want.astype(self.np.float64)
        allowed = case.tolerance
        if allowed == 1:  # one step
            allowed = SCALE * 1.001 if want.dtype.kind == "f" else 1
        elif allowed:
            allowed *= max(1e-9, float(self.np.abs(b).max()))
        error = float(self.np.abs(a - b).max())
        return (
            None
            if error <= allowed
            else f"differs by {error:g} in {int((abs(a - b) > allowed).sum())} elements"
        )

    def problem(self, case):
        path = self.scratch / "model.onnx"
        self.onnx.save(case.model(), path)
        try:
            want = self.reference(path, case)
        except Exception as error:  # onnxruntime has no kernel for this type
            return f"skipped: {str(error).splitlines()[0][:120]}"
        normalized = self.tools.call("norm", data=self.tools.call("import", path))
        least = pipeline.smallest_budget(self.tools, normalized)
        runs = {"ample": ["-m", "64M"], "smallest": ["-m", str(least), "-m", "64M"]}
        if len(case.outputs) > 8:
            runs.update(
                {
                    "slow": ["-m", "64M", "-m", "64M", "--io=slow"],
                    "arena": ["-m", "64M", "--io=arena"],
                }
            )
        for name, options in runs.items():
            for i, (a, b) in enumerate(zip(self.results(normalized, case, options), want)):
                found = self.differs(case, a, b)
                if found:
                    return f"{name}, output {i}: {found}"
        return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("-v", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if any(importlib.util.find_spec(name) is None for name in ("numpy", "onnx", "onnxruntime")):
        pipeline.skip("numpy, onnx and onnxruntime are needed")
    import numpy as np
    import onnx
    import onnxruntime as ort

    run = failed = 0
    with tempfile.TemporaryDirectory(prefix="tigris-types-") as scratch:
        bench = Bench(np, onnx, ort, pipeline.Tools(arguments.bin), pathlib.Path(scratch))
        for group in (movement, casts, images, many):
            for case in group(onnx, np):
                if arguments.names and not any(name in case.name for name in arguments.names):
                    continue
                try:
                    problem = bench.problem(case)
                except pipeline.ToolError as error:
                    problem = str(error)
                run += 1
                skipped = problem is not None and problem.startswith("skipped")
                failed += problem is not None and not skipped
                if problem and (arguments.v or not skipped):
                    print(f"{case.name}: {problem}")
    print(f"{run} models, {failed} wrong")
    return 1 if failed or not run else 0


if __name__ == "__main__":
    sys.exit(main())
