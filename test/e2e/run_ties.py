"""Checks that quantized results halfway between two integers are rounded to even, and that float
biases are not rounded.

usage: run_ties.py --bin DIR [-v] [--seeds N] [CASE...]

The models of CASES (exact_qdq.py) run through the four tools with ample memory on every available
backend, and with the smallest feasible memory. Results must be exactly those of a float64
evaluation of the ONNX model. Skipped (exit 77) without numpy or onnx.
"""

import argparse
import importlib.util
import pathlib
import sys
import tempfile

import pipeline

if any(importlib.util.find_spec(name) is None for name in ("numpy", "onnx")):
    pipeline.skip("numpy and onnx are needed")

import numpy as np
import onnx

from exact_qdq import Model, evaluate

BACKENDS = ("host", "cmsis-nn", "esp-nn")


def pools(m):
    x = m.input([1, 6, 12, 10], 0.25)
    m.output(
        m.op("AveragePool", [x], 0.25, kernel_shape=[2, 2], strides=[2, 2]),
        m.op("AveragePool", [x], 0.125, kernel_shape=[3, 2], pads=[1, 1, 1, 0]),
        m.op("AveragePool", [x], 0.75, kernel_shape=[2, 1], count_include_pad=1, pads=[1, 0, 0, 0]),
        m.op("GlobalAveragePool", [x], 0.25),
        m.op("ReduceMean", [x, m.constant(np.array([1, 3]))], 0.125, keepdims=0),
        m.op("ReduceMean", [x, m.constant(np.array([2]))], 0.5),
    )


def means(m):
    """Scales that are not powers of 2, but whose ratios are simple."""
    x = m.input([1, 8, 8, 8], 0.1)
    m.output(
        m.op("AveragePool", [x], 0.1, kernel_shape=[2, 2]),
        m.op("GlobalAveragePool", [x], 0.1),
        m.op("AveragePool", [x], 0.3, kernel_shape=[2, 3], strides=[2, 2]),
        m.op("ReduceMean", [x, m.constant(np.array([2, 3]))], 0.1),
    )


def elements(m):
    a, b = m.input([1, 4, 16, 16], 0.5), m.input([1, 4, 16, 16], 0.25)
    row = m.input([1, 1, 1, 16], 0.25)
    m.output(
        m.op("Add", [a, b], 2.0),
        m.op("Sub", [b, row], 1.0),
        m.op("Mul", [a, b], 8.0),
        m.op("Relu", [a], 1.0),
        m.op("Clip", [b, m.constant(np.float32(-9.75)), m.constant(np.float32(15.75))], 1.5),
        m.op("Concat", [a, b], 1.0, axis=1),
        m.op("Add", [a, a], 6.0),
    )


def quotients(m):
    a, b = m.input([1, 4, 16, 16], 0.5), m.input([1, 4, 16, 16], 0.25)
    m.output(m.op("Div", [a, b], 0.5), m.op("Div", [b, a], 0.0625))


def functions(m):
    x = m.input([1, 2, 16, 16], 0.125)
    m.output(
        m.op("LeakyRelu", [x], 0.25, alpha=0.5),
        m.op("Abs", [x], 0.25),
        m.op("HardSigmoid", [x], 0.0625, alpha=0.25),
        m.op("Neg", [x], 0.25),
        m.op("Sigmoid", [x], 1 / 256, -128 if m.dtype is np.int8 else None),
    )


def resamples(m):
    x = m.input([1, 3, 6, 6], 0.25)
    for factor, mode in (
        (2, "half_pixel"),
        (2, "asymmetric"),
        (4, "half_pixel"),
        (6, "half_pixel"),
        (1.5, "half_pixel"),
    ):
        real = m.raw(
            "Resize",
            [x, "", m.constant(np.array([1, 1, factor, factor], np.float32))],
            mode="linear",
            coordinate_transformation_mode=mode,
        )
        quant = next(n for n in m.nodes if n.output[0] == "x0_q")
        m.nodes.append(
            onnx.helper.make_node("QuantizeLinear", [real, *quant.input[1:]], [f"{real}_q"])
        )
        m.nodes.append(
            onnx.helper.make_node(
                "DequantizeLinear", [f"{real}_q", *quant.input[1:]], [f"{real}_dq"]
            )
        )
        m.steps[f"{real}_dq"] = 0.25
        m.output(f"{real}_dq")


