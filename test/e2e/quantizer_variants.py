"""Compares models quantized by onnxruntime in all its styles with onnxruntime.

usage: quantizer_variants.py --bin DIR [-v] [case...]

The digits example (and, given a corpus, the cases named) is quantized with each set of options in
VARIANTS. Outputs of the plan are compared with those of onnxruntime without graph optimizations;
they may differ by as many steps of the output's scale as onnxruntime's own integer kernels (all
optimizations on) do, and by STEPS in any case. Models with four-bit weights, which the quantizer
does not generate for these operators, are built here. 16-bit activations have a separate tolerance.

Skipped (exit 77) without onnxruntime.
"""

import argparse
import contextlib
import io
import logging
import pathlib
import sys
import tempfile

import compare_quantizers
import pipeline

STEPS = {"digits": 1}
STEPS_ELSEWHERE = 6
QDQ, QOP = "QDQ", "QOperator"
VARIANTS = {
    "int8": {},
    "uint8": {"activation_type": "QUInt8", "weight_type": "QUInt8"},
    "uint8 activations": {"activation_type": "QUInt8"},
    "per channel": {"per_channel": True},
    "symmetric": {"extra_options": {"ActivationSymmetric": True}},
    "asymmetric weights": {"extra_options": {"WeightSymmetric": False}},
    "seven bits": {"reduce_range": True},
    "a Q/DQ pair per reader": {"extra_options": {"DedicatedQDQPair": True}},
    "Q/DQ around weights": {"extra_options": {"AddQDQPairToWeight": True}},
    "float biases": {"extra_options": {"QuantizeBias": False}},
    "convolutions only": {"op_types_to_quantize": ["Conv"]},
    "products only": {"op_types_to_quantize": ["Gemm", "MatMul"]},
    "contrib operators": {"extra_options": {"UseQDQContribOps": True}},
    "not pre-processed": {"preprocess": False},
    "int16 weights": {"weight_type": "QInt16"},
    "operators": {"quant_format": QOP},
    "operators, uint8": {"quant_format": QOP, "activation_type": "QUInt8", "weight_type": "QUInt8"},
    "operators, per channel": {"quant_format": QOP, "per_channel": True},
}
WIDE = {
    "int16 activations": {"activation_type": "QInt16"},
    "uint16 activations": {"activation_type": "QUInt16", "weight_type": "QUInt8"},
}
WIDE_TOLERANCE = (
    5e-4  # of the magnitude: one step, at most 1/65,535 of the range, in each of many layers
)


def quantize(source, target, calibration, options):
    from onnxruntime import quantization
    from onnxruntime.quantization import shape_inference
    import onnx

    options = {
        "quant_format": QDQ,
        "activation_type": "QInt8",
        "weight_type": "QInt8",
        "preprocess": True,
        **options,
    }
    initial = {tensor.name for tensor in source.graph.initializer}
    names = [port.name for port in source.graph.input if port.name not in initial]

    class Reader(quantization.CalibrationDataReader):
        def __init__(self):
            self.rows = iter(calibration)

        def get_next(self):
            row = next(self.rows, None)
            return None if row is None else dict(zip(names, row))

    path = target.with_suffix(".float.onnx")
    onnx.save(source, str(path))
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        if options.pop("preprocess"):
            prepared = target.with_suffix(".prepared.onnx")
            shape_inference.quant_pre_process(str(path), str(prepared), skip_symbolic_shape=True)
            path = prepared
        options["quant_format"] = getattr(quantization.QuantFormat, options["quant_format"])
        for key in ("activation_type", "weight_type"):
            options[key] = getattr(quantization.QuantType, options[key])
        quantization.quantize_static(str(path), str(target), Reader(), **options)


def int4_model(np, onnx, signed, per_channel):
    """A fully connected layer with packed four-bit weights."""
    from onnx import TensorProto, helper, numpy_helper

    rng = np.random.default_rng(5)
    kind = TensorProto.INT4 if signed else TensorProto.UINT4
    count = 5 if per_channel else 1
    scale = rng.uniform(0.05, 0.2, count).astype(np.float32) if per_channel else np.float32(0.1)
    values = rng.integers(*((-8, 8) if signed else (0, 16)), 60)
    constants = [
        helper.make_tensor("w", kind, [5, 12], values.tolist()),
        helper.make_tensor("wz", kind, list(np.shape(scale)), [0 if signed else 7] * count),
    ]
    for name, value in (
        ("ws", scale),
        ("xs", np.float32(0.02)),
        ("xz", np.int8(3)),
        ("ys", np.float32(0.05)),
        ("yz", np.int8(-5)),
        ("b", rng.normal(0, 1, 5).astype(np.float32)),
    ):
        constants.append(numpy_helper.from_array(np.asarray(value), name))
    axis = {"axis": 0} if per_channel else {}
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "xs", "xz"], ["xq"]),
        helper.make_node("DequantizeLinear", ["xq", "xs", "xz"], ["xr"]),
        helper.make_node("DequantizeLinear", ["w", "ws", "wz"], ["wr"], **axis),
        helper.make_node("Gemm", ["xr", "wr", "b"], ["g"], transB=1),
        helper.make_node("QuantizeLinear", ["g", "ys", "yz"], ["gq"]),
        helper.make_node("DequantizeLinear", ["gq", "ys", "yz"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "int4",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 12])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 5])],
        constants,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def output_scale(onnx, model):
    graph = onnx.load(str(model)).graph
    constants = {c.name: onnx.numpy_helper.to_array(c) for c in graph.initializer}
    for node in graph.node:
        if graph.output[0].name in node.output and node.op_type == "DequantizeLinear":
            return float(constants[node.input[1]])
    return None


