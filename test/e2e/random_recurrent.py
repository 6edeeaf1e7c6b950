"""Runs random recurrent layers through the whole pipe and compares them with onnxruntime.

usage: random_recurrent.py --bin DIR [--count N] [--seed N]

LSTM, GRU and RNN of random sizes: directions, initial states, peepholes, clipping, with and without
bias, any subset of the results. The largest error is at most 1e-5, and the runtime must count what
the plan predicts. In half of the fast memory, layers are cut, and give the same bytes. Skipped
(exit 77) without onnx and onnxruntime.
"""

import argparse
import pathlib
import sys
import tempfile

import pipeline

TOLERANCE = 1e-5
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


def random_layer(np, onnx, rng):
    """A model of one layer and its inputs."""
    helper = onnx.helper
    kind = str(rng.choice(list(GATES)))
    steps, batch, width, hidden = (int(rng.integers(1, most)) for most in (41, 4, 7, 7))
    direction = str(rng.choice(["forward", "reverse", "bidirectional"]))
    directions = 2 if direction == "bidirectional" else 1
    draw = lambda *shape: rng.normal(0, 0.6, shape).astype(np.float32)
    rows = GATES[kind] * hidden
    constants = {"w": draw(directions, rows, width), "r": draw(directions, rows, hidden)}
    feeds = {"x": draw(steps, batch, width)}
    operands = ["x", "w", "r", "", "", "", "", ""]
    if rng.random() < 0.7:
        constants["b"] = draw(directions, 2 * rows)
        operands[3] = "b"
    if rng.random() < 0.5:
        feeds["h"] = draw(directions, batch, hidden)
        operands[5] = "h"
    if kind == "LSTM" and rng.random() < 0.5:
        feeds["c"] = draw(directions, batch, hidden)
        operands[6] = "c"
    if kind == "LSTM" and rng.random() < 0.3:
        constants["p"] = draw(directions, 3 * hidden)
        operands[7] = "p"
    while not operands[-1]:
        operands.pop()
    attributes = {"hidden_size": hidden, "direction": direction}
    if kind == "GRU":
        attributes["linear_before_reset"] = int(rng.integers(2))
    if rng.random() < 0.3:
        attributes["clip"] = 0.5
    state = [directions, batch, hidden]
    shapes = {"all": [steps, *state], "last": state, "cell": state}
    names = list(shapes)[: 3 if kind == "LSTM" else 2]
    kept = [name if rng.random() < 0.6 else "" for name in names]
    if not any(kept):
        kept[1] = "last"
    value = lambda name, shape: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
    graph = helper.make_graph(
        [helper.make_node(kind, operands, kept, **attributes)],
        kind,
        [value(name, list(array.shape)) for name, array in feeds.items()],
        [value(name, shapes[name]) for name in kept if name],
        [onnx.numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    return model, feeds


def cut_errors(tools, scratch, inputs, outputs):
    """What differs if the layer is cut to fit half of the fast memory; and whether it was cut."""
    first = [path.read_bytes() for path in outputs]
    problems = []
    stats = {}
    for half in [1 << 20, None]:
        budget = ["-m", str(half or stats["fast_peak_bytes"] // 2), "-m", "4M", "--io=slow"]
        plan = tools.pipe(scratch / "model.onnx", scratch / "cut.tgrs", budget)
        stats = tools.run(plan, inputs, outputs)
        problems += pipeline.prediction_errors(stats)
        if [path.read_bytes() for path in outputs] != first:
            problems.append(f"the outputs differ with {budget}")
    return problems, tools.dump(plan)["tiled_stages"] != 0


def problems_of(np, onnx, ort, tools, seed, scratch):
    model, feeds = random_layer(np, onnx, np.random.default_rng(seed))
    want = ort.InferenceSession(model.SerializeToString()).run(None, feeds)
    onnx.save(model, str(scratch / "model.onnx"))
    plan = tools.pipe(scratch / "model.onnx", scratch / "model.tgrs", ["-m", "4M"])
    inputs, outputs = [], [scratch / f"output_{i}.npy" for i in range(len(want))]
    for name, array in feeds.items():
        inputs.append(scratch / f"{name}.npy")
        np.save(inputs[-1], array)
    problems = pipeline.prediction_errors(tools.run(plan, inputs, outputs))
    for index, reference in enumerate(want):
        got = np.load(outputs[index])
        if got.shape != reference.shape:
            problems.append(f"output {index} is {got.shape}, expected {reference.shape}")
        elif not float(np.abs(got - reference).max()) <= TOLERANCE:
            problems.append(f"output {index} differs by {np.abs(got - reference).max():g}")
    more, is_cut = cut_errors(tools, scratch, inputs, outputs)
    return problems + more, is_cut


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1, help="of the first layer")
    options = parser.parse_args()
    np = pipeline.require_numpy()
    try:
        import onnx
        import onnx.numpy_helper
        import onnxruntime as ort
    except ImportError as error:
        pipeline.skip(str(error))
    tools = pipeline.Tools(options.bin)
    failed = cuts = 0
    for seed in range(options.seed, options.seed + options.count):
        with tempfile.TemporaryDirectory(prefix="tigris-recurrent-") as scratch:
            try:
                problems, is_cut = problems_of(np, onnx, ort, tools, seed, pathlib.Path(scratch))
                cuts += is_cut
            except pipeline.ToolError as error:
                problems = [str(error)]
        if problems:
            failed += 1
            print(f"FAILED seed {seed}: " + "\n    ".join(problems))
    print(f"{options.count - failed} passed, {failed} failed, 0 skipped; {cuts} cut")
    if 2 * cuts < options.count:
        print("FAILED: fewer than half of the layers were cut")
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
