"""Models with operators that the importer rewrites: loops of known length, pads that crop, computed
bounds, tensors without elements, weights with one scale per block, scikit-learn's operators,
Fourier transforms. The comment of each function names the exporter."""

import numpy as np
from onnx import TensorProto, helper

from stranger_maker import Maker

INT32, INT64, BOOL = TensorProto.INT32, TensorProto.INT64, TensorProto.BOOL


def body_of(m, results):
    """The graph of a Maker as the body of a loop."""
    infos = [helper.make_tensor_value_info(name, kind, None) for name, kind in results]
    return helper.make_graph(m.nodes, m.name, m.inputs, infos, m.constants)


def while_rnn(m, x, steps, states, cell, backwards=False):
    """A Keras RNN as tf2onnx writes it when it does not recognize the layer: a Loop with a counter
    and a condition, the sequence as an outer value, and a scan output. `cell(body, x, states)`
    returns the new states; the first one is collected."""
    b = Maker("body", m.opset)
    b.input("iteration", [], INT64)
    b.input("go", [], BOOL)
    counter, time = b.input("counter", [], INT32), b.input("time", [], INT32)
    inner = [b.input(f"state{i}", None) for i in range(len(states))]
    at = b.op("Sub", np.int32(steps - 1), time) if backwards else time
    new = cell(b, b.op("Gather", x, at, axis=0), inner)
    counter, time = (b.op("Add", v, np.int32(1)) for v in (counter, time))
    go = b.op("And", b.op("Less", counter, np.int32(1000)), b.op("Less", time, np.int32(steps)))
    results = [(go, BOOL), (counter, INT32), (time, INT32)]
    results += [(name, TensorProto.FLOAT) for name in (*new, b.op("Identity", new[0]))]
    return m.op(
        "Loop",
        np.int64(2**63 - 1),
        np.array(True),
        np.int32(0),
        np.int32(0),
        *states,
        outputs=2 + len(states) + 1,
        body=body_of(b, results),
    )


def lstm_cell(weights):
    kernel, recurrent, bias = weights

    def cell(b, x, states):
        h, c = states
        z = b.op("Add", b.op("MatMul", x, kernel), b.op("MatMul", h, recurrent))
        i, f, g, o = b.op("Split", b.op("Add", z, bias), axis=1, outputs=4)
        c = b.op(
            "Add",
            b.op("Mul", b.op("Sigmoid", f), c),
            b.op("Mul", b.op("Sigmoid", i), b.op("Tanh", g)),
        )
        return b.op("Mul", b.op("Sigmoid", o), b.op("Tanh", c)), c

    return cell


def gru_cell(weights):
    """With the reset gate after the product (Keras: reset_after=True)."""
    kernel, recurrent, bias, inner_bias = weights

    def cell(b, x, states):
        (h,) = states
        xz, xr, xh = b.op("Split", b.op("Add", b.op("MatMul", x, kernel), bias), axis=1, outputs=3)
        hz, hr, hh = b.op(
            "Split", b.op("Add", b.op("MatMul", h, recurrent), inner_bias), axis=1, outputs=3
        )
        z = b.op("Sigmoid", b.op("Add", xz, hz))
        r = b.op("Sigmoid", b.op("Add", xr, hr))
        new = b.op("Tanh", b.op("Add", xh, b.op("Mul", r, hh)))
        keep = b.op("Mul", b.op("Sub", np.float32(1), z), new)
        return (b.op("Add", b.op("Mul", z, h), keep),)

    return cell


