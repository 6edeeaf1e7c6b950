"""Compares models in the styles of other exporters (stranger_models.py), float and quantized, with
onnxruntime.

usage: run_strangers.py --bin DIR [-v] [--all] [--versions] [name...]

Each model is compiled with ample memory, in the smallest feasible fast memory, and halfway between.
All three plans must give the same bytes, and results must be those of onnxruntime without
optimizations: float ones to FLOAT_TOLERANCE of their magnitude, those of models quantized by
onnxruntime (VARIANTS, one of them each, or --all) as near as onnxruntime's optimized kernels, or to
STEPS steps of the output's scale. --versions: also after onnx's converter has rewritten the float
model for other opsets.

Skipped (exit 77) without onnxruntime.
"""

import argparse
import logging
import pathlib
import sys
import tempfile

import pipeline
import quantizer_variants
import stranger_models

FLOAT_TOLERANCE = 2e-5
STEPS = 3
SAMPLES = 4
OPSETS = (7, 9, 11, 13, 15, 17, 18, 19, 20, 21, 22, 23)
VARIANTS = {
    "int8": {},
    "not pre-processed": {"preprocess": False},
    "per channel, uint8 activations": {"per_channel": True, "activation_type": "QUInt8"},
    "uint8, seven bits": {
        "activation_type": "QUInt8",
        "weight_type": "QUInt8",
        "reduce_range": True,
    },
    "operators": {"quant_format": "QOperator"},
    "some operators": {"op_types_to_quantize": ["Conv", "MatMul", "Add", "Mul", "Gemm"]},
    "int16": {"activation_type": "QInt16", "per_channel": True},
}


def draw(np, model, rng):
    """Values for the inputs: tokens for integers; symbolic dimensions are 1."""
    feed = {}
    for port in model.graph.input:
        shape = [d.dim_value or 1 for d in port.type.tensor_type.shape.dim]
        if port.type.tensor_type.elem_type == 7:
            feed[port.name] = rng.integers(0, 20, shape)
        else:
            feed[port.name] = rng.normal(0, 1, shape).astype(np.float32)
    return feed


