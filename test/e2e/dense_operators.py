"""Random operators that combine many elements: windows, products, normalizations, searches and
recurrent layers."""

import numpy as np
from onnx import TensorProto

from operand_maker import OperandMaker


class DenseOperators(OperandMaker):
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
        # In earlier opsets, onnxruntime counts elements beyond the padding.
        self.opset = max(self.opset, 19)
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
        """The product of two computed tensors, mostly with several matrices."""
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
