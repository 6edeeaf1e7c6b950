"""Random models of one TensorFlow Lite operator: OPERATORS maps names to functions of a random
generator. Types, shapes and quantizations are those that TensorFlow Lite Micro computes.
"""

import functools

import numpy as np

from flat_maker import FlatModel, Quant, options

OPERATORS = {}
INTEGERS = ("int8", "int16")
REALS = ("float32", "int8", "int16")


def operator(*names, **settings):
    """Registers a function(rng, name, **settings) under names."""

    def register(function):
        for name in names:
            key = settings.get("key", "{}").format(name)
            OPERATORS[key] = functools.partial(
                function, name=name, **{k: v for k, v in settings.items() if k != "key"}
            )
        return function

    return register


def some_shape(rng, least=1, most=4):
    return tuple(int(n) for n in rng.integers(1, 7, rng.integers(least, most + 1)))


def some_quant(rng, dtype, low=0.002, high=0.3):
    """None for floats; zero points of int16 are 0."""
    if dtype == "float32":
        return None
    scale = np.exp(rng.uniform(np.log(low), np.log(high)))
    if dtype == "int16":
        return Quant(scale / 128)
    limits = np.iinfo(dtype)
    return Quant(scale, rng.integers(limits.min, limits.max + 1))


def values(rng, shape, dtype):
    if dtype == "float32":
        return rng.normal(size=shape).astype(dtype) * np.float32(3)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype in ("int32", "int64"):
        return rng.integers(-50, 50, shape).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max + 1, shape).astype(dtype)


def some_input(rng, model, shape, dtype, quant=None):
    return model.input(values(rng, shape, dtype), quant)


# --- functions of one element


def unary(rng, name, dtype, target, low=0.002, high=0.3, given=None, positive=False):
    """`target` is the quantization of the result, or a function of that of the input."""
    model, shape = FlatModel(), some_shape(rng)
    quant = some_quant(rng, dtype, low, high)
    array = values(rng, (4, 32, 8) if dtype == "int8" else shape, dtype)
    if positive:
        array = np.maximum(array, quant.zero) if quant else np.abs(array) + np.float32(0.1)
        array = array.astype(dtype)
    x = model.input(array, quant)
    result = target(quant) if callable(target) else target
    y = model.output(array.shape, dtype, result if dtype != "float32" else None)
    model.op(name, [x], [y], given, 1 if dtype != "int8" or name in ("ELU", "HARD_SWISH") else 2)
    return model


@operator("LOGISTIC", "TANH")
def sigmoids(rng, name):
    dtype = rng.choice(REALS)
    target = {
        ("LOGISTIC", "int8"): Quant(1 / 256, -128),
        ("TANH", "int8"): Quant(1 / 128),
    }.get((name, dtype), Quant(1 / 32768))
    if dtype == "int16" and rng.random() < 0.3:
        model = FlatModel()
        quant = Quant(2.0 ** rng.integers(-13, -9))
        x = some_input(rng, model, (64,), dtype, quant)
        model.op(name, [x], [model.output((64,), dtype, target)])
        return model
    return unary(rng, name, dtype, target, high=1.0)


@operator("RELU")
@operator("ELU", "HARD_SWISH", dtypes=("float32", "int8"))
@operator("ABS")
@operator("RSQRT", dtypes=("float32", "int8"), positive=True)
@operator("EXP", "SIN", "COS", "NEG", "FLOOR", "CEIL", "ROUND", "SQUARE", dtypes=("float32",))
@operator("LOG", "SQRT", dtypes=("float32",), positive=True)
def functions(rng, name, dtypes=REALS, positive=False):
    dtype = rng.choice(dtypes)
    result = some_quant(rng, dtype)
    if dtype != "float32" and rng.random() < 0.3 and name == "ABS":
        return unary(rng, name, dtype, lambda quant: quant)
    return unary(rng, name, dtype, result, positive=positive)


@operator("RELU6")
def relu6(rng, name):
    dtype = rng.choice(REALS)
    result = some_quant(rng, dtype)
    return unary(rng, name, dtype, result if rng.random() < 0.5 else lambda quant: quant)


@operator("LEAKY_RELU")
def leaky(rng, name):
    dtype = rng.choice(REALS)
    given = options("LeakyReluOptions", alpha=float(rng.uniform(0.01, 1)))
    return unary(rng, name, dtype, some_quant(rng, dtype), given=given)


