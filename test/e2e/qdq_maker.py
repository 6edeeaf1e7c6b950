"""Quantizes a float model with Q/DQ pairs around every operator, including operators that
quantizers leave in float."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# Operators whose results usually take the scale of their operand.
MOVES = {
    "Reshape",
    "Transpose",
    "Slice",
    "Split",
    "Gather",
    "GatherND",
    "GatherElements",
    "Expand",
    "Tile",
    "DepthToSpace",
    "SpaceToDepth",
    "MaxPool",
    "Flatten",
    "Squeeze",
    "Unsqueeze",
    "Identity",
    "Dropout",
    "Resize",
    "ScatterND",
    "ScatterElements",
    "Where",
    "TopK",
}
WEIGHTED = {"Conv", "ConvTranspose", "Gemm"}
# Operators whose constant operands are parameters and are not quantized.
ONLY_FIRST = {
    "Clip",
    "Resize",
    "Pad",
    "BatchNormalization",
    "LayerNormalization",
    "PRelu",
    "LSTM",
    "GRU",
    "RNN",
    "QuantizeLinear",
    "DequantizeLinear",
    "Pow",
    "Mod",
}


class QdqMaker:
    """Rewrites `model`; `values` has the values of every float tensor for a sample. `wide`: 16-bit
    activations."""

    def __init__(self, model, values, seed, wide=False):
        self.bits, self.domain = (16 if wide else 8), ""
        if wide and model.opset_import[0].version < 21:  # ONNX itself has them from opset 21 on
            self.domain = "com.microsoft"
            model.opset_import.append(helper.make_opsetid(self.domain, 1))
        self.rng = np.random.default_rng([seed, 8])
        self.graph = model.graph
        self.values = values
        self.constants = {c.name: numpy_helper.to_array(c) for c in model.graph.initializer}
        self.made, self.names = [], {}
        self.params = {}  # scale and zero point by the name of the dequantized tensor
        self.unsigned = bool(self.rng.random() < 0.3)
        self.symmetric = bool(self.rng.random() < 0.3)
        self.per_channel = bool(self.rng.random() < 0.5)

    def constant(self, array, name):
        self.graph.initializer.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def parameters(self, values):
        """Scale and zero point, which keep 0 exact."""
        low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
        steps = 2**self.bits - 1
        least = 0 if self.unsigned else -(2 ** (self.bits - 1))
        if self.symmetric:
            high = max(-low, high)
            low = -high
        scale = np.float32(max((high - low) / steps, 1e-3 if self.bits == 8 else 1e-5))
        zero = int(np.clip(round(least - low / scale), least, least + steps))
        return scale, np.array(zero, f"{'u' if self.unsigned else ''}int{self.bits}")

    def pair(self, name, source, result, parameters):
        """Q and DQ from tensor `source` to `result`."""
        scale = self.constant(parameters[0], f"{name}_scale")
        zero = self.constant(parameters[1], f"{name}_zero")
        self.params[result] = parameters
        self.made.append(
            helper.make_node(
                "QuantizeLinear",
                [source, scale, zero],
                [f"{name}_q"],
                name=f"{name}_Q",
                domain=self.domain,
            )
        )
        self.made.append(
            helper.make_node(
                "DequantizeLinear",
                [f"{name}_q", scale, zero],
                [result],
                name=f"{name}_DQ",
                domain=self.domain,
            )
        )

    def weights(self, node, index):
        """The dequantized constant in place of operand `index`; biases in units of the
        accumulator."""
        name = node.input[index]
        array = self.constants[name]
        made = f"{node.name}_{index}"
        axis = {"Conv": 0, "ConvTranspose": 1, "Gemm": 0}.get(node.op_type, 0)
        if node.op_type == "Gemm" and not any(a.name == "transB" and a.i for a in node.attribute):
            axis = 1
        if index == 2:
            unit = self.params[node.input[0]][0] * self.weight_scale
            stored = np.round(array / unit).astype(np.int32)
            scale, zero, axis = np.asarray(unit, np.float32), np.zeros(np.shape(unit), np.int32), 0
        else:
            grouped = node.op_type == "ConvTranspose" and any(
                a.name == "group" and a.i > 1 for a in node.attribute
            )
            if self.per_channel and not grouped:
                axes = tuple(i for i in range(array.ndim) if i != axis)
                scale = np.maximum(np.abs(array).max(axis=axes), 1e-3).astype(
                    np.float32
                ) / np.float32(127)
                shape = [-1 if i == axis else 1 for i in range(array.ndim)]
                stored = np.round(array / scale.reshape(shape))
            else:
                scale = np.float32(max(np.abs(array).max(), 1e-3) / 127)
                stored = np.round(array / scale)
            stored = np.clip(stored, -127, 127).astype(np.int8)
            zero = np.zeros(np.shape(scale), np.int8)
            self.weight_scale = scale
        inputs = [
            self.constant(stored, f"{made}_w"),
            self.constant(scale, f"{made}_s"),
            self.constant(zero, f"{made}_z"),
        ]
        attributes = {"axis": axis} if np.ndim(scale) else {}
        self.made.append(helper.make_node("DequantizeLinear", inputs, [f"{made}_dq"], **attributes))
        return f"{made}_dq"

    def run(self, keep_float):
        """`keep_float(node)`: whether the node's results are not quantized."""
        for port in self.graph.input:
            self.pair(
                port.name, port.name, f"{port.name}_dq", self.parameters(self.values[port.name])
            )
            self.names[port.name] = f"{port.name}_dq"
        for node in list(self.graph.node):
            for index, name in enumerate(node.input):
                if name in self.names:
                    node.input[index] = self.names[name]
                elif name in self.constants and self.constants[name].dtype == np.float32:
                    if node.op_type in WEIGHTED and index and node.input[0] in self.params:
                        node.input[index] = self.weights(node, index)
                    elif node.op_type not in WEIGHTED | ONLY_FIRST and self.constants[name].size:
                        made = f"{node.name}_{index}"
                        self.pair(made, name, f"{made}_dq", self.parameters(self.constants[name]))
                        node.input[index] = f"{made}_dq"
            self.made.append(node)
            if keep_float(node):
                continue
            for index, name in enumerate(node.output):
                if name not in self.values:
                    continue
                node.output[index] = f"{name}_raw"
                parameters = self.parameters(self.values[name])
                if node.op_type == "Softmax" and self.rng.random() < 0.7 and self.bits == 8:
                    zero = np.array(0, np.uint8) if self.unsigned else np.array(-128, np.int8)
                    parameters = np.float32(1 / 256), zero
                first = node.input[0] if node.input else ""
                if node.op_type in MOVES and first in self.params and self.rng.random() < 0.8:
                    parameters = self.params[first]
                self.pair(name, f"{name}_raw", name, parameters)
        del self.graph.node[:]
        self.graph.node.extend(self.made)
        return {
            port.name: self.params[port.name][0]
            for port in self.graph.output
            if port.name in self.params
        }


def add_qdq(model, run, feed, seed, keep_float, wide=False):
    """Quantizes `model` in place; returns the scales of the quantized model outputs. `run(model,
    feed)` returns the outputs of a model."""
    typed = onnx.shape_inference.infer_shapes(model, strict_mode=True)
    elements = {
        v.name: v.type.tensor_type.elem_type for v in (*typed.graph.value_info, *typed.graph.output)
    }
    names = [
        name
        for node in model.graph.node
        for name in node.output
        if elements.get(name) == TensorProto.FLOAT
    ]
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    del probe.graph.output[:]
    probe.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    probe = onnx.shape_inference.infer_shapes(probe, strict_mode=True)
    values = dict(zip(names, run(probe, feed))) | feed
    return QdqMaker(model, values, seed, wide).run(keep_float)
