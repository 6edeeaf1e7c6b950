"""Trains the demo network on scikit-learn's handwritten digits and writes it as float32 and int8
ONNX.

Run it with the environment of `scripts/bootstrap.sh training`:

    build/venv/bin/python examples/digits/train.py            rewrites the files beside this script
    build/venv/bin/python examples/digits/train.py --check    trains again and compares with those
               files

The network is Conv 3x3 (8) - Relu - MaxPool 2x2 - Conv 3x3 (16) - Relu - Flatten - Gemm (10) on a
[1, 1, 8, 8] image with values in 0..1; it is small enough to be trained by the plain NumPy loop
below in a few seconds. Training runs in double precision on one thread and the trained weights are
rounded to multiples of 2^-14, so that the committed files do not depend on the last bits of a BLAS.
"""

import argparse
import logging
import os
import pathlib
import sys
import tempfile

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from sklearn.datasets import load_digits

# quantize_static advises a graph clean-up that this graph does not need.
logging.getLogger().setLevel(logging.ERROR)

HERE = pathlib.Path(__file__).resolve().parent
SEED = 7
EPOCHS = 40
BATCH = 32
HELD_OUT = 360
CALIBRATION_SAMPLES = 200


# --- The network by hand. Activations are [batch, channel, row, column] as in ONNX. ---


