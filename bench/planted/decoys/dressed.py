"""Changes the records of a planted world: a harmless lag or disagreement, other headers, what was never logged.

A lag is added to the estimate, not to the pictures that the policy learnt from; disagreement is that of a second
annotator, whose labels no training used. Both cost nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from bench.planted.planted import Planted
from bench.planted.written import Records
from fieldloop.model.agreement import Agreement
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Gap, Lag
from fieldloop.model.episode import Episode
from fieldloop.model.policy import Outcome

LAG, DISAGREEMENT = "lag", "disagreement"
COUNTER, LATENCY = "gripper_cycles", "latency_ms"
FOREIGN: Mapping[str, str] = {
    "lighting": "luz",
    "bin": "cajón",
    "packaging": "envase",
    "lux": "claridad",
    "temperature_c": "grados",
    "humidity_percent": "rocío",
    "film": "lámina",
    COUNTER: "agarres",
    LATENCY: "respuesta_ms",
}
"""Headers of a Spanish team; those that docs/cases.md requires keep their names."""
UNLOGGED = {
    (Gap.CONDITIONS, "operators"): ("operator", "film"),
    (Gap.INFRASTRUCTURE, "hours"): (LATENCY,),
}
"""Faults that no column shows once these columns are gone."""


@dataclass(frozen=True, slots=True)
class Dress:
    """What is changed: the decoys, the columns that were not logged, and whether these hide the only fault."""

    lag_ms: float = 0.0
    kappa: float = 0.0
    missing: tuple[str, ...] = ()
    hides_fault: bool = False

    @property
    def decoys(self) -> tuple[str, ...]:
        return (*([LAG] if self.lag_ms else []), *([DISAGREEMENT] if self.kappa else []))


def draw_dress(world: Planted) -> Dress:
    """Draw what a team recorded of a world; half of the worlds with nothing wrong have no decoy."""
    rng = np.random.default_rng([world.seed, 1414])
    often = 0.5 if world.gaps else 0.0 if rng.random() < 1 / 2 else 0.75
    lag_ms = rng.uniform(30.0, 60.0) if rng.random() < often and Gap.TIMING not in world.gaps else 0.0
    kappa = rng.uniform(0.6, 0.75) if rng.random() < often and Gap.LABELS not in world.gaps else 0.0
    missing = (COUNTER,) if rng.random() < 3 / 10 else ()
    fault = next(zip(world.gaps, world.ways, strict=True), None) if len(world.gaps) == 1 else None
    if fault in UNLOGGED and rng.random() < 1 / 2:
        return Dress(lag_ms, kappa, (*missing, *UNLOGGED[fault]), hides_fault=True)
    return Dress(lag_ms, kappa, missing)


def dress(records: Records, how: Dress, seed: int) -> Records:
    """Add the decoys to the records and remove the columns that were not logged."""
    rng = np.random.default_rng([seed, 1415])
    lags, agreements = records.lags, records.agreements
    if how.lag_ms:
        lags = tuple(_lagging(site, how.lag_ms * rng.uniform(0.85, 1.15), rng) for site in records.sites)
    if how.kappa:
        agreements = _disagreeing(agreements, how.kappa, rng)
    dropped = dict.fromkeys(how.missing, "")
    return rename(replace(records, lags=lags, agreements=agreements), dropped)


def _lagging(site: str, lag_ms: float, rng: np.random.Generator) -> Lag:
    half = rng.uniform(2.0, 5.0)
    return Lag(site, "camera/wrist", lag_ms, lag_ms - half, lag_ms + half, int(rng.integers(20, 60)))


def _disagreeing(agreements: tuple[Agreement, ...], kappa: float, rng: np.random.Generator) -> tuple[Agreement, ...]:
    measured = agreements or (Agreement(("annotator-1", "annotator-2"), 200, 0.9, 1.0, 0),)
    made = []
    for one in measured:
        frames = rng.uniform(1.0, 2.9)
        made.append(replace(one, kappa=kappa + rng.normal(0, 0.02), boundary_frames=frames, worst_frames=None))
    return tuple(made)


def rename(records: Records, headers: Mapping[str, str]) -> Records:
    """Give columns other headers, in all records; one that becomes '' is left out."""
    return replace(
        records,
        baseline=tuple(_rename_outcome(outcome, headers) for outcome in records.baseline),
        production=tuple(_rename_outcome(outcome, headers) for outcome in records.production),
        episodes=tuple(_rename_episode(episode, headers) for episode in records.episodes),
        agreements=tuple(
            replace(one, stratum=_rename_stratum(one.stratum, headers))
            for one in records.agreements
            if all(headers.get(condition.factor, "kept") for condition in one.stratum.conditions)
        ),
    )


def _rename_stratum(stratum: Stratum, headers: Mapping[str, str]) -> Stratum:
    return Stratum.of({new: level for name, level in stratum.levels.items() if (new := headers.get(name, name))})


def _rename_outcome(outcome: Outcome, headers: Mapping[str, str]) -> Outcome:
    facts = tuple((new, value) for name, value in outcome.facts if (new := headers.get(name, name)))
    latency = outcome.latency_ms
    if LATENCY in headers:
        facts = (*facts, (headers[LATENCY], latency)) if headers[LATENCY] and latency is not None else facts
        latency = None
    return replace(outcome, stratum=_rename_stratum(outcome.stratum, headers), facts=facts, latency_ms=latency)


def _rename_episode(episode: Episode, headers: Mapping[str, str]) -> Episode:
    facts = tuple((new, value) for name, value in episode.facts if (new := headers.get(name, name)))
    return replace(
        episode,
        stratum=_rename_stratum(episode.stratum, headers),
        facts=facts,
        operator="" if headers.get("operator") == "" else episode.operator,
    )
