"""Compares random TensorFlow Lite models of one operator with TensorFlow Lite Micro.

usage: random_tflite.py --bin DIR [--rounds N] [--seed N] [--keep DIR] [OPERATOR...]

Integers must be equal byte for byte, floats within 1e-5 of the largest magnitude, with ample memory
and with the smallest budget. A model that TensorFlow Lite Micro refuses is skipped and counted; one
that only TiGrIS refuses is a failure.

Needs the package tflite-micro: in the running Python, in that of TIGRIS_TFLM, or in
build/tflm/bin/python (bench/tflm/README.md). Without it the test is skipped (exit 77).
"""

import argparse
import os
import pathlib
import sys
import tempfile

import pipeline

TOLERANCE = 1e-5
MARK = "TIGRIS_TFLM_FOUND"


def find_package():
    """Continues in a Python that has the package, or skips."""
    try:
        import flatbuffers  # noqa: F401
        import tflite_micro  # noqa: F401

        return
    except ImportError:
        pass
    peer = os.environ.get("TIGRIS_TFLM", str(pipeline.ROOT / "build" / "tflm" / "bin" / "python"))
    if MARK not in os.environ and pathlib.Path(peer).is_file():
        os.environ[MARK] = "1"
        os.execv(peer, [peer, *sys.argv])
    pipeline.skip("there is no package tflite-micro (TIGRIS_TFLM names a Python that has it)")


def reference(np, model):
    """The outputs of TensorFlow Lite Micro, or None if it refuses the model."""
    from tflite_micro.python.tflite_micro import runtime

    results = []
    try:
        interpreter = runtime.Interpreter.from_bytes(model.bytes())
        for step in range(model.steps or 1):
            for index, array in enumerate(model.feed):
                interpreter.set_input(array if model.steps is None else array[step], index)
            interpreter.invoke()
            count = range(len(model.graph.outputs))
            results.append([interpreter.get_output(index).copy() for index in count])
    except RuntimeError:
        return None
    return results[0] if model.steps is None else [np.stack(parts) for parts in zip(*results)]


def difference(np, got, want):
    """None, or how an output differs."""
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"is {got.dtype} {got.shape}, expected {want.dtype} {want.shape}"
    error = np.abs(got.astype(np.float64) - want.astype(np.float64))
    worst = float(error.max()) if error.size else 0.0
    if want.dtype.kind != "f":
        count = int((error > 0).sum())
        return f"{count} of {error.size} differ by up to {worst:g}" if worst else None
    magnitude = max(float(np.abs(want).max()), 1e-9)
    return f"{worst / magnitude:.1e} of magnitude" if not worst <= TOLERANCE * magnitude else None


class Comparison:
    def __init__(self, np, binaries, scratch):
        self.np, self.scratch = np, scratch
        self.tools = pipeline.Tools(binaries)

    def run(self, plan, model):
        arguments = [plan] if model.steps is None else [plan, "--sequence"]
        for name, array in zip(model.names(model.graph.inputs), model.feed):
            self.np.save(self.scratch / f"{name}.npy", array)
            arguments += ["--input", f"{name}={self.scratch / name}.npy"]
        outputs = model.names(model.graph.outputs)
        for name in outputs:
            arguments += ["--output", f"{name}={self.scratch / name}.npy"]
        self.tools.call("run", *arguments)
        return [self.np.load(self.scratch / f"{name}.npy") for name in outputs]

    def check(self, model):
        """Problems, one per line; None if there is no reference."""
        want = reference(self.np, model)
        if want is None:
            return None
        path, plan = self.scratch / "model.tflite", self.scratch / "plan.tgrs"
        path.write_bytes(model.bytes())
        try:
            normalized = self.tools.call("norm", data=self.tools.call("import", path))
            problems, first = [], None
            for budget in ("8M", str(pipeline.smallest_budget(self.tools, normalized))):
                planned = self.tools.call("plan", "-m", budget, "-m", "16M", data=normalized)
                self.tools.call("emit", "-o", plan, data=planned)
                got = self.run(plan, model)
                first = first or got
                if any(a.tobytes() != b.tobytes() for a, b in zip(first, got)):
                    problems.append(f"other outputs in {budget} bytes")
        except pipeline.ToolError as error:
            return [error.text.strip().splitlines()[0]]
        texts = [difference(self.np, a, b) for a, b in zip(first, want)]
        return problems + [text for text in texts if text]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1, help="of the first round")
    parser.add_argument("--keep", type=pathlib.Path, help="where failing models go")
    parser.add_argument("-v", action="store_true")
    parser.add_argument("operators", nargs="*")
    options = parser.parse_args()
    np = pipeline.require_numpy()
    find_package()
    import tflite_layers  # noqa: F401, registers operators
    import tflite_recurrent  # noqa: F401, likewise
    import tflite_operators

    known = tflite_operators.OPERATORS
    names = options.operators or sorted(known)
    compared = {name: 0 for name in names}
    failed = 0
    for seed in range(options.seed, options.seed + options.rounds):
        for name in names:
            rng = np.random.default_rng([seed, *name.encode()])
            model = known[name](rng)
            with tempfile.TemporaryDirectory(prefix="tigris-tflite-") as scratch:
                problems = Comparison(np, options.bin, pathlib.Path(scratch)).check(model)
            if problems is None:
                continue
            compared[name] += 1
            if options.v or problems:
                print(f"{'FAILED' if problems else 'ok    '} {name} --seed {seed}")
            for problem in problems:
                print(f"         {problem}")
            if problems and options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{name}_{seed}.tflite").write_bytes(model.bytes())
            failed += bool(problems)
    never = [name for name, count in compared.items() if count == 0]
    print(f"{sum(compared.values())} models, {failed} failed; no reference for: {' '.join(never)}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
