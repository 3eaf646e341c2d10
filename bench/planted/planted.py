"""One planted world as it is cached: what was planted, the truth, and the records that a team would have."""

import gzip
import hashlib
import pickle
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

import numpy as np

from bench.planted import truth, written
from bench.planted.played import Played, Sizes
from bench.planted.truth import Truth
from bench.planted.written import Records
from fieldloop.model.diagnosis import Gap

P = TypeVar("P", bound=Played)
ROOT = Path(__file__).parents[2]
MAKERS = ("mixes", "planted", "played", "truth", "turns", "written", "wrongs")
SOURCES = (
    *(f"bench/planted/{name}.py" for name in MAKERS),
    "src/fieldloop/simulate/picking/*.py",
    "src/fieldloop/train/cloning.py",
)
"""Files that a world depends on: after a change it is run again."""


@dataclass(frozen=True, slots=True)
class Planted:
    """A world that was run: its faults and their kinds, the truth, the records, and the time it took."""

    seed: int
    gaps: tuple[Gap, ...]
    ways: tuple[str, ...]
    truth: Truth
    records: Records
    seconds: float


def planted(seed: int, sizes: Sizes | None = None, folder: Path | None = None) -> Planted:
    """Run the world of a seed, or read it from a folder where the same code has left it."""
    file = folder / f"{seed}-{stamp(SOURCES, sizes or Sizes())}.world" if folder else None
    return kept(file, lambda: recorded(Played(seed, sizes=sizes), written.records))


def recorded(played: P, records: Callable[[P, np.random.Generator], Records]) -> Planted:
    """Run a world and return what was planted, the truth and the records of a team."""
    began = time.process_time()
    return Planted(
        played.seed,
        tuple(wrong.gap for wrong in played.wrongs),
        tuple(wrong.way for wrong in played.wrongs),
        truth.truth(played),
        records(played, np.random.default_rng([played.seed, 815])),
        time.process_time() - began,
    )


def kept(file: Path | None, play: Callable[[], Planted]) -> Planted:
    """Read a world from its file, or run it and write the file."""
    if file and file.exists():
        read = pickle.loads(gzip.decompress(file.read_bytes()))
        assert isinstance(read, Planted)
        return read
    made = play()
    if file:
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part")
        part.write_bytes(gzip.compress(pickle.dumps(made), 1))
        part.rename(file)  # whole or not at all: a run may be killed
    return made


@cache
def stamp(sources: tuple[str, ...], sizes: Sizes | None = None) -> str:
    """Return a hash of source files and sizes."""
    files = sorted(path for pattern in sources for path in ROOT.glob(pattern))
    content = b"".join(path.read_bytes() for path in files) + repr(sizes).encode()
    return hashlib.sha256(content).hexdigest()[:16]
