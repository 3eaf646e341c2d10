"""Explanations by faults of the training data: late pictures, labels that differ, simulation, too few people.

Each rests on something measured of its own, and is the likelier the farther that is beyond its limit. One that was
measured and is fine is excluded; one that nobody measured is asked for. A fault of the data acts in the baseline too,
which the same policy made, only less, because a laboratory asks less of it.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.diagnose.beliefs import loss_of, suspicion
from fieldloop.diagnose.chain import Chain
from fieldloop.diagnose.demonstrated import Demonstrations
from fieldloop.diagnose.evidence import Evidence
from fieldloop.diagnose.explanation import Explanation, Kind, Loss
from fieldloop.diagnose.judges import Judges
from fieldloop.diagnose.labels import of_labels
from fieldloop.diagnose.numerals import percent, several
from fieldloop.diagnose.table import Table
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Gap, Lag
from fieldloop.protocol import Section

LEAST_PART = 1e-3
"""A lag in fewer of the demonstrations than one in a thousand counts as if it were in that many."""


@dataclass(frozen=True)
class Found:
    """A fault that acts everywhere: how likely, in words, and in which part of the demonstrations it lies."""

    gap: Gap
    log_odds: float
    words: str
    measured: bool = True
    part: float = 1.0


def of_faults(
    evidence: Evidence, before: Table, after: Table, chain: Chain | None, judges: Judges | None, settings: Section
) -> Iterator[Explanation]:
    """Everything that may be wrong with the data, and what is lost everywhere for no reason that is known."""
    found = [
        *_timing(evidence.lags, chain, settings),
        *_judged(judges, settings),
        *_simulated(evidence.demonstrations, settings),
    ]
    everywhere, already = np.ones(len(after)), np.full(len(before), settings.number("already_part"))
    for one in found:
        loss = Loss(one.part * settings.number("diffuse_loss"), one.part * settings.number("diffuse_spread"))
        yield Explanation(
            one.gap, Stratum(), Kind.FAULT, everywhere, already, one.log_odds, loss, words=one.words,
            measured=one.measured,
        )  # fmt: skip
    yield from _few_people(evidence.demonstrations, before, after, settings)
    yield from of_labels(evidence.agreements, before, after, settings)
    loss = loss_of(Gap.UNKNOWN, settings)
    yield Explanation(
        Gap.UNKNOWN,
        Stratum(),
        Kind.EVERYWHERE,
        everywhere,
        np.zeros(len(before)),
        settings.number("unknown_odds"),
        loss,
    )


def beyond(lag: Lag, limit_ms: float) -> bool:
    """Is a whole interval on one side of what is allowed?"""
    return lag.low_ms > limit_ms or lag.high_ms < -limit_ms


def _timing(lags: Sequence[Lag], chain: Chain | None, settings: Section) -> Iterator[Found]:
    limit = settings.number("max_lag_ms")
    grows = chain is not None and chain.suspicious(settings)
    words = chain.words(settings) if chain is not None else ""
    late = [lag for lag in lags if beyond(lag, limit)]
    if late:
        worst = max(late, key=lambda lag: abs(lag.lag_ms))
        said = (
            f"Pictures of {worst.stream} on {worst.rig} lag by {worst.lag_ms:.0f} ms ({worst.low_ms:.0f} to "
            f"{worst.high_ms:.0f}) in {worst.episodes} demonstrations, {limit:.0f} ms are allowed; {len(late)} of "
            f"{len(lags)} rigs and streams are beyond it. {words}"
        )
        part = sum(lag.episodes for lag in late) / max(sum(lag.episodes for lag in lags), 1)
        odds = suspicion(abs(worst.lag_ms) / limit, settings) + math.log(max(part, LEAST_PART))
        yield Found(Gap.TIMING, odds, said.strip(), part=part)
    elif not lags and grows and chain is not None:
        said = f"{words} Nobody verified time from content."
        yield Found(Gap.TIMING, chain.log_odds(settings), said, measured=False)


def _judged(judges: Judges | None, settings: Section) -> Iterator[Found]:
    least = settings.number("min_kappa")
    if judges is not None and judges.disagree(least, settings.number("min_slice_episodes")):
        said = (
            f"Judges of the same {judges.attempts} attempts agree in {percent(judges.same)} of them (kappa "
            f"{judges.kappa:.2f}): what counts as success is not settled."
        )
        yield Found(Gap.LABELS, suspicion((1.0 - (judges.kappa or 0.0)) / (1.0 - least), settings), said)


def _simulated(shown: Demonstrations | None, settings: Section) -> Iterator[Found]:
    if shown is None or not shown.total:
        return
    share = sum(shown.simulated.values()) / shown.total
    if share >= settings.number("all_simulated_share"):
        odds = settings.number("unverified_odds")
        yield Found(Gap.SIM_TO_REAL, odds, f"{percent(share)} of {shown.total} demonstrations were simulated.")


def _few_people(shown: Demonstrations | None, before: Table, after: Table, settings: Section) -> Iterator[Explanation]:
    """Demonstrations of too few operators teach one person's way, which a laboratory may share."""
    people = {
        c.level for stratum in (shown.counts if shown else ()) for c in stratum.conditions if c.factor == "operator"
    }
    least = settings.number("min_operators")
    if people and len(people) < least:
        said = f"Demonstrations come from {several(len(people), 'operator')} only; {least:.0f} are asked for."
        odds, loss = settings.number("unverified_odds"), loss_of(Gap.CONDITIONS, settings)
        yield Explanation(
            Gap.CONDITIONS, Stratum(), Kind.FAULT, np.ones(len(after)), np.zeros(len(before)), odds, loss,
            never_covered=True, words=said,
        )  # fmt: skip
