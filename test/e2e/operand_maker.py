"""Makes the operands of random operators, of all types, and the model outputs."""

import numpy as np
from onnx import TensorProto, helper

from graph_maker import GraphMaker


class OperandMaker(GraphMaker):
    """Tensors are named by their values: `x` any numbers, `p` 1.2 to 4, `u` -0.95 to 0.95."""

    def __init__(self, seed, quantized):
        super().__init__(seed, 2)
        self.quantized = quantized
        self.opset = int(self.rng.integers(18, 20))
        extent = [2 * int(self.rng.integers(2, 6)) for _ in range(2)]
        self.input_shape = [1, self.pick(4, 8), *extent]
        self.shapes = {name: list(self.input_shape) for name in "xpu"}
        self.results = []
        self.plain = {}  # tensors of other types: name -> "int" or "bool"

    # ----------------------------------------------------------------- operands

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    def floats(self, shape, low=-1.0, high=1.0):
        return self.constant(self.rng.uniform(low, high, shape).astype(np.float32))

    def moved(self, name, rank):
        """`name` with another rank, in the same order."""
        shape = self.shapes[name]
        if rank == len(shape):
            return name
        total = int(np.prod(shape))
        target = {1: [total], 2: [shape[1], total // shape[1]], 3: [shape[1], *shape[2:]]}[rank]
        return self.node("Reshape", [name, self.ints(*target)], target)

    def source(self, kind="f32", rank=None, name="x", exact=False):
        """A tensor of the type with 1 to 4 axes."""
        rank = rank or int(self.rng.integers(1, 5))
        if kind in ("f32", "s8", "s16"):
            if name == "x" and not exact and not self.quantized and self.chance(0.5):
                name = self.conv("x")
            return self.moved(name, rank)
        x = self.moved("x", rank)
        if kind == "bool":
            return self.other(
                "bool", "Greater", [x, self.constant(np.float32(0.1))], self.shapes[x]
            )
        wide = self.pick(TensorProto.INT32, TensorProto.INT64)
        result = self.other("int", "Cast", [x], self.shapes[x], to=wide)
        self.plain[result] = "int32" if wide == TensorProto.INT32 else "int64"
        return result

    def other(self, family, kind, inputs, shape, **attributes):
        name = self.node(kind, inputs, shape, **attributes)
        self.plain[name] = family
        return name

    def values(self, like, shape, low=-1.0, high=1.0):
        """A constant of the type of tensor `like`."""
        kind = self.plain.get(like, "float")
        if kind == "float":
            return self.floats(shape, low, high)
        if kind == "bool":
            return self.constant(self.rng.integers(0, 2, shape).astype(bool))
        return self.constant(self.rng.integers(1, 5, shape).astype(kind))

    def axis(self, x, negative=True):
        rank = len(self.shapes[x])
        axis = int(self.rng.integers(rank))
        return axis - rank if negative and self.chance(0.3) else axis

    def out(self, *names):
        self.results += names

    def add(self, kind, inputs, outputs=1, domain="", **attributes):
        """A node whose results are model outputs."""
        names = [f"{kind.lower()}{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(
            helper.make_node(kind, inputs, names, name=f"n_{names[0]}", domain=domain, **attributes)
        )
        self.out(*names)
        return names
