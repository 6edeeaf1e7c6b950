"""Runs the operator tests of the onnx package through the whole pipe.

usage: run_node_tests.py --bin DIR [--report FILE] [-v] [PATTERN...]

In these models of one node all operands are inputs, including those that TiGrIS must know at
compile time: weights, axes, shapes. A model that is refused is tried again with these inputs as
constants.

Every test ends as one of
  passed    the outputs are those of the test, within the tolerance of onnx's own runner, or those
            of onnxruntime if it disagrees with the test;
  refused   tigris-import or tigris-norm reports that the model is unsupported;
  excluded  refused, and node_tests.txt names it with the reason; or other values, and a line there
            that begins with `!` says why those are right;
  WRONG     everything else: other values, shapes or types, a crash, a refusal that comes late.
Refused tests fail the run if the operator is in Ops.def (`tigris-import --print-ops=names`),
because node_tests.txt must then state the reason. Lines of node_tests.txt that no test needs also
fail the run.

Skipped (exit 77) without onnx, its test data and onnxruntime.
"""

import argparse
import collections
import fnmatch
import json
import pathlib
import sys
import tempfile

import pipeline

RELATIVE, ABSOLUTE = 1e-3, 1e-5
HALF_RELATIVE = 4e-3
# A limit of the runtime's build, which only tigris-emit checks.
TOO_MANY = "TIGRIS_MAX_OPERANDS"
EXCLUSIONS = pathlib.Path(__file__).resolve().parent / "node_tests.txt"


def read_exclusions():
    """{pattern: reason} of the lines `pattern: reason`; `#` begins a comment."""
    result = {}
    for line in EXCLUSIONS.read_text().splitlines():
        if line and not line.startswith("#"):
            pattern, reason = line.split(":", 1)
            result[pattern.strip()] = reason.strip()
    return result


def load_tensors(onnx, directory, kind, protos):
    """The arrays of a data set; None when one is a sequence, a map or absent."""
    arrays = []
    for index, info in enumerate(protos):
        path = directory / f"{kind}_{index}.pb"
        if not info.type.HasField("tensor_type") or not path.exists():
            return None
        tensor = onnx.TensorProto()
        tensor.ParseFromString(path.read_bytes())
        array = onnx.numpy_helper.to_array(tensor)
        if array.dtype.kind not in "fiub":  # text, and types that numpy does not have
            return None
        arrays.append(array)
    return arrays


def variants(np, onnx, model, arrays):
    """(name, model, inputs): the model unchanged, and with those inputs as constants that are
    rarely computed."""
    yield "as is", model, list(range(len(arrays)))
    names = [value.name for value in model.graph.input]
    types = [array.dtype for array in arrays]
    floats = [i for i, dtype in enumerate(types) if dtype.kind == "f"]
    choices = [[0], floats[:1], floats, [i for i in range(len(arrays)) if i < 2]]
    choices += [[i] for i in range(1, len(arrays))]
    seen = [list(range(len(arrays)))]
    for kept in choices:
        if not kept or kept in seen:
            continue
        seen.append(kept)
        baked = onnx.ModelProto()
        baked.CopyFrom(model)
        del baked.graph.input[:]
        baked.graph.input.extend(model.graph.input[i] for i in kept)
        for i, name in enumerate(names):
            if i not in kept:
                baked.graph.initializer.append(onnx.numpy_helper.from_array(arrays[i], name))
        yield f"inputs {kept}", baked, kept


def run_variant(np, onnx, tools, scratch, model, inputs, outputs):
    """None if the model is refused, otherwise a list of problems."""
    onnx.save(model, str(scratch / "model.onnx"))
    inputs = [array for array in inputs if array.size]  # the plan has no others
    try:
        imported = tools.call("import", scratch / "model.onnx")
        normalized = tools.call("norm", data=imported)
    except pipeline.ToolError as error:
        if error.code == 1:
            return None, error.text
        return [f"exit code {error.code}: {error.text.strip()}"], ""
    try:
        planned = tools.call("plan", "-m", "16M", data=normalized)
        (scratch / "planned.yaml").write_bytes(planned)
        tools.call("emit", scratch / "planned.yaml", "-o", scratch / "model.tgrs")
        for index, array in enumerate(inputs):
            # doubles and bfloat16 are float32 at the interface
            dtype = (
                np.float32 if array.dtype.kind == "f" and array.dtype != np.float16 else array.dtype
            )
            np.save(
                scratch / f"input_{index}.npy",
                np.ascontiguousarray(array, dtype).reshape(array.shape),
            )
        files = [scratch / f"output_{index}.npy" for index in range(len(outputs))]
        stats = tools.run(
            scratch / "model.tgrs", [scratch / f"input_{i}.npy" for i in range(len(inputs))], files
        )
    except pipeline.ToolError as error:
        if TOO_MANY in error.text:
            return None, error.text
        return [f"after tigris-norm: {error}"], ""
    problems = pipeline.prediction_errors(stats)
    for index, want in enumerate(outputs):
        got = np.load(files[index])
        if got.shape != want.shape or (got.dtype != want.dtype and want.dtype.kind != "f"):
            problems.append(
                f"output {index} is {got.dtype} {got.shape}, " f"expected {want.dtype} {want.shape}"
            )
        elif not agrees(np, got, want):
            worst = np.abs(got.astype(np.float64) - want.astype(np.float64)).max()
            problems.append(f"output {index} differs by {worst:g}")
    if problems and agrees_with_onnxruntime(np, model, inputs, files):
        problems = []
    return problems, ""