@operator("QUANTIZE")
def quantize(rng, name):
    types = [("float32", "int8"), ("float32", "int16"), ("int8", "int8"), ("uint8", "int8")]
    types += [("int16", "int16"), ("int8", "uint8"), ("int8", "int16"), ("int16", "int8")]
    types += [("int8", "int32"), ("int16", "int32"), ("int32", "int8"), ("int32", "int16")]
    source, target = types[rng.integers(len(types))]
    model, shape = FlatModel(), (256,)
    quants = [Quant(1e-4) if t == "int32" else some_quant(rng, t) for t in (source, target)]
    array = values(rng, shape, source)
    if source == "int32":
        array *= np.int32(200)
    x = model.input(array, quants[0])
    model.op(name, [x], [model.output(shape, target, quants[1])])
    return model


@operator("DEQUANTIZE")
def dequantize(rng, name):
    dtype, shape, model = rng.choice(INTEGERS), some_shape(rng), FlatModel()
    x = some_input(rng, model, shape, dtype, some_quant(rng, dtype))
    model.op(name, [x], [model.output(shape, "float32")], None, 2)
    return model


@operator("CAST")
def cast(rng, name):
    types = [("float32", "int32"), ("int32", "float32"), ("bool", "float32"), ("int32", "int8")]
    source, target = types[rng.integers(len(types))]
    model, shape = FlatModel(), some_shape(rng)
    x = some_input(rng, model, shape, source)
    model.op(name, [x], [model.output(shape, target)], options("CastOptions"))
    return model


# --- normalizations


@operator("SOFTMAX")
def softmax(rng, name):
    source, target, result = [
        ("float32", "float32", None),
        ("int8", "int8", Quant(1 / 256, -128)),
        ("int8", "int16", Quant(1 / 65536, -32768)),
        ("int16", "int16", Quant(1 / 32768)),
    ][rng.integers(4)]
    model, shape = FlatModel(), some_shape(rng)[:-1] + (int(rng.integers(1, 40)),)
    beta = 1.0 if rng.random() < 0.5 else float(rng.uniform(0.1, 3))
    x = some_input(rng, model, shape, source, some_quant(rng, source))
    y = model.output(shape, target, result)
    model.op(name, [x], [y], options("SoftmaxOptions", beta=beta))
    return model


@operator("LOG_SOFTMAX")
def log_softmax(rng, name):
    dtype = rng.choice(("float32", "int8"))
    return unary(rng, name, dtype, Quant(16 / 256, 127), given=options("LogSoftmaxOptions"))


@operator("L2_NORMALIZATION")
def l2_normalization(rng, name):
    dtype = rng.choice(("float32", "int8"))
    return unary(rng, name, dtype, Quant(1 / 128), given=options("L2NormOptions"))


# --- two operands


def fitting(array, quant, is_divisor):
    """Operands of a quotient: no divisor is 0. Integer quotients must not be so small that
    TensorFlow Lite Micro shifts by more than 31 bits.
    """
    if quant is None:
        return np.where(array == 0, 1, array).astype(array.dtype) if is_divisor else array
    numbers = array.astype(np.int32) - quant.zero
    low, high = (1, 20) if is_divisor else (32, 255)
    numbers = np.where(numbers < 0, -1, 1) * np.clip(np.abs(numbers), low, high)
    numbers = np.where(np.abs(numbers + quant.zero) > 127, -numbers, numbers)
    return (numbers + quant.zero).astype(array.dtype)


def pair(rng, name, dtype, quants, given=None, version=2, result=None, divisor=False):
    model = FlatModel()
    full = some_shape(rng)
    other = tuple(n if rng.random() < 0.7 else 1 for n in full)
    arrays = [values(rng, full, dtype), values(rng, other, dtype)]
    if divisor:
        arrays = [
            fitting(array, quant, side) for side, (array, quant) in enumerate(zip(arrays, quants))
        ]
    shapes = [full, other]
    if rng.random() < 0.3 and not divisor:
        arrays.reverse()
        shapes.reverse()
    inputs = [model.input(array, quant) for array, quant in zip(arrays, quants)]
    y = model.output(full, result or dtype, quants[2] if result is None else None)
    model.op(name, inputs, [y], given, version)
    return model


ACTIVATIONS = (0, 0, 1, 3)


@operator("ADD", "SUB", "MUL")
def arithmetic(rng, name):
    dtype = rng.choice(REALS)
    quants = [some_quant(rng, dtype, 0.02) for _ in range(3)]
    given = options(
        name.capitalize() + "Options", fusedActivationFunction=int(rng.choice(ACTIVATIONS))
    )
    if name != "MUL":
        given[0].potScaleInt16 = False
    return pair(rng, name, dtype, quants, given)


@operator("DIV")
def division(rng, name):
    dtype = rng.choice(("float32", "int8"))
    quants = [some_quant(rng, dtype, 0.02) for _ in range(3)]
    return pair(rng, name, dtype, quants, options("DivOptions"), divisor=True)


@operator("MAXIMUM", "MINIMUM")
def extremes(rng, name):
    dtype = rng.choice(("float32", "int8", "int16", "int32"))
    quant = some_quant(rng, dtype) if dtype in INTEGERS else None
    return pair(rng, name, dtype, [quant] * 3, options("MaximumMinimumOptions"))


