"""Random models of convolutions, dense layers, pools and data movement of TensorFlow Lite; adds
them to OPERATORS of tflite_operators.py.
"""

import numpy as np

from flat_maker import FlatModel, Quant, options
from tflite_operators import REALS, operator, some_input, some_quant, some_shape, values

SAME = 0


def extent(size, kernel, stride, dilation, padding):
    reach = (kernel - 1) * dilation + 1
    return -(-size // stride) if padding == SAME else (size - reach) // stride + 1


# --- weights


def weights_and_bias(rng, model, dtype, shape, channels, axis, quant, narrow=False):
    """Constants; the bias may be absent. Biases of int16 layers have 64 bits, with `narrow` also
    32.
    """
    absent = rng.random() < 0.2
    if dtype == "float32":
        weights = model.constant(values(rng, shape, dtype), dtype)
        bias = values(rng, (channels,), dtype)
        return [weights] if absent else [weights, model.constant(bias, dtype)]
    scales = rng.uniform(0.005, 0.03, channels if axis is not None else 1)
    weights = model.constant(
        rng.integers(-127, 128, shape), "int8", Quant(scales, 0, axis if axis is not None else 0)
    )
    wide = "int64" if dtype == "int16" and not (narrow and rng.random() < 0.3) else "int32"
    unit = Quant(np.float32(scales) * quant.scale, 0, 0)
    bias = rng.integers(-900, 900, channels)
    return [weights] if absent else [weights, model.constant(bias, wide, unit)]


def product_quant(rng, dtype, quant, depth):
    """A quantization in which sums of products neither vanish nor saturate too often."""
    if dtype == "float32":
        return None
    steps = 128 if dtype == "int8" else 32768
    scale = float(quant.scale[0]) * 0.015 * 40 * steps * np.sqrt(depth) * 2 / steps
    scale *= float(rng.uniform(0.5, 3))
    return Quant(scale, 0 if dtype == "int16" else rng.integers(-60, 60))


@operator("CONV_2D", "DEPTHWISE_CONV_2D")
def convolution(rng, name):
    dtype, model = rng.choice(REALS), FlatModel()
    depthwise = name == "DEPTHWISE_CONV_2D"
    height, width, depth = (int(n) for n in rng.integers(4, 10, 3))
    kernel = [int(n) for n in rng.integers(1, 4, 2)]
    stride = int(rng.integers(1, 3))
    dilation = int(rng.integers(1, 3)) if stride == 1 and min(height, width) > 6 else 1
    padding = int(rng.integers(2))
    multiplier = int(rng.integers(1, 3))
    channels = depth * multiplier if depthwise else int(rng.integers(1, 9))
    quant = some_quant(rng, dtype)
    x = some_input(rng, model, (2, height, width, depth), dtype, quant)
    shape = (1, *kernel, channels) if depthwise else (channels, *kernel, depth)
    constants = weights_and_bias(
        rng, model, dtype, shape, channels, 3 if depthwise else 0, quant, not depthwise
    )
    sizes = [extent(n, k, stride, dilation, padding) for n, k in zip((height, width), kernel)]
    count = kernel[0] * kernel[1] * (1 if depthwise else depth)
    y = model.output((2, *sizes, channels), dtype, product_quant(rng, dtype, quant, count))
    fields = {
        "padding": padding,
        "strideH": stride,
        "strideW": stride,
        "dilationHFactor": dilation,
        "dilationWFactor": dilation,
        "fusedActivationFunction": int(rng.choice((0, 1, 3))),
    }
    if depthwise:
        fields["depthMultiplier"] = multiplier
    camel = "DepthwiseConv2DOptions" if depthwise else "Conv2DOptions"
    model.op(name, [x, *constants], [y], options(camel, **fields), 3)
    return model


@operator("TRANSPOSE_CONV")
def transpose_conv(rng, name):
    dtype, model = rng.choice(REALS), FlatModel()
    height, width, depth, channels = (int(n) for n in rng.integers(2, 6, 4))
    kernel, stride, padding = int(rng.integers(2, 4)), int(rng.integers(1, 3)), int(rng.integers(2))
    quant = some_quant(rng, dtype)
    sizes = [n * stride if padding == SAME else (n - 1) * stride + kernel for n in (height, width)]
    shape = model.constant([1, *sizes, channels])
    x = some_input(rng, model, (1, height, width, depth), dtype, quant)
    constants = weights_and_bias(
        rng, model, dtype, (channels, kernel, kernel, depth), channels, 0, quant
    )
    y = model.output((1, *sizes, channels), dtype, product_quant(rng, dtype, quant, depth * 4))
    given = options("TransposeConvOptions", padding=padding, strideH=stride, strideW=stride)
    model.op(name, [shape, constants[0], x, *constants[1:]], [y], given, 3)
    return model


@operator("FULLY_CONNECTED")
def fully_connected(rng, name):
    dtype, model = rng.choice(REALS), FlatModel()
    rows, depth, channels = (int(n) for n in rng.integers(1, 20, 3))
    quant = some_quant(rng, dtype)
    x = some_input(rng, model, (rows, depth), dtype, quant)
    axis = 0 if rng.random() < 0.3 and dtype == "int8" else None
    constants = weights_and_bias(rng, model, dtype, (channels, depth), channels, axis, quant, True)
    y = model.output((rows, channels), dtype, product_quant(rng, dtype, quant, depth))
    given = options("FullyConnectedOptions", fusedActivationFunction=int(rng.choice((0, 1))))
    model.op(name, [x, *constants, -1][:3], [y], given, 4)
    return model


@operator("BATCH_MATMUL")
def batch_matmul(rng, name):
    dtype, model = rng.choice(REALS), FlatModel()
    batch, rows, depth, columns = (int(n) for n in rng.integers(1, 6, 4))
    quants = [some_quant(rng, dtype) for _ in range(2)]
    flip = bool(rng.integers(2))
    a = some_input(rng, model, (batch, rows, depth), dtype, quants[0])
    second = (batch, columns, depth) if flip else (batch, depth, columns)
    b = some_input(rng, model, second, dtype, quants[1])
    result = None
    if dtype != "float32":
        result = Quant(float(quants[0].scale[0]) * float(quants[1].scale[0]) * 400, 0)
    y = model.output((batch, rows, columns), dtype, result)
    model.op(name, [a, b], [y], options("BatchMatMulOptions", adjY=flip), 2)
    return model


# --- pools and pictures


@operator("AVERAGE_POOL_2D", "MAX_POOL_2D")
@operator("L2_POOL_2D", dtypes=("float32",))
def pool(rng, name, dtypes=REALS):
    dtype, model = rng.choice(dtypes), FlatModel()
    height, width, depth = (int(n) for n in rng.integers(3, 9, 3))
    kernel = [int(n) for n in rng.integers(1, 4, 2)]
    stride, padding = int(rng.integers(1, 3)), int(rng.integers(2))
    quant = some_quant(rng, dtype)
    x = some_input(rng, model, (1, height, width, depth), dtype, quant)
    sizes = [extent(n, k, stride, 1, padding) for n, k in zip((height, width), kernel)]
    y = model.output((1, *sizes, depth), dtype, quant)
    given = options(
        "Pool2DOptions",
        padding=padding,
        strideH=stride,
        strideW=stride,
        filterHeight=kernel[0],
        filterWidth=kernel[1],
        fusedActivationFunction=int(rng.choice((0, 1, 3))),
    )
    model.op(name, [x], [y], given, 1 if name == "L2_POOL_2D" else 2)
    return model


@operator("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR")
def resize(rng, name):
    bilinear = name == "RESIZE_BILINEAR"
    dtype, model = rng.choice(("float32", "int8") if bilinear else REALS), FlatModel()
    height, width, depth = (int(n) for n in rng.integers(1, 8, 3))
    sizes = [int(n) for n in rng.integers(1, 14, 2)]
    quant, form = some_quant(rng, dtype), int(rng.integers(3))
    x = some_input(rng, model, (1, height, width, depth), dtype, quant)
    y = model.output((1, *sizes, depth), dtype, quant)
    given = options(
        "ResizeBilinearOptions" if bilinear else "ResizeNearestNeighborOptions",
        alignCorners=form == 1,
        halfPixelCenters=form == 2,
    )
    model.op(name, [x, model.constant(sizes)], [y], given, 2)
    return model


# --- data movement


def move(rng, name, shape, result, constants=(), given=None, dtypes=REALS, version=2, count=1):
    """Constants follow the data; as many results of one shape."""
    dtype, model = rng.choice(dtypes), FlatModel()
    quant = some_quant(rng, dtype)
    inputs = [some_input(rng, model, shape, dtype, quant)]
    inputs += [model.constant(numbers) for numbers in constants]
    outputs = [model.output(result, dtype, quant) for _ in range(count)]
    model.op(name, inputs, outputs, given, version)
    return model


@operator("PAD")
def pad(rng, name):
    shape = some_shape(rng, 2)
    pads = rng.integers(0, 3, (len(shape), 2))
    result = [int(n + sum(p)) for n, p in zip(shape, pads)]
    return move(rng, name, shape, result, [pads], options("PadOptions"))


@operator("PADV2")
def pad_with(rng, name):
    dtype, model, shape = rng.choice(REALS), FlatModel(), some_shape(rng, 2)
    quant = some_quant(rng, dtype)
    pads = rng.integers(0, 3, (len(shape), 2))
    x = some_input(rng, model, shape, dtype, quant)
    fill = model.constant(values(rng, (1,), dtype), dtype, quant)
    y = model.output([int(n + sum(p)) for n, p in zip(shape, pads)], dtype, quant)
    model.op(name, [x, model.constant(pads), fill], [y], options("PadV2Options"))
    return model


@operator("MIRROR_PAD")
def mirror_pad(rng, name):
    shape, mode = (4, 5, 6), int(rng.integers(2))
    pads = rng.integers(0, 4, (3, 2))
    result = [int(n + sum(p)) for n, p in zip(shape, pads)]
    given = options("MirrorPadOptions", mode=mode)
    return move(rng, name, shape, result, [pads], given, ("float32", "int8"))


@operator("TRANSPOSE")
def transpose(rng, name):
    shape = some_shape(rng, 2)
    perm = rng.permutation(len(shape))
    result = [shape[i] for i in perm]
    return move(rng, name, shape, result, [perm], options("TransposeOptions"))


@operator("SLICE")
def slice_of(rng, name):
    shape = some_shape(rng)
    begin = [int(rng.integers(n)) for n in shape]
    size = [int(rng.integers(1, n - b + 1)) for n, b in zip(shape, begin)]
    return move(rng, name, shape, size, [begin, size], options("SliceOptions"))


@operator("RESHAPE", "SQUEEZE", "EXPAND_DIMS")
def reshape(rng, name):
    shape = some_shape(rng, 1, 3)
    if name == "SQUEEZE":
        return move(rng, name, (1, *shape, 1), shape, [], options("SqueezeOptions"))
    if name == "EXPAND_DIMS":
        given = options("ExpandDimsOptions")
        return move(rng, name, shape, (shape[0], 1, *shape[1:]), [1], given, version=1)
    result = (int(np.prod(shape)), 1)
    return move(rng, name, shape, result, [[-1, 1]], options("ReshapeOptions"), version=1)


@operator("ZEROS_LIKE")
def zeros_like(rng, name):
    shape = some_shape(rng)
    return move(rng, name, shape, shape, dtypes=("float32", "int8"), version=1)


@operator("REVERSE_V2")
def reverse(rng, name):
    shape = some_shape(rng)
    axes = [int(rng.integers(len(shape)))]
    return move(rng, name, shape, shape, [axes], options("ReverseV2Options"))


@operator("SPLIT_V")
def split_v(rng, name):
    dtype, model, shape = rng.choice(REALS), FlatModel(), some_shape(rng)
    axis, quant = int(rng.integers(len(shape))), some_quant(rng, dtype)
    first = int(rng.integers(1, 5))
    sizes = [first, shape[axis]]
    whole = (*shape[:axis], sum(sizes), *shape[axis + 1 :])
    x = some_input(rng, model, whole, dtype, quant)
    parts = [
        model.output((*shape[:axis], size, *shape[axis + 1 :]), dtype, quant) for size in sizes
    ]
    given = options("SplitVOptions", numSplits=2)
    model.op(name, [x, model.constant(sizes), model.constant([axis])], parts, given)
    return model


@operator("SPLIT")
def split(rng, name):
    dtype, model, shape = rng.choice(REALS), FlatModel(), some_shape(rng)
    axis, quant, count = int(rng.integers(len(shape))), some_quant(rng, dtype), 3
    whole = (*shape[:axis], shape[axis] * count, *shape[axis + 1 :])
    x = some_input(rng, model, whole, dtype, quant)
    parts = [model.output(shape, dtype, quant) for _ in range(count)]
    given = options("SplitOptions", numSplits=count)
    model.op(name, [model.constant(axis), x], parts, given, 2)
    return model


@operator("GATHER_ND")
def gather_nd(rng, name):
    dtype, model, shape = rng.choice(("float32", "int8")), FlatModel(), some_shape(rng, 2)
    depth, quant = int(rng.integers(1, len(shape) + 1)), some_quant(rng, dtype)
    indices = np.stack([rng.integers(0, n, 4) for n in shape[:depth]], -1).astype(np.int32)
    inputs = [some_input(rng, model, shape, dtype, quant), model.input(indices)]
    y = model.output((4, *shape[depth:]), dtype, quant)
    model.op(name, inputs, [y], options("GatherNdOptions"), 2)
    return model


@operator("CONCATENATION", "PACK")
def join(rng, name):
    dtype, model, shape = rng.choice(REALS), FlatModel(), some_shape(rng, 1, 3)
    quant, count = some_quant(rng, dtype), int(rng.integers(2, 4))
    axis = int(rng.integers(len(shape)))
    inputs = [some_input(rng, model, shape, dtype, quant) for _ in range(count)]
    result = list(shape)
    if name == "PACK":
        result.insert(axis, count)
        given = options("PackOptions", valuesCount=count, axis=axis)
    else:
        result[axis] *= count
        given = options("ConcatenationOptions", axis=axis)
    model.op(name, inputs, [model.output(result, dtype, quant)], given, 2)
    return model


@operator("UNPACK")
def unpack(rng, name):
    shape = some_shape(rng, 2, 4)
    axis = int(rng.integers(len(shape)))
    given = options("UnpackOptions", num=shape[axis], axis=axis)
    result = shape[:axis] + shape[axis + 1 :]
    return move(rng, name, shape, result, [], given, count=shape[axis])


@operator("GATHER")
def gather(rng, name):
    dtype, model = rng.choice(("float32", "int8")), FlatModel()
    shape = some_shape(rng, 2, 4)
    axis = int(rng.integers(len(shape)))
    batch = int(rng.integers(axis + 1))
    tail = tuple(int(n) for n in rng.integers(1, 5, rng.integers(1, 3)))[: 4 - batch]
    indices = rng.integers(0, shape[axis], shape[:batch] + tail).astype(np.int32)
    quant = some_quant(rng, dtype)
    inputs = [some_input(rng, model, shape, dtype, quant), model.input(indices)]
    y = model.output(shape[:axis] + tail + shape[axis + 1 :], dtype, quant)
    model.op(name, inputs, [y], options("GatherOptions", axis=axis, batchDims=batch), 5)
    return model


@operator("DYNAMIC_UPDATE_SLICE")
def dynamic_update_slice(rng, name):
    dtype, model, shape = rng.choice(("float32", "int8")), FlatModel(), some_shape(rng)
    part = tuple(int(rng.integers(1, n + 1)) if rng.random() < 0.6 else n for n in shape)
    start = np.array([rng.integers(-1, n + 1) for n in shape], np.int32)
    quant = some_quant(rng, dtype)
    inputs = [some_input(rng, model, size, dtype, quant) for size in (shape, part)]
    inputs.append(model.input(start))
    model.op(name, inputs, [model.output(shape, dtype, quant)])
    return model


@operator("DEPTH_TO_SPACE", "SPACE_TO_DEPTH")
def blocks(rng, name):
    height, width, depth = (int(n) for n in rng.integers(1, 5, 3))
    small, large = (1, height, width, depth * 4), (1, height * 2, width * 2, depth)
    shapes = (small, large) if name == "DEPTH_TO_SPACE" else (large, small)
    camel = "DepthToSpaceOptions" if name == "DEPTH_TO_SPACE" else "SpaceToDepthOptions"
    return move(rng, name, *shapes, [], options(camel, blockSize=2), ("float32", "int8"))


@operator("SPACE_TO_BATCH_ND", "BATCH_TO_SPACE_ND")
def batches(rng, name):
    height, width, depth = (int(n) for n in rng.integers(2, 6, 3))
    block = [int(n) for n in rng.integers(1, 4, 2)]
    edges = [[int(rng.integers(3)), 0] for _ in block]
    if name == "SPACE_TO_BATCH_ND":  # TensorFlow Lite Micro pads with a value that it does not set
        height, width = height * block[0], width * block[1]
        edges = [[0, 0], [0, 0]]
    for size, factor, edge in zip((height, width), block, edges):
        edge[1] = -(size + edge[0]) % factor
    split = [(n + sum(e)) // b for n, b, e in zip((height, width), block, edges)]
    whole, parts = (1, height, width, depth), (block[0] * block[1], *split, depth)
    shapes = (whole, parts) if name == "SPACE_TO_BATCH_ND" else (parts, whole)
    camel = "SpaceToBatchNDOptions" if name == "SPACE_TO_BATCH_ND" else "BatchToSpaceNDOptions"
    return move(rng, name, *shapes, [block, edges], options(camel), ("float32", "int8"))


@operator("BROADCAST_TO")
def broadcast_to(rng, name):
    shape = some_shape(rng)
    small = [n if rng.random() < 0.6 else 1 for n in shape]
    given = options("BroadcastToOptions")
    return move(rng, name, small, shape, [shape], given, ("float32", "int8"))


@operator("STRIDED_SLICE")
def strided_slice(rng, name):
    shape = some_shape(rng)
    begin, end, strides, result = [], [], [], []
    for n in shape:
        first, last = sorted(int(i) for i in rng.integers(0, n + 1, 2))
        first, last = (first, last) if last > first else (0, n)
        step = int(rng.integers(1, 3))
        backward = rng.random() < 0.3 and first > 0
        begin.append(last - 1 if backward else first)
        end.append(first - 1 if backward else last)
        strides.append(-step if backward else step)
        result.append(-(-(last - first) // step))
    given = options("StridedSliceOptions")
    return move(rng, name, shape, result, [begin, end, strides], given)
