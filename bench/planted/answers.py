"""Runs every method on a planted world, and keeps the answers beside the truth as one plain row."""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from bench.planted import peers
from bench.planted.planted import Planted, planted
from bench.planted.played import Sizes
from bench.planted.written import POLICY, Records
from fieldloop.diagnose import Evidence, demonstrations_of, diagnose
from fieldloop.model.codec import from_plain
from fieldloop.model.diagnosis import Diagnosis, Gap
from fieldloop.model.finding import Status
from fieldloop.model.identity import Ids
from fieldloop.model.policy import Outcome
from fieldloop.protocol import default_operations

EPISODES = (300, 1000, 3000)
OURS, SLICES, DRIFT = "diagnose", "raw-error slices", "drift monitor"
WAYS = (OURS, SLICES, DRIFT)
Plant = Callable[[int, Sizes | None, Path | None], Planted]
"""Function by which a family makes the world of a seed, of given sizes, kept in a folder."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer of one method for one world after so many episodes: causes in order with shares, and is anything wrong?"""

    way: str
    episodes: int
    is_wrong: bool
    cannot_tell: bool
    shares: dict[str, float]
    seconds: float

    @property
    def first(self) -> str:
        """Return the cause named first; '' where none is."""
        return next(iter(self.shares), "")


@dataclass(frozen=True, slots=True)
class Row:
    """A world: what was planted, what it really cost, and the answers of all methods."""

    seed: int
    gaps: tuple[str, ...]
    ways: tuple[str, ...]
    baseline: float
    production: float
    without: float
    shares: dict[str, float]
    is_weak: bool
    answers: tuple[Answer, ...]
    seconds: float

    def plain(self) -> dict[str, object]:
        return asdict(self)

    @classmethod
    def of(cls, plain: Mapping[str, object]) -> "Row":
        """Read a row back."""
        return from_plain(cls, plain)


def asked(
    seed: int,
    sizes: Sizes | None = None,
    episodes: Sequence[int] = EPISODES,
    folder: Path | None = None,
    plant: Plant = planted,
) -> Row:
    """Run the world of a seed and all methods on it; return answers and truth."""
    world = plant(seed, sizes, folder)
    evidence = evidence_of(world.records)
    production, answers = evidence.production, []
    order = np.random.default_rng([seed, 77]).permutation(len(production))
    for count in episodes:
        # a part of all days, not the first days, so that it contains every change
        part = tuple(production[i] for i in np.sort(order[:count]))
        answers += [_ours(evidence, part, seed, count), *_peers(evidence.baseline, part, count)]
    return _row(world, answers)


def evidence_of(records: Records) -> Evidence:
    return Evidence(
        policy=POLICY,
        baseline=records.baseline,
        production=records.production,
        demonstrations=demonstrations_of(records.episodes),
        site="",
        time_zones=dict.fromkeys(records.sites, "UTC"),
        lags=records.lags,
        agreements=records.agreements,
        exposures=(),
    )


def _ours(evidence: Evidence, part: tuple[Outcome, ...], seed: int, count: int) -> Answer:
    began = time.process_time()
    at_ns = part[-1].at_ns
    ids = Ids(lambda: at_ns, random.Random(seed).getrandbits)
    made = diagnose(
        replace(evidence, production=part), default_operations()["diagnose"], ids, at_ns, np.random.default_rng(seed)
    )
    return _read(made, count, time.process_time() - began)


def _read(made: Diagnosis, count: int, seconds: float) -> Answer:
    gaps = dict.fromkeys(cause.gap for cause in made.causes if cause.gap is not Gap.UNKNOWN)
    shares = {str(gap): round(made.sum_gap_shares(gap), 4) for gap in gaps}
    wrong = made.status is Status.FAILED
    return Answer(OURS, count, wrong, made.status is Status.CANNOT_TELL, shares if wrong else {}, seconds)


def _peers(baseline: Sequence[Outcome], part: Sequence[Outcome], count: int) -> list[Answer]:
    answers = []
    for way, ask in ((SLICES, peers.slices), (DRIFT, peers.drift)):
        began = time.process_time()
        named = ask(baseline, part)
        shares = {str(gap): round(share, 4) for gap, share in named.shares.items()}
        answers.append(Answer(way, count, named.is_wrong, False, shares, time.process_time() - began))
    return answers


def _row(world: Planted, answers: list[Answer]) -> Row:
    true = world.truth
    return Row(
        world.seed,
        tuple(map(str, world.gaps)),
        world.ways,
        round(true.baseline, 4),
        round(true.production, 4),
        round(true.without, 4),
        {str(gap): share for gap, share in true.shares.items()},
        true.is_weak,
        tuple(answers),
        round(world.seconds, 1),
    )
