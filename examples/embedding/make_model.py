"""Writes embedding.onnx: a small network with two operators that plugins lower.

usage: make_model.py     rewrites embedding.onnx beside this file, with the same bytes every time

HardSwish is rewritten by plugins/hardswish; LpNormalization, which the core does not know, by
plugins/lp-normalization. The weights are random, because the example demonstrates the build and not
the network.
"""

import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def main():
    random = np.random.default_rng(7)

    def weight(name, *shape):
        scale = 1 / np.sqrt(np.prod(shape[1:]) or 1)
        return numpy_helper.from_array(
            (random.standard_normal(shape) * scale).astype(np.float32), name
        )

    nodes = [
        helper.make_node(
            "Conv",
            ["image", "w1"],
            ["c1"],
            "conv1",
            kernel_shape=[3, 3],
            strides=[2, 2],
            pads=[1, 1, 1, 1],
        ),
        helper.make_node("HardSwish", ["c1"], ["h1"], "swish1"),
        helper.make_node(
            "Conv",
            ["h1", "w2"],
            ["c2"],
            "conv2",
            kernel_shape=[3, 3],
            strides=[2, 2],
            pads=[1, 1, 1, 1],
        ),
        helper.make_node("HardSwish", ["c2"], ["h2"], "swish2"),
        helper.make_node("GlobalAveragePool", ["h2"], ["g"], "pool"),
        helper.make_node("Flatten", ["g"], ["f"], "flatten"),
        helper.make_node("Gemm", ["f", "w3"], ["e"], "project", transB=1),
        helper.make_node("LpNormalization", ["e"], ["embedding"], "normalize", axis=-1, p=2),
    ]
    graph = helper.make_graph(
        nodes,
        "embedding",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 1, 32, 32])],
        [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, [1, 16])],
        [weight("w1", 8, 1, 3, 3), weight("w2", 16, 8, 3, 3), weight("w3", 16, 16)],
    )
    model = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
        producer_name="tigris-example",
    )
    onnx.checker.check_model(model)
    onnx.save(model, pathlib.Path(__file__).parent / "embedding.onnx")


main()
