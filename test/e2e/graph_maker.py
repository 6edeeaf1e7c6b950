"""Random small ONNX models of the operators the compiler supports; the same seed gives the same
model."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# Operators of one input and one output that quantizers leave in float or wrap in Q/DQ.
ACTIVATIONS = [
    "Relu",
    "Clip6",
    "Clip",
    "LeakyRelu",
    "Sigmoid",
    "Tanh",
    "HardSigmoid",
    "HardSwish",
    "Elu",
]


class GraphMaker:
    """Grows one branch of NCHW (or NCL) tensors and ends in a head."""

    def __init__(self, seed, spatial_rank):
        self.rng = np.random.default_rng(seed)
        self.opset = int(self.rng.integers(14, 20))
        self.spatial_rank = spatial_rank
        self.nodes, self.constants, self.shapes = [], [], {}
        extent = [int(self.rng.integers(6, 17)) for _ in range(spatial_rank)]
        self.input_shape = [1, int(self.rng.integers(1, 7)), *extent]
        self.shapes["x"] = self.input_shape
        self.sources = ["x"]  # earlier tensors that a residual or concatenation may read

    # ----------------------------------------------------------------- building blocks

    def pick(self, *choices):
        return choices[int(self.rng.integers(len(choices)))]

    def chance(self, probability):
        return bool(self.rng.random() < probability)

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def weights(self, *shape, fan_in):
        return self.constant(self.rng.normal(0, 1 / np.sqrt(fan_in), shape).astype(np.float32))

    def bias(self, count):
        return self.constant(self.rng.normal(0, 0.2, count).astype(np.float32))

    def node(self, kind, inputs, shape, **attributes):
        name = f"{kind.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=f"n_{name}", **attributes))
        self.shapes[name] = list(shape)
        return name

    def channels(self, x):
        return self.shapes[x][1]

    def window(self, x, kernels, allow_ceil=False):
        """Random window attributes and the spatial output extent, or None if it does not fit."""
        kernel = [int(self.rng.choice(kernels)) for _ in range(self.spatial_rank)]
        stride = [int(self.rng.choice([1, 1, 2, 3])) for _ in kernel]
        dilation = [int(self.rng.choice([1, 1, 1, 2])) for _ in kernel]
        before = [int(self.rng.integers(0, (k + 1) // 2 + (k > 1) * 0)) for k in kernel]
        after = [int(self.rng.integers(0, (k + 1) // 2)) for k in kernel]
        extent = []
        for n, k, s, d, b, a in zip(self.shapes[x][2:], kernel, stride, dilation, before, after):
            reach = d * (k - 1) + 1
            if n + b + a < reach or b >= reach or a >= reach:
                return None
            extent.append((n + b + a - reach) // s + 1)
        attributes = {"kernel_shape": kernel, "strides": stride, "pads": before + after}
        if not allow_ceil:
            attributes["dilations"] = dilation
        elif any(d != 1 for d in dilation):
            return None
        return attributes, extent

    # ----------------------------------------------------------------- layers

    def conv(self, x):
        window = self.window(x, [1, 2, 3, 5])
        if window is None:
            return x
        attributes, extent = window
        c_in = self.channels(x)
        style = self.pick("dense", "dense", "depthwise", "grouped")
        if style == "depthwise":
            groups, c_out = c_in, c_in * self.pick(1, 1, 2)
        elif style == "grouped" and c_in % 2 == 0:
            groups, c_out = 2, 2 * int(self.rng.integers(1, 5))
        else:
            groups, c_out = 1, int(self.rng.integers(1, 13))
        kernel = attributes["kernel_shape"]
        inputs = [
            x,
            self.weights(
                c_out, c_in // groups, *kernel, fan_in=c_in // groups * int(np.prod(kernel))
            ),
        ]
        if self.chance(0.7):
            inputs.append(self.bias(c_out))
        return self.node("Conv", inputs, [1, c_out, *extent], group=groups, **attributes)

    def conv_transpose(self, x):
        c_in, c_out = self.channels(x), int(self.rng.integers(1, 7))
        kernel = [int(self.rng.integers(2, 4)) for _ in range(self.spatial_rank)]
        stride = [int(self.rng.integers(1, 3)) for _ in kernel]
        extent = [s * (n - 1) + k for n, k, s in zip(self.shapes[x][2:], kernel, stride)]
        if max(extent) > 40:
            return x
        inputs = [x, self.weights(c_in, c_out, *kernel, fan_in=c_in * 2), self.bias(c_out)]
        return self.node(
            "ConvTranspose", inputs, [1, c_out, *extent], kernel_shape=kernel, strides=stride
        )

    def batch_norm(self, x):
        c = self.channels(x)
        positive = self.rng.uniform(0.5, 1.5, c).astype(np.float32)
        inputs = [
            x,
            self.constant(positive),
            self.bias(c),
            self.bias(c),
            self.constant(self.rng.uniform(0.5, 1.5, c).astype(np.float32)),
        ]
        return self.node("BatchNormalization", inputs, self.shapes[x])

    def activation(self, x):
        kind = self.pick(*ACTIVATIONS)
        shape = self.shapes[x]
        if kind.startswith("Clip"):
            low, high = (0.0, 6.0) if kind == "Clip6" else (-0.5, 0.75)
            return self.node(
                "Clip", [x, self.constant(np.float32(low)), self.constant(np.float32(high))], shape
            )
        attributes = {"LeakyRelu": {"alpha": 0.125}, "Elu": {"alpha": 0.75}}.get(kind, {})
        return self.node(kind, [x], shape, **attributes)

    def pool(self, x):
        kind = self.pick("MaxPool", "AveragePool")
        window = self.window(x, [2, 3], allow_ceil=True)
        if window is None:
            return x
        attributes, extent = window
        if kind == "AveragePool" and self.chance(0.5):
            attributes["count_include_pad"] = 1
        return self.node(kind, [x], [1, self.channels(x), *extent], **attributes)

    def arithmetic(self, x):
        """With an earlier tensor of the same shape, or with a constant that broadcasts."""
        kind = self.pick("Add", "Add", "Sub", "Mul")
        same = [s for s in self.sources if self.shapes[s] == self.shapes[x] and s != x]
        if same and self.chance(0.7):
            other = self.pick(*same)
        else:
            shape = [1, self.channels(x)] + [1] * self.spatial_rank
            other = self.constant(self.rng.uniform(0.25, 1, shape).astype(np.float32))
        operands = [x, other] if self.chance(0.7) else [other, x]
        return self.node(kind, operands, self.shapes[x])

    def concat(self, x):
        shape = self.shapes[x]
        fitting = [
            s
            for s in self.sources
            if self.shapes[s][2:] == shape[2:] and len(self.shapes[s]) == len(shape)
        ]
        if not fitting:
            return x
        other = self.pick(*fitting)
        total = self.channels(x) + self.channels(other)
        return self.node(
            "Concat", [x, other], [1, total, *shape[2:]], axis=self.pick(1, 1 - len(shape))
        )

    def pad(self, x):
        shape = self.shapes[x]
        before = [0, 0] + [int(self.rng.integers(0, 3)) for _ in range(self.spatial_rank)]
        after = [0, 0] + [int(self.rng.integers(0, 3)) for _ in range(self.spatial_rank)]
        mode = self.pick("constant", "constant", "reflect", "edge")
        return self.node(
            "Pad",
            [x, self.constant(np.array(before + after, np.int64))],
            [n + b + a for n, b, a in zip(shape, before, after)],
            mode=mode,
        )

    def resize(self, x):
        shape = self.shapes[x]
        if self.spatial_rank != 2 or max(shape[2:]) > 16:
            return x
        inputs = [x, "", self.constant(np.array([1, 1, 2, 2], np.float32))]
        out = [1, shape[1], shape[2] * 2, shape[3] * 2]
        if self.chance(0.5):
            return self.node(
                "Resize",
                inputs,
                out,
                mode="nearest",
                nearest_mode="floor",
                coordinate_transformation_mode="asymmetric",
            )
        mode = self.pick("half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel")
        return self.node("Resize", inputs, out, mode="linear", coordinate_transformation_mode=mode)

    def crop(self, x):
        shape = self.shapes[x]
        if min(shape[2:]) < 3:
            return x
        axes = list(range(2, len(shape)))
        inputs = [x] + [
            self.constant(np.array(v, np.int64))
            for v in ([1] * len(axes), [10**6] * len(axes), axes)
        ]
        return self.node("Slice", inputs, shape[:2] + [n - 1 for n in shape[2:]])

    def shuffle(self, x):
        """Channel shuffle as exporters write it: Reshape, Transpose, Reshape."""
        shape = self.shapes[x]
        if shape[1] % 2 or self.spatial_rank != 2:
            return x
        half = [1, 2, shape[1] // 2, *shape[2:]]
        x = self.node("Reshape", [x, self.constant(np.array(half, np.int64))], half)
        turned = [1, half[2], 2, *shape[2:]]
        x = self.node("Transpose", [x], turned, perm=[0, 2, 1, 3, 4])
        return self.node("Reshape", [x, self.constant(np.array(shape, np.int64))], shape)

    def head(self, x):
        style = self.pick("gap", "mean", "flatten", "none")
        shape = self.shapes[x]
        if style == "none" or (style == "flatten" and int(np.prod(shape)) > 2000):
            return x
        if style == "gap":
            x = self.node("GlobalAveragePool", [x], shape[:2] + [1] * self.spatial_rank)
        if style == "mean":
            x = (
                self.node("ReduceMean", [x], shape[:2], axes=list(range(2, len(shape))), keepdims=0)
                if self.opset < 18
                else self.node(
                    "ReduceMean",
                    [x, self.constant(np.arange(2, len(shape)))],
                    shape[:2],
                    keepdims=0,
                )
            )
        flat = int(np.prod(self.shapes[x]))
        if style != "mean":
            x = self.node("Flatten", [x], [1, flat], axis=1)
        outputs = int(self.rng.integers(2, 11))
        if self.chance(0.5):
            x = self.node(
                "Gemm",
                [x, self.weights(outputs, flat, fan_in=flat), self.bias(outputs)],
                [1, outputs],
                transB=1,
            )
        else:
            x = self.node("MatMul", [x, self.weights(flat, outputs, fan_in=flat)], [1, outputs])
            x = self.node("Add", [x, self.bias(outputs)], [1, outputs])
        return self.node("Softmax", [x], [1, outputs], axis=-1) if self.chance(0.4) else x

    # ----------------------------------------------------------------- the model

    def model(self, layers):
        kinds = (
            [self.conv] * 5
            + [self.activation] * 4
            + [self.arithmetic] * 2
            + [
                self.batch_norm,
                self.pool,
                self.concat,
                self.pad,
                self.resize,
                self.crop,
                self.shuffle,
                self.conv_transpose,
            ]
        )
        x = self.conv("x")
        for _ in range(layers):
            x = self.pick(*kinds)(x)
            self.sources.append(x)
        y = self.head(x)
        if y == "x":
            y = self.node("Relu", [y], self.shapes[y])
        graph = helper.make_graph(
            self.nodes,
            "random",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.input_shape)],
            [helper.make_tensor_value_info(y, TensorProto.FLOAT, self.shapes[y])],
            self.constants,
        )
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8
        )
        return used_part(model)


def used_part(model):
    """The model without nodes and constants that no output needs."""
    needed = {o.name for o in model.graph.output}
    kept = []
    for node in reversed(model.graph.node):
        if needed & set(node.output):
            kept.append(node)
            needed |= set(node.input)
    constants = [c for c in model.graph.initializer if c.name in needed]
    del model.graph.node[:], model.graph.initializer[:]
    model.graph.node.extend(reversed(kept))
    model.graph.initializer.extend(constants)
    onnx.checker.check_model(model, full_check=True)
    return model


def random_model(seed):
    """A model of up to nine layers, sometimes one-dimensional."""
    rng = np.random.default_rng([seed, 1])
    maker = GraphMaker(seed, spatial_rank=1 if rng.random() < 0.2 else 2)
    return maker.model(int(rng.integers(2, 10)))
