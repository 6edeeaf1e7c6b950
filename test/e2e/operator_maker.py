"""Random models of chosen operators: one small branch with a separate model output for each.

Operators and the types they must be tried in come from lib/IR/Ops.def. Every entry has a function
here that adds it to a model; types that cannot be tested are in NOT_TRIED with the reason.

Over 500 lines: a table with one entry per operator.
"""

import pathlib
import re

import numpy as np
import onnx
from onnx import TensorProto, helper

from graph_maker import GraphMaker, used_part

OPS_DEF = pathlib.Path(__file__).resolve().parent.parent.parent / "lib" / "IR" / "Ops.def"
# {(kind, type) of Ops.def: why no ONNX model leads to it}
NOT_TRIED = {
    ("Cast", "s8"): "casts convert plain integers, those of run_types.py",
    ("Cast", "s16"): "likewise",
}
FAMILIES = {
    "f32": ["f32"],
    "s8": ["s8"],
    "s16": ["s16"],
    "int": ["int"],
    "bool": ["bool"],
    "any": ["f32", "s8", "s16", "int", "bool"],
}


# Rows of a family leave out what all of it have in common: name of the macro -> category and types.
SHORT_ROWS = {"TIGRIS_FUNCTION": ("Pointwise", "f32 s8 s16"), "TIGRIS_REDUCTION": ("Dense", None)}


def listed_operators():
    """[(kind, category, [types])] of Ops.def, in its order."""
    found = []
    for macro, kind, second, types in re.findall(
        r'^(TIGRIS_OP|TIGRIS_FUNCTION|TIGRIS_REDUCTION)\((\w+),\s*("[^"]*"|\w+)(?:, "([^"]*)")?',
        OPS_DEF.read_text(),
        re.MULTILINE,
    ):
        category, all_types = SHORT_ROWS.get(macro, (second, None))
        words = (all_types or types).split()
        found.append((kind, category, [t for word in words for t in FAMILIES[word]]))
    return found


UNARY = {  # kind: the input that holds what it is defined for
    "Relu": "x",
    "LeakyRelu": "x",
    "Elu": "x",
    "Selu": "x",
    "Celu": "x",
    "Sigmoid": "x",
    "Tanh": "x",
    "HardSigmoid": "x",
    "HardSwish": "x",
    "Softplus": "x",
    "Softsign": "x",
    "Mish": "x",
    "Gelu": "x",
    "Erf": "x",
    "Exp": "x",
    "Log": "p",
    "Sqrt": "p",
    "Reciprocal": "p",
    "Neg": "x",
    "Abs": "x",
    "Sign": "x",
    "Floor": "x",
    "Ceil": "x",
    "Round": "x",
    "Sin": "x",
    "Cos": "x",
    "Tan": "u",
    "Asin": "u",
    "Acos": "u",
    "Atan": "x",
    "Sinh": "x",
    "Cosh": "x",
    "Asinh": "x",
    "Acosh": "p",
    "Atanh": "u",
    "ThresholdedRelu": "x",
    "Shrink": "x",
    "Identity": "x",
}
# A little error of the operand may be a large one of the result, so they read model inputs only.
JUMPS = {"Sign", "Floor", "Ceil", "Round", "ThresholdedRelu", "Shrink"}
REDUCTIONS = [
    "ReduceMean",
    "ReduceSum",
    "ReduceMax",
    "ReduceMin",
    "ReduceProd",
    "ReduceL1",
    "ReduceL2",
    "ReduceSumSquare",
    "ReduceLogSum",
    "ReduceLogSumExp",
]


