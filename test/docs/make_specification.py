"""Writes the models of docs/specification.md to the current directory.

usage: make_specification.py

Each model shows one claim: one operator or one small graph, with random weights of a fixed seed.
"""

import numpy as np
import onnx
from onnx import parser

RNG = np.random.default_rng(1)

# name: (inputs, outputs, nodes, {constant: shape or array})
MODELS = {
    # Single operators of normalization.
    "constant": (
        "float[1,8] x",
        "float[1,8] y",
        "c = Constant <value = float[1,8] {1,2,3,4,5,6,7,8}> () y = Add (x, c)",
        {},
    ),
    "quantized": (
        "float[1,4,8,8] x",
        "float[1,4,8,8] y",
        "xq = QuantizeLinear (x, s, z) xd = DequantizeLinear (xq, s, z)"
        " wd = DequantizeLinear (w, s, z) c = Conv <pads = [1,1,1,1]> (xd, wd)"
        " cq = QuantizeLinear (c, s, z) y = DequantizeLinear (cq, s, z)",
        {
            "s": np.array(0.05, np.float32),
            "z": np.array(0, np.int8),
            "w": RNG.integers(-100, 100, (4, 4, 3, 3)).astype(np.int8),
        },
    ),
    "batchnorm": (
        "float[1,4,8,8] x",
        "float[1,4,8,8] y",
        "c = Conv <pads = [1,1,1,1]> (x, w) y = BatchNormalization (c, g, b, m, v)",
        {"w": (4, 4, 3, 3), "g": (4,), "b": (4,), "m": (4,), "v": np.ones(4, np.float32)},
    ),
    "silu": ("float[1,4,8,8] x", "float[1,4,8,8] y", "s = Sigmoid (x) y = Mul (x, s)", {}),
    "depthwise": (
        "float[1,4,8,8] x",
        "float[1,4,8,8] y",
        "y = Conv <group = 4, pads = [1,1,1,1]> (x, w)",
        {"w": (4, 1, 3, 3)},
    ),
    "conv1d": (
        "float[1,4,16] x",
        "float[1,4,16] y",
        "y = Conv <pads = [1,1]> (x, w)",
        {"w": (4, 4, 3)},
    ),
    "clip": (
        "float[1,8] x",
        "float[1,8] y",
        "y = Clip (x, low, high)",
        {"low": np.array(0, np.float32), "high": np.array(6, np.float32)},
    ),
    "mean": (
        "float[1,4,8,8] x",
        "float[1,4,1,1] y",
        "y = ReduceMean <axes = [2,3]> (x)",
        {},
    ),
    "shape": (
        "float[1,4,8,8] x",
        "float[1,256] y",
        "s = Shape (x) n = Gather <axis = 0> (s, zero) r = Unsqueeze (n, zeros)"
        " t = Concat <axis = 0> (r, rest) y = Reshape (x, t)",
        {
            "zero": np.array(0, np.int64),
            "zeros": np.array([0], np.int64),
            "rest": np.array([-1], np.int64),
        },
    ),
    "resize": (
        "float[1,4,8,8] x",
        "float[1,4,16,16] y",
        'y = Resize <mode = "nearest", coordinate_transformation_mode = "asymmetric",'
        ' nearest_mode = "floor"> (x, , scales)',
        {"scales": np.array([1, 1, 2, 2], np.float32)},
    ),
    "concat": (
        "float[1,4,8,8] a, float[1,4,8,8] b",
        "float[1,8,8,8] y",
        "p = Conv (a, w) q = Conv (b, w) y = Concat <axis = 1> (p, q)",
        {"w": (4, 4, 1, 1)},
    ),
    "trim": (
        "float[1,4,8,8] x",
        "float[1,8,8,4] y",
        "c = Conv <pads = [1,1,1,1]> (x, w) y = Transpose <perm = [0,2,3,1]> (c)",
        {"w": (4, 4, 3, 3)},
    ),
    "activation": (
        "float[1,4,8,8] x",
        "float[1,4,8,8] y",
        "c = Conv <pads = [1,1,1,1]> (x, w) y = Relu (c)",
        {"w": (4, 4, 3, 3)},
    ),
    "lookup": (
        "float[1,64] x",
        "float[1,64] y",
        "xq = QuantizeLinear (x, s, z) xd = DequantizeLinear (xq, s, z) a = Sigmoid (xd)"
        " aq = QuantizeLinear (a, t, l) y = DequantizeLinear (aq, t, l)",
        {
            "s": np.array(0.05, np.float32),
            "z": np.array(0, np.int8),
            "t": np.array(1 / 256, np.float32),
            "l": np.array(-128, np.int8),
        },
    ),
    # Orders, lifetimes, stages.
    "free": (
        "float[N,4,H,W] x",
        "float[N,4,H,W] y",
        "y = Conv <pads = [1,1,1,1]> (x, w)",
        {"w": (4, 4, 3, 3)},
    ),
    "unsorted": ("float[1,8] x", "float[1,8] y", "y = Relu (t) t = Sigmoid (x)", {}),
    "chain3": (
        "float[1,100] x",
        "float[1,100] y",
        "a = Sigmoid (x) b = Tanh (a) y = Exp (b)",
        {},
    ),
    "skips": (
        "float[1,100] x",
        "float[1,100] y",
        "a = Sigmoid (x) b = Tanh (x) c = Add (a, b) d = Sigmoid (c) e = Add (d, a) y = Mul (e, b)",
        {},
    ),
    # Strips.
    "conv3": (
        "float[1,8,32,32] x",
        "float[1,8,32,32] y",
        "y = Conv <pads = [1,1,1,1]> (x, w)",
        {"w": (8, 8, 3, 3)},
    ),
    "chain2": (
        "float[1,16,64,64] x",
        "float[1,16,64,64] y",
        "a = Conv <pads = [1,1,1,1]> (x, w) y = Conv <pads = [1,1,1,1]> (a, v)",
        {"w": (16, 16, 3, 3), "v": (16, 16, 3, 3)},
    ),
    "fan": (
        "float[1,8,32,32] x",
        "float[1,8,32,32] y",
        "a = Conv <pads = [1,1,1,1]> (x, w) b = Conv <pads = [1,1,1,1]> (a, v) y = Add (a, b)",
        {"w": (8, 8, 3, 3), "v": (8, 8, 3, 3)},
    ),
    "dense": (
        "float[1,8192] x",
        "float[1,16] y",
        "y = Gemm <transB = 1> (x, w)",
        {"w": (16, 8192)},
    ),
    "wide": ("float[1,8192] x", "float[1,8192] y", "a = Softmax (x) y = Softmax (a)", {}),
    # Weights.
    "sparse": (
        "float[1,128] x",
        "float[1,256] y",
        "y = Gemm <transB = 1> (x, w)",
        {"w": np.eye(256, 128, dtype=np.float32)},
    ),
}