def convolutions(m):
    x = m.input([1, 8, 10, 9], 0.125)
    bias = lambda n, scale: m.integers(m.rng.integers(-2000, 2000, n), scale)
    y = m.op(
        "Conv",
        [x, m.weights([12, 8, 3, 3], 2**-6, 40), bias(12, 2**-9)],
        0.5,
        pads=[1, 1, 1, 1],
    )
    m.output(
        y,
        m.op(
            "Conv",
            [y, m.weights([12, 1, 3, 3], [2.0 ** -(4 + i % 3) for i in range(12)], axis=0)],
            2.0,
            group=12,
        ),
        m.op("Conv", [x, m.weights([6, 8, 1, 1], 2**-4, 9), bias(6, 2**-7)], 0.75),
        m.op("Conv", [x, m.weights([4, 2, 2, 3], 2**-5, 30)], 0.5, group=4),
        m.op(
            "ConvTranspose",
            [x, m.weights([8, 5, 3, 3], 2**-6, 50), bias(5, 2**-9)],
            0.5,
            strides=[2, 2],
        ),
    )


def products(m):
    x = m.input([6, 32], 0.125)
    m.output(
        m.op(
            "Gemm",
            [
                x,
                m.weights([24, 32], 2**-5, 30),
                m.integers(m.rng.integers(-500, 500, 24), 2**-8),
            ],
            0.5,
            transB=1,
        ),
        m.op("MatMul", [x, m.weights([32, 8], 2**-5, 30)], 0.5),
        m.op("MatMul", [x, m.input([32, 7], 2**-6)], 2.0),
    )