def patches(x):
    """[B, C, H, W] -> [B, H, W, C * 9]: the 3x3 neighborhood of every pixel, zero padded."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    b, c, h, w = x.shape
    return windows.transpose(0, 2, 3, 1, 4, 5).reshape(b, h, w, c * 9)


def fold_patches(grad, channels):
    """The transpose of `patches`: sums each patch gradient back onto the pixels it came from."""
    b, h, w, _ = grad.shape
    grad = grad.reshape(b, h, w, channels, 3, 3)
    out = np.zeros((b, channels, h + 2, w + 2))
    for ky in range(3):
        for kx in range(3):
            out[:, :, ky : ky + h, kx : kx + w] += grad[..., ky, kx].transpose(0, 3, 1, 2)
    return out[:, :, 1:-1, 1:-1]


def forward(p, x):
    """Logits of a batch, and what `backward` needs again."""
    cols1 = patches(x)
    a1 = np.maximum(cols1 @ p["conv1.w"].reshape(8, -1).T + p["conv1.b"], 0)
    b, h, w, c = a1.shape
    blocks = a1.reshape(b, h // 2, 2, w // 2, 2, c)
    pooled = blocks.max(axis=(2, 4))
    cols2 = patches(pooled.transpose(0, 3, 1, 2))
    a2 = np.maximum(cols2 @ p["conv2.w"].reshape(16, -1).T + p["conv2.b"], 0)
    flat = a2.transpose(0, 3, 1, 2).reshape(b, -1)
    logits = flat @ p["fc.w"].T + p["fc.b"]
    return logits, (cols1, a1, blocks, pooled, cols2, a2, flat)


def backward(p, cache, grad_logits):
    """Gradients of every parameter, given that of the logits."""
    cols1, a1, blocks, pooled, cols2, a2, flat = cache
    g = {"fc.w": grad_logits.T @ flat, "fc.b": grad_logits.sum(0)}
    b, h, w, c = a2.shape
    d2 = (grad_logits @ p["fc.w"]).reshape(b, c, h, w).transpose(0, 2, 3, 1) * (a2 > 0)
    g["conv2.w"] = np.tensordot(d2, cols2, ((0, 1, 2), (0, 1, 2))).reshape(p["conv2.w"].shape)
    g["conv2.b"] = d2.sum((0, 1, 2))
    d_pooled = fold_patches(d2 @ p["conv2.w"].reshape(16, -1), 8).transpose(0, 2, 3, 1)
    peak = blocks == pooled[:, :, None, :, None, :]
    peak = peak / peak.sum(axis=(2, 4), keepdims=True)
    d1 = (peak * d_pooled[:, :, None, :, None, :]).reshape(a1.shape) * (a1 > 0)
    g["conv1.w"] = np.tensordot(d1, cols1, ((0, 1, 2), (0, 1, 2))).reshape(p["conv1.w"].shape)
    g["conv1.b"] = d1.sum((0, 1, 2))
    return g


def train(x, labels):
    """Adam on the cross entropy; returns float32 parameters on a grid of 2^-14."""
    rng = np.random.default_rng(SEED)
    shapes = {
        "conv1.w": (8, 1, 3, 3),
        "conv1.b": (8,),
        "conv2.w": (16, 8, 3, 3),
        "conv2.b": (16,),
        "fc.w": (10, 256),
        "fc.b": (10,),
    }
    p = {
        k: rng.normal(0, np.sqrt(2 / np.prod(s[1:])), s) if len(s) > 1 else np.zeros(s)
        for k, s in shapes.items()
    }
    mean = {k: np.zeros(s) for k, s in shapes.items()}
    square = {k: np.zeros(s) for k, s in shapes.items()}
    step = 0
    for epoch in range(EPOCHS):
        rate = 3e-3 * 0.5 * (1 + np.cos(np.pi * epoch / EPOCHS))
        order = rng.permutation(len(x))
        for start in range(0, len(x), BATCH):
            batch = order[start : start + BATCH]
            logits, cache = forward(p, x[batch])
            prob = np.exp(logits - logits.max(1, keepdims=True))
            prob /= prob.sum(1, keepdims=True)
            prob[np.arange(len(batch)), labels[batch]] -= 1
            step += 1
            for k, g in backward(p, cache, prob / len(batch)).items():
                mean[k] = 0.9 * mean[k] + 0.1 * g
                square[k] = 0.999 * square[k] + 0.001 * g * g
                p[k] -= (
                    rate
                    * (mean[k] / (1 - 0.9**step))
                    / (np.sqrt(square[k] / (1 - 0.999**step)) + 1e-8)
                )
    return {k: (np.round(v * 2**14) / 2**14).astype(np.float32) for k, v in p.items()}


# --- ONNX. ---


def conv_node(name, x):
    return helper.make_node(
        "Conv",
        [x, f"{name}.w", f"{name}.b"],
        [name],
        name=name,
        kernel_shape=[3, 3],
        pads=[1, 1, 1, 1],
    )


def build_float_model(p):
    nodes = [
        conv_node("conv1", "image"),
        helper.make_node("Relu", ["conv1"], ["relu1"], name="relu1"),
        helper.make_node(
            "MaxPool", ["relu1"], ["pool"], name="pool", kernel_shape=[2, 2], strides=[2, 2]
        ),
        conv_node("conv2", "pool"),
        helper.make_node("Relu", ["conv2"], ["relu2"], name="relu2"),
        helper.make_node("Flatten", ["relu2"], ["flat"], name="flatten", axis=1),
        helper.make_node("Gemm", ["flat", "fc.w", "fc.b"], ["logits"], name="fc", transB=1),
    ]
    graph = helper.make_graph(
        nodes,
        "digits",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 1, 8, 8])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, 10])],
        [numpy_helper.from_array(v, k) for k, v in p.items()],
    )
    model = helper.make_model(
        graph, producer_name="tigris-examples", opset_imports=[helper.make_opsetid("", 17)]
    )
    model.ir_version = 8
    onnx.checker.check_model(model, full_check=True)
    return model


class Samples(CalibrationDataReader):
    """Feeds calibration images one by one."""

    def __init__(self, images):
        self.images = iter(images)

    def get_next(self):
        image = next(self.images, None)
        return None if image is None else {"image": image[None]}


def run(path, image):
    """The logits onnxruntime gives when it optimizes nothing."""
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return [session.run(None, {"image": i[None]})[0] for i in image]


def output_step(path):
    """The scale of the quantized logits: one step is the least by which two answers can differ."""
    model = onnx.load(path)
    last = next(n for n in model.graph.node if n.output[0] == "logits")
    assert last.op_type == "DequantizeLinear"
    return float(
        numpy_helper.to_array(next(t for t in model.graph.initializer if t.name == last.input[1]))
    )


def write_all(out):
    digits = load_digits()
    images = (digits.images / 16).astype(np.float32)[:, None]
    labels = digits.target
    order = np.random.default_rng(SEED).permutation(len(images))
    held_out, training = order[:HELD_OUT], order[HELD_OUT:]

    parameters = train(images[training].astype(np.float64), labels[training])
    onnx.save(build_float_model(parameters), out / "digits_f32.onnx")
    quantize_static(
        out / "digits_f32.onnx",
        out / "digits_int8.onnx",
        Samples(images[training[:CALIBRATION_SAMPLES]]),
        quant_format=QuantFormat.QDQ,
        per_channel=True,
        activation_type=QuantType.QInt8,
        weight_type=QuantType.QInt8,
    )

    # The first held-out image of every digit is a test case. An integer runtime may round the last
    # addition the other way: one step, and a hundredth for the comparison in float32.
    chosen = [next(i for i in held_out if labels[i] == digit) for digit in range(10)]
    cases = out / "cases"
    cases.mkdir(exist_ok=True)
    for digit, i in enumerate(chosen):
        np.save(cases / f"input_{digit}.npy", images[i][None])
    tolerance = {"f32": 1e-4, "int8": 1.01 * output_step(out / "digits_int8.onnx")}
    lines = ["# model tolerance"]
    for kind in ("f32", "int8"):
        path = out / f"digits_{kind}.onnx"
        right = np.mean(
            [np.argmax(v) == labels[i] for v, i in zip(run(path, images[held_out]), held_out)]
        )
        print(f"{path.name}: {100 * right:.1f} % of {HELD_OUT} held-out digits are right")
        if right < 0.97:
            sys.exit("train.py: the accuracy is below 97 %; nothing to commit")
        for digit, logits in enumerate(run(path, images[chosen])):
            np.save(cases / f"{kind}_{digit}.npy", logits)
        lines.append(f"{kind} {tolerance[kind]:.6g}")
    (cases / "tolerance.txt").write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail if a committed file would change"
    )
    if not parser.parse_args().check:
        write_all(HERE)
        return
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder)
        write_all(out)
        names = [
            f.relative_to(out)
            for f in sorted(out.rglob("*"))
            if f.suffix in (".onnx", ".npy", ".txt")
        ]
        changed = [str(n) for n in names if (out / n).read_bytes() != (HERE / n).read_bytes()]
        if changed:
            sys.exit("train.py: not reproduced: " + " ".join(changed))
        print("every committed file is reproduced byte for byte")


main()
