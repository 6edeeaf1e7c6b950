#!/usr/bin/env python3
"""Builds a detector (SSD on MobileNetV1) as an ONNX model, int8 in QDQ form unless --float, with
seeded random weights.

usage: ssd_mobilenet_v1.py [--width 0.25] [--size 256] [--classes 2] [--seed 1] [--float]
               OUTPUT_DIRECTORY

The backbone is that of Howard et al., "MobileNets" (2017), table 1. Four maps of it and of two more
layers, at 1/8 to 1/64 of the input, have a 3 x 3 convolution for the classes and one for the boxes
of five anchors per pixel (Liu et al., "SSD: Single Shot MultiBox Detector", 2016). Each is a result
of the model: scores_<size> with [1, anchors, classes] and boxes_<size> with [1, anchors, 4]. See
network.py for what is written.
"""

from network import Builder, main, rounded

ANCHORS = 5
# channels and stride of the depthwise separable convolutions; whether their map has predictions
LAYERS = [
    (64, 1, False),
    (128, 2, False),
    (128, 1, False),
    (256, 2, False),
    (256, 1, True),
    (512, 2, False),
    (512, 1, False),
    (512, 1, False),
    (512, 1, False),
    (512, 1, False),
    (512, 1, True),
    (1024, 2, False),
    (1024, 1, True),
]
EXTRA = 512


def predict(builder, kind, size):
    """A convolution whose channels are `size` values for each anchor, as one row per anchor."""
    name = f"{kind}_{builder.size}"
    rows = builder.size * builder.size * ANCHORS
    builder.conv(name + "_map", ANCHORS * size, 3)
    builder.node("Transpose", name + "_nhwc", [builder.value], perm=[0, 2, 3, 1])
    shape = builder.constant(name + "_shape", [1, rows, size])
    builder.node("Reshape", name, [builder.value, shape])
    builder.output([1, rows, size])


def predictions(builder, classes):
    tap = builder.value, builder.channels
    for kind, size in (("scores", classes), ("boxes", 4)):
        builder.value, builder.channels = tap
        predict(builder, kind, size)
    builder.value, builder.channels = tap


def build(width, size, classes, seed):
    builder = Builder(size, seed)
    builder.conv("stem", rounded(32 * width), 3, 2, activation="Relu6")
    for number, (channels, stride, predicted) in enumerate(LAYERS):
        builder.depthwise(f"layer{number}_depthwise", 3, stride, "Relu6")
        builder.conv(f"layer{number}", rounded(channels * width), 1, activation="Relu6")
        if predicted:
            predictions(builder, classes)
    builder.conv("extra_reduce", rounded(EXTRA * width / 2), 1, activation="Relu6")
    builder.conv("extra", rounded(EXTRA * width), 3, 2, activation="Relu6")
    predictions(builder, classes)
    return builder


if __name__ == "__main__":
    main(__doc__, build, width=0.25, size=256, classes=2)
