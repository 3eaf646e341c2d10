"""Random weights of an ACT with a ResNet-18, under the names that LeRobot gives them."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.serve.networks.act import BLOCKS

LATENT, FEATURES = 32, 512
Weights = dict[str, NDArray[np.float32]]


def draw_act_weights(width: int, hidden: int, layers: tuple[int, int], *, values: int, chunk: int) -> Weights:
    """Draw weights for a width, a hidden width, layers of encoder and decoder, and a chunk of so many values."""
    made = _Drawn()
    _draw_backbone(made)
    for side, count in zip(("encoder", "decoder"), layers, strict=True):
        for n in range(count):
            _draw_layer(made, f"{side}.layers.{n}", width, hidden, crossed=side == "decoder")
    made.norm("decoder.norm", width)
    made.linear("encoder_robot_state_input_proj", width, values)
    made.linear("encoder_latent_input_proj", width, LATENT)
    made.linear("action_head", values, width)
    made.weights["encoder_img_feat_input_proj.weight"] = made.draw(width, FEATURES, 1, 1)
    made.weights["encoder_img_feat_input_proj.bias"] = np.zeros(width, np.float32)
    made.weights["encoder_1d_feature_pos_embed.weight"] = made.draw(2, width)
    made.weights["decoder_pos_embed.weight"] = made.draw(chunk, width)
    return made.weights


class _Drawn:
    """Weights so far; a fixed seed, scaled so that numbers stay finite through all layers."""

    def __init__(self) -> None:
        self.weights: Weights = {}
        self._rng = np.random.default_rng(0)

    def draw(self, *shape: int) -> NDArray[np.float32]:
        fan = int(np.prod(shape[1:])) or 1
        return self._rng.normal(0, fan**-0.5, shape).astype(np.float32)

    def norm(self, name: str, width: int) -> None:
        self.weights |= {f"{name}.weight": np.ones(width, np.float32), f"{name}.bias": np.zeros(width, np.float32)}

    def linear(self, name: str, out: int, into: int) -> None:
        self.weights |= {f"{name}.weight": self.draw(out, into), f"{name}.bias": np.zeros(out, np.float32)}

    def convolution(self, name: str, norm: str, shape: tuple[int, ...]) -> None:
        self.weights[f"{name}.weight"] = self.draw(*shape)
        self.norm(norm, shape[0])
        self.weights[f"{norm}.running_mean"] = np.zeros(shape[0], np.float32)
        self.weights[f"{norm}.running_var"] = np.ones(shape[0], np.float32)


def _draw_backbone(made: _Drawn) -> None:
    made.convolution("backbone.conv1", "backbone.bn1", (64, 3, 7, 7))
    before = 64
    for stage, blocks in enumerate(BLOCKS["resnet18"], 1):
        channels = 64 << (stage - 1)
        for block in range(blocks):
            at = f"backbone.layer{stage}.{block}"
            made.convolution(f"{at}.conv1", f"{at}.bn1", (channels, before, 3, 3))
            made.convolution(f"{at}.conv2", f"{at}.bn2", (channels, channels, 3, 3))
            if before != channels:
                made.convolution(f"{at}.downsample.0", f"{at}.downsample.1", (channels, before, 1, 1))
            before = channels


def _draw_layer(made: _Drawn, at: str, width: int, hidden: int, *, crossed: bool) -> None:
    for attention in ("self_attn", "multihead_attn") if crossed else ("self_attn",):
        made.weights[f"{at}.{attention}.in_proj_weight"] = made.draw(3 * width, width)
        made.weights[f"{at}.{attention}.in_proj_bias"] = np.zeros(3 * width, np.float32)
        made.linear(f"{at}.{attention}.out_proj", width, width)
    made.linear(f"{at}.linear1", hidden, width)
    made.linear(f"{at}.linear2", width, hidden)
    for norm in ("norm1", "norm2", "norm3") if crossed else ("norm1", "norm2"):
        made.norm(f"{at}.{norm}", width)
