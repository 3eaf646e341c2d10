"""Action Chunking Transformer (Zhao et al. 2023) at inference, on the weights of a LeRobot checkpoint.

The latent of the training-time encoder is zero, as at LeRobot's inference. Batch normalisation is frozen, so it is
folded into the convolutions when the weights are prepared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fieldloop.errors import BadInput

BLOCKS = {"resnet18": (2, 2, 2, 2), "resnet34": (3, 4, 6, 3)}
BATCH_NORM_EPSILON = 1e-5
TEMPERATURE = 10000
KERNEL_AXES = 4
ROUNDING = 1e-6  # of the positions, as in the published code

Tensor = Any
Weights = Mapping[str, Tensor]


@dataclass(frozen=True, slots=True)
class ActShape:
    """The sizes of a network, read from its configuration."""

    heads: int
    encoder_layers: int
    decoder_layers: int
    backbone: str = "resnet18"
    pre_norm: bool = False
    activation: str = "relu"


def read_shape(config: Mapping[str, Any]) -> ActShape:
    """Read the sizes from a LeRobot configuration of type `act`."""
    backbone, activation = str(config.get("vision_backbone")), str(config.get("feedforward_activation"))
    if backbone not in BLOCKS:
        raise BadInput(f"The vision backbone {backbone!r} is not built in ({', '.join(BLOCKS)}). Install lerobot.")
    if activation not in ("relu", "gelu"):
        raise BadInput(f"The activation {activation!r} is not built in (relu, gelu). Install lerobot.")
    if config.get("replace_final_stride_with_dilation"):
        raise BadInput("A dilated last stage of the backbone is not built in. Install lerobot.")
    return ActShape(
        int(config["n_heads"]), int(config["n_encoder_layers"]), int(config["n_decoder_layers"]), backbone,
        bool(config.get("pre_norm")), activation,
    )  # fmt: skip


def prepare_weights(state: Weights) -> dict[str, Tensor]:
    """Return the weights that inference needs: without the training-time encoder, batch norms folded in."""
    named = {name.removeprefix("model."): value for name, value in state.items()}
    kept = {k: v for k, v in named.items() if not k.startswith(("vae_encoder", "backbone."))}
    for name in (
        k for k in named if k.startswith("backbone.") and k.endswith(".weight") and named[k].ndim == KERNEL_AXES
    ):
        norm = _name_batch_norm(name)
        scale = named[f"{norm}.weight"] / (named[f"{norm}.running_var"] + BATCH_NORM_EPSILON).sqrt()
        kept[name] = named[name] * scale.reshape(-1, 1, 1, 1)
        kept[name.replace(".weight", ".bias")] = named[f"{norm}.bias"] - named[f"{norm}.running_mean"] * scale
    return kept


def predict_chunk(weights: Weights, shape: ActShape, images: Sequence[Tensor], vectors: Sequence[Tensor]) -> Tensor:
    """Return the normalised actions [batch, step, value] for normalised pictures [B, 3, H, W] and vectors [B, n].

    `vectors` are the robot's state and the environment's, where the network takes them, in this order.
    """
    import torch
    from torch.nn import functional

    size = (images[0] if images else vectors[0]).shape[0]
    latent = weights["encoder_latent_input_proj.bias"].expand(size, -1)  # the projection of zeros
    names = [n for n in ("robot_state", "env_state") if f"encoder_{n}_input_proj.weight" in weights]
    projected = [_project(weights, f"encoder_{n}_input_proj", v) for n, v in zip(names, vectors, strict=True)]
    tokens, places = [torch.stack([latent, *projected], 1)], [weights["encoder_1d_feature_pos_embed.weight"][None]]
    for image in images:
        features = _extract_features(weights, shape, image)
        places.append(encode_positions(features, weights["decoder_pos_embed.weight"].shape[1] // 2))
        mixed = functional.conv2d(
            features, weights["encoder_img_feat_input_proj.weight"], weights["encoder_img_feat_input_proj.bias"]
        )
        tokens.append(mixed.flatten(2).transpose(1, 2))
    seen, where = torch.cat(tokens, 1), torch.cat(places, 1)
    for layer in range(shape.encoder_layers):
        seen = _encode(weights, shape, f"encoder.layers.{layer}", seen, where)
    if shape.pre_norm:
        seen = _normalise(weights, "encoder.norm", seen)
    asked = weights["decoder_pos_embed.weight"][None]
    chunk = torch.zeros_like(asked).expand(size, -1, -1)
    for layer in range(shape.decoder_layers):
        chunk = _decode(weights, shape, f"decoder.layers.{layer}", (chunk, asked), (seen, where))
    return _project(weights, "action_head", _normalise(weights, "decoder.norm", chunk))


def encode_positions(features: Tensor, width: int) -> Tensor:
    """Return sines and cosines of each pixel's place [1, pixels, 2 · width], rows first."""
    import torch

    def embed(count: int) -> Tensor:
        steps = torch.arange(1, count + 1, dtype=torch.float32, device=features.device)
        angles = steps / (steps[-1] + ROUNDING) * (2 * torch.pi)
        powers = 2 * (torch.arange(width, dtype=torch.float32, device=features.device) // 2) / width
        waves = angles[:, None] / TEMPERATURE**powers
        return torch.stack((waves[:, 0::2].sin(), waves[:, 1::2].cos()), -1).flatten(1)

    rows, columns = embed(features.shape[2]), embed(features.shape[3])
    down = rows[:, None].expand(-1, len(columns), -1)
    across = columns[None].expand(len(rows), -1, -1)
    return torch.cat((down, across), -1).flatten(0, 1)[None].to(features.dtype)


def _name_batch_norm(convolution: str) -> str:
    """Name the batch norm behind a convolution.

    >>> _name_batch_norm("backbone.layer2.0.downsample.0.weight"), _name_batch_norm("backbone.conv1.weight")
    ('backbone.layer2.0.downsample.1', 'backbone.bn1')
    """
    base = convolution.removesuffix(".weight")
    return base[:-1] + "1" if base.endswith("downsample.0") else base.replace("conv", "bn")


def _extract_features(weights: Weights, shape: ActShape, image: Tensor) -> Tensor:
    from torch.nn import functional

    def convolve(name: str, x: Tensor, stride: int, padding: int) -> Tensor:
        return functional.conv2d(x, weights[f"{name}.weight"], weights[f"{name}.bias"], stride, padding)

    x = functional.max_pool2d(convolve("backbone.conv1", image, 2, 3).relu(), 3, 2, 1)
    for stage, blocks in enumerate(BLOCKS[shape.backbone], 1):
        for block in range(blocks):
            name, stride = f"backbone.layer{stage}.{block}", 2 if stage > 1 and not block else 1
            shortcut = convolve(f"{name}.downsample.0", x, stride, 0) if f"{name}.downsample.0.weight" in weights else x
            y = convolve(f"{name}.conv1", x, stride, 1).relu()
            x = (convolve(f"{name}.conv2", y, 1, 1) + shortcut).relu()
    return x


def _encode(weights: Weights, shape: ActShape, name: str, x: Tensor, where: Tensor) -> Tensor:
    y = _normalise(weights, f"{name}.norm1", x) if shape.pre_norm else x
    placed = y + where
    x = x + _compute_attention(weights, shape, f"{name}.self_attn", (placed, placed, y))
    if not shape.pre_norm:
        x = _normalise(weights, f"{name}.norm1", x)
        return _normalise(weights, f"{name}.norm2", x + _compute_hidden(weights, shape, name, x))
    return x + _compute_hidden(weights, shape, name, _normalise(weights, f"{name}.norm2", x))


def _decode(
    weights: Weights, shape: ActShape, name: str, asked: tuple[Tensor, Tensor], seen: tuple[Tensor, Tensor]
) -> Tensor:
    (x, place), (memory, where) = asked, seen
    y = _normalise(weights, f"{name}.norm1", x) if shape.pre_norm else x
    x = x + _compute_attention(weights, shape, f"{name}.self_attn", (y + place, y + place, y))
    y = _normalise(weights, f"{name}.norm{2 if shape.pre_norm else 1}", x)
    x = x if shape.pre_norm else y
    x = x + _compute_attention(weights, shape, f"{name}.multihead_attn", (y + place, memory + where, memory))
    if not shape.pre_norm:
        x = _normalise(weights, f"{name}.norm2", x)
        return _normalise(weights, f"{name}.norm3", x + _compute_hidden(weights, shape, name, x))
    return x + _compute_hidden(weights, shape, name, _normalise(weights, f"{name}.norm3", x))


def _compute_attention(weights: Weights, shape: ActShape, name: str, asked: tuple[Tensor, Tensor, Tensor]) -> Tensor:
    from torch.nn import functional

    parts = zip(
        asked, weights[f"{name}.in_proj_weight"].chunk(3), weights[f"{name}.in_proj_bias"].chunk(3), strict=True
    )
    q, k, v = (functional.linear(x, w, b).unflatten(-1, (shape.heads, -1)).transpose(1, 2) for x, w, b in parts)
    mixed = functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
    return _project(weights, f"{name}.out_proj", mixed)


def _compute_hidden(weights: Weights, shape: ActShape, name: str, x: Tensor) -> Tensor:
    from torch.nn import functional

    hidden = _project(weights, f"{name}.linear1", x)
    return _project(weights, f"{name}.linear2", getattr(functional, shape.activation)(hidden))


def _project(weights: Weights, name: str, x: Tensor) -> Tensor:
    from torch.nn import functional

    return functional.linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])


def _normalise(weights: Weights, name: str, x: Tensor) -> Tensor:
    from torch.nn import functional

    weight = weights[f"{name}.weight"]
    return functional.layer_norm(x, [int(weight.shape[0])], weight, weights[f"{name}.bias"])
