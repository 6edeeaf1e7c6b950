"""Random operators that work element by element."""

import numpy as np
from onnx import TensorProto

from operand_maker import OperandMaker


class PointwiseOperators(OperandMaker):
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
        # Quantized divisors near 0 are not useful as tests.
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

    # --- quantization: explicit nodes, which QdqMaker does not change

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
        if family == "int":  # onnxruntime merges two casts into one, which is not equivalent
            x = self.other("int", "Mul", [x, self.values(x, [])], self.shapes[x])
        to = self.pick(TensorProto.INT32, TensorProto.INT64, TensorProto.BOOL, TensorProto.FLOAT)
        self.add("Cast", [x], to=to)
