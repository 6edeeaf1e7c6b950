"""Runs the example network (examples/digits) through the whole pipe on its ten images.

usage: run_digits.py --bin DIR MODEL     MODEL is f32 or int8

Every output must agree with onnxruntime's (cases/<MODEL>_<digit>.npy) within cases/tolerance.txt,
name the right digit, and the plan must predict what the runtime counts. With 75 % of the fast
memory the bytes must be the same, and with weights that are compressed or copied.
"""

import argparse
import pathlib
import sys
import tempfile

import pipeline


def copied_plans(tools, model, scratch):
    """Plans that copy their weights, in less memory, with and without a weights file."""
    result = []
    for name, options in {"copied": [], "unpacked": ["--compress=lz4"]}.items():
        for external in (False, True):
            plan = scratch / f"{name}-{external}.tgrs"
            weights = scratch / f"{name}.weights" if external else None
            emit = [f"--weights-file={weights}"] if external else []
            flags = ["-m", "12K", "-m", "64K", "--weight-memory=copy", *options]
            result.append((tools.pipe(model, plan, flags, emit_options=emit), weights))
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("model", choices=["f32", "int8"])
    options = parser.parse_args()
    np = pipeline.require_numpy()
    tools = pipeline.Tools(options.bin)
    digits = pipeline.ROOT / "examples" / "digits"
    tolerances = dict(
        line.split()[:2]
        for line in (digits / "cases" / "tolerance.txt").read_text().splitlines()
        if line and not line.startswith("#")
    )
    problems = []
    flags = ["-m", "64K"]
    with tempfile.TemporaryDirectory(prefix="tigris-e2e-") as scratch:
        scratch = pathlib.Path(scratch)
        model = digits / f"digits_{options.model}.onnx"
        plan = tools.pipe(model, scratch / "digits.tgrs", flags)
        packed = tools.pipe(model, scratch / "packed.tgrs", flags, emit_options=["--compress=lz4"])
        # int8 weights of this network do not get smaller
        if (tools.dump(packed)["compression"]["blocks"] == 1) != (options.model == "f32"):
            problems.append("other weights are packed than expected")
        copied = copied_plans(tools, model, scratch)
        for digit in range(10):
            output = scratch / "output.npy"
            stats = tools.run(
                plan,
                [digits / "cases" / f"input_{digit}.npy"],
                [output],
                "--expect",
                digits / "cases" / f"{options.model}_{digit}.npy",
                "--atol",
                tolerances[options.model],
                "--rtol",
                "0",
            )
            problems += pipeline.prediction_errors(stats)
            problems += pipeline.dynamic_errors(
                tools, plan, stats, [digits / "cases" / f"input_{digit}.npy"], [output]
            )
            plain = output.read_bytes()
            stats = tools.run(packed, [digits / "cases" / f"input_{digit}.npy"], [output])
            problems += pipeline.prediction_errors(stats)
            if output.read_bytes() != plain:
                problems.append(f"image {digit}: compressed weights give other outputs")
            problems += pipeline.dynamic_errors(
                tools, packed, stats, [digits / "cases" / f"input_{digit}.npy"], [output]
            )
            for copy, weights in copied:
                stats = tools.run(
                    copy,
                    [digits / "cases" / f"input_{digit}.npy"],
                    [output],
                    *([f"--weights-file={weights}"] if weights else []),
                )
                problems += pipeline.prediction_errors(stats)
                if output.read_bytes() != plain:
                    problems.append(f"image {digit}: {copy.name} gives other outputs")
            reference = np.load(digits / "cases" / f"{options.model}_{digit}.npy")
            if np.load(output).argmax() != reference.argmax():
                problems.append(f"image {digit}: another digit than onnxruntime")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
