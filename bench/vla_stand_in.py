"""A stand-in for a vision-language-action model of the size of π0: random weights, the same shapes and passes.

A vision transformer reads each picture (256 tokens), a language model of 18 layers reads pictures and 48 tokens of the
prompt once and keeps its keys and values, and a small expert of 18 layers attends to them in ten flow-matching steps
that turn noise into a chunk of 50 actions. About 3.2 billion parameters. What it answers means nothing; how long it
takes does. Layers of one kind are stacked, so that a layer is one slice of a tensor.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Tensor = Any
PATCH, VOCABULARY = 14, 257_152


@dataclass(frozen=True, slots=True)
class Tower:
    """One transformer: layers, width, hidden width, heads, heads of keys and values, and the width of a head."""

    layers: int
    width: int
    hidden: int
    heads: int
    key_heads: int
    head: int
    gated: bool = True


@dataclass(frozen=True, slots=True)
class Sizes:
    """The whole network."""

    vision: Tower = Tower(27, 1152, 4304, 16, 16, 72, gated=False)
    language: Tower = Tower(18, 2048, 16_384, 8, 1, 256)
    expert: Tower = Tower(18, 1024, 4096, 8, 1, 256)
    picture: int = 224
    cameras: int = 3
    prompt: int = 48
    state: int = 32
    actions: int = 32
    chunk: int = 50
    steps: int = 10
    vocabulary: int = VOCABULARY


SMALL = Sizes(
    Tower(2, 32, 48, 2, 2, 16, gated=False), Tower(2, 32, 64, 2, 1, 16), Tower(2, 16, 32, 2, 1, 16),
    picture=28, cameras=2, prompt=4, state=6, actions=6, chunk=5, steps=3, vocabulary=50,
)  # fmt: skip
"""For a try without a GPU."""


def make_weights(sizes: Sizes, device: str, dtype: Any) -> dict[str, Tensor]:
    """Draw weights; a fixed seed, scaled so that numbers stay finite through all layers."""
    import torch

    draw = torch.Generator(device).manual_seed(0)

    def random(*shape: int) -> Tensor:
        scale = shape[-1] ** -0.5
        return torch.empty(shape, device=device, dtype=dtype).normal_(0, scale, generator=draw)

    weights = {
        "patch": random(sizes.vision.width, 3 * PATCH * PATCH),
        "place": random((sizes.picture // PATCH) ** 2, sizes.vision.width),
        "to_language": random(sizes.language.width, sizes.vision.width),
        "words": random(sizes.vocabulary, sizes.language.width),
        "state": random(sizes.expert.width, sizes.state),
        "action_in": random(sizes.expert.width, sizes.actions),
        "time": random(sizes.expert.width, sizes.expert.width),
        "action_out": random(sizes.actions, sizes.expert.width),
    }
    for name in ("vision", "language", "expert"):
        tower: Tower = getattr(sizes, name)
        inner = tower.heads * tower.head
        weights |= {
            f"{name}.q": random(tower.layers, inner, tower.width),
            f"{name}.k": random(tower.layers, tower.key_heads * tower.head, tower.width),
            f"{name}.v": random(tower.layers, tower.key_heads * tower.head, tower.width),
            f"{name}.o": random(tower.layers, tower.width, inner),
            f"{name}.up": random(tower.layers, tower.hidden, tower.width),
            f"{name}.down": random(tower.layers, tower.width, tower.hidden),
        }
        if tower.gated:
            weights[f"{name}.gate"] = random(tower.layers, tower.hidden, tower.width)
    return weights


def count_parameters(weights: Mapping[str, Tensor]) -> int:
    """Count all numbers of the weights."""
    return sum(tensor.numel() for tensor in weights.values())


def make_function(sizes: Sizes, weights: Mapping[str, Tensor]) -> Callable[[Mapping[str, Tensor]], Tensor]:
    """Make the function from a batch {pictures, words, state, noise} to actions [batch, chunk, values]."""
    import torch
    from torch.nn import functional

    def attend(tower: Tower, x: Tensor, layer: tuple[str, int], kept: tuple[Tensor, Tensor] | None) -> Any:
        name, n = layer
        q, k, v = (
            functional.linear(x, weights[f"{name}.{part}"][n]).unflatten(-1, (-1, tower.head)).transpose(1, 2)
            for part in "qkv"
        )
        keys, values = (k, v) if kept is None else (torch.cat((kept[0], k), 2), torch.cat((kept[1], v), 2))
        mixed = functional.scaled_dot_product_attention(q, keys, values, enable_gqa=tower.heads != tower.key_heads)
        return functional.linear(mixed.transpose(1, 2).flatten(2), weights[f"{name}.o"][n]), (k, v)

    def run(name: str, x: Tensor, kept: list[tuple[Tensor, Tensor]] | None = None) -> Any:
        tower: Tower = getattr(sizes, name)
        memory = []
        for n in range(tower.layers):
            seen, key_value = attend(tower, norm(x), (name, n), kept[n] if kept else None)
            memory.append(key_value)
            x = x + seen
            hidden = functional.linear(norm(x), weights[f"{name}.up"][n])
            if tower.gated:
                hidden = functional.gelu(functional.linear(norm(x), weights[f"{name}.gate"][n])) * hidden
            else:
                hidden = functional.gelu(hidden)
            x = x + functional.linear(hidden, weights[f"{name}.down"][n])
        return norm(x), memory

    def norm(x: Tensor) -> Tensor:
        return functional.rms_norm(x, x.shape[-1:])

    def answer(feed: Mapping[str, Tensor]) -> Tensor:
        dtype = weights["patch"].dtype
        pictures = feed["pictures"].flatten(0, 1).permute(0, 3, 1, 2).to(dtype) / 127.5 - 1
        patches = functional.unfold(pictures, PATCH, stride=PATCH).transpose(1, 2)
        looked, _ = run("vision", functional.linear(patches, weights["patch"]) + weights["place"])
        looked = functional.linear(looked, weights["to_language"])
        looked = looked.unflatten(0, (len(feed["words"]), -1)).flatten(1, 2)
        _, memory = run("language", torch.cat((looked, weights["words"][feed["words"]]), 1))
        felt = functional.linear(feed["state"].to(dtype), weights["state"])[:, None]
        actions = feed["noise"].to(dtype)
        for step in range(sizes.steps):
            at = torch.full_like(felt, step / sizes.steps) @ weights["time"]
            tokens = torch.cat((felt, functional.linear(actions, weights["action_in"]) + at), 1)
            out, _ = run("expert", tokens, memory)
            actions = actions + functional.linear(out[:, 1:], weights["action_out"]) / sizes.steps
        return actions

    return answer