def tensorflow_gru_cell(weights):
    """With the reset gate on the state, and both gates as one product (tf.nn.rnn_cell.GRUCell)."""
    kernel, bias, inner_kernel, inner_bias = weights

    def cell(b, x, states):
        (h,) = states
        gates = b.op("MatMul", b.op("Concat", x, h, axis=1), kernel)
        r, z = b.op("Split", b.op("Sigmoid", b.op("Add", gates, bias)), axis=1, outputs=2)
        joined = b.op("Concat", x, b.op("Mul", r, h), axis=-1)
        new = b.op("Tanh", b.op("Gemm", joined, inner_kernel, inner_bias, transB=1))
        keep = b.op("Mul", b.op("Sub", np.float32(1), z), new)
        return (b.op("Add", keep, b.op("Mul", z, h)),)

    return cell


def simple_cell(weights):
    kernel, recurrent, bias = weights

    def cell(b, x, states):
        product = b.op("Add", b.op("MatMul", x, kernel), bias)
        return (b.op("Relu", b.op("Add", product, b.op("MatMul", states[0], recurrent))),)

    return cell


def keras_rnn():
    """tf2onnx: layers whose sequence is read, forward and backward; of the last one, the state."""
    m = Maker("keras_rnn", 13)
    x = m.op("Transpose", m.input("x", [1, 7, 5]), perm=[1, 0, 2])
    zeros = np.zeros((1, 6), np.float32)
    lstm = m.weight(5, 24), m.weight(6, 24), m.weight(24)
    *_, sequence = while_rnn(m, x, 7, [zeros, zeros], lstm_cell(lstm))
    gru = m.weight(6, 12), m.weight(4, 12), m.weight(12), m.weight(12)
    zeros = np.full((1, 4), 0.2, np.float32)
    *_, y = while_rnn(m, sequence, 7, [zeros], gru_cell(gru), backwards=True)
    gru = m.weight(8, 8), m.weight(8), m.weight(4, 8), m.weight(4)
    *_, y = while_rnn(m, y, 7, [zeros], tensorflow_gru_cell(gru))
    simple = m.weight(4, 4), m.weight(4, 4), m.weight(4)
    *_, last, _ = while_rnn(m, y, 7, [zeros], simple_cell(simple))
    m.output(sequence, [7, 1, 6])
    m.output(last, [1, 4])
    m.output(m.op("Softmax", m.op("Gemm", last, m.weight(4, 3), m.weight(3)), axis=1), [1, 3])
    return m.model()


def scan_rnn():
    """tf2onnx before Loop: an LSTM with the peephole-free cell of TensorFlow 1, whose gates are one
    product of the concatenated input and state, and a cell that no kernel knows, as Scans."""
    m = Maker("scan_rnn", 11)
    x = m.input("x", [6, 2, 3])
    kernel, bias = m.weight(8, 20), m.weight(20)
    b = Maker("lstm", m.opset)
    c, h, step = b.input("c", [2, 5]), b.input("h", [2, 5]), b.input("step", [2, 3])
    z = b.op("Gemm", b.op("Concat", step, h, axis=1), kernel, bias)
    i, g, f, o = b.op("Split", z, axis=1, outputs=4)
    kept = b.op("Mul", c, b.op("Sigmoid", b.op("Add", f, np.float32(1))))
    c = b.op("Add", kept, b.op("Mul", b.op("Sigmoid", i), b.op("Tanh", g)))
    h = b.op("Mul", b.op("Tanh", c), b.op("Sigmoid", o))
    zeros = np.zeros((2, 5), np.float32)
    lstm = body_of(b, [(name, TensorProto.FLOAT) for name in (c, h, b.op("Identity", h))])
    _, last, y = m.op("Scan", zeros, zeros, x, outputs=3, body=lstm, num_scan_inputs=1)
    b = Maker("average", m.opset)
    mean, step = b.input("mean", [2, 5]), b.input("step", [2, 5])
    half = b.op("Mul", b.op("Add", mean, step), np.float32(0.5))
    average = body_of(b, [(half, TensorProto.FLOAT), (b.op("Relu", half), TensorProto.FLOAT)])
    _, y = m.op(
        "Scan",
        last,
        y,
        outputs=2,
        body=average,
        num_scan_inputs=1,
        scan_input_directions=[1],
        scan_output_directions=[1],
        scan_output_axes=[1],
    )
    m.output(y, [2, 6, 5])
    return m.model()