def residual(m):
    """A ResNet of two blocks."""
    conv = lambda x, o, i, scale, k=3, **more: m.raw(
        "Conv",
        [
            x,
            m.weights([o, i, k, k], 2**-7, 60),
            m.integers(m.rng.integers(-3000, 3000, o), m.steps[x] * 2**-7),
        ],
        pads=[k // 2] * 4,
        **more,
    )
    relu = lambda x, scale: m.pair(m.raw("Relu", [x]), scale, -128)
    x = m.input([1, 3, 16, 16], 2**-5)
    x = relu(conv(x, 8, 3, 1), 2**-4)
    for channels, stride in ((8, 1), (16, 2)):
        inner = relu(conv(x, channels, 8, 1, strides=[stride] * 2), 2**-4)
        inner = m.pair(conv(inner, channels, channels, 1), 2**-3)
        short = x if stride == 1 else m.pair(conv(x, channels, 8, 1, k=1, strides=[2, 2]), 2**-3)
        x = relu(m.raw("Add", [inner, short]), 2**-3)
    x = m.op("GlobalAveragePool", [x], 2**-4)
    x = m.raw("Flatten", [x])
    m.output(
        m.op(
            "Gemm",
            [
                x,
                m.weights([10, 16], 2**-6, 60),
                m.integers(m.rng.integers(-500, 500, 10), 2**-10),
            ],
            2**-3,
            transB=1,
        )
    )


def float_biases(m):
    bias = lambda n, size: m.constant((m.rng.standard_normal(n) * size).astype(np.float32))
    x = m.input([1, 4, 12, 12], 0.03)
    y = m.op("Conv", [x, m.weights([8, 4, 3, 3], 0.011), bias(8, 0.5)], 0.09, pads=[1, 1, 1, 1])
    y = m.op(
        "Conv",
        [y, m.weights([8, 1, 3, 3], [0.2 + 0.01 * i for i in range(8)], 10, axis=0), bias(8, 3)],
        0.31,
        group=8,
    )
    z = m.op("Conv", [y, m.weights([6, 8, 1, 1], 0.25, 3), bias(6, 2)], 0.5)
    t = m.op("ConvTranspose", [z, m.weights([6, 4, 2, 2], 0.5, 3), bias(4, 2)], 1.5, strides=[2, 2])
    g = m.op("Gemm", [m.raw("Flatten", [z]), m.weights([600, 9], 0.5, 3), bias(9, 5)], 7.0)
    p = m.op("Add", [m.raw("MatMul", [g, m.weights([9, 5], 0.5, 3)]), bias(5, 5)], 3.0)
    m.output(y, z, t, g, p)


def halved_biases(m):
    """Biases that make halves: powers of 2 between the integers of the sums, and int32 of another
    scale."""
    x = m.input([1, 4, 9, 9], 0.5)
    half = m.constant((np.arange(8) / 16 - 0.25).astype(np.float32))
    m.output(
        m.op("Conv", [x, m.weights([8, 4, 1, 1], 0.25, 3), half], 0.25),
        m.op("Conv", [x, m.weights([8, 4, 2, 2], 0.25, 3), m.integers(np.arange(8) - 3, 0.1)], 0.5),
        m.op(
            "Conv",
            [x, m.weights([8, 4, 1, 1], 0.5, 3), m.constant(np.full(8, 0.125, np.float32))],
            0.75,
        ),
        m.op(
            "Conv",
            [x, m.weights([8, 4, 1, 1], 2.0**-20, 3), m.constant(np.full(8, 5.0, np.float32))],
            2.0,
        ),
    )


WIDE = (pools, means, elements, functions, convolutions, products, float_biases, halved_biases)
CASES = {
    f.__name__: (f, np.int8)
    for f in (
        pools,
        means,
        elements,
        quotients,
        functions,
        resamples,
        convolutions,
        products,
        residual,
        float_biases,
        halved_biases,
    )
}
CASES |= {"unsigned_" + f.__name__: (f, np.uint8) for f in (pools, elements, convolutions)}
CASES |= {"wide_" + f.__name__: (f, np.int16) for f in WIDE}


class Bench:
    def __init__(self, tools, scratch, verbose):
        self.tools, self.scratch, self.verbose = tools, scratch, verbose
        self.backends = [b for b in BACKENDS if self.has(b)]

    def has(self, backend):
        try:
            self.tools.call("run", "none.tgrs", f"--backend={backend}")
        except pipeline.ToolError as error:
            return "--backend" not in error.text

    def run(self, plan, inputs, count, backend):
        files = [self.scratch / f"out_{index}.npy" for index in range(count)]
        self.tools.run(plan, inputs, files, f"--backend={backend}")
        return [np.load(file) for file in files]

    def check(self, name, seed):
        """The problems, one line each."""
        build, dtype = CASES[name]
        m = Model(seed, dtype)
        build(m)
        model, path, plan = m.proto(), self.scratch / "model.onnx", self.scratch / "plan.tgrs"
        onnx.save(model, str(path))
        want = evaluate(model, m.feed)
        inputs = []
        for index, array in enumerate(m.feed.values()):
            inputs.append(self.scratch / f"in_{index}.npy")
            np.save(inputs[-1], array)
        normalized = self.tools.call("norm", data=self.tools.call("import", path))
        for memory, backends in (
            ("64M", self.backends),
            (pipeline.smallest_budget(self.tools, normalized), []),
        ):
            planned = self.tools.call("plan", "-m", str(memory), "-m", "64M", data=normalized)
            self.tools.call("emit", "-o", plan, data=planned)
            for backend in ("reference", *backends):
                got = self.run(plan, inputs, len(want), backend)
                for output, a, b in zip(m.outputs, got, want):
                    off = np.abs(np.rint(a / m.steps[output]) - np.rint(b / m.steps[output]))
                    if off.any():
                        yield (
                            f"{name}, {memory} bytes, {backend}: {output} is off in "
                            f"{np.count_nonzero(off)} of "
                            f"{off.size} elements, by up to {off.max():.0f} steps"
                        )
        if self.verbose:
            print(name, flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    problems = []
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(pipeline.Tools(options.bin), pathlib.Path(scratch), options.verbose)
        for name in options.cases or CASES:
            for seed in range(options.seeds):
                try:
                    problems += bench.check(name, seed)
                except pipeline.ToolError as error:
                    problems.append(f"{name}: {error}")
    print(
        f"{len(options.cases or CASES)} cases on reference, "
        f"{', '.join(bench.backends) or 'no other backend'}"
    )
    if problems:
        sys.exit("\n".join(problems))


main()
