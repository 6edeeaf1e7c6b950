"""Builds models in the styles of other exporters, with seeded weights, and the blocks that several
of them share."""

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper


class Maker:
    """Appends nodes; operands are names of tensors or arrays, which become initializers."""

    def __init__(self, name, opset=17, seed=1):
        self.name, self.opset = name, opset
        self.rng = np.random.default_rng([seed, len(name)])
        self.nodes, self.constants, self.inputs, self.outputs, self.infos = [], [], [], [], []
        self.count = 0

    def input(self, name, shape, kind=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, name, shape=None, kind=TensorProto.FLOAT):
        self.outputs.append(helper.make_tensor_value_info(name, kind, shape))

    def constant(self, array, name=None):
        name = name or f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def weight(self, *shape):
        """Normally distributed weights, scaled so that sums keep the magnitude of their inputs."""
        fan = max(1, int(np.prod(shape[1:])))
        return self.rng.normal(0, 1 / np.sqrt(fan), shape).astype(np.float32)

    def ints(self, *values):
        return np.array(values, np.int64)

    def op(self, kind, *operands, outputs=1, domain="", **attributes):
        self.count += 1
        names = [
            operand if isinstance(operand, str) else self.constant(operand) for operand in operands
        ]
        label = f"/{self.name}/{kind}_{self.count}"
        results = [f"{label}_out{i}" for i in range(outputs)]
        self.nodes.append(
            helper.make_node(kind, names, results, name=label, domain=domain, **attributes)
        )
        return results[0] if outputs == 1 else results

    def const_node(self, array):
        """A Constant node, as TorchScript writes them."""
        self.count += 1
        name = f"/{self.name}/Constant_{self.count}_output_0"
        self.nodes.append(
            helper.make_node(
                "Constant", [], [name], value=numpy_helper.from_array(np.asarray(array))
            )
        )
        return name

    def conv(self, x, cin, cout, k=3, stride=1, group=1, pad=None, dilation=1, bias=True):
        pad = dilation * (k // 2) if pad is None else pad
        operands = [x, self.weight(cout, cin // group, k, k)]
        if bias:
            operands.append(self.weight(cout) * np.float32(0.1))
        return self.op(
            "Conv",
            *operands,
            kernel_shape=[k, k],
            strides=[stride, stride],
            group=group,
            pads=[pad] * 4,
            dilations=[dilation, dilation],
        )

    def norm(self, x, c):
        """A BatchNormalization."""
        return self.op(
            "BatchNormalization",
            x,
            self.rng.uniform(0.5, 1.5, c).astype(np.float32),
            self.weight(c) * np.float32(0.1),
            self.weight(c) * np.float32(0.1),
            self.rng.uniform(0.5, 1.5, c).astype(np.float32),
            epsilon=1e-5,
        )

    def silu(self, x):
        return self.op("Mul", x, self.op("Sigmoid", x))

    def layer_norm(self, x, size):
        return self.op(
            "LayerNormalization",
            x,
            self.rng.uniform(0.5, 1.5, size).astype(np.float32),
            self.weight(size) * np.float32(0.1),
            axis=-1,
            epsilon=1e-5,
        )

    def linear(self, x, cin, cout):
        """MatMul and Add, as written for more than two dimensions."""
        return self.op(
            "Add",
            self.weight(cout) * np.float32(0.1),
            self.op("MatMul", x, self.weight(cout, cin).T.copy()),
        )

    def model(self, domains=()):
        graph = helper.make_graph(
            self.nodes, self.name, self.inputs, self.outputs, self.constants, value_info=self.infos
        )
        opsets = [
            helper.make_opsetid("", self.opset),
            *(helper.make_opsetid(d, 1) for d in domains),
        ]
        model = helper.make_model(
            graph, opset_imports=opsets, ir_version=min(10, 8 if self.opset < 19 else 10)
        )
        if not domains:
            checker.check_model(model)
        return model


def attention(m, x, tokens, dim, heads, causal=False, ones=1):
    """Self-attention as torch writes it: one projection, Reshape, Transpose, Split into q, k, v,
    scaled q and k."""
    head = dim // heads
    qkv = m.linear(x, dim, 3 * dim)
    qkv = m.op(
        "Transpose",
        m.op("Reshape", qkv, m.ints(ones, tokens, 3, heads, head)),
        perm=[2, 0, 3, 1, 4],
    )
    q, k, v = (m.op("Gather", qkv, np.array(i, np.int64), axis=0) for i in range(3))
    scale = np.float32(head**-0.25)
    scores = m.op(
        "MatMul", m.op("Mul", q, scale), m.op("Mul", m.op("Transpose", k, perm=[0, 1, 3, 2]), scale)
    )
    if causal:
        scores = m.op("Add", scores, np.triu(np.full((tokens, tokens), -1e4, np.float32), 1))
    y = m.op("MatMul", m.op("Softmax", scores, axis=-1), v)
    y = m.op("Reshape", m.op("Transpose", y, perm=[0, 2, 1, 3]), m.ints(ones, tokens, dim))
    return m.linear(y, dim, dim)


def gelu(m, x):
    y = m.op("Add", m.op("Erf", m.op("Div", x, np.float32(np.sqrt(2)))), np.float32(1))
    return m.op("Mul", m.op("Mul", x, y), np.float32(0.5))