def movements():
    """Cropping pads of several modes (torch.nn.functional.pad), bounds that the model computes
    (torch.clamp with tensors), tensors without elements, and a Concat of 56 operands."""
    m = Maker("movements", 18)
    x = m.input("x", [1, 3, 10, 8])
    y = m.op("Pad", x, m.ints(0, 0, -2, 3, 0, 0, 1, -1), np.float32(0.25))
    y = m.op("Conv", y, m.weight(4, 3, 3, 3), m.weight(4))
    y = m.op("Pad", y, m.ints(2, -1, -2, -1), "", m.ints(2, 3), mode="reflect")
    y = m.op("Pad", y, m.ints(0, -1, 0, 0, 0, 0, 0, 2), mode="edge")
    low, high = (m.op(kind, y, keepdims=0) for kind in ("ReduceMean", "ReduceMax"))
    y = m.op("Clip", y, low, m.op("Mul", high, np.float32(0.5)))
    nothing = m.op("Slice", y, m.ints(4), m.ints(4), m.ints(2))
    y = m.op("Concat", m.op("Relu", nothing), y, np.zeros((1, 3, 0, 8), np.float32), axis=2)
    empty, y = m.op("Split", y, m.ints(0, 7), outputs=2, axis=2)
    y = m.op("Add", y, m.op("ReduceSum", empty, m.ints(2)))
    y = m.op("Reshape", y, m.ints(1, 56, 3))
    rows = [m.op("Slice", y, m.ints(i), m.ints(i + 1), m.ints(1)) for i in range(56)]
    m.output(m.op("Concat", *(m.op("Sigmoid", row) for row in rows[::-1]), axis=1), [1, 56, 3])
    return m.model()