@operator("SQUARED_DIFFERENCE")
def squared_difference(rng, name):
    dtype = rng.choice(("float32", "int8", "int16", "int32"))
    quants = [some_quant(rng, dtype) if dtype in REALS else None for _ in range(3)]
    return pair(rng, name, dtype, quants, options("SquaredDifferenceOptions"))


@operator("PRELU")
def prelu(rng, name):
    dtype = rng.choice(("float32", "int8"))
    model, shape = FlatModel(), (2, 5, 6, 7)
    x = some_input(rng, model, shape, dtype, some_quant(rng, dtype))
    slope = model.constant(
        values(rng, (1, 1, 7), dtype), dtype, some_quant(rng, dtype, 0.001, 0.05)
    )
    model.op(name, [x, slope], [model.output(shape, dtype, some_quant(rng, dtype))])
    return model


@operator("FLOOR_DIV", "FLOOR_MOD")
def floors(rng, name):
    camel = {"FLOOR_DIV": "FloorDivOptions", "FLOOR_MOD": "FloorModOptions"}[name]
    dtype = rng.choice(("float32", "int32"))
    return pair(rng, name, dtype, [None] * 3, options(camel), divisor=True)


@operator("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL")
def comparison(rng, name):
    dtype = rng.choice(("float32", "int32", "int8"))
    quant = some_quant(rng, dtype, 1 / 256) if dtype == "int8" else None
    return pair(rng, name, dtype, [quant, quant, None], result="bool")


@operator("LOGICAL_AND", "LOGICAL_OR")
def logic(rng, name):
    return pair(rng, name, "bool", [None] * 3, result="bool", version=1)


@operator("SELECT_V2")
def select(rng, name):
    dtype, shape, model = rng.choice(REALS), some_shape(rng), FlatModel()
    quant = some_quant(rng, dtype)
    inputs = [some_input(rng, model, shape, "bool")]
    inputs += [some_input(rng, model, shape, dtype, quant) for _ in range(2)]
    model.op(name, inputs, [model.output(shape, dtype, quant)], options("SelectV2Options"))
    return model


@operator("ADD_N")
def add_n(rng, name):
    dtype, shape, model = rng.choice(("float32", "int8")), some_shape(rng), FlatModel()
    quant = some_quant(rng, dtype)
    inputs = [some_input(rng, model, shape, dtype, quant) for _ in range(rng.integers(2, 5))]
    y = model.output(shape, dtype, some_quant(rng, dtype))
    model.op(name, inputs, [y], options("AddNOptions"))
    return model


# --- reductions and searches


@operator("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN")
def reduction(rng, name):
    dtype = rng.choice(REALS if name in ("MEAN", "SUM") else ("float32", "int8"))
    model, shape = FlatModel(), some_shape(rng, 2, 4)
    count = int(rng.integers(1, min(len(shape), 2) + 1))
    axes = sorted(int(axis) for axis in rng.choice(len(shape), count, replace=False))
    keep = bool(rng.integers(2))
    quant = some_quant(rng, dtype)
    result = quant if name.startswith("REDUCE") or rng.random() < 0.3 else some_quant(rng, dtype)
    x = some_input(rng, model, shape, dtype, quant)
    dims = [1 if i in axes else n for i, n in enumerate(shape) if keep or i not in axes]
    y = model.output(dims, dtype, result)
    inputs = [x, model.constant(axes)]
    model.op(name, inputs, [y], options("ReducerOptions", keepDims=keep), 2)
    return model


@operator("ARG_MAX", "ARG_MIN")
def search(rng, name):
    dtype = rng.choice(("float32", "int8"))
    model, shape = FlatModel(), some_shape(rng, 2, 4)
    axis = int(rng.integers(len(shape)))
    x = some_input(rng, model, shape, dtype, some_quant(rng, dtype))
    y = model.output(shape[:axis] + shape[axis + 1 :], "int32")
    camel = {"ARG_MAX": "ArgMaxOptions", "ARG_MIN": "ArgMinOptions"}[name]
    model.op(name, [x, model.constant([axis])], [y], options(camel, outputType=2), 2)
    return model


@operator("CUMSUM")
def cumsum(rng, name):
    dtype = rng.choice(("float32", "int8"))
    model, shape = FlatModel(), some_shape(rng)
    x = some_input(rng, model, shape, dtype, some_quant(rng, dtype))
    y = model.output(shape, dtype, some_quant(rng, dtype))
    given = options("CumsumOptions", exclusive=bool(rng.integers(2)), reverse=bool(rng.integers(2)))
    model.op(name, [x, model.constant([int(rng.integers(len(shape)))])], [y], given)
    return model