def reference(ort, model, inputs, optimized):
    options = ort.SessionOptions()
    levels = ort.GraphOptimizationLevel
    options.graph_optimization_level = (
        levels.ORT_ENABLE_ALL if optimized else levels.ORT_DISABLE_ALL
    )
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    names = [port.name for port in session.get_inputs()]
    return [session.run(None, dict(zip(names, row)))[0] for row in inputs]


def tigris_outputs(np, tools, model, inputs, scratch):
    plan = tools.pipe(model, scratch / "model.tgrs", ["-m", "512M"])
    results = []
    for row in inputs:
        files = []
        for port, array in enumerate(row):
            files.append(scratch / f"in_{port}.npy")
            np.save(files[-1], array)
        tools.run(plan, files, [scratch / "out.npy"])
        results.append(np.load(scratch / "out.npy"))
    return results


def check(np, onnx, ort, tools, model, inputs, steps, scratch, twin=None):
    """(problem or None, note). A model of quantized operators runs on onnxruntime's integer kernels
    at any level of optimization; its `twin` with Q/DQ nodes shows how far those are from exact
    arithmetic.
    """
    want = reference(ort, model, inputs, False)
    try:
        got = tigris_outputs(np, tools, model, inputs, scratch)
    except pipeline.ToolError as error:
        return str(error), ""
    scale = output_scale(onnx, model)
    if scale is None:  # the last operators are float
        scale = 1e-4 * max(float(np.abs(w).max()) for w in want)
    distance = lambda results, exact: np.concatenate(
        [np.abs(a.astype(np.float64) - b).ravel() / scale for a, b in zip(results, exact)]
    )
    ours = distance(got, want)
    theirs = distance(
        reference(ort, twin or model, inputs, True),
        reference(ort, twin, inputs, False) if twin else want,
    )
    histogram = np.bincount(np.minimum(np.rint(ours).astype(int), 9), minlength=2).tolist()
    note = (
        f"{ours.max():.1f} steps (onnxruntime's own kernels {theirs.max():.1f}), "
        f"histogram {histogram}"
    )
    return (note if ours.max() > max(steps, theirs.max()) + 0.01 else None), note


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("-v", action="store_true")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    np = pipeline.require_numpy()
    try:
        import onnx
        import onnxruntime as ort
        import onnxruntime.quantization
    except ImportError as error:
        pipeline.skip(str(error))
    logging.disable(logging.WARNING)
    tools = pipeline.Tools(options.bin)
    counts = {"passed": 0, "failed": 0}

    def report(name, problem, note):
        counts["failed" if problem else "passed"] += 1
        if problem or options.v:
            print(f"{'FAILED' if problem else 'passed'} {name}: {problem or note}", flush=True)

    with tempfile.TemporaryDirectory(prefix="tigris-variants-") as scratch:
        scratch = pathlib.Path(scratch)
        model = scratch / "quantized.onnx"
        for case, path, calibration, inputs in compare_quantizers.float_cases(
            np, ["digits", *options.cases], 4
        ):
            source = onnx.load(str(path))
            for variant, how in VARIANTS.items():
                quantize(source, model, calibration, how)
                steps = STEPS.get(case, STEPS_ELSEWHERE)
                twin = scratch / "twin.onnx" if how.get("quant_format") == QOP else None
                if twin:
                    quantize(source, twin, calibration, {**how, "quant_format": QDQ})
                report(
                    f"{case}, {variant}",
                    *check(np, onnx, ort, tools, model, inputs, steps, scratch, twin),
                )
            for variant, how in WIDE.items():
                quantize(source, model, calibration, how)
                want = reference(ort, model, inputs, False)
                got = tigris_outputs(np, tools, model, inputs, scratch)
                error = max(float(np.abs(a - b).max()) for a, b in zip(got, want)) / max(
                    float(np.abs(b).max()) for b in want
                )
                note = f"{error:.1e} of magnitude"
                report(f"{case}, {variant}", note if error > WIDE_TOLERANCE else None, note)
        inputs = [[np.random.default_rng(6).normal(0, 1, (1, 12)).astype(np.float32)]]
        for signed in (True, False):
            for per_channel in (True, False):
                onnx.save(int4_model(np, onnx, signed, per_channel), str(model))
                report(
                    f"{'' if signed else 'u'}int4 weights" + ", per channel" * per_channel,
                    *check(np, onnx, ort, tools, model, inputs, 1, scratch),
                )
    print(f"{counts['passed']} passed, {counts['failed']} failed, 0 skipped")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
