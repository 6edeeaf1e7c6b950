"""Writes the files that docs/states.md uses to the current directory: cell.onnx, one step of an
LSTM with the states h and c, and frames.npy, a sequence for it.

usage: make_cell.py
"""

import numpy as np
import onnx

STEPS, WIDTH, HIDDEN = 5, 4, 6


def main():
    rng = np.random.default_rng(1)
    draw = lambda *shape: rng.normal(0, 0.5, shape).astype(np.float32)
    constants = {
        "w": draw(1, 4 * HIDDEN, WIDTH),
        "r": draw(1, 4 * HIDDEN, HIDDEN),
        "b": draw(1, 8 * HIDDEN),
    }
    value = lambda name, *shape: onnx.helper.make_tensor_value_info(
        name, onnx.TensorProto.FLOAT, shape
    )
    node = onnx.helper.make_node(
        "LSTM", ["x", "w", "r", "b", "", "h", "c"], ["y", "h_next", "c_next"], hidden_size=HIDDEN
    )
    graph = onnx.helper.make_graph(
        [node],
        "cell",
        [value("x", 1, 1, WIDTH), value("h", 1, 1, HIDDEN), value("c", 1, 1, HIDDEN)],
        [value("y", 1, 1, 1, HIDDEN), value("h_next", 1, 1, HIDDEN), value("c_next", 1, 1, HIDDEN)],
        [onnx.numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    onnx.save(
        onnx.helper.make_model(
            graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8
        ),
        "cell.onnx",
    )
    np.save("frames.npy", draw(STEPS, 1, 1, WIDTH))


main()
