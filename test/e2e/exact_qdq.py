"""Small QDQ models whose results are often halfway between two integers, and their results as ONNX
defines them.

Scales are powers of 2, or have ratios that are small fractions. `evaluate` computes in float64,
where such results are exact, and rounds halves to even as QuantizeLinear does.
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

BOUNDS = {t: (np.iinfo(t).min, np.iinfo(t).max) for t in (np.int8, np.uint8, np.int16)}


class Model:
    """Appends nodes; every result is quantized and dequantized. Tensors are identified by name."""

    def __init__(self, seed, dtype=np.int8):
        self.rng = np.random.default_rng(seed)
        self.dtype = dtype
        self.nodes, self.constants, self.inputs, self.outputs = [], [], [], []
        self.shapes, self.steps, self.feed = {}, {}, {}

    def name(self):
        return f"t{len(self.nodes)}_{len(self.constants)}"

    def constant(self, array):
        name = f"{self.name()}_c"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def zero(self):
        low, high = BOUNDS[self.dtype]
        return int(self.rng.integers(low + (high - low) // 4, high - (high - low) // 4))

    def pair(self, real, scale, zero=None):
        """Adds Q and DQ after `real`; returns the dequantized tensor."""
        zero = self.zero() if zero is None else zero
        parameters = [self.constant(np.float32(scale)), self.constant(self.dtype(zero))]
        stored = f"{real}_q"
        self.nodes.append(helper.make_node("QuantizeLinear", [real, *parameters], [stored]))
        self.nodes.append(
            helper.make_node("DequantizeLinear", [stored, *parameters], [f"{real}_dq"])
        )
        self.steps[f"{real}_dq"] = scale
        return f"{real}_dq"

    def input(self, shape, scale):
        """Random values over the whole stored range."""
        name, zero = f"x{len(self.inputs)}", self.zero()
        low, high = BOUNDS[self.dtype]
        stored = self.rng.integers(low, high + 1, shape)
        self.feed[name] = ((stored - zero) * np.float64(scale)).astype(np.float32)
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        return self.pair(name, scale, zero)

    def weights(self, shape, scale, most=127, axis=None):
        """Dequantized int8 constant; a list of scales is per index of `axis`."""
        stored = self.rng.integers(-most, most + 1, shape).astype(np.int8)
        scale = np.asarray(scale, np.float32)
        inputs = [
            self.constant(stored),
            self.constant(scale),
            self.constant(np.zeros(scale.shape, np.int8)),
        ]
        name = f"{self.name()}_w"
        self.nodes.append(
            helper.make_node(
                "DequantizeLinear", inputs, [name], **({} if axis is None else {"axis": axis})
            )
        )
        return name

    def integers(self, array, scale):
        """Dequantized int32 constant: a bias."""
        inputs = [self.constant(np.asarray(array, np.int32)), self.constant(np.float32(scale))]
        name = f"{self.name()}_b"
        self.nodes.append(helper.make_node("DequantizeLinear", inputs, [name]))
        return name

    def raw(self, kind, inputs, **attributes):
        name = f"{self.name()}_{kind}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def op(self, kind, inputs, scale, zero=None, **attributes):
        return self.pair(self.raw(kind, inputs, **attributes), scale, zero)

    def output(self, *names):
        self.outputs += names

    def proto(self):
        ports = [helper.make_empty_tensor_value_info(name) for name in self.outputs]
        for port in ports:
            port.type.tensor_type.elem_type = TensorProto.FLOAT
        graph = helper.make_graph(self.nodes, "exact", self.inputs, ports, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
        return onnx.shape_inference.infer_shapes(model, strict_mode=True)


def quantize(x, scale, zero):
    """Rounds to 10 digits first: weights of 1/12 or means of three values give halves that are
    inexact in the last bits of a float64."""
    low, high = BOUNDS[zero.dtype.type]
    return np.clip(np.rint(np.round(x / np.float64(scale), 10)) + np.int64(zero), low, high)


def dequantize(x, scale, zero, axis):
    if np.ndim(scale):
        shape = [-1 if i == axis else 1 for i in range(x.ndim)]
        scale, zero = scale.reshape(shape), zero.reshape(shape)
    return (x.astype(np.float64) - np.float64(zero)) * np.float64(scale)


def evaluate(model, feed):
    """The outputs in float64."""
    values = {c.name: numpy_helper.to_array(c) for c in model.graph.initializer}
    values |= {name: array.astype(np.float64) for name, array in feed.items()}
    for node in model.graph.node:
        inputs = [values[name] if name else None for name in node.input]
        if node.op_type == "QuantizeLinear":
            result = quantize(*inputs)
        elif node.op_type == "DequantizeLinear":
            axis = next((a.i for a in node.attribute if a.name == "axis"), 1)
            zero = inputs[2] if len(inputs) > 2 else np.zeros(np.shape(inputs[1]), np.int64)
            result = dequantize(inputs[0], inputs[1], zero, axis)
        else:
            wide = {
                name: array.astype(np.float64)
                if array.dtype == np.float32 and node.op_type != "Resize"
                else array
                for name, array in zip(node.input, inputs)
                if name
            }
            (result,) = ReferenceEvaluator(node, opsets={"": 21}).run(None, wide)
        values[node.output[0]] = result
    return [values[port.name] for port in model.graph.output]
