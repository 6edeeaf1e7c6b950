#!/usr/bin/env python3
"""Builds MobileNetV2 as an ONNX model, int8 in QDQ form unless --float, with seeded random weights.

usage: mobilenet_v2.py [--width 1.0] [--size 224] [--classes 1000] [--seed 1] [--float]
               OUTPUT_DIRECTORY

Writes a case in the format of the test corpus: model.onnx, input_0.npy and output_0.npy
(onnxruntime without graph optimizations). The layers are those of Sandler et al., "MobileNetV2:
Inverted Residuals and Linear Bottlenecks" (2018), table 2; batch norm is already folded into the
convolutions. Shapes, types and residuals, which are all that a planner uses, are those of a trained
model; the weights are meaningless.

Needs numpy, onnx and onnxruntime (scripts/requirements.txt).
"""

import argparse
import pathlib
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import quantization

OPSET = 13
# expansion, channels, repeats, stride of the first
BLOCKS = [
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
]


def rounded(channels):
    """The nearest multiple of 8 that is at most a tenth smaller, as in the paper's reference
    code."""
    result = max(8, int(channels + 4) // 8 * 8)
    return result + 8 if result < 0.9 * channels else result


class Builder:
    def __init__(self, size, seed):
        self.random = np.random.default_rng(seed)
        self.nodes, self.constants = [], []
        self.value, self.channels, self.size = "input", 3, size
        self.constant("relu6_min", np.float32(0))
        self.constant("relu6_max", np.float32(6))

    def constant(self, name, array):
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, kind, name, inputs, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        self.value = name

    def weights(self, name, shape, gain):
        """Normally distributed weights whose variance preserves that of the activations (He et al.
        2015)."""
        scale = np.sqrt(gain / np.prod(shape[1:]))
        return self.constant(name, (self.random.standard_normal(shape) * scale).astype(np.float32))

    def conv(self, name, channels, kernel, stride=1, group=1, activation=True):
        shape = (channels, self.channels // group, kernel, kernel)
        weight = self.weights(name + "_w", shape, 2.0 if activation else 1.0)
        bias = self.random.standard_normal(channels).astype(np.float32) * np.float32(0.1)
        self.node(
            "Conv",
            name,
            [self.value, weight, self.constant(name + "_b", bias)],
            kernel_shape=[kernel, kernel],
            strides=[stride, stride],
            group=group,
            pads=[kernel // 2] * 4,
        )
        self.channels, self.size = channels, (self.size + stride - 1) // stride
        if activation:
            self.node("Clip", name + "_relu6", [name, "relu6_min", "relu6_max"])

    def block(self, name, expansion, channels, stride):
        entry, entering = self.value, self.channels
        if expansion != 1:
            self.conv(name + "_expand", entering * expansion, 1)
        self.conv(name + "_depthwise", self.channels, 3, stride, group=self.channels)
        self.conv(name + "_project", channels, 1, activation=False)
        if stride == 1 and entering == channels:
            self.node("Add", name + "_add", [entry, self.value])


def build(width, size, classes, seed):
    builder = Builder(size, seed)
    builder.conv("stem", rounded(32 * width), 3, 2)
    number = 0
    for expansion, channels, repeats, stride in BLOCKS:
        for repeat in range(repeats):
            builder.block(
                f"block{number}", expansion, rounded(channels * width), stride if repeat == 0 else 1
            )
            number += 1
    builder.conv("head", rounded(1280 * max(1.0, width)), 1)
    builder.node("GlobalAveragePool", "pool", [builder.value])
    builder.node("Flatten", "features", ["pool"])
    weight = builder.weights("classifier_w", (classes, builder.channels), 1.0)
    bias = builder.constant("classifier_b", np.zeros(classes, np.float32))
    builder.node("Gemm", "output", ["features", weight, bias], transB=1)
    graph = helper.make_graph(
        builder.nodes,
        f"mobilenet_v2_{width}_{size}",
        [helper.make_tensor_value_info("input", TensorProto.FLOAT, [1, 3, size, size])],
        [helper.make_tensor_value_info("output", TensorProto.FLOAT, [1, classes])],
        builder.constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    model.ir_version = 8
    onnx.checker.check_model(model, full_check=True)
    return model


class Samples(quantization.CalibrationDataReader):
    def __init__(self, arrays):
        self.arrays = iter(arrays)

    def get_next(self):
        array = next(self.arrays, None)
        return None if array is None else {"input": array}


def quantize(model, samples, output):
    with tempfile.TemporaryDirectory() as work:
        source = pathlib.Path(work) / "float.onnx"
        onnx.save(model, source)
        quantization.quantize_static(
            source,
            output,
            Samples(samples),
            per_channel=True,
            quant_format=quantization.QuantFormat.QDQ,
            activation_type=quantization.QuantType.QInt8,
            weight_type=quantization.QuantType.QInt8,
        )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--width", type=float, default=1.0)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--classes", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--float", action="store_true", help="leave it in float32")
    parser.add_argument("output", type=pathlib.Path)
    args = parser.parse_args()

    args.output.mkdir(parents=True, exist_ok=True)
    path = args.output / "model.onnx"
    model = build(args.width, args.size, args.classes, args.seed)
    random = np.random.default_rng(args.seed + 1)
    samples = [
        random.standard_normal((1, 3, args.size, args.size)).astype(np.float32) for _ in range(3)
    ]
    if args.float:
        onnx.save(model, path)
    else:
        quantize(model, samples[1:], path)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    np.save(args.output / "input_0.npy", samples[0])
    np.save(args.output / "output_0.npy", session.run(None, {"input": samples[0]})[0])


if __name__ == "__main__":
    main()
