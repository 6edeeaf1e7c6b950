"""Models with the idioms of other exporters and seeded weights.

`models()` and `float_models()` yield (name, ModelProto). Sizes are small; only the structure of the
graph matters. The comment of each function names the exporter.
"""

from stranger_images import (
    convnext,
    detector,
    dynamo_resnet,
    efficient,
    keras_cnn,
    mlp_mixer,
    paddle_mobile,
    pixel_shuffle,
    swin,
    unet,
)
from stranger_operators import block_weights, keras_rnn, learners, movements, scan_rnn, spectra
from stranger_sequences import (
    conformer,
    keras_sequence,
    speech_gru,
    tcn,
    transformer,
    wave_autoencoder,
)


def models():
    for make in (
        dynamo_resnet,
        transformer,
        keras_cnn,
        keras_sequence,
        paddle_mobile,
        detector,
        unet,
        conformer,
        tcn,
        speech_gru,
        wave_autoencoder,
        efficient,
        convnext,
        swin,
        pixel_shuffle,
        mlp_mixer,
    ):
        yield make.__name__, make()


def float_models():
    """Models that are not quantized further."""
    for make in (keras_rnn, scan_rnn, movements, block_weights, learners, spectra):
        yield make.__name__, make()