def ds_cnn():
    """The layers of MLPerf Tiny's keyword spotter, in int8 with one scale per tensor."""
    rng = np.random.default_rng(2)
    constants = {"z": np.array(0, np.int8)}
    nodes = []

    def quantize(name, source):
        """Adds the scale of an activation, and the pair that quantizes it."""
        constants[f"s_{name}"] = np.array(rng.uniform(0.05, 0.06), np.float32)
        nodes.append(f"q_{name} = QuantizeLinear ({source}, s_{name}, z)")
        nodes.append(f"{name} = DequantizeLinear (q_{name}, s_{name}, z)")

    def layer(name, source, shape, operator):
        scale = np.array(rng.uniform(0.002, 0.003), np.float32)
        constants[f"s_w_{name}"] = scale
        constants[f"s_b_{name}"] = scale * constants[f"s_{source}"]
        constants[f"w_{name}"] = rng.integers(-127, 128, shape).astype(np.int8)
        constants[f"b_{name}"] = rng.integers(-999, 999, shape[:1]).astype(np.int32)
        nodes.append(f"w{name} = DequantizeLinear (w_{name}, s_w_{name}, z)")
        nodes.append(f"b{name} = DequantizeLinear (b_{name}, s_b_{name})")
        nodes.append(f"r_{name} = {operator} ({source}, w{name}, b{name})")
        quantize(name, f"r_{name}")

    quantize("a0", "x")
    layer("a1", "a0", (64, 1, 10, 4), "Conv <strides = [2, 2], pads = [4, 1, 5, 1]>")
    for block in range(1, 9, 2):
        layer(f"a{block + 1}", f"a{block}", (64, 1, 3, 3), "Conv <group = 64, pads = [1, 1, 1, 1]>")
        layer(f"a{block + 2}", f"a{block + 1}", (64, 64, 1, 1), "Conv")
    nodes.append("mean = GlobalAveragePool (a9) flat = Flatten (mean)")
    quantize("f", "flat")
    layer("g", "f", (12, 64), "Gemm <transB = 1>")
    nodes.append("y = Softmax (g)")
    return "float[1,1,49,10] x", "float[1,12] y", " ".join(nodes), constants


MODELS["dscnn"] = ds_cnn()


def tensor(name, value):
    if isinstance(value, tuple):
        value = RNG.normal(0, 0.3, value).astype(np.float32)
    return onnx.numpy_helper.from_array(value, name)


def main():
    for name, (inputs, outputs, nodes, constants) in MODELS.items():
        model = parser.parse_model(
            '<ir_version: 8, opset_import: ["" : 17]>'
            f" {name} ({inputs}) => ({outputs}) {{ {nodes} }}"
        )
        model.graph.initializer.extend(tensor(key, value) for key, value in constants.items())
        if name != "unsorted":
            onnx.checker.check_model(model)
        onnx.save(model, f"{name}.onnx")


main()
