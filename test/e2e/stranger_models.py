"""Models with the idioms of other exporters and seeded weights.

`models()` yields (name, ModelProto). Sizes are small; only the structure of the graph matters. The
comment of each function names the exporter.

Over 500 lines: one function per model.
"""

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
        """Normally distributed, of such a size that sums keep the size of what goes in."""
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
        """A Constant node, as TorchScript has them."""
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
        """MatMul and Add, as for more than two dimensions."""
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


def dynamo_resnet():
    """torch's dynamo exporter: opset 18, a symbolic batch, names like val_3, ReduceMean with axes
    as operand, initializers repeated in value_info."""
    m = Maker("dynamo_resnet", 18)
    x = m.input("x", ["s0", 3, 32, 32])
    x = m.op("Relu", m.conv(x, 3, 8, 3, 2))
    for _ in range(2):
        y = m.op("Relu", m.conv(x, 8, 8))
        x = m.op("Relu", m.op("Add", m.conv(y, 8, 8), x))
    x = m.op("ReduceMean", x, m.ints(-1, -2), keepdims=1)
    shape = m.op("Concat", m.op("Shape", x, start=0, end=1), m.ints(8), axis=0)
    x = m.op("Reshape", x, shape, allowzero=1)
    y = m.op("Gemm", x, m.weight(5, 8), m.weight(5), transB=1, alpha=1.0, beta=1.0)
    m.output(m.op("Identity", y), ["s0", 5])
    m.infos += [
        helper.make_tensor_value_info(c.name, c.data_type, list(c.dims)) for c in m.constants
    ]
    return m.model()