def agrees(np, got, want):
    relative = HALF_RELATIVE if got.dtype == np.float16 else RELATIVE
    return got.shape == want.shape and np.allclose(
        got.astype(np.float64),
        want.astype(np.float64),
        rtol=relative,
        atol=ABSOLUTE,
        equal_nan=True,
    )


def agrees_with_onnxruntime(np, model, inputs, files):
    """Whether onnxruntime runs the model and gives our results."""
    try:
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.log_severity_level = 4
        session = ort.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        names = [value.name for value in session.get_inputs()]
        outputs = session.run(None, dict(zip(names, inputs)))
    except Exception:  # anything that it does not support
        return False
    return all(agrees(np, np.load(path), want) for path, want in zip(files, outputs))


def run_test(np, onnx, tools, directory, scratch):
    """(status, text)"""
    model = onnx.load(str(directory / "model.onnx"))
    data = directory / "test_data_set_0"
    inputs = load_tensors(onnx, data, "input", model.graph.input)
    outputs = load_tensors(onnx, data, "output", model.graph.output)
    if inputs is None or outputs is None or not inputs:
        return "skipped", "sequences, optional values, types numpy does not have, or no inputs"
    last = None
    for name, variant, kept in variants(np, onnx, model, inputs):
        problems, refusal = run_variant(
            np, onnx, tools, scratch, variant, [inputs[i] for i in kept], outputs
        )
        if problems is None:
            last = next((l for l in refusal.splitlines() if "error: " in l), refusal)
            continue
        if problems:
            return "WRONG", f"{name}: " + "; ".join(problems)
        return "passed", name
    return "refused", last.split("error: ")[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--report", type=pathlib.Path, help="writes one JSON object per test")
    parser.add_argument(
        "--part", default="0/1", metavar="I/N", help="every N-th test from the I-th"
    )
    parser.add_argument("-v", action="store_true")
    parser.add_argument("patterns", nargs="*", help="of test names; default: all")
    options = parser.parse_args()
    np = pipeline.require_numpy()
    try:
        import onnx
        import onnx.numpy_helper
        import onnx.backend.test as backend_test
        import onnxruntime  # noqa: F401, agrees_with_onnxruntime wants it
    except ImportError as error:
        pipeline.skip(str(error))
    root = pathlib.Path(backend_test.__file__).parent / "data" / "node"
    if not root.is_dir():
        pipeline.skip("the onnx package has no test data")
    tools = pipeline.Tools(options.bin)
    known = set(tools.call("import", "--print-ops=names").decode().split())
    exclusions = read_exclusions()
    part, parts = map(int, options.part.split("/"))
    wanted = options.patterns or ["*"]
    tests = [d for d in sorted(root.iterdir()) if any(fnmatch.fnmatch(d.name, p) for p in wanted)][
        part::parts
    ]
    counts, used, failures = collections.Counter(), set(), 0
    report = options.report.open("w") if options.report else None
    for directory in tests:
        with tempfile.TemporaryDirectory(prefix="tigris-node-") as scratch:
            status, text = run_test(np, onnx, tools, directory, pathlib.Path(scratch))
        name = directory.name
        if status == "refused":
            matching = [p for p in exclusions if fnmatch.fnmatch(name, p)]
            used.update(matching)
            ops = {node.op_type for node in onnx.load(str(directory / "model.onnx")).graph.node}
            if matching:
                status = "excluded"
            elif ops <= known:
                failures += 1
                print(f"FAILED {name}: refused without a line in {EXCLUSIONS.name}: {text}")
        if status == "WRONG" and f"!{name}" in exclusions:
            used.add(f"!{name}")
            status = "excluded"
        if status == "WRONG":
            failures += 1
            print(f"FAILED {name}: {text}")
        elif options.v:
            print(f"{status} {name}: {text}")
        counts[status] += 1
        if report:
            report.write(json.dumps({"test": name, "status": status, "text": text}) + "\n")
    if not options.patterns and parts == 1:
        for pattern in sorted(set(exclusions) - used):
            failures += 1
            print(f"FAILED: {EXCLUSIONS.name}: no refused test needs '{pattern}'")
    print(", ".join(f"{count} {status}" for status, count in sorted(counts.items())))
    print(f"{counts['passed']} passed, {failures} failed, {counts['skipped']} skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
