"""Builds convolutional networks as ONNX models with seeded random weights, in float32 or int8 (QDQ
by onnxruntime's static quantization), and writes them as cases of the test corpus.

Batch norm is already folded into the convolutions. Shapes, types and connections, which are all
that a planner uses, are those of a trained model; the weights are meaningless.

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

CALIBRATION_SAMPLES = 2


def rounded(channels):
    """The nearest multiple of 8 that is at most a tenth smaller, as in the reference code of the
    MobileNets."""
    result = max(8, int(channels + 4) // 8 * 8)
    return result + 8 if result < 0.9 * channels else result


class Builder:
    """A network under construction. `value` is the tensor made last, of `channels` channels and
    `size` x `size` pixels; every method that adds nodes reads and replaces it."""

    def __init__(self, size, seed, opset=13):
        self.random = np.random.default_rng(seed)
        self.nodes, self.constants, self.outputs = [], [], []
        self.value, self.channels, self.size = "input", 3, size
        self.input_shape, self.opset = [1, 3, size, size], opset

    def constant(self, name, array):
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, kind, name, inputs, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        self.value = name

    def output(self, shape):
        """Makes the current value a result of the model."""
        self.outputs.append(helper.make_tensor_value_info(self.value, TensorProto.FLOAT, shape))

    def weights(self, name, shape, gain):
        """Normally distributed weights whose variance preserves that of the activations (He et al.
        2015)."""
        scale = np.sqrt(gain / np.prod(shape[1:]))
        return self.constant(name, (self.random.standard_normal(shape) * scale).astype(np.float32))

    def activate(self, name, activation):
        if activation == "Relu6":
            if "relu6_min" not in (constant.name for constant in self.constants):
                self.constant("relu6_min", np.float32(0))
                self.constant("relu6_max", np.float32(6))
            self.node("Clip", name + "_relu6", [self.value, "relu6_min", "relu6_max"])
        elif activation:
            self.node(activation, f"{name}_{activation.lower()}", [self.value])

    def conv(self, name, channels, kernel, stride=1, group=1, activation=None):
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
        self.activate(name, activation)

    def depthwise(self, name, kernel, stride=1, activation=None):
        self.conv(name, self.channels, kernel, stride, self.channels, activation)

    def pool(self):
        """The global average, as a row of features."""
        self.node("GlobalAveragePool", "pool", [self.value])
        self.node("Flatten", "features", ["pool"])

    def dense(self, name, units, activation=None):
        weight = self.weights(name + "_w", (units, self.channels), 1.0)
        bias = self.constant(name + "_b", np.zeros(units, np.float32))
        self.node("Gemm", name, [self.value, weight, bias], transB=1)
        self.channels = units
        self.activate(name, activation)

    def model(self, name):
        graph = helper.make_graph(
            self.nodes,
            name,
            [helper.make_tensor_value_info("input", TensorProto.FLOAT, self.input_shape)],
            self.outputs,
            self.constants,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)])
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


def write_case(builder, name, directory, seed, in_float):
    """Writes model.onnx, input_0.npy and output_<k>.npy (onnxruntime without graph
    optimizations)."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / "model.onnx"
    model = builder.model(name)
    random = np.random.default_rng(seed + 1)
    samples = [
        random.standard_normal(builder.input_shape).astype(np.float32)
        for _ in range(1 + CALIBRATION_SAMPLES)
    ]
    if in_float:
        onnx.save(model, path)
    else:
        quantize(model, samples[1:], path)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    np.save(directory / "input_0.npy", samples[0])
    for number, result in enumerate(session.run(None, {"input": samples[0]})):
        np.save(directory / f"output_{number}.npy", result)


def main(description, build, width, size, classes):
    """The command line of a script that builds one network: `build(width, size, classes, seed)`
    returns its Builder. The numbers given here are the defaults."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--width", type=float, default=width)
    parser.add_argument("--size", type=int, default=size)
    parser.add_argument("--classes", type=int, default=classes)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--float", action="store_true", help="leave it in float32")
    parser.add_argument("output", type=pathlib.Path)
    args = parser.parse_args()
    builder = build(args.width, args.size, args.classes, args.seed)
    name = f"{pathlib.Path(build.__code__.co_filename).stem}_{args.width}_{args.size}"
    write_case(builder, name, args.output, args.seed, args.float)