def attention(m, x, tokens, dim, heads, causal=False, ones=1):
    """Self-attention in torch's spelling: one projection, Reshape, Transpose, Split into q, k, v,
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


def transformer():
    """torch's scaled dot product attention with a causal mask, learned positions, tied token
    embedding."""
    m = Maker("transformer", 17)
    ids = m.input("ids", [1, 12], TensorProto.INT64)
    table = m.constant(m.weight(20, 16) * np.float32(4), "embed.weight")
    x = m.op("Gather", table, ids)
    x = m.op("Add", x, m.op("Gather", m.weight(16, 16), np.arange(12)[None], axis=0))
    for _ in range(2):
        x = m.op("Add", x, attention(m, m.layer_norm(x, 16), 12, 16, 4, True))
        x = m.op("Add", x, m.linear(gelu(m, m.linear(m.layer_norm(x, 16), 16, 32)), 32, 16))
    m.output(
        m.op("MatMul", m.layer_norm(x, 16), m.op("Transpose", table, perm=[1, 0])), [1, 12, 20]
    )
    return m.model()


def keras_cnn():
    """tf2onnx of a Keras model: NHWC interface, a Transpose around every convolution, biases as Add
    of [1, C, 1, 1], same padding by auto_pad and Pad, Relu6 as two operators, ReduceMean that keeps
    or drops, Squeeze, Softmax.
    """
    m = Maker("keras_cnn", 15)
    x = m.input("input_1", ["unk__1", 32, 32, 3])
    x = m.op("Sub", m.op("Mul", x, np.float32(2)), np.float32(1))
    cin = 3
    for cout, stride in ((8, 2), (16, 1), (16, 2)):
        t = m.op("Transpose", x, perm=[0, 3, 1, 2])
        if stride == 2:
            t = m.op("Pad", t, m.ints(0, 0, 0, 0, 0, 0, 1, 1))
        t = m.op(
            "Conv",
            t,
            m.weight(cout, cin, 3, 3),
            kernel_shape=[3, 3],
            strides=[stride, stride],
            auto_pad="VALID" if stride == 2 else "SAME_UPPER",
        )
        t = m.op("Add", t, m.weight(1, cout, 1, 1))
        x = m.op("Transpose", t, perm=[0, 2, 3, 1])
        x = m.op("Min", m.op("Relu", x), np.float32(6))
        cin = cout
        if stride == 1:  # squeeze and excite
            s = m.op("ReduceMean", x, axes=[1, 2], keepdims=0)
            s = m.op("Reshape", s, m.ints(-1, 1, 1, cout))
            s = m.op(
                "Transpose",
                m.conv(m.op("Transpose", s, perm=[0, 3, 1, 2]), cout, 4, 1),
                perm=[0, 2, 3, 1],
            )
            s = m.op("Relu", s)
            s = m.op(
                "Transpose",
                m.conv(m.op("Transpose", s, perm=[0, 3, 1, 2]), 4, cout, 1),
                perm=[0, 2, 3, 1],
            )
            x = m.op("Mul", x, m.op("Sigmoid", s))
    p = m.op(
        "MaxPool",
        m.op("Transpose", x, perm=[0, 3, 1, 2]),
        kernel_shape=[3, 3],
        strides=[2, 2],
        auto_pad="SAME_UPPER",
    )
    x = m.op("Transpose", p, perm=[0, 2, 3, 1])
    x = m.op("ReduceMean", x, axes=[1, 2], keepdims=1)
    x = m.op("Squeeze", x, m.ints(1, 2))
    x = m.op("Add", m.op("MatMul", x, m.weight(16, 7)), m.weight(7))
    m.output(m.op("Softmax", x, axis=1), ["unk__1", 7])
    return m.model()


def keras_sequence():
    """tf2onnx of Keras layers over sequences: Conv1D through Unsqueeze and a Conv with a kernel of
    height 1, GlobalMaxPool as ReduceMax, LSTM with layout 0 between Transposes, Flatten as Reshape
    with -1."""
    m = Maker("keras_sequence", 13)
    x = m.input("seq", [1, 24, 6])
    t = m.op("Unsqueeze", m.op("Transpose", x, perm=[0, 2, 1]), m.ints(2))
    t = m.op("Conv", t, m.weight(8, 6, 1, 5), m.weight(8), kernel_shape=[1, 5], pads=[0, 2, 0, 2])
    t = m.op("Transpose", m.op("Squeeze", t, m.ints(2)), perm=[0, 2, 1])
    t = m.op("LeakyRelu", t, alpha=0.3)
    n = m.op("Transpose", t, perm=[1, 0, 2])
    y = m.op(
        "LSTM",
        n,
        m.weight(1, 24, 8),
        m.weight(1, 24, 6),
        m.weight(1, 48) * np.float32(0.1),
        outputs=3,
        hidden_size=6,
        direction="forward",
    )[0]
    y = m.op("Transpose", m.op("Squeeze", y, m.ints(1)), perm=[1, 0, 2])
    a = m.op("ReduceMax", y, axes=[1], keepdims=0)
    b = m.op(
        "Reshape", m.op("Slice", y, m.ints(0, -1, 0), m.ints(1, 2**31 - 1, 6)), m.ints(-1, 6)
    )
    y = m.op("Concat", a, b, axis=-1)
    m.output(m.op("Tanh", m.op("Add", m.op("MatMul", y, m.weight(12, 3)), m.weight(3))), [1, 3])
    return m.model()


def paddle_mobile():
    """paddle2onnx: every attribute written out, Constant nodes for shapes, HardSwish decomposed
    into Add, Clip, Mul, Div, BatchNormalization kept, GlobalAveragePool, MatMul and Add with a bias
    of one dimension."""
    m = Maker("paddle_mobile", 11)
    x = m.input("x", [1, 3, 32, 32])

    def hard_swish(x):
        y = m.op(
            "Clip",
            m.op("Add", x, m.const_node(np.float32([3]))),
            m.const_node(np.float32(0)),
            m.const_node(np.float32(6)),
        )
        return m.op("Div", m.op("Mul", x, y), m.const_node(np.float32([6])))

    x = hard_swish(m.norm(m.conv(x, 3, 8, 3, 2, bias=False), 8))
    for _ in range(2):
        y = m.op("Relu", m.norm(m.conv(x, 8, 8, 3, 1, 8, bias=False), 8))
        s = m.op("GlobalAveragePool", y)
        s = m.op("Relu", m.conv(s, 8, 4, 1))
        s = m.op("HardSigmoid", m.conv(s, 4, 8, 1), alpha=0.2, beta=0.5)
        y = m.norm(m.conv(m.op("Mul", y, s), 8, 8, 1, bias=False), 8)
        x = hard_swish(m.op("Add", x, y))
    x = m.op("GlobalAveragePool", x)
    x = m.op("Reshape", x, m.const_node(m.ints(0, -1)))
    x = m.op("Add", m.op("MatMul", x, m.weight(8, 6)), m.weight(6))
    m.output(m.op("Softmax", x, axis=1), [1, 6])
    return m.model()


def detector():
    """A YOLO head in torch's spelling: SiLU, C2f blocks with Split and Concat, SPPF, nearest
    upsampling, boxes from a distribution (Reshape, Transpose, Softmax, a 1x1 Conv), grids and
    strides as constants."""
    m = Maker("detector", 17)
    x = m.input("images", [1, 3, 64, 64])
    block = lambda x, a, b, k=3, s=1: m.silu(m.conv(x, a, b, k, s))

    def c2f(x, c):
        a, b = m.op("Split", block(x, c, c, 1), m.ints(c // 2, c // 2), outputs=2, axis=1)
        d = m.op("Add", b, block(block(b, c // 2, c // 2), c // 2, c // 2))
        return block(m.op("Concat", a, b, d, axis=1), c + c // 2, c, 1)

    x = block(block(x, 3, 8, 3, 2), 8, 16, 3, 2)
    p3 = c2f(block(x, 16, 16, 3, 2), 16)
    p4 = c2f(block(p3, 16, 16, 3, 2), 16)
    y = block(p4, 16, 8, 1)
    pools = [y]
    for _ in range(3):
        pools.append(m.op("MaxPool", pools[-1], kernel_shape=[5, 5], pads=[2] * 4, strides=[1, 1]))
    p4 = block(m.op("Concat", *pools, axis=1), 32, 16, 1)
    up = m.op(
        "Resize",
        p4,
        "",
        np.float32([1, 1, 2, 2]),
        mode="nearest",
        coordinate_transformation_mode="asymmetric",
        nearest_mode="floor",
    )
    p3 = block(m.op("Concat", up, p3, axis=1), 32, 16, 1)
    classes, bins = 3, 4
    flat = []
    for p in (p3, p4):
        box = m.conv(block(p, 16, 8), 8, 4 * bins, 1)
        score = m.conv(block(p, 16, 8), 8, classes, 1)
        flat.append(
            m.op("Reshape", m.op("Concat", box, score, axis=1), m.ints(1, 4 * bins + classes, -1))
        )
    y = m.op("Concat", *flat, axis=2)
    box, score = m.op("Split", y, m.ints(4 * bins, classes), outputs=2, axis=1)
    count = 64 + 16
    box = m.op("Transpose", m.op("Reshape", box, m.ints(1, 4, bins, count)), perm=[0, 2, 1, 3])
    box = m.op(
        "Conv",
        m.op("Softmax", box, axis=1),
        np.arange(bins, dtype=np.float32).reshape(1, bins, 1, 1),
    )
    box = m.op("Reshape", box, m.ints(1, 4, count))
    lt = m.op("Slice", box, m.ints(0), m.ints(2), m.ints(1))
    rb = m.op("Slice", box, m.ints(2), m.ints(4), m.ints(1))
    grid = np.stack(
        [
            np.concatenate([np.tile(np.arange(n) + 0.5, n) for n in (8, 4)]),
            np.concatenate([np.repeat(np.arange(n) + 0.5, n) for n in (8, 4)]),
        ]
    )[None].astype(np.float32)
    a, b = m.op("Sub", grid, lt), m.op("Add", grid, rb)
    xy = m.op("Div", m.op("Add", a, b), np.float32(2))
    box = m.op("Concat", xy, m.op("Sub", b, a), axis=1)
    box = m.op(
        "Mul", box, np.concatenate([np.full(64, 8), np.full(16, 16)]).astype(np.float32)[None]
    )
    m.output(m.op("Concat", box, m.op("Sigmoid", score), axis=1), [1, 4 + classes, count])
    return m.model()


def unet():
    """A U-Net as segmentation libraries write it: ConvTranspose with output padding, skips by
    Concat, InstanceNormalization, PRelu, an odd size that Pad and Slice make fit, ArgMax at the
    end."""
    m = Maker("unet", 16)
    x = m.input("image", [1, 1, 33, 30])
    x = m.op("Pad", x, m.ints(0, 0, 1, 1, 0, 0, 2, 1), np.float32(0), mode="constant")
    skips, c = [], 1
    for width in (6, 12):
        x = m.conv(x, c, width)
        x = m.op(
            "InstanceNormalization", x, np.ones(width, np.float32), np.zeros(width, np.float32)
        )
        x = m.op("PRelu", x, np.full((width, 1, 1), 0.2, np.float32))
        skips.append(x)
        x = m.op("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2], ceil_mode=0)
        c = width
    x = m.op("Relu", m.conv(x, 12, 12))
    for width in (12, 6):
        x = m.op(
            "ConvTranspose",
            x,
            m.weight(c, width, 3, 3),
            m.weight(width),
            strides=[2, 2],
            pads=[1, 1, 1, 1],
            output_padding=[1, 1],
            kernel_shape=[3, 3],
        )
        x = m.op("Relu", m.conv(m.op("Concat", x, skips.pop(), axis=1), 2 * width, width))
        c = width
    x = m.conv(x, 6, 4, 1)
    x = m.op("Slice", x, m.ints(1, 1), m.ints(34, 31), m.ints(2, 3))
    m.output(x, [1, 4, 33, 30])
    m.output(m.op("ArgMax", x, axis=1, keepdims=0), [1, 33, 30], TensorProto.INT64)
    return m.model()


def conformer():
    """A block of a speech model: Conv1D subsampling, half-step feed-forward with SiLU, attention, a
    convolution module with GLU (Split, Sigmoid, Mul), depthwise Conv1D and BatchNormalization,
    LayerNormalization spelled out.
    """
    m = Maker("conformer", 17)
    d, t = 16, 20
    x = m.input("features", [1, 2 * t, 10])
    x = m.op("Transpose", x, perm=[0, 2, 1])
    x = m.op("Conv", x, m.weight(d, 10, 3), m.weight(d), strides=[2], pads=[1, 1], kernel_shape=[3])
    x = m.op("Transpose", x, perm=[0, 2, 1])

    def norm(x):
        mean = m.op("ReduceMean", x, axes=[-1], keepdims=1)
        y = m.op("Sub", x, mean)
        var = m.op("ReduceMean", m.op("Pow", y, np.float32(2)), axes=[-1], keepdims=1)
        y = m.op("Div", y, m.op("Sqrt", m.op("Add", var, np.float32(1e-5))))
        return m.op("Add", m.op("Mul", y, np.ones(d, np.float32)), m.weight(d) * np.float32(0.1))

    half = lambda x: m.op(
        "Add",
        x,
        m.op("Mul", m.linear(m.silu(m.linear(norm(x), d, 2 * d)), 2 * d, d), np.float32(0.5)),
    )
    x = half(x)
    x = m.op("Add", x, attention(m, norm(x), t, d, 2))
    y = m.op("Transpose", norm(x), perm=[0, 2, 1])
    y = m.op("Conv", y, m.weight(2 * d, d, 1), m.weight(2 * d), kernel_shape=[1])
    a, b = m.op("Split", y, outputs=2, axis=1)
    y = m.op("Mul", a, m.op("Sigmoid", b))
    y = m.op("Conv", y, m.weight(d, 1, 7), kernel_shape=[7], pads=[3, 3], group=d)
    y = m.silu(m.norm(y, d))
    y = m.op("Conv", y, m.weight(d, d, 1), m.weight(d), kernel_shape=[1])
    x = m.op("Add", x, m.op("Transpose", y, perm=[0, 2, 1]))
    x = norm(half(x))
    m.output(m.op("LogSoftmax", m.linear(x, d, 9), axis=-1), [1, t, 9])
    return m.model()


def tcn():
    """Dilated causal convolutions: Pad on the left or Conv and a Slice that takes the end off,
    weight normalization left in."""
    m = Maker("tcn", 14)
    x = m.input("x", [1, 4, 64])
    c = 4
    for i, dilation in enumerate((1, 2, 4)):
        v, g = m.constant(m.weight(8, c, 3)), m.constant(
            m.rng.uniform(0.5, 1.5, (8, 1, 1)).astype(np.float32)
        )
        w = m.op("Div", m.op("Mul", v, g), m.op("ReduceL2", v, axes=[1, 2], keepdims=1))
        if i % 2:
            y = m.op(
                "Conv",
                x,
                w,
                m.weight(8),
                kernel_shape=[3],
                dilations=[dilation],
                pads=[2 * dilation] * 2,
            )
            y = m.op("Slice", y, m.ints(0), m.ints(-2 * dilation), m.ints(2))
        else:
            y = m.op("Pad", x, m.ints(0, 0, 2 * dilation, 0, 0, 0))
            y = m.op("Conv", y, w, m.weight(8), kernel_shape=[3], dilations=[dilation])
        y = m.op("Relu", y)
        r = x if c == 8 else m.op("Conv", x, m.weight(8, c, 1), kernel_shape=[1])
        x, c = m.op("Relu", m.op("Add", y, r)), 8
    last = m.op("Gather", x, np.array(-1, np.int64), axis=2)
    m.output(m.op("Gemm", last, m.weight(2, 8), m.weight(2), transB=1), [1, 2])
    return m.model()


def speech_gru():
    """DeepSpeech-like: clipped Relus, 2D convolutions over the spectrogram, a bidirectional GRU
    whose directions are added, CTC log-probabilities with time first."""
    m = Maker("speech_gru", 12)
    x = m.input("spectrogram", [1, 1, 20, 32])
    clip = lambda x: m.op("Clip", x, np.float32(0), np.float32(20))
    x = clip(
        m.norm(
            m.op(
                "Conv",
                x,
                m.weight(4, 1, 5, 3),
                kernel_shape=[5, 3],
                strides=[2, 2],
                pads=[2, 1, 2, 1],
            ),
            4,
        )
    )
    x = m.op("Reshape", x, m.ints(1, 40, 16))
    x = m.op("Transpose", x, perm=[2, 0, 1])
    y, _ = m.op(
        "GRU",
        x,
        m.weight(2, 36, 40),
        m.weight(2, 36, 12),
        m.weight(2, 72) * np.float32(0.1),
        outputs=2,
        hidden_size=12,
        direction="bidirectional",
        linear_before_reset=1,
    )
    y = m.op("ReduceSum", y, axes=[1], keepdims=0)
    y = m.op("Reshape", y, m.ints(-1, 12))
    y = m.op("Gemm", y, m.weight(12, 10), m.weight(10))
    m.output(m.op("LogSoftmax", m.op("Reshape", y, m.ints(16, 1, 10)), axis=2), [16, 1, 10])
    return m.model()


def wave_autoencoder():
    """A waveform autoencoder: strided Conv1D, Snake and ELU activations, ConvTranspose 1D, Tanh, a
    residual on the input."""
    m = Maker("wave_autoencoder", 18)
    x = wave = m.input("wave", [1, 1, 128])
    c = 1
    for width in (8, 16):
        x = m.op(
            "Conv",
            x,
            m.weight(width, c, 7),
            m.weight(width),
            kernel_shape=[7],
            strides=[2],
            pads=[3, 3],
        )
        s = m.op("Sin", m.op("Mul", x, np.full((1, width, 1), 0.7, np.float32)))
        x = m.op(
            "Add",
            x,
            m.op("Mul", m.op("Pow", s, np.float32(2)), np.full((1, width, 1), 1.4, np.float32)),
        )
        c = width
    x = m.op("Elu", m.op("Conv", x, m.weight(16, 16, 3), kernel_shape=[3], pads=[1, 1]))
    for width in (8, 1):
        x = m.op(
            "ConvTranspose",
            x,
            m.weight(c, width, 4),
            m.weight(width),
            strides=[2],
            pads=[1, 1],
            kernel_shape=[4],
        )
        x, c = m.op("Elu", x) if width > 1 else x, width
    m.output(m.op("Add", m.op("Tanh", x), m.op("Mul", wave, np.float32(0.1))), [1, 1, 128])
    return m.model()


def efficient():
    """EfficientNet of timm: SiLU, squeeze and excite with keepdims means, asymmetric same padding
    as a Pad, residuals."""
    m = Maker("efficient", 13)
    x = m.input("input0", ["batch", 3, 32, 32])
    x = m.op("Pad", x, m.ints(0, 0, 0, 0, 0, 0, 1, 1), np.float32(0))
    x = m.silu(m.norm(m.conv(x, 3, 8, 3, 2, pad=0, bias=False), 8))
    for c, e, s in ((8, 16, 1), (8, 24, 2)):
        y = m.silu(m.norm(m.conv(x, c, e, 1, bias=False), e))
        y = m.silu(m.norm(m.conv(y, e, e, 5, s, e, bias=False), e))
        q = m.op("ReduceMean", y, axes=[2, 3], keepdims=1)
        q = m.op("Sigmoid", m.conv(m.silu(m.conv(q, e, 4, 1)), 4, e, 1))
        y = m.norm(m.conv(m.op("Mul", y, q), e, 8, 1, bias=False), 8)
        x = m.op("Add", y, x) if s == 1 else y
    x = m.op("Flatten", m.op("GlobalAveragePool", m.silu(m.conv(x, 8, 16, 1))))
    m.output(m.op("Gemm", x, m.weight(4, 16), m.weight(4), transB=1), ["batch", 4])
    return m.model()


def convnext():
    """ConvNeXt: 7x7 depthwise, LayerNormalization between Transposes, Linear on the last axis,
    GELU, layer scale."""
    m = Maker("convnext", 17)
    x = m.input("x", [1, 3, 32, 32])
    x = m.conv(x, 3, 12, 4, 4, pad=0)
    for _ in range(2):
        y = m.conv(x, 12, 12, 7, 1, 12)
        y = m.layer_norm(m.op("Transpose", y, perm=[0, 2, 3, 1]), 12)
        y = m.linear(gelu(m, m.linear(y, 12, 24)), 24, 12)
        y = m.op("Mul", y, m.weight(12))
        x = m.op("Add", x, m.op("Transpose", y, perm=[0, 3, 1, 2]))
    x = m.op("ReduceMean", x, axes=[-2, -1], keepdims=0)
    m.output(m.op("Gemm", m.layer_norm(x, 12), m.weight(5, 12), m.weight(5), transB=1), [1, 5])
    return m.model()


def swin():
    """Window attention: windows by Reshape and Transpose, a cyclic shift as Slices and Concats, a
    relative position bias."""
    m = Maker("swin", 17)
    d, n, w = 8, 8, 4
    x = m.input("x", [1, n, n, d])

    def roll(x, by):
        for axis in (1, 2):
            a = m.op("Slice", x, m.ints(by), m.ints(2**63 - 1), m.ints(axis))
            b = m.op("Slice", x, m.ints(0), m.ints(by), m.ints(axis))
            x = m.op("Concat", a, b, axis=axis)
        return x

    for shift in (0, 2):
        y = m.layer_norm(x, d)
        y = roll(y, shift) if shift else y
        y = m.op(
            "Transpose",
            m.op("Reshape", y, m.ints(1, n // w, w, n // w, w, d)),
            perm=[0, 1, 3, 2, 4, 5],
        )
        y = m.op("Reshape", y, m.ints(-1, w * w, d))
        y = attention(m, y, w * w, d, 2, ones=4)
        y = m.op(
            "Transpose",
            m.op("Reshape", y, m.ints(1, n // w, n // w, w, w, d)),
            perm=[0, 1, 3, 2, 4, 5],
        )
        y = m.op("Reshape", y, m.ints(1, n, n, d))
        x = m.op("Add", x, roll(y, -shift) if shift else y)
    m.output(x, [1, n, n, d])
    return m.model()


def pixel_shuffle():
    """Super-resolution: clipped input, residual groups, DepthToSpace in CRD mode, bicubic skip."""
    m = Maker("pixel_shuffle", 13)
    image = m.input("image", [1, 1, 16, 16])
    x = m.op("Relu", m.conv(image, 1, 8, 5))
    for _ in range(2):
        x = m.op(
            "Add", m.op("Mul", m.conv(m.op("Relu", m.conv(x, 8, 8)), 8, 8), np.float32(0.2)), x
        )
    x = m.op("DepthToSpace", m.conv(x, 8, 4), blocksize=2, mode="CRD")
    up = m.op(
        "Resize",
        image,
        np.float32([]),
        np.float32([1, 1, 2, 2]),
        mode="cubic",
        cubic_coeff_a=-0.75,
        coordinate_transformation_mode="half_pixel",
    )
    m.output(m.op("Clip", m.op("Add", x, up), np.float32(-1), np.float32(1)), [1, 1, 32, 32])
    return m.model()


def mlp_mixer():
    """MLP-Mixer and a two-input head: Einsum patches, mixing over tokens by Transposes, a second
    input joined by Expand."""
    m = Maker("mlp_mixer", 18)
    x = m.input("x", [1, 16, 12])
    extra = m.input("extra", [1, 4])
    for _ in range(2):
        y = m.op("Transpose", m.layer_norm(x, 12), perm=[0, 2, 1])
        y = m.linear(gelu(m, m.linear(y, 16, 16)), 16, 16)
        x = m.op("Add", x, m.op("Transpose", y, perm=[0, 2, 1]))
        x = m.op("Add", x, m.linear(gelu(m, m.linear(m.layer_norm(x, 12), 12, 24)), 24, 12))
    e = m.op("Expand", m.op("Unsqueeze", extra, m.ints(1)), m.ints(1, 16, 4))
    x = m.op("Concat", x, e, axis=-1)
    x = m.op("Einsum", x, m.weight(5, 16), equation="btc,oc->bto")
    m.output(m.op("ReduceMean", x, m.ints(1), keepdims=0), [1, 5])
    return m.model()


def models():
    for make in (
        dynamo_resnet,
        transformer,
        keras_cnn,
        keras_sequence,
        paddle_mobile,
        detector,
        unet,
        conformer,
        tcn,
        speech_gru,
        wave_autoencoder,
        efficient,
        convnext,
        swin,
        pixel_shuffle,
        mlp_mixer,
    ):
        yield make.__name__, make()
