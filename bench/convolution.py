"""The learner that lost: a small convolutional network with spatial softmax in NumPy, kept to be measured against."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from fieldloop.geometry.transforms import Floats
from fieldloop.train.reference import decode_grasps, encode_grasps
from fieldloop.train.samples import Sample

Array = NDArray[Any]
POOL, CHANNELS, FIRST, SECOND, HIDDEN = 4, 4, 8, 8, 64
BATCH, RATE, DECAY = 32, 1e-2, 1e-4


def learn(samples: Sequence[Sample], seed: int, steps: int) -> "Network":
    """Train on pixels, end to end, with Adam."""
    rng = np.random.default_rng(seed)
    owner = np.repeat(np.arange(len(samples)), [len(sample.pictures) for sample in samples])
    x = prepare(np.concatenate([s.pictures for s in samples]), np.concatenate([s.depths for s in samples]))
    targets = np.stack([encode_grasps(samples[int(i)].grasp) for i in owner])
    net = Network(rng, x.shape[1:3], targets.mean(axis=0), targets.std(axis=0) + 1e-6)
    scaled = ((targets - net.mean) / net.spread).astype(np.float32)
    share = np.array([samples[int(i)].weight for i in owner])
    first, second = [np.zeros_like(p) for p in net.parts], [np.zeros_like(p) for p in net.parts]
    for step in range(1, steps + 1):
        rows = rng.choice(len(x), BATCH, p=share / share.sum())
        answer, memory = net.forward(x[rows])
        slopes = net.backward((answer - scaled[rows]) * 2 / answer.size, memory)
        rate = RATE * 0.5 * (1 + np.cos(np.pi * step / steps))
        for i, slope in enumerate(slopes):
            first[i] += 0.1 * (slope - first[i])
            second[i] += 0.001 * (slope**2 - second[i])
            move = first[i] / (1 - 0.9**step) / (np.sqrt(second[i] / (1 - 0.999**step)) + 1e-8)
            net.parts[i] -= np.float32(rate) * (move + DECAY * net.parts[i])
    return net


def prepare(pictures: NDArray[np.uint8], depths: NDArray[np.float32]) -> Array:
    """Shrink pictures, even out their exposure, and lay depth beside colour."""
    count, high, wide = len(pictures), pictures.shape[1] // POOL, pictures.shape[2] // POOL
    x = pictures.reshape(count, high, POOL, wide, POOL, 3).mean(axis=(2, 4)) / 255
    x = x / (x.mean(axis=(1, 2, 3), keepdims=True) + 0.02) * 0.5
    rough = depths.shape[1] // high
    depth = np.nan_to_num(depths, nan=1.0).reshape(count, high, rough, wide, rough).mean(axis=(2, 4))
    return np.concatenate([x * 4 - 2, (depth[..., None] - 1) * 8], axis=3).astype(np.float32)


class Network:
    """Two convolutions, attention by spatial softmax (where, and what is there), two dense layers."""

    def __init__(self, rng: np.random.Generator, size: tuple[int, ...], mean: Floats, spread: Floats) -> None:
        self.mean, self.spread = mean, spread
        high, wide = size
        v, u = np.meshgrid(np.linspace(-0.75, 0.75, high), np.linspace(-1, 1, wide), indexing="ij")
        self.places = np.stack([u.ravel(), v.ravel()], axis=1).astype(np.float32)
        wide_in = SECOND * (2 + CHANNELS) + CHANNELS

        def made(*shape: int) -> Array:
            return np.asarray(rng.standard_normal(shape) / np.sqrt(np.prod(shape[:-1])), dtype=np.float32)

        sizes = [(25 * CHANNELS, FIRST), (9 * FIRST, SECOND), (wide_in, HIDDEN), (HIDDEN, len(mean))]
        self.parts: list[Array] = [p for s in sizes for p in (made(*s), np.zeros(s[1], np.float32))]

    def act(self, pictures: NDArray[np.uint8], depths: NDArray[np.float32]) -> Floats:
        """Return grasps."""
        return decode_grasps(self.forward(prepare(pictures, depths))[0] * self.spread + self.mean)

    def forward(self, x: Array) -> tuple[Array, dict[str, Any]]:
        w1, b1, w2, b2, w3, b3, w4, b4 = self.parts
        m: dict[str, Any] = {"x": x, "c1": _patches(x, 5)}
        m["a1"] = np.maximum(m["c1"] @ w1 + b1, 0)
        m["c2"] = _patches(m["a1"].reshape(*x.shape[:3], FIRST), 3)
        z = (m["c2"] @ w2 + b2).reshape(len(x), -1, SECOND)
        e = np.exp(z - z.max(axis=1, keepdims=True))
        m["p"] = e / e.sum(axis=1, keepdims=True)
        pixels = x.reshape(len(x), -1, CHANNELS)
        m["t"] = np.concatenate([np.broadcast_to(self.places, (len(x), *self.places.shape)), pixels], axis=2)
        seen = np.einsum("nsk,nsd->nkd", m["p"], m["t"])
        m["f"] = np.concatenate([seen.reshape(len(x), -1), pixels.mean(axis=1)], axis=1)
        m["h"] = np.tanh(m["f"] @ w3 + b3)
        return m["h"] @ w4 + b4, m

    def backward(self, slope: Array, m: dict[str, Any]) -> list[Array]:
        _, _, w2, _, w3, _, w4, _ = self.parts
        count, high, wide = m["x"].shape[:3]
        back_h = (slope @ w4.T) * (1 - m["h"] ** 2)
        back_f = (back_h @ w3.T)[:, : SECOND * (2 + CHANNELS)].reshape(count, SECOND, 2 + CHANNELS)
        back_p = np.einsum("nkd,nsd->nsk", back_f, m["t"])
        back_z = m["p"] * (back_p - (m["p"] * back_p).sum(axis=1, keepdims=True))
        back_z = back_z.reshape(-1, SECOND)
        turned = w2.reshape(3, 3, FIRST, SECOND)[::-1, ::-1].transpose(0, 1, 3, 2).reshape(9 * SECOND, FIRST)
        back_1 = (_patches(back_z.reshape(count, high, wide, SECOND), 3) @ turned) * (m["a1"] > 0)
        return [
            m["c1"].T @ back_1, back_1.sum(axis=0), m["c2"].T @ back_z, back_z.sum(axis=0),
            m["f"].T @ back_h, back_h.sum(axis=0), m["h"].T @ slope, slope.sum(axis=0),
        ]  # fmt: skip


def _patches(x: Array, side: int) -> Array:
    """Return the surroundings of every pixel as rows: pixels × (side × side × channels)."""
    edge = side // 2
    padded = np.pad(x, ((0, 0), (edge, edge), (edge, edge), (0, 0)))
    windows = sliding_window_view(padded, (side, side), axis=(1, 2)).transpose(0, 1, 2, 4, 5, 3)
    return windows.reshape(-1, side * side * x.shape[3])
