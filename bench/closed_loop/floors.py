"""Floors with their start and reference policies, worked out once a seed and kept: every strategy begins from them."""

import pickle
from pathlib import Path

from bench.plan_loop import Loop, Sizes


def prepare(folder: Path, preset: str, seed: int, sizes: Sizes) -> dict[str, object]:
    """Train a floor's start and reference policies, keep them, and say how well they do in each round's week."""
    here = Loop(seed, preset, sizes)
    reference = here.reference()
    kept = (here.policy, here.failure(reference, "plenty", 0))
    file = _file(folder, preset, seed)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(pickle.dumps(kept))
    rounds = range(sizes.rounds + 1)
    return {
        "start": [here.production(here.policy, each)[0] for each in rounds],
        "reference": [here.production(reference, each)[0] for each in rounds],
        "laboratory": here.laboratory(here.policy),
    }


def opened(folder: Path, preset: str, seed: int, sizes: Sizes) -> Loop:
    """Return a floor that was prepared; if what was kept of it has gone, it is worked out again."""
    file = _file(folder, preset, seed)
    if not file.exists():
        return Loop(seed, preset, sizes)
    policy, lasting = pickle.loads(file.read_bytes())
    return Loop(seed, preset, sizes, policy, lasting)


def _file(folder: Path, preset: str, seed: int) -> Path:
    return folder / "floors" / f"{preset}-{seed}.pickle"
