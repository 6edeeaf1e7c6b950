"""Models over images with the idioms of other exporters."""

import numpy as np
from onnx import TensorProto, helper

from stranger_maker import Maker, attention, gelu


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


def keras_cnn():
    """tf2onnx of a Keras model: NHWC interface, a Transpose around every convolution, biases as Add
    of [1, C, 1, 1], same padding by auto_pad and Pad, Relu6 as two operators, ReduceMean with and
    without keepdims, Squeeze, Softmax.
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
    """A YOLO head as torch writes it: SiLU, C2f blocks with Split and Concat, SPPF, nearest
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
    """A U-Net as segmentation libraries write it: ConvTranspose with output padding, skip
    connections by Concat, InstanceNormalization, PRelu, an odd size adjusted by Pad and Slice,
    ArgMax at the end."""
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
