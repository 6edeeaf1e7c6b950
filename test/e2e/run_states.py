"""Compares streaming models, whose state the runtime keeps, with the layer over the whole sequence.

usage: run_states.py --bin DIR [--count N] [--seed N]

onnxruntime computes a GRU or LSTM over the whole sequence at once. The model tested computes a
single step, its states bound with --state; tigris-run --sequence runs it step by step in caller
buffers, in slow memory and in the smallest budget. Some models decompose the cell into operators.
Some keep images with channels as states (stored in another axis order) and average them. Some are
quantized with different scales at the two ends of a state; these are compared with onnxruntime, run
step by step. Skipped (exit 77) without onnx and onnxruntime.
"""

import argparse
import pathlib
import sys
import tempfile

import pipeline

TOLERANCE = 2e-5


def value(onnx, name, shape):
    return onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)


def model_of(onnx, nodes, inputs, outputs, constants):
    graph = onnx.helper.make_graph(
        nodes,
        "cell",
        [value(onnx, *item) for item in inputs],
        [value(onnx, *item) for item in outputs],
        [onnx.numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    return onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8
    )


def layer(np, onnx, rng, kind):
    """(step model, states, sequence, wanted): a cell, and the results of the layer for the whole
    sequence."""
    import onnxruntime as ort

    steps, width, hidden = (int(rng.integers(2, most)) for most in (12, 9, 9))
    gates = {"GRU": 3, "LSTM": 4}[kind]
    draw = lambda *shape: rng.normal(0, 0.6, shape).astype(np.float32)
    constants = {
        "w": draw(1, gates * hidden, width),
        "r": draw(1, gates * hidden, hidden),
        "b": draw(1, 2 * gates * hidden),
    }
    state = [1, 1, hidden]
    names = ["h"] + (["c"] if kind == "LSTM" else [])
    results = [f"{n}_next" for n in names]
    node = onnx.helper.make_node(
        kind, ["x", "w", "r", "b", "", *names], ["y", *results], hidden_size=hidden
    )
    step = model_of(
        onnx,
        [node],
        [("x", [1, 1, width]), *[(n, state) for n in names]],
        [("y", [1, 1, 1, hidden]), *[(n, state) for n in results]],
        constants,
    )
    x = draw(steps, 1, width)
    whole = onnx.helper.make_node(kind, ["x", "w", "r", "b"], ["y"], hidden_size=hidden)
    reference = model_of(
        onnx, [whole], [("x", [steps, 1, width])], [("y", [steps, 1, 1, hidden])], constants
    )
    want = ort.InferenceSession(reference.SerializeToString()).run(None, {"x": x})[0]
    return step, list(zip(names, results)), {"x": x[:, None]}, want[:, None]


def images(np, onnx, rng):
    """A running average of convolved images: the state has four axes and a second reader."""
    c, size, steps = int(rng.integers(2, 6)), int(rng.integers(4, 9)), int(rng.integers(2, 6))
    draw = lambda *shape: rng.normal(0, 0.4, shape).astype(np.float32)
    make = onnx.helper.make_node
    shape = [1, c, size, size]
    nodes = [
        make("Conv", ["x", "w"], ["f"], pads=[1, 1, 1, 1]),
        make("Mul", ["h", "keep"], ["k"]),
        make("Add", ["k", "f"], ["h_next"]),
        make("Conv", ["h_next", "v"], ["g"], pads=[1, 1, 1, 1]),
        make("Add", ["g", "h"], ["y"]),
    ]
    constants = {"w": draw(c, 3, 3, 3), "v": draw(c, c, 3, 3), "keep": np.float32(0.5).reshape(1)}
    step = model_of(
        onnx,
        nodes,
        [("x", [1, 3, size, size]), ("h", shape)],
        [("y", shape), ("h_next", shape)],
        constants,
    )
    return step, [("h", "h_next")], {"x": draw(steps, 1, 3, size, size)}, None


def quantized(np, onnx, rng, step, states, sequence):
    """The step with Q/DQ around every operator; the two ends of a state have separate scales."""
    import qdq_maker
    from random_operators import run_onnxruntime

    shapes = {i.name: [d.dim_value for d in i.type.tensor_type.shape.dim] for i in step.graph.input}
    feed = {name: rng.normal(0, 1, shape).astype(np.float32) for name, shape in shapes.items()}
    for index, node in enumerate(step.graph.node):
        node.name = f"n{index}"
    qdq_maker.add_qdq(step, run_onnxruntime, feed, int(rng.integers(1000)), lambda node: False)
    return step


def step_by_step(np, step, states, sequence):
    """The outputs by onnxruntime, stacked, with states handed on from run to run."""
    from random_operators import run_onnxruntime

    names = [port.name for port in step.graph.output]
    held = {
        i.name: np.zeros([d.dim_value for d in i.type.tensor_type.shape.dim], np.float32)
        for i in step.graph.input
        if i.name in dict(states)
    }
    rows = []
    for index in range(len(next(iter(sequence.values())))):
        results = dict(
            zip(names, run_onnxruntime(step, held | {n: a[index] for n, a in sequence.items()}))
        )
        held = {name: results[result] for name, result in states}
        rows.append([results[name] for name in names])
    return [np.stack(column) for column in zip(*rows)]


def problems_of(np, onnx, tools, seed, scratch):
    rng = np.random.default_rng(seed)
    kind = ["GRU", "LSTM", "images", "quantized"][seed % 4]
    step, states, sequence, want = (
        layer(np, onnx, rng, kind) if kind in ("GRU", "LSTM") else images(np, onnx, rng)
    )
    if kind == "quantized":
        step = quantized(np, onnx, rng, step, states, sequence)
    reference = step_by_step(np, step, states, sequence)
    tolerance = TOLERANCE * max(1, float(np.abs(reference[0]).max()))
    if kind == "quantized":  # rounding errors of a step propagate to the next ones
        tolerance = 0.05 * float(np.abs(reference[0]).max())
    elif want is not None and float(np.abs(reference[0] - want).max()) > tolerance:
        return ["onnxruntime itself gives other values step by step"]
    onnx.save(step, str(scratch / "model.onnx"))
    np.save(scratch / "x.npy", sequence["x"])
    bound = [option for pair in states for option in ("--state", "=".join(pair))]
    normalized = tools.call("norm", data=tools.call("import", scratch / "model.onnx", *bound))
    problems, first = [], None
    smallest = pipeline.smallest_budget(tools, normalized)
    outputs = [scratch / f"output_{i}.npy" for i in range(len(reference))]
    for memory in (["-m", "1M"], ["-m", "1M", "-m", "1M"], ["-m", smallest, "-m", "1M"]):
        planned = tools.call("plan", *memory, data=normalized)
        tools.call("emit", "-o", scratch / "model.tgrs", data=planned)
        stats = tools.run(
            scratch / "model.tgrs", [scratch / "x.npy"], outputs, "--sequence", "--repeat", "2"
        )
        problems += pipeline.prediction_errors(stats)
        problems += pipeline.dynamic_errors(
            tools, scratch / "model.tgrs", stats, [scratch / "x.npy"], outputs, ["--sequence"]
        )
        got = [np.load(output) for output in outputs]
        compared = (
            1 if kind == "quantized" else len(got)
        )  # a state is given in its input's quantization
        for array, wanted in zip(got[:compared], reference):
            if array.shape != wanted.shape or not float(np.abs(array - wanted).max()) <= tolerance:
                problems.append(
                    f"{memory}: {array.shape} differs by {np.abs(array - wanted).max():g}"
                )
        if first and any((a != b).any() for a, b in zip(first, got)):
            problems.append(f"{memory}: other bytes")
        first = first or got
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--count", type=int, default=24)
    parser.add_argument("--seed", type=int, default=0, help="of the first model")
    options = parser.parse_args()
    np = pipeline.require_numpy()
    try:
        import onnx
        import onnx.numpy_helper
        import onnxruntime  # noqa: F401
    except ImportError as error:
        pipeline.skip(str(error))
    tools = pipeline.Tools(options.bin)
    failed = 0
    for seed in range(options.seed, options.seed + options.count):
        with tempfile.TemporaryDirectory(prefix="tigris-states-") as scratch:
            try:
                problems = problems_of(np, onnx, tools, seed, pathlib.Path(scratch))
            except pipeline.ToolError as error:
                problems = [str(error)]
        if problems:
            failed += 1
            print(f"FAILED seed {seed}: " + "\n    ".join(problems))
    print(f"{options.count - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
