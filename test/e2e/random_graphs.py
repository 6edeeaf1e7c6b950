"""Runs random models through the whole pipe and compares them with onnxruntime.

usage: random_graphs.py --bin DIR [--count N] [--seed N] [--qdq] [--keep DIR]

Float: the largest error is at most 1e-4 of the output's magnitude. With --qdq each model is
quantized by onnxruntime with random options first; outputs may then differ by QDQ_STEPS steps of
the output's scale (rounding differences of single operators add up over the layers). In both, the
plan must predict what the runtime counts, and inputs and outputs in the arena must give the same
bytes as in caller buffers, and so must small budgets, down to the smallest feasible one.

A model that a tool rejects as unsupported (exit 1) is a failure, because graph_maker.py uses only
supported operators. Skipped (exit 77) without onnx and onnxruntime. --keep saves failing models.
"""

import argparse
import logging
import pathlib
import shutil
import sys
import tempfile

import pipeline

FLOAT_TOLERANCE = 1e-4
QDQ_STEPS = 3


def run_reference(ort, model, feed):
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = ort.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    return session.run(None, feed)[0]


def quantize(np, onnx, model, target, seed, shape):
    """Writes a QDQ version with random options; returns the options."""
    from onnxruntime.quantization import (
        CalibrationDataReader,
        QuantFormat,
        QuantType,
        quant_pre_process,
        quantize_static,
    )

    class Reader(CalibrationDataReader):
        def __init__(self):
            rng = np.random.default_rng([seed, 3])
            self.feeds = iter([{"x": rng.normal(0, 1, shape).astype(np.float32)} for _ in range(8)])

        def get_next(self):
            return next(self.feeds, None)

    rng = np.random.default_rng([seed, 2])
    flip = lambda: bool(rng.random() < 0.5)
    source = model
    options = {
        "per_channel": flip(),
        "reduce_range": flip(),
        "symmetric": flip(),
        "uint8": flip(),
        "uint8_weights": False,
        "preprocess": flip(),
    }
    options["uint8_weights"] = options["uint8"] and not options["per_channel"] and flip()
    if options["preprocess"]:
        source = target.with_suffix(".pre.onnx")
        # onnxruntime's optimizer fuses some pads into poolings that onnxruntime then rejects.
        quant_pre_process(
            str(model),
            str(source),
            skip_optimization=any(
                node.op_type == "Pad" for node in onnx.load(str(model)).graph.node
            ),
        )
    quantize_static(
        str(source),
        str(target),
        Reader(),
        quant_format=QuantFormat.QDQ,
        activation_type=QuantType.QUInt8 if options["uint8"] else QuantType.QInt8,
        weight_type=QuantType.QUInt8 if options["uint8_weights"] else QuantType.QInt8,
        per_channel=options["per_channel"],
        reduce_range=options["reduce_range"],
        extra_options={"ActivationSymmetric": options["symmetric"]},
    )
    return options


def output_scale(onnx, model):
    """Scale of the DequantizeLinear that produces the output; None if the output is plain float."""
    graph = onnx.load(str(model)).graph
    constants = {c.name: onnx.numpy_helper.to_array(c) for c in graph.initializer}
    for node in graph.node:
        if graph.output[0].name in node.output and node.op_type == "DequantizeLinear":
            return float(constants[node.input[1]])
    return None


def run_one(np, onnx, ort, tools, seed, qdq, scratch):
    """Problems of one model, and a note on its error."""
    import graph_maker

    problems = []
    model = scratch / "model.onnx"
    proto = graph_maker.random_model(seed)
    onnx.save(proto, str(model))
    shape = [d.dim_value for d in proto.graph.input[0].type.tensor_type.shape.dim]
    feed = {"x": np.random.default_rng([seed, 4]).normal(0, 1, shape).astype(np.float32)}
    note = ""
    if qdq:
        quantized = scratch / "quantized.onnx"
        options = quantize(np, onnx, model, quantized, seed, shape)
        note = " ".join(name for name, on in options.items() if on) + " "
        model = quantized
    want = run_reference(ort, model, feed)
    np.save(scratch / "x.npy", feed["x"])
    outputs = []
    for name, options in (("caller", ["-m", "4M"]), ("arena", ["-m", "4M", "--io=arena"])):
        plan = tools.pipe(model, scratch / f"{name}.tgrs", options)
        stats = tools.run(plan, [scratch / "x.npy"], [scratch / f"{name}.npy"])
        problems += [f"{name}: {text}" for text in pipeline.prediction_errors(stats)]
        outputs.append((scratch / f"{name}.npy").read_bytes())
    if outputs[0] != outputs[1]:
        problems.append("inputs and outputs in the arena give other bytes")
    normalized = tools.call("norm", data=tools.call("import", model))
    peak = stats["fast_peak_bytes"]
    smallest = pipeline.smallest_budget(tools, normalized)
    for budget in {smallest, max(smallest, peak // 2), max(smallest, peak // 8)}:
        plan = scratch / "small.tgrs"
        planned = tools.call("plan", "-m", budget, "-m", "16M", data=normalized)
        tools.call("emit", "-o", plan, data=planned)
        stats = tools.run(plan, [scratch / "x.npy"], [scratch / "small.npy"])
        problems += [f"{budget} bytes: {text}" for text in pipeline.prediction_errors(stats)]
        if (scratch / "small.npy").read_bytes() != outputs[0]:
            problems.append(f"a budget of {budget} bytes gives other bytes")
    got = np.load(scratch / "caller.npy")
    if got.shape != want.shape:
        return problems + [f"shape {got.shape}, expected {want.shape}"], note
    error = float(np.abs(got.astype(np.float64) - want).max())
    magnitude = float(np.abs(want).max()) or 1.0
    scale = output_scale(onnx, model) if qdq else None
    if not qdq:
        note += f"{error / magnitude:.1e} of magnitude"
        if not error <= FLOAT_TOLERANCE * magnitude:
            problems.append(note)
    elif scale is not None:
        note += f"{error / scale:.2f} steps"
        if not error <= (QDQ_STEPS + 0.01) * scale:
            problems.append(note)
    else:
        note += f"{error / magnitude:.1e} of magnitude (float output)"
        if not error <= 0.05 * magnitude:
            problems.append(note)
    return problems, note


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1, help="of the first model")
    parser.add_argument("--qdq", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path, help="where failing models go")
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    np = pipeline.require_numpy()
    try:
        import onnx
        import onnxruntime as ort
    except ImportError as error:
        pipeline.skip(str(error))
    logging.disable(logging.WARNING)
    tools = pipeline.Tools(options.bin)
    failed = 0
    for seed in range(options.seed, options.seed + options.count):
        with tempfile.TemporaryDirectory(prefix="tigris-random-") as scratch:
            scratch = pathlib.Path(scratch)
            try:
                problems, note = run_one(np, onnx, ort, tools, seed, options.qdq, scratch)
            except pipeline.ToolError as error:
                problems, note = [str(error)], ""
            if options.v:
                print(f"seed {seed}: {note}")
            if problems:
                failed += 1
                print(f"FAILED seed {seed}: " + "\n    ".join(problems))
                if options.keep:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    name = "quantized.onnx" if options.qdq else "model.onnx"
                    shutil.copy(scratch / name, options.keep / f"{seed}.onnx")
                    shutil.copy(scratch / "x.npy", options.keep / f"{seed}.npy")
    print(f"{options.count - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
