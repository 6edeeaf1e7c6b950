"""Builds TensorFlow Lite models of one operator with the schema of the package tflite-micro."""

import flatbuffers
import numpy as np
from tflite_micro.tensorflow.lite.micro.python import schema_py_generated as schema

TYPES = {
    "float32": schema.TensorType.FLOAT32,
    "int32": schema.TensorType.INT32,
    "uint8": schema.TensorType.UINT8,
    "int64": schema.TensorType.INT64,
    "bool": schema.TensorType.BOOL,
    "int16": schema.TensorType.INT16,
    "int8": schema.TensorType.INT8,
}


class Quant:
    """Scales, one or one per index of `axis`, and a zero point."""

    def __init__(self, scale, zero=0, axis=0):
        self.scale, self.zero, self.axis = np.atleast_1d(np.float32(scale)), int(zero), axis


def options(name, **fields):
    """(options, their type) of an operator, for FlatModel.op."""
    made = getattr(schema, name + "T")()
    for field, value in fields.items():
        if not hasattr(made, field):
            raise AttributeError(f"{name} has no {field}")
        setattr(made, field, value)
    return made, getattr(schema.BuiltinOptions, name)


class FlatModel:
    def __init__(self):
        self.model = schema.ModelT()
        self.model.version = 3
        self.model.buffers = [schema.BufferT()]
        self.model.operatorCodes = []
        self.graph = schema.SubGraphT()
        self.graph.tensors, self.graph.operators = [], []
        self.graph.inputs, self.graph.outputs = [], []
        self.model.subgraphs = [self.graph]
        self.feed = []
        self.steps = None  # or the length of the first axis of all inputs

    def tensor(self, shape, dtype, quant=None, data=None):
        made = schema.TensorT()
        made.name = f"t{len(self.graph.tensors)}"
        made.shape, made.type, made.buffer = list(shape), TYPES[dtype], 0
        if data is not None:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(np.ascontiguousarray(data).tobytes(), np.uint8)
            self.model.buffers.append(buffer)
            made.buffer = len(self.model.buffers) - 1
        if quant is not None:
            made.quantization = schema.QuantizationParametersT()
            made.quantization.scale = quant.scale.tolist()
            made.quantization.zeroPoint = [quant.zero] * len(quant.scale)
            made.quantization.quantizedDimension = quant.axis
        self.graph.tensors.append(made)
        return len(self.graph.tensors) - 1

    def input(self, array, quant=None):
        """An input that gets this array, one step after the other if there are steps."""
        shape = array.shape if self.steps is None else array.shape[1:]
        self.graph.inputs.append(self.tensor(shape, array.dtype.name, quant))
        self.feed.append(array)
        return self.graph.inputs[-1]

    def constant(self, values, dtype="int32", quant=None):
        array = np.asarray(values, dtype)
        return self.tensor(array.shape, dtype, quant, array)

    def output(self, shape, dtype, quant=None):
        self.graph.outputs.append(self.tensor(shape, dtype, quant))
        return self.graph.outputs[-1]

    def op(self, name, inputs, outputs, given=None, version=1):
        number = getattr(schema.BuiltinOperator, name)
        code = schema.OperatorCodeT()
        code.builtinCode, code.deprecatedBuiltinCode = number, min(number, 127)
        code.version = version
        self.model.operatorCodes.append(code)
        made = schema.OperatorT()
        made.opcodeIndex = len(self.model.operatorCodes) - 1
        made.inputs, made.outputs = list(inputs), list(outputs)
        if given is not None:
            made.builtinOptions, made.builtinOptionsType = given
        self.graph.operators.append(made)

    def names(self, indices):
        return [self.graph.tensors[index].name for index in indices]

    def bytes(self):
        builder = flatbuffers.Builder(1024)
        builder.Finish(self.model.Pack(builder), b"TFL3")
        return bytes(builder.Output())