def block_weights():
    """Weights with one scale per block of rows: DequantizeLinear of opset 21 in 4 and 8 bits, and
    onnxruntime's MatMulNBits."""
    m = Maker("block_weights", 21)
    x = m.input("x", [3, 32])
    stored = m.rng.integers(-8, 8, (32, 20))
    m.constants.append(helper.make_tensor("int4", TensorProto.INT4, [32, 20], stored.flatten()))
    scale = lambda *shape: m.rng.uniform(0.02, 0.05, shape).astype(np.float32)
    w = m.op("DequantizeLinear", "int4", scale(4, 20), axis=0, block_size=8)
    y = m.op("Relu", m.op("MatMul", x, w))
    stored, zero = (m.rng.integers(0, 256, s).astype(np.uint8) for s in ((24, 20), (24, 3)))
    w = m.op("DequantizeLinear", stored, scale(24, 3) / 16, zero, axis=1, block_size=8)
    y = m.op("Gemm", y, w, m.weight(24), transB=1)
    for columns, zeros in ((10, True), (6, False)):
        rows = 24 if zeros else 10
        blocks = -(-rows // 16)
        packed = m.rng.integers(0, 256, (columns, blocks, 8)).astype(np.uint8)
        points = [m.rng.integers(0, 256, columns * -(-blocks // 2)).astype(np.uint8)] * zeros
        y = m.op(
            "MatMulNBits",
            y,
            packed,
            scale(columns * blocks),
            *points,
            domain="com.microsoft",
            K=rows,
            N=columns,
            bits=4,
            block_size=16,
        )
    m.output(y, [3, 6])
    return m.model(["com.microsoft"])


def random_trees(m, features, prefix, ids, trees=3, depth=4):
    """The attributes of a tree ensemble: every leaf has one weight for each of `ids`."""
    nodes = {key: [] for key in ("treeids", "nodeids", "featureids", "values", "modes")}
    nodes |= {"truenodeids": [], "falsenodeids": []}
    weights = {key: [] for key in ("treeids", "nodeids", "ids", "weights")}

    def grow(tree, level):
        """Appends a node and those below it; returns its id."""
        leaf = level == depth or (level > 1 and m.rng.random() < 0.4)
        at, row = nodes["treeids"].count(tree), len(nodes["treeids"])
        values = [tree, at, 0, 0.0, "LEAF", 0, 0]
        for column, value in zip(nodes.values(), values):
            column.append(value)
        if leaf:
            for number in ids:
                for column, value in zip(weights.values(), (tree, at, number, m.rng.normal())):
                    column.append(value)
            return at
        nodes["featureids"][row] = int(m.rng.integers(0, features))
        nodes["values"][row], nodes["modes"][row] = float(m.rng.normal(0, 0.5)), "BRANCH_LEQ"
        nodes["truenodeids"][row] = grow(tree, level + 1)
        nodes["falsenodeids"][row] = grow(tree, level + 1)
        return at

    for tree in range(trees):
        grow(tree, 0)
    attributes = {f"nodes_{key}": column for key, column in nodes.items()}
    return attributes | {f"{prefix}_{key}": column for key, column in weights.items()}


def learners():
    """skl2onnx: scaled and normalized features, linear models and trees, labels and scores."""
    m = Maker("learners", 18)
    learn = lambda kind, *x, **how: m.op(kind, *x, domain="ai.onnx.ml", **how)
    floats = lambda *shape: [float(v) for v in m.weight(*shape).flatten()]
    x = learn("Scaler", m.input("x", [3, 5]), offset=floats(5), scale=floats(5))
    rows = learn("Normalizer", x, norm="L2")
    some = learn("ArrayFeatureExtractor", rows, m.ints(4, 0, 2))
    one = learn("LinearRegressor", some, coefficients=floats(6), intercepts=floats(2), targets=2)
    classes = {"coefficients": floats(4, 5), "intercepts": floats(4)}
    label, scores = learn(
        "LinearClassifier",
        rows,
        outputs=2,
        classlabels_ints=[3, 1, 4, 7],
        post_transform="SOFTMAX",
        **classes,
    )
    sums = learn("TreeEnsembleRegressor", x, n_targets=2, **random_trees(m, 5, "target", (0, 1)))
    side, chance = learn(
        "TreeEnsembleClassifier",
        x,
        outputs=2,
        classlabels_int64s=[-1, 1],
        post_transform="LOGISTIC",
        base_values=[0.1],
        **random_trees(m, 5, "class", (0,)),
    )
    for name, shape in ((one, [3, 2]), (scores, [3, 4]), (sums, [3, 2]), (chance, [3, 2])):
        m.output(name, shape)
    for name in (label, side):
        m.output(name, [3], INT64)
    return m.model(["ai.onnx.ml"])


def spectra():
    """torch.stft and scipy exports: windowed spectra of a signal, a transform and its inverse."""
    m = Maker("spectra", 17)
    x = m.input("x", [2, 64])
    window = m.op("HannWindow", np.int64(16))
    y = m.op("STFT", x, np.int64(8), window)
    power = m.op("ReduceSumSquare", y, axes=[3], keepdims=0)
    m.output(m.op("Log", m.op("Add", power, np.float32(0.1))), [2, 7, 9])
    window = m.rng.uniform(0.5, 1, 8).astype(np.float32)
    m.output(m.op("STFT", x, np.int64(6), window, np.int64(8), onesided=0), [2, 10, 8, 2])
    z = m.op("DFT", m.op("Reshape", x, m.ints(2, 4, 16, 1)), np.int64(12), axis=2)
    m.output(z, [2, 4, 12, 2])
    m.output(m.op("DFT", z, axis=1, inverse=1), [2, 4, 12, 2])
    m.output(m.op("DFT", m.op("Reshape", x, m.ints(2, 64, 1)), onesided=1), [2, 33, 2])
    return m.model()
