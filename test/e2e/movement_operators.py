"""Random operators that move elements, and those that normalization removes."""

import numpy as np
import onnx
from onnx import TensorProto

from operand_maker import OperandMaker


class MovementOperators(OperandMaker):
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
