"""Random SVDF and LSTM layers of TensorFlow Lite, which keep states from step to step; adds them to
OPERATORS of tflite_operators.py. Their inputs have a leading axis of steps.
"""

import numpy as np

from flat_maker import FlatModel, Quant, options
from tflite_operators import operator, values

STEPS = 5


def sequence(rng, model, shape, dtype, quant=None):
    model.steps = STEPS
    return model.input(values(rng, (STEPS, *shape), dtype), quant)


def state(model, shape, dtype, quant=None):
    made = model.tensor(shape, dtype, quant)
    model.graph.tensors[made].isVariable = True
    return made


@operator("SVDF")
def svdf(rng, name):
    kind, model = rng.choice(("float32", "int8", "int16")), FlatModel()
    batch, rank = (int(n) for n in rng.integers(1, 3, 2))
    inputs, units, memory = (int(n) for n in rng.integers(2, 9, 3))
    filters = rank * units
    given = options("SVDFOptions", rank=rank, fusedActivationFunction=int(rng.integers(2)))
    shapes = [(filters, inputs), (filters, memory), (units,), (batch, filters * memory)]
    if kind == "float32":
        x = sequence(rng, model, (batch, inputs), kind)
        constants = [model.constant(values(rng, shape, kind), kind) for shape in shapes[:3]]
        constants.append(state(model, shapes[3], kind))
        y = model.output((batch, units), kind)
    else:
        steps = 128 if kind == "int8" else 32768
        scales = np.array([0.05, 0.01, 1.28 / steps]) * rng.uniform(0.5, 2, 3)
        held = scales[0] * scales[1] * 5110 * np.sqrt(inputs) * 3 / steps * rng.uniform(0.3, 1.5)
        made = scales[2] * held * (steps / 128) ** 2 * 5329 * np.sqrt(memory * rank) / 40
        x = sequence(rng, model, (batch, inputs), "int8", Quant(scales[0], rng.integers(-128, 50)))
        constants = [
            model.constant(rng.integers(-127, 128, shapes[0]), "int8", Quant(scales[1])),
            model.constant(rng.integers(1 - steps, steps, shapes[1]), kind, Quant(scales[2])),
            model.constant(
                rng.integers(-2000, 2000, units),
                "int32",
                Quant(np.float32(held) * np.float32(scales[2])),
            ),
            state(model, shapes[3], kind, Quant(held)),
        ]
        y = model.output((batch, units), "int8", Quant(made, rng.integers(-128, 50)))
    model.op(name, [x, *constants], [y], given, 3)
    return model


GATES, RECURRENT, BIASES, HELD = 1, 5, 12, 18


@operator("UNIDIRECTIONAL_SEQUENCE_LSTM")
def lstm(rng, name):
    kind, model = rng.choice(("float32", "int8", "int16")), FlatModel()
    batch, count, inputs, hidden = (int(n) for n in rng.integers(1, 8, 4))
    major = bool(rng.integers(2))
    given = options(
        "UnidirectionalSequenceLSTMOptions",
        fusedActivationFunction=4,
        cellClip=float(rng.choice([0, 0.3, 10])),
        projClip=0.0,
        timeMajor=major,
    )
    lead = (count, batch) if major else (batch, count)
    operands = [-1] * 24
    shapes = {GATES: (hidden, inputs), RECURRENT: (hidden, hidden), BIASES: (hidden,)}
    if kind == "float32":
        operands[0] = sequence(rng, model, (*lead, inputs), kind)
        for first, shape in shapes.items():
            for gate in range(4):
                array = values(rng, shape, kind) / np.float32(3)
                operands[first + gate] = model.constant(array, kind)
        quants = [None, None]
    else:
        steps = 127 if kind == "int8" else 32767
        quants = [Quant(2 / steps * rng.uniform(0.5, 2)), Quant(1 / steps * rng.uniform(0.8, 1.5))]
        if kind == "int8":
            for quant in quants:
                quant.zero = int(rng.integers(-60, 60))
        operands[0] = sequence(rng, model, (*lead, inputs), kind, quants[0])
        wide = "int32" if kind == "int8" else "int64"
        for gate in range(4):
            scales = rng.uniform(0.005, 0.03, 2)
            for first, scale in zip((GATES, RECURRENT), scales):
                array = rng.integers(-127, 128, shapes[first])
                operands[first + gate] = model.constant(array, "int8", Quant(scale))
            unit = np.float32(scales[0]) * quants[0].scale[0]
            array = rng.normal(size=hidden) / unit
            operands[BIASES + gate] = model.constant(array, wide, Quant(unit))
    cell = None if kind == "float32" else Quant(2.0 ** int(rng.integers(-15, -8)))
    operands[HELD] = state(model, (batch, hidden), kind, quants[1])
    operands[HELD + 1] = state(model, (batch, hidden), "int16" if cell else kind, cell)
    y = model.output((*lead, hidden), kind, quants[1])
    model.op(name, operands, [y], given, 1 if kind == "float32" else 3)
    return model
