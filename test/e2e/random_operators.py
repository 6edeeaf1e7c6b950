"""Runs every operator of Ops.def in every type through the whole pipe and compares it with
onnxruntime.

usage: random_operators.py --bin DIR [--rounds N] [--seed N] [--qdq] [--wide] [--keep DIR] [-v]
               [KIND...]

A round tries every pair of an operator and a type once, several to a model. Float: the largest
error is at most 1e-4 of an output's magnitude; integers and bools are equal. With --qdq every
operator is between Q/DQ pairs, and a quantized output may differ by one step, or by the number in
STEPS; --wide likewise with 16-bit activations. In all, the plan must predict what the runtime
counts, and all budgets down to the smallest feasible one must give the same bytes.

Also fails if an operator of Ops.def, or one of its types, does not occur in the graphs that the
tools produced. The reference is onnxruntime, or the reference implementation of onnx if onnxruntime
has no kernel. Skipped (exit 77) without them.
"""

import argparse
import pathlib
import re
import shutil
import sys
import tempfile

import pipeline

FLOAT_TOLERANCE = 1e-4
QUANTIZED = ("s8", "s16")
# Number of steps of the output's scale by which two correct implementations may differ, if it is
# more than one. Here there are two successive roundings, the first to a coarser scale.
STEPS = {"DequantizeLinear": 3}


def run_onnxruntime(model, feed):
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    names = [port.name for port in model.graph.output]
    return ort.InferenceSession(model.SerializeToString(), options).run(names, feed)


def run_node(node, opset, values):
    """Results of one operator, by onnx's reference implementation where onnxruntime has no
    kernel."""
    import onnx
    from onnx.reference import ReferenceEvaluator

    constants = [
        onnx.numpy_helper.from_array(values[name], name)
        for name in dict.fromkeys(node.input)
        if name
    ]
    graph = onnx.helper.make_graph(
        [node], "node", [], [onnx.ValueInfoProto(name=n) for n in node.output], constants
    )
    model = onnx.helper.make_model(
        graph,
        opset_imports=[
            onnx.helper.make_opsetid("", opset),
            onnx.helper.make_opsetid("com.microsoft", 1),
        ],
        ir_version=10,
    )
    if not node.domain:
        model = onnx.shape_inference.infer_shapes(model, strict_mode=True)
    try:
        return run_onnxruntime(model, {})
    except Exception:  # of various classes; if the model is wrong, the reference fails, too
        return ReferenceEvaluator(model).run(None, {})


def run_reference(model, feed):
    """Outputs by onnxruntime; operator by operator if it rejects the model."""
    import numpy as np
    import onnx

    try:
        return run_onnxruntime(model, feed)
    except Exception:  # likewise
        values = dict(feed) | {
            c.name: onnx.numpy_helper.to_array(c) for c in model.graph.initializer
        }
    for node in model.graph.node:
        results = run_node(node, model.opset_import[0].version, values)
        values |= {name: np.asarray(result) for name, result in zip(node.output, results)}
    return [values[port.name] for port in model.graph.output]


def groups_of(np, pairs, seed, most=4):
    """The pairs in random order, in groups of at most `most` results."""
    order = list(np.random.default_rng([seed, 5]).permutation(len(pairs)))
    groups, room = [], 0
    for index in order:
        size = 2 if pairs[index][0] in ("Split", "TopK") else 1
        if size > room:
            groups.append([])
            room = most
        groups[-1].append(pairs[index])
        room -= size
    return groups


def seen_in(stream):
    """(kind, type of its first operand or, of Where, its result) of every op in a stream."""
    text = stream.decode()
    types = dict(re.findall(r"^  - \{name: (\S+), type: (\w+)", text, re.MULTILINE))
    families = {
        "float32": "f32",
        "int8": "s8",
        "int16": "s16",
        "int32": "int",
        "int64": "int",
        "bool": "bool",
    }
    result = set()
    for kind, rest in re.findall(r"^  - \{op: (\w+), (.*)", text, re.MULTILINE):
        operands = re.search(r"in: \[([^\]]*)\]", rest)
        results = re.search(r"out: \[([^\]]*)\]", rest).group(1).split(", ")
        first = operands.group(1).split(", ")[0] if operands and operands.group(1) else results[0]
        name = results[0] if kind == "Where" else first
        result.add((kind, families.get(types.get(name), "other")))
    return result


def compare(np, got, want, kind, scale):
    """None, or what is wrong with an output."""
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype} {got.shape}, expected {want.dtype} {want.shape}"
    if got.dtype.kind != "f":
        worst = int(np.abs(got.astype(np.int64) - want.astype(np.int64)).max())
        allowed = 1 if got.dtype.itemsize <= 2 and got.dtype.kind != "b" else 0
        return f"differs by {worst}" if worst > allowed else None
    if not np.array_equal(np.isfinite(got), np.isfinite(want)):
        return "infinities or NaN elsewhere"
    error = np.abs(got.astype(np.float64) - want)
    worst = float(np.nanmax(np.where(np.isfinite(want), error, 0)))
    if scale is not None:
        steps = worst / float(scale)
        return f"{steps:.2f} steps" if steps > STEPS.get(kind, 1) + 0.01 else None
    magnitude = float(np.abs(want[np.isfinite(want)]).max(initial=0)) or 1.0
    return f"{worst / magnitude:.1e} of magnitude" if worst > FLOAT_TOLERANCE * magnitude else None


