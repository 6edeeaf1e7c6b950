#!/usr/bin/env python3
"""Builds MobileNetV3-small as an ONNX model, int8 in QDQ form unless --float, with seeded random
weights.

usage: mobilenet_v3_small.py [--width 1.0] [--size 224] [--classes 1000] [--seed 1] [--float]
               OUTPUT_DIRECTORY

The layers are those of Howard et al., "Searching for MobileNetV3" (2019), table 2, with the
squeezed channels and the operators of PyTorch's exporter (HardSwish, HardSigmoid). See network.py
for what is written.
"""

from network import Builder, main, rounded

# kernel, expanded channels, channels, squeeze and excitation, activation, stride
BLOCKS = [
    (3, 16, 16, True, "Relu", 2),
    (3, 72, 24, False, "Relu", 2),
    (3, 88, 24, False, "Relu", 1),
    (5, 96, 40, True, "HardSwish", 2),
    (5, 240, 40, True, "HardSwish", 1),
    (5, 240, 40, True, "HardSwish", 1),
    (5, 120, 48, True, "HardSwish", 1),
    (5, 144, 48, True, "HardSwish", 1),
    (5, 288, 96, True, "HardSwish", 2),
    (5, 576, 96, True, "HardSwish", 1),
    (5, 576, 96, True, "HardSwish", 1),
]


def squeeze_and_excite(builder, name):
    """The map times a factor per channel, made from the average of each channel."""
    entry, channels, size = builder.value, builder.channels, builder.size
    builder.node("GlobalAveragePool", name + "_squeeze", [entry])
    builder.size = 1
    builder.conv(name + "_reduce", rounded(channels // 4), 1, activation="Relu")
    builder.conv(name + "_excite", channels, 1, activation="HardSigmoid")
    builder.node("Mul", name + "_scale", [builder.value, entry])
    builder.size = size


def block(builder, name, kernel, expanded, channels, squeezed, activation, stride):
    entry, entering = builder.value, builder.channels
    if expanded != entering:
        builder.conv(name + "_expand", expanded, 1, activation=activation)
    builder.depthwise(name + "_depthwise", kernel, stride, activation)
    if squeezed:
        squeeze_and_excite(builder, name)
    builder.conv(name + "_project", channels, 1)
    if stride == 1 and entering == channels:
        builder.node("Add", name + "_add", [builder.value, entry])


def build(width, size, classes, seed):
    # HardSwish is an operator from opset 14 on.
    builder = Builder(size, seed, opset=14)
    builder.conv("stem", rounded(16 * width), 3, 2, activation="HardSwish")
    for number, (kernel, expanded, channels, squeezed, activation, stride) in enumerate(BLOCKS):
        widths = rounded(expanded * width), rounded(channels * width)
        block(builder, f"block{number}", kernel, *widths, squeezed, activation, stride)
    builder.conv("head", rounded(576 * width), 1, activation="HardSwish")
    builder.pool()
    builder.dense("hidden", rounded(1024 * max(1.0, width)), "HardSwish")
    builder.dense("output", classes)
    builder.output([1, classes])
    return builder


if __name__ == "__main__":
    main(__doc__, build, width=1.0, size=224, classes=1000)
