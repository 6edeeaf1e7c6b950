#!/usr/bin/env python3
"""Builds MobileNetV2 as an ONNX model, int8 in QDQ form unless --float, with seeded random weights.

usage: mobilenet_v2.py [--width 1.0] [--size 224] [--classes 1000] [--seed 1] [--float]
               OUTPUT_DIRECTORY

The layers are those of Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks"
(2018), table 2. See network.py for what is written.
"""

from network import Builder, main, rounded

# expansion, channels, repeats, stride of the first
BLOCKS = [
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
]


def block(builder, name, expansion, channels, stride):
    entry, entering = builder.value, builder.channels
    if expansion != 1:
        builder.conv(name + "_expand", entering * expansion, 1, activation="Relu6")
    builder.depthwise(name + "_depthwise", 3, stride, "Relu6")
    builder.conv(name + "_project", channels, 1)
    if stride == 1 and entering == channels:
        builder.node("Add", name + "_add", [entry, builder.value])


def build(width, size, classes, seed):
    builder = Builder(size, seed)
    builder.conv("stem", rounded(32 * width), 3, 2, activation="Relu6")
    number = 0
    for expansion, channels, repeats, stride in BLOCKS:
        for repeat in range(repeats):
            channels_out = rounded(channels * width)
            first = stride if repeat == 0 else 1
            block(builder, f"block{number}", expansion, channels_out, first)
            number += 1
    builder.conv("head", rounded(1280 * max(1.0, width)), 1, activation="Relu6")
    builder.pool()
    builder.dense("output", classes)
    builder.output([1, classes])
    return builder


if __name__ == "__main__":
    main(__doc__, build, width=1.0, size=224, classes=1000)
