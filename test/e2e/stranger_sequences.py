"""Models over tokens, signals and other sequences with the idioms of other exporters."""

import numpy as np
from onnx import TensorProto

from stranger_maker import Maker, attention, gelu


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


def conformer():
    """A block of a speech model: Conv1D subsampling, half-step feed-forward with SiLU, attention, a
    convolution module with GLU (Split, Sigmoid, Mul), depthwise Conv1D and BatchNormalization,
    LayerNormalization decomposed.
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
    """Dilated causal convolutions: Pad on the left, or Conv and a Slice that removes the end;
    weight normalization is not folded."""
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