def run_one(np, onnx, tools, seed, wanted, quantized, scratch, seen):
    """Problems of one model."""
    import operator_maker
    import qdq_maker

    model = operator_maker.operator_model(seed, wanted, quantized is not None)
    makers = {name: node.op_type for node in model.graph.node for name in node.output}
    feed = operator_maker.samples(model, seed)[0]
    scales = {}
    if quantized:
        kept = np.random.default_rng([seed, 6])
        exact = {
            kind for kind, _, types in operator_maker.listed_operators() if quantized not in types
        }
        scales = qdq_maker.add_qdq(
            model,
            run_reference,
            feed,
            seed,
            lambda node: node.op_type in exact and kept.random() < 0.5,
            quantized == "s16",
        )
    path = scratch / "model.onnx"
    onnx.save(model, str(path))
    imported = tools.call("import", path)
    normalized = tools.call("norm", data=imported)
    seen |= {(kind, family, True) for kind, family in seen_in(normalized)}
    seen |= {(kind, family, False) for kind, family in seen_in(imported)}
    want = run_reference(model, feed)
    inputs, outputs = [], [scratch / f"output_{i}.npy" for i in range(len(want))]
    for port in model.graph.input:
        inputs.append(scratch / f"{port.name}.npy")
        np.save(inputs[-1], feed[port.name])
    problems, first, plan = [], None, scratch / "plan.tgrs"
    smallest = pipeline.smallest_budget(tools, normalized)
    peak = None
    for place in ("all", "half", "smallest"):
        budget = {"all": 1 << 22, "half": (smallest + (peak or 1)) // 2, "smallest": smallest}[
            place
        ]
        tools.call(
            "emit", "-o", plan, data=tools.call("plan", "-m", budget, "-m", "16M", data=normalized)
        )
        stats = tools.run(plan, inputs, outputs)
        peak = peak or stats["fast_peak_bytes"]
        problems += [f"{budget} bytes: {text}" for text in pipeline.prediction_errors(stats)]
        made = [output.read_bytes() for output in outputs]
        if (first or made) != made:
            problems.append(f"a budget of {budget} bytes gives other bytes")
        first = first or made
    for port, output, reference in zip(model.graph.output, outputs, want):
        kind = makers[port.name]
        problem = compare(np, np.load(output), np.asarray(reference), kind, scales.get(port.name))
        if problem:
            problems.append(f"{port.name} ({kind}): {problem}")
    return problems


def missing(seen, quantized, tried):
    """Operators and types of Ops.def that no graph had."""
    import operator_maker

    normalized = {kind for kind, _, late in seen if late}
    lines = []
    for kind, category, types in operator_maker.listed_operators():
        if kind not in tried:
            continue
        if not any(kind == k for k, _, _ in seen):
            lines.append(f"{kind} has not been made")
            continue
        for family in types if category != "Compile" and kind in normalized else []:
            if family != quantized if quantized else family in QUANTIZED:
                continue
            if (kind, family) not in operator_maker.NOT_TRIED and (kind, family, True) not in seen:
                lines.append(f"{kind} of {family} has not been made")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1, help="of the first round")
    parser.add_argument("--qdq", dest="quantized", action="store_const", const="s8")
    parser.add_argument("--wide", dest="quantized", action="store_const", const="s16")
    parser.add_argument("--keep", type=pathlib.Path, help="where failing models go")
    parser.add_argument("-v", action="store_true")
    parser.add_argument("kinds", nargs="*")
    options = parser.parse_args()
    np = pipeline.require_numpy()
    try:
        import onnx
        import onnxruntime  # noqa: F401
    except ImportError as error:
        pipeline.skip(str(error))
    import operator_maker

    tools = pipeline.Tools(options.bin)
    # A quantized model computes operators without an int8 form in float.
    families = (
        lambda types: [t for t in types if t not in QUANTIZED]
        if not options.quantized
        else [t for t in types if t == options.quantized] or [t for t in types if t == "f32"]
    )
    pairs = [
        (kind, family)
        for kind, _, types in operator_maker.listed_operators()
        for family in families(types)
        if not options.kinds or kind in options.kinds
        if (kind, family) not in operator_maker.NOT_TRIED
    ]
    seen, failed, count = set(), 0, 0
    for round_seed in range(options.seed, options.seed + options.rounds):
        for index, wanted in enumerate(groups_of(np, pairs, round_seed)):
            seed, count = round_seed * 1000 + index, count + 1
            with tempfile.TemporaryDirectory(prefix="tigris-operators-") as scratch:
                scratch = pathlib.Path(scratch)
                try:
                    problems = run_one(
                        np, onnx, tools, seed, wanted, options.quantized, scratch, seen
                    )
                except pipeline.ToolError as error:
                    problems = [str(error)]
                text = ", ".join(f"{kind} {family}" for kind, family in wanted)
                if options.v:
                    print(f"{seed}: {text}")
                if problems:
                    failed += 1
                    print(f"FAILED {seed}: {text}\n    " + "\n    ".join(problems), flush=True)
                    if options.keep:
                        shutil.copytree(scratch, options.keep / str(seed), dirs_exist_ok=True)
    lines = missing(seen, options.quantized, {kind for kind, _ in pairs})
    print("\n".join(lines))
    print(f"{count - failed} passed, {failed} failed, 0 skipped; {len(pairs)} operators and types")
    return 1 if failed or lines else 0


if __name__ == "__main__":
    sys.exit(main())