class OperatorMaker(GraphMaker):
    """Tensors are named by what they hold: `x` any numbers, `p` of 1.2 to 4, `u` of -0.95 to
    0.95."""

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

    # ----------------------------------------------------------------- one operator

    def operator(self, kind, family):
        if kind in UNARY:
            exact = kind in JUMPS
            x = self.source(family, name=UNARY[kind], exact=exact)
            attributes = {
                "ThresholdedRelu": {"alpha": 0.3},
                "Shrink": {"lambd": 0.4, "bias": 0.2},
                "LeakyRelu": {"alpha": 0.2},
                "Elu": {"alpha": 0.7},
            }.get(kind, {})
            if kind == "Gelu":
                self.opset = max(self.opset, 20)
                attributes = {"approximate": self.pick("none", "tanh")}
            self.add(kind, [x], **attributes)
        elif kind in REDUCTIONS:
            logs = kind in ("ReduceLogSum", "ReduceProd")
            x = self.source(family, rank=int(self.rng.integers(2, 5)), name="p" if logs else "x")
            axes = sorted({int(a) for a in self.rng.integers(0, len(self.shapes[x]), 2)})
            if kind == "ReduceProd":
                axes = [int(np.argmin(self.shapes[x]))]
            self.add(kind, [x, self.ints(*axes)], keepdims=int(self.rng.integers(2)))
        else:
            getattr(self, "make_" + kind)(family)

    def binary(self, kind, family, low=-1.0, high=1.0, name="x"):
        x = self.source(family, name=name)
        shape = self.shapes[x]
        narrow = [n if self.chance(0.6) else 1 for n in shape][
            self.pick(0, 0, 1) if len(shape) > 1 else 0 :
        ]
        other = self.values(x, self.pick(shape, narrow, narrow, []), low, high)
        if family in ("f32", "s8", "s16") and self.chance(0.4):
            same = self.moved("p", len(shape))
            other = same if self.shapes[same] == shape else other
        # A quantized divisor near 0 is not what anybody wants to test.
        turn = kind not in ("Div", "Mod", "Pow") and self.chance(0.3)
        self.add(kind, [other, x] if turn else [x, other])

    def make_Add(self, family):
        self.binary("Add", family)

    def make_Sub(self, family):
        self.binary("Sub", family)

    def make_Mul(self, family):
        self.binary("Mul", family)

    def make_Div(self, family):
        self.binary("Div", family, 0.8, 2)

    def make_Pow(self, family):
        self.binary("Pow", family, 0.5, 2, name="p")

    def extreme(self, kind, family):
        x = self.source(family)
        others = [self.values(x, self.shapes[x]) for _ in range(int(self.rng.integers(1, 3)))]
        self.add(kind, [x, *others])

    def make_Max(self, family):
        self.extreme("Max", family)

    def make_Min(self, family):
        self.extreme("Min", family)

    def make_Sum(self, family):
        x = self.source("f32" if family == "int" else family)
        self.add("Sum", [x, self.values(x, self.shapes[x]), self.floats([1])])

    def make_Clip(self, family):
        low, high = sorted(self.rng.uniform(-1, 1, 2).astype(np.float32))
        bounds = self.pick([low, high], [low, None], [None, high])
        self.add(
            "Clip", [self.source(family), *["" if b is None else self.constant(b) for b in bounds]]
        )

    def make_Relu6(self, family):
        self.add(
            "Clip",
            [
                self.source(family, exact=True),
                self.constant(np.float32(0)),
                self.constant(np.float32(6)),
            ],
        )

    def make_PRelu(self, family):
        x = self.source(family, rank=4)
        self.add("PRelu", [x, self.floats([self.channels(x), 1, 1], 0, 1)])

    def make_Silu(self, family):
        self.opset = 24
        self.add("Swish", [self.source(family)])

    # --- quantization: explicit nodes, which quantizing leaves alone

    def make_QuantizeLinear(self, family):
        x = self.source(family, exact=True)
        self.add("QuantizeLinear", [x, self.constant(np.float32(0.05)), self.constant(np.int8(3))])

    def make_DequantizeLinear(self, family):
        scale, zero = self.constant(np.float32(0.05)), self.constant(np.uint8(120))
        x = self.source("f32", exact=True)
        q = self.other("uint8", "QuantizeLinear", [x, scale, zero], self.shapes[x])
        self.add("DequantizeLinear", [q, scale, zero])

    def make_Requantize(self, family):
        x = self.source("f32", exact=True)
        for scale, zero in ((0.05, 3), (0.03, -5)):
            constants = [self.constant(np.float32(scale)), self.constant(np.int8(zero))]
            q = self.other("int8", "QuantizeLinear", [x, *constants], self.shapes[x])
            x = self.node("DequantizeLinear", [q, *constants], self.shapes[x])
            self.plain[x] = "float_kept"
        self.out(x)

    # --- comparing, choosing, converting

    def make_Mod(self, family):
        x = self.source(family, exact=True)
        self.add(
            "Mod",
            [x, self.values(x, self.pick([], [self.shapes[x][-1]]), 0.5, 2)],
            fmod=1 if family == "f32" else int(self.rng.integers(2)),
        )

    def comparison(self, kind, family):
        x = self.source(family, exact=True)
        self.add(kind, [x, self.values(x, self.pick(self.shapes[x], []))])

    def make_Equal(self, family):
        self.comparison("Equal", family)

    def make_Less(self, family):
        self.comparison("Less", family)

    def make_LessOrEqual(self, family):
        self.comparison("LessOrEqual", family)

    def make_Greater(self, family):
        self.comparison("Greater", family)

    def make_GreaterOrEqual(self, family):
        self.comparison("GreaterOrEqual", family)

    def make_And(self, family):
        self.comparison("And", family)

    def make_Or(self, family):
        self.comparison("Or", family)

    def make_Xor(self, family):
        self.comparison("Xor", family)

    def make_Not(self, family):
        self.add("Not", [self.source(family)])

    def make_Where(self, family):
        x = self.source(family, exact=True)
        condition = self.source("bool", rank=len(self.shapes[x]))
        self.add("Where", [condition, x, self.values(x, self.pick(self.shapes[x], []))])

    def make_Cast(self, family):
        x = self.source(family, exact=True)
        if family == "int":  # onnxruntime makes one cast of two, which is not the same
            x = self.other("int", "Mul", [x, self.values(x, [])], self.shapes[x])
        to = self.pick(TensorProto.INT32, TensorProto.INT64, TensorProto.BOOL, TensorProto.FLOAT)
        self.add("Cast", [x], to=to)

    # --- windows

    def window_of(self, kind, family):
        del family
        while True:  # the window may not fit
            before = len(self.nodes)
            x = "x"
            name = getattr(self, kind)(x)
            if len(self.nodes) > before:
                self.out(name)
                return

    def make_Conv(self, family):
        self.window_of("conv", family)

    def make_ConvTranspose(self, family):
        self.window_of("conv_transpose", family)

    def make_DepthwiseConv(self, family):
        c = self.input_shape[1]
        self.add(
            "Conv",
            ["x", self.weights(c, 1, 3, 3, fan_in=9), self.bias(c)],
            group=c,
            kernel_shape=[3, 3],
            pads=[1, 1, 1, 1],
            strides=[self.pick(1, 2)] * 2,
        )

    def make_Conv1D(self, family):
        c, h, w = self.input_shape[1:]
        x = self.node("Reshape", ["x", self.ints(1, c, h * w)], [1, c, h * w])
        self.add(
            "Conv",
            [x, self.weights(5, c, 3, fan_in=3 * c), self.bias(5)],
            kernel_shape=[3],
            pads=[1, 1],
            dilations=[self.pick(1, 2)],
        )

    def pooled(self, kind, family):
        x = self.source(family, rank=4)
        self.opset = max(self.opset, 19)  # before, onnxruntime counts what is beyond the padding
        self.add(
            kind,
            [x],
            kernel_shape=[2, 3],
            strides=[self.pick(1, 2)] * 2,
            pads=[0, 1, 1, 1],
            ceil_mode=int(self.rng.integers(2)),
            **({"count_include_pad": int(self.rng.integers(2))} if kind == "AveragePool" else {}),
        )

    def make_MaxPool(self, family):
        self.pooled("MaxPool", family)

    def make_AveragePool(self, family):
        self.pooled("AveragePool", family)

    def make_GlobalAveragePool(self, family):
        self.add("GlobalAveragePool", [self.source(family, 4)])

    def make_GlobalMaxPool(self, family):
        self.add("GlobalMaxPool", [self.source(family, 4)])

    # --- channels, grids, movement

    def make_Concat(self, family):
        x = self.source(family)
        axis = self.axis(x)
        shape = list(self.shapes[x])
        shape[axis] = int(self.rng.integers(1, 4))
        operands = [x, self.values(x, shape)] + ([x] if self.chance(0.3) else [])
        self.add("Concat", operands if self.chance(0.5) else operands[::-1], axis=axis)

    def make_BatchNorm(self, family):
        self.out(self.batch_norm("x"))

    make_BatchNormalization = make_BatchNorm

    def make_Resize(self, family):
        c, h, w = self.input_shape[1:]
        if self.chance(0.5):
            inputs = [
                "x",
                "",
                "",
                self.ints(1, c, int(self.rng.integers(2, 20)), int(self.rng.integers(2, 20))),
            ]
        else:
            inputs = [
                "x",
                "",
                self.constant(np.array([1, 1, *self.rng.choice([0.5, 1.5, 2], 2)], np.float32)),
            ]
        mode = self.pick("nearest", "linear", "cubic")
        transform = self.pick("half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel")
        extra = (
            {"nearest_mode": self.pick("round_prefer_floor", "floor", "ceil", "round_prefer_ceil")}
            if mode == "nearest"
            else {}
        )
        self.add("Resize", inputs, mode=mode, coordinate_transformation_mode=transform, **extra)

    def make_Pad(self, family):
        x = self.source(family)
        pads = [int(n) for n in self.rng.integers(0, 3, 2 * len(self.shapes[x]))]
        modes = ["constant", "edge"] + (["reflect"] if min(self.shapes[x]) > 2 else [])
        self.add("Pad", [x, self.ints(*pads)], mode=self.pick(*modes))

    def make_Reshape(self, family):
        x = self.source(family)
        self.add("Reshape", [x, self.ints(self.shapes[x][0], -1)])

    def make_Transpose(self, family):
        x = self.source(family)
        self.add("Transpose", [x], perm=[int(a) for a in self.rng.permutation(len(self.shapes[x]))])

    def make_Slice(self, family):
        x = self.source(family)
        axis = self.axis(x)
        if self.chance(0.4):
            bounds = [-1], [-(10**9)], [axis], [-self.pick(1, 2)]
        else:
            bounds = [0], [max(1, self.shapes[x][axis] - 1)], [axis], [self.pick(1, 1, 2)]
        self.add("Slice", [x, *[self.ints(*b) for b in bounds]])

    def make_Split(self, family):
        x = self.source(family)
        axes = [a for a, n in enumerate(self.shapes[x]) if n > 1]
        axis = self.pick(*axes)
        first = int(self.rng.integers(1, self.shapes[x][axis]))
        self.add("Split", [x, self.ints(first, self.shapes[x][axis] - first)], outputs=2, axis=axis)

    def indices(self, limit, shape):
        return self.constant(
            self.rng.integers(-limit, limit, shape).astype(self.pick(np.int32, np.int64))
        )

    def make_Gather(self, family):
        x = self.source(family)
        axis = self.axis(x)
        self.add(
            "Gather", [x, self.indices(self.shapes[x][axis], self.pick([], [3], [2, 2]))], axis=axis
        )

    def make_GatherND(self, family):
        x = self.source(family, rank=int(self.rng.integers(2, 4)))
        limit = min(self.shapes[x][:2])
        self.add("GatherND", [x, self.constant(self.rng.integers(0, limit, [3, 2]))])

    def make_GatherElements(self, family):
        x = self.source(family, rank=int(self.rng.integers(2, 4)))
        axis = self.axis(x, negative=False)
        shape = list(self.shapes[x])
        limit, shape[axis] = shape[axis], 2
        self.add("GatherElements", [x, self.indices(limit, shape)], axis=axis)

    def make_ScatterND(self, family):
        x = self.source(family, rank=int(self.rng.integers(2, 4)))
        rows = self.rng.permutation(self.shapes[x][0])[:2].reshape(-1, 1)
        updates = self.values(x, [len(rows), *self.shapes[x][1:]])
        self.add("ScatterND", [x, self.constant(rows.astype(np.int64)), updates])

    def make_ScatterElements(self, family):
        x = self.source(family, rank=int(self.rng.integers(1, 4)))
        shape = self.shapes[x]
        index = np.zeros([1, *shape[1:]], np.int64) + int(self.rng.integers(shape[0]))
        self.add("ScatterElements", [x, self.constant(index), self.values(x, index.shape)], axis=0)

    def make_Expand(self, family):
        x = self.source(family)
        self.add("Expand", [x, self.ints(self.pick(2, 3), *self.shapes[x])])

    def make_Tile(self, family):
        x = self.source(family)
        self.add("Tile", [x, self.ints(*self.rng.integers(1, 3, len(self.shapes[x])))])

    def make_DepthToSpace(self, family):
        x = self.source(family, rank=4, exact=True)
        self.add("DepthToSpace", [x], blocksize=2, mode=self.pick("DCR", "CRD"))

    def make_SpaceToDepth(self, family):
        self.add("SpaceToDepth", [self.source(family, rank=4, exact=True)], blocksize=2)

    # --- dense

    def make_Gemm(self, family):
        x = self.source(family, rank=2)
        rows, n, transposed = self.shapes[x][1], int(self.rng.integers(1, 9)), self.chance(0.5)
        weights = self.weights(*([n, rows] if transposed else [rows, n]), fan_in=rows)
        self.add(
            "Gemm",
            [x, weights] + ([self.bias(n)] if self.chance(0.7) else []),
            transB=int(transposed),
        )

    def make_MatMul(self, family):
        """Of two tensors that are computed, mostly with several matrices."""
        a = self.source(family, rank=int(self.rng.integers(2, 5)), exact=True)
        rank = len(self.shapes[a])
        b = self.moved("p", int(self.rng.integers(2, rank + 1)))
        perm = list(range(len(self.shapes[b])))
        perm[-2:] = perm[:-3:-1]
        b = self.node("Transpose", [b], [self.shapes[b][i] for i in perm], perm=perm)
        if self.shapes[a][-1] != self.shapes[b][-2]:
            total = self.shapes[b][-2]
            b = self.node(
                "MatMul",
                [self.weights(self.shapes[a][-1], total, fan_in=total), b],
                self.shapes[b][:-2] + [self.shapes[a][-1], self.shapes[b][-1]],
            )
        self.add("MatMul", [a, b])

    def make_Softmax(self, family):
        x = self.source(family)
        self.add("Softmax", [x], axis=self.axis(x))

    def make_LogSoftmax(self, family):
        x = self.source(family)
        self.add("LogSoftmax", [x], axis=self.axis(x))

    def make_LayerNormalization(self, family):
        x = self.source(family)
        axis = self.axis(x)
        shape = self.shapes[x][axis:]
        self.add(
            "LayerNormalization", [x, self.floats(shape, 0.5, 1.5), self.floats(shape)], axis=axis
        )

    def search(self, kind, family):
        x = self.source(family, exact=True)
        if self.plain.get(x):  # onnxruntime has them for 32 bits
            x = self.other("int", "Cast", [x], self.shapes[x], to=TensorProto.INT32)
        self.add(
            kind,
            [x],
            axis=self.axis(x),
            keepdims=int(self.rng.integers(2)),
            select_last_index=int(self.rng.integers(2)),
        )

    def make_ArgMax(self, family):
        self.search("ArgMax", family)

    def make_ArgMin(self, family):
        self.search("ArgMin", family)

    def make_CumSum(self, family):
        x = self.source(family)
        self.add(
            "CumSum",
            [x, self.ints(self.axis(x))],
            exclusive=int(self.rng.integers(2)),
            reverse=int(self.rng.integers(2)),
        )

    def make_TopK(self, family):
        x = self.source(family, exact=True)
        axis = self.axis(x)
        self.add(
            "TopK",
            [x, self.ints(min(3, self.shapes[x][axis]))],
            outputs=2,
            axis=axis,
            largest=int(self.rng.integers(2)),
        )

    def recurrent(self, kind, gates):
        c, h, w = self.input_shape[1:]
        x = self.node("Reshape", ["x", self.ints(h, c, w)], [h, c, w])
        hidden = int(self.rng.integers(2, 7))
        self.add(
            kind,
            [
                x,
                self.weights(1, gates * hidden, w, fan_in=w),
                self.weights(1, gates * hidden, hidden, fan_in=hidden),
                self.constant(self.rng.normal(0, 0.2, [1, 2 * gates * hidden]).astype(np.float32)),
            ],
            hidden_size=hidden,
            direction=self.pick("forward", "reverse"),
        )

    def make_LSTM(self, family):
        self.recurrent("LSTM", 4)

    def make_GRU(self, family):
        self.recurrent("GRU", 3)

    def make_RNN(self, family):
        self.recurrent("RNN", 1)

    # --- what normalization removes

    def make_Constant(self, family):
        value = onnx.numpy_helper.from_array(self.rng.normal(0, 1, 1).astype(np.float32))
        self.add("Add", [self.source(), self.node("Constant", [], [1], value=value)])

    def make_ConstantOfShape(self, family):
        zeros = self.node(
            "ConstantOfShape",
            [self.ints(1, 1)],
            [1, 1],
            value=onnx.numpy_helper.from_array(np.array([0.5], np.float32)),
        )
        self.add("Add", [self.source(rank=2), zeros])

    def as_float(self, name):
        return self.node("Cast", [name], [], to=TensorProto.FLOAT)

    def make_Shape(self, family):
        x = self.source(rank=4)
        self.add("Mul", [x, self.as_float(self.other("int", "Shape", [x], [1], start=1, end=2))])

    def make_Size(self, family):
        x = self.source()
        self.add("Div", [x, self.as_float(self.other("int", "Size", [x], []))])

    def make_Range(self, family):
        x = self.source(rank=2)
        bounds = [self.constant(np.float32(v)) for v in (0, self.shapes[x][1], 1)]
        self.add("Add", [x, self.other("float_kept", "Range", bounds, [self.shapes[x][1]])])

    def make_Dropout(self, family):
        self.add("Dropout", [self.source()])

    def make_Flatten(self, family):
        self.add("Flatten", [self.source(rank=4)], axis=self.pick(1, 2, 3))

    def make_Squeeze(self, family):
        self.add("Squeeze", [self.source(rank=4), self.ints(0)])

    def make_Unsqueeze(self, family):
        self.add("Unsqueeze", [self.source(rank=3), self.ints(0, -1)])

    # ----------------------------------------------------------------- the model

    def finish(self):
        inputs = [
            helper.make_tensor_value_info(n, TensorProto.FLOAT, self.input_shape) for n in "xpu"
        ]
        graph = helper.make_graph(
            self.nodes,
            "operators",
            inputs,
            [onnx.ValueInfoProto(name=name) for name in self.results],
            self.constants,
        )
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=10
        )
        model = onnx.shape_inference.infer_shapes(model, strict_mode=True)
        used = {name for node in model.graph.node for name in node.input}
        kept = [i for i in model.graph.input if i.name in used]
        del model.graph.input[:], model.graph.value_info[:]
        model.graph.input.extend(kept)
        return used_part(model)


def samples(model, seed, count=1):
    """Values for the inputs of a model of OperatorMaker."""
    rng = np.random.default_rng([seed, 7])
    draw = {
        "x": lambda shape: rng.normal(0, 1.5, shape),
        "p": lambda shape: rng.uniform(1.2, 4, shape),
        "u": lambda shape: rng.uniform(-0.95, 0.95, shape),
    }
    shapes = {
        i.name: [d.dim_value for d in i.type.tensor_type.shape.dim] for i in model.graph.input
    }
    return [
        {n: draw[n](shape).astype(np.float32) for n, shape in shapes.items()} for _ in range(count)
    ]


def operator_model(seed, wanted, quantized):
    """A model with every (kind, type) of `wanted`."""
    maker = OperatorMaker(seed, quantized)
    for kind, family in wanted:
        maker.operator(kind, family)
    return maker.finish()