class Bench:
    def __init__(self, np, onnx, ort, tools, scratch):
        self.np, self.onnx, self.ort, self.tools, self.scratch = np, onnx, ort, tools, scratch

    def reference(self, path, feeds, optimized=False):
        options = self.ort.SessionOptions()
        levels = self.ort.GraphOptimizationLevel
        options.graph_optimization_level = (
            levels.ORT_ENABLE_ALL if optimized else levels.ORT_DISABLE_ALL
        )
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        session = self.ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        return [session.run(None, feed) for feed in feeds]

    def plans(self, path):
        """Plans for the three memories."""
        normalized = self.tools.call("norm", data=self.tools.call("import", path))
        least = pipeline.smallest_budget(self.tools, normalized)
        budgets = {"ample": 512 << 20, "smallest": least}
        for name in ("ample", "half", "smallest"):
            if name == "half":
                budgets[name] = (least + peak) // 2
            plan = self.scratch / f"{name}.tgrs"
            planned = self.tools.call(
                "plan", "-m", str(budgets[name]), "-m", "64M", data=normalized
            )
            self.tools.call("emit", "-o", plan, data=planned)
            if name == "ample":
                peak = self.tools.dump(plan)["fast_peak_bytes"]
            yield plan

    def run(self, plan, feed, outputs):
        inputs = []
        for index, array in enumerate(feed.values()):
            inputs.append(self.scratch / f"in_{index}.npy")
            self.np.save(inputs[-1], array)
        files = [self.scratch / f"out_{index}.npy" for index in range(outputs)]
        self.tools.run(plan, inputs, files)
        return [self.np.load(file) for file in files]

    def exact(self, path):
        """The model with QLinearSoftmax decomposed, because onnxruntime's kernel gives 0 for a
        result of 1."""
        model = self.onnx.load(str(path))
        make, nodes = self.onnx.helper.make_node, []
        for node in model.graph.node:
            if node.op_type != "QLinearSoftmax":
                nodes.append(node)
                continue
            x, *scales, (y,) = *node.input, node.output
            axis = next((a.i for a in node.attribute if a.name == "axis"), -1)
            nodes += [
                make("DequantizeLinear", [x, *scales[:2]], [f"{y}_real"]),
                make("Softmax", [f"{y}_real"], [f"{y}_softmax"], axis=axis),
                make("QuantizeLinear", [f"{y}_softmax", *scales[2:]], [y]),
            ]
        del model.graph.node[:]
        model.graph.node.extend(nodes)
        path = self.scratch / "exact.onnx"
        self.onnx.save(model, str(path))
        return path

    def check(self, path, feeds, quantized):
        """A problem, or None."""
        np = self.np
        exact = self.exact(path)
        want = self.reference(exact, feeds)
        got = None
        try:
            for plan in self.plans(path):
                now = [self.run(plan, feed, len(row)) for feed, row in zip(feeds, want)]
                if got and any(
                    a.tobytes() != b.tobytes() for x, y in zip(now, got) for a, b in zip(x, y)
                ):
                    return f"other bytes with the {plan.stem} memory"
                got = got or now
        except pipeline.ToolError as error:
            return str(error)
        if quantized:
            theirs = self.reference(exact, feeds, True)
        for index in range(len(want[0])):
            rows = [[row[index].astype(np.float64) for row in rows] for rows in (want, got)]
            distance = max(np.abs(a - b).max() for a, b in zip(*rows))
            magnitude = max(np.abs(a).max() for a in rows[0])
            limit = FLOAT_TOLERANCE * magnitude
            if (
                want[0][index].dtype != np.float32
            ):  # indices of maxima: if two values are close, either is accepted
                different = np.mean([np.mean(a != b) for a, b in zip(*rows)])
                if different > (0.05 if quantized else 0.002):
                    return f"output {index}: {100 * different:.1f} % differ"
                continue
            if quantized:
                near = max(np.abs(row[index] - a).max() for row, a in zip(theirs, rows[0]))
                limit = max(
                    1.5 * near, STEPS * magnitude / 127 if quantized == "int8" else 2e-3 * magnitude
                )
            if not distance <= limit:
                return (
                    f"output {index} is off by {distance:.3g}, {limit:.3g} is allowed "
                    f"(magnitude {magnitude:.3g})"
                )
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("-v", action="store_true")
    parser.add_argument("--all", action="store_true", help="all variants of each model")
    parser.add_argument("--versions", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    np = pipeline.require_numpy()
    try:
        import onnx
        import onnx.version_converter
        import onnxruntime as ort
        import onnxruntime.quantization
    except ImportError as error:
        pipeline.skip(str(error))
    logging.disable(logging.WARNING)
    counts = {"passed": 0, "failed": 0}

    def report(name, problem):
        counts["failed" if problem else "passed"] += 1
        if problem or options.v:
            print(
                f"{'FAILED' if problem else 'passed'} {name}{': ' + problem if problem else ''}",
                flush=True,
            )

    with tempfile.TemporaryDirectory(prefix="tigris-strangers-") as scratch:
        bench = Bench(np, onnx, ort, pipeline.Tools(options.bin), pathlib.Path(scratch))
        path, target = bench.scratch / "model.onnx", bench.scratch / "quantized.onnx"
        for name, model in stranger_models.float_models():
            if options.names and name not in options.names:
                continue
            onnx.save(model, str(path))
            feed = draw(np, model, np.random.default_rng(len(name)))
            report(f"{name} float", bench.check(path, [feed], None))
        for number, (name, model) in enumerate(stranger_models.models()):
            if options.names and name not in options.names:
                continue
            rng = np.random.default_rng(number)
            feeds = [draw(np, model, rng) for _ in range(SAMPLES)]
            onnx.save(model, str(path))
            report(f"{name} float", bench.check(path, feeds[:2], None))
            for opset in OPSETS if options.versions else ():
                try:
                    converted = onnx.version_converter.convert_version(model, opset)
                    converted.ir_version = min(converted.ir_version, 10)
                    onnx.save(converted, str(target))
                    bench.reference(target, feeds[:1])
                except Exception:  # limits of the converter and of onnxruntime are not failures
                    continue
                report(f"{name} opset {opset}", bench.check(target, feeds[:1], None))
            for index, (variant, how) in enumerate(VARIANTS.items()):
                if not options.all and index != number % len(VARIANTS):
                    continue
                try:
                    samples = [list(feed.values()) for feed in feeds]
                    quantizer_variants.quantize(model, target, samples, how)
                    bench.reference(target, feeds[:1], True)
                except Exception as error:  # likewise
                    if options.v:
                        print(
                            f"not made: {name} {variant}: {str(error).splitlines()[0][:90]}",
                            flush=True,
                        )
                    continue
                report(
                    f"{name} {variant}",
                    bench.check(target, feeds, "int16" if variant == "int16" else "int8"),
                )
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
