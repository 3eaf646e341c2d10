"""Explanations by faults of the training data: late camera frames, inconsistent labels, simulation, few operators.

Each is based on a measurement of its own; its prior grows with how far that exceeds its limit, and what it can cost is
bounded by its size (`dose`). A fault that was measured and is fine is excluded; one that was not measured is asked for.
A fault of the data acts in the baseline too, because the same policy made it, but less: a laboratory is easier.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from fieldloop.diagnose.chain import Chain
from fieldloop.diagnose.evidence import Evidence
from fieldloop.diagnose.explanations.demonstrated import Demonstrations
from fieldloop.diagnose.explanations.dose import lag_points, loss_of_points
from fieldloop.diagnose.explanations.explanation import Explanation, Kind, Loss
from fieldloop.diagnose.explanations.judges import JUDGES_DISAGREE, Judges
from fieldloop.diagnose.explanations.labels import label_explanations
from fieldloop.diagnose.explanations.priors import loss_of, loss_without_reason, suspicion
from fieldloop.diagnose.explanations.rigs import place_of_rigs, strength_by_rig
from fieldloop.diagnose.inference.table import Floats, Table
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Gap, Lag, Role
from fieldloop.model.note import Note, Subject, note
from fieldloop.protocol import Section


@dataclass(frozen=True)
class DataFault:
    """A fault of the data: its prior, what was measured, how much it can cost, and the rows it acts in.

    `after` and `before` are its strength by row; None where it acts everywhere alike.
    """

    gap: Gap
    log_odds: float
    measurement: Note
    loss: Loss
    measured: bool = True
    where: Stratum = field(default_factory=Stratum)
    after: Floats | None = None
    before: Floats | None = None


def fault_explanations(
    evidence: Evidence, before: Table, after: Table, chain: Chain | None, judges: Judges | None, settings: Section
) -> Iterator[Explanation]:
    """Yield everything that may be wrong with the data, and a loss everywhere without a known reason."""
    faults = [
        *_timing_faults(evidence.lags, before, after, chain, settings),
        *_judge_faults(judges, before, settings),
        *_simulation_faults(evidence.demonstrations, settings),
    ]
    everywhere, already = np.ones(len(after)), settings.number("already_part")
    for fault in faults:
        yield Explanation(
            fault.gap, fault.where, Kind.FAULT,
            everywhere if fault.after is None else fault.after,
            already * (np.ones(len(before)) if fault.before is None else fault.before),
            fault.log_odds, fault.loss, measurement=fault.measurement, measured=fault.measured,
        )  # fmt: skip
    yield from _few_operators_explanation(evidence.demonstrations, before, after, settings)
    yield from label_explanations(evidence.agreements, before, after, settings)
    nothing, odds = np.zeros(len(before)), settings.number("unknown_odds")
    yield Explanation(Gap.UNKNOWN, Stratum(), Kind.EVERYWHERE, everywhere, nothing, odds, loss_without_reason(settings))


def _diffuse_loss(settings: Section) -> Loss:
    return Loss(settings.number("diffuse_loss"), settings.number("diffuse_spread"))


def exceeds(lag: Lag, limit_ms: float) -> bool:
    """Does the whole interval of a lag exceed the limit?"""
    return lag.low_ms > limit_ms or lag.high_ms < -limit_ms


def _timing_faults(
    lags: Sequence[Lag], before: Table, after: Table, chain: Chain | None, settings: Section
) -> Iterator[DataFault]:
    limit = settings.number("max_lag_ms")
    grows = chain is not None and chain.suggests_late_frames(settings)
    along = chain.notes(settings) if chain is not None else ()
    late = [lag for lag in lags if exceeds(lag, limit)]
    if late:
        worst = max(late, key=lambda lag: abs(lag.lag_ms))
        points = lag_points(worst.lag_ms, settings)
        measurement = note(
            "diagnose.lag_in_demonstrations",
            note("diagnose.lags_beyond_limit", beyond=len(late), measured=len(lags)),
            note("diagnose.dose_costs", points=points, most_points=points * settings.number("dose_spread")),
            *along,
            about=Subject(stream=worst.stream, rig=worst.rig),
            lag_ms=worst.lag_ms, low_ms=worst.low_ms, high_ms=worst.high_ms, episodes=worst.episodes, limit_ms=limit,
        )  # fmt: skip
        part = sum(lag.episodes for lag in late) / max(sum(lag.episodes for lag in lags), 1)
        odds = suspicion(abs(worst.lag_ms) / limit, settings) + math.log(max(part, settings.number("least_lag_share")))
        strengths = [strength_by_rig(table, lags, late, settings) for table in (after, before)]
        yield DataFault(
            Gap.TIMING, odds, measurement, loss_of_points(points, settings),
            where=place_of_rigs(after, late, strengths[0]), after=strengths[0], before=strengths[1],
        )  # fmt: skip
    elif not lags and grows and chain is not None:
        seen = replace(along[0], details=(*along[1:], note("diagnose.lag_not_verified")))
        yield DataFault(Gap.TIMING, chain.log_odds(settings), seen, _diffuse_loss(settings), measured=False)


def _judge_faults(judges: Judges | None, before: Table, settings: Section) -> Iterator[DataFault]:
    """Yield judges of production who disagree: half of what they differ on may have counted as success before."""
    least = settings.number("min_kappa")
    if judges is not None and judges.disagree(least, settings.number("min_slice_episodes")):
        measurement = note(JUDGES_DISAGREE, attempts=judges.attempts, same=judges.same, kappa=judges.kappa)
        severity = (1.0 - (judges.kappa or 0.0)) / (1.0 - least)
        loss = loss_of_points(100.0 * judges.divided / 2.0, settings)
        yield DataFault(Gap.LABELS, suspicion(severity, settings), measurement, loss, before=np.zeros(len(before)))


def _simulation_faults(shown: Demonstrations | None, settings: Section) -> Iterator[DataFault]:
    if shown is None or not shown.total:
        return
    share = sum(shown.simulated.values()) / shown.total
    if share >= settings.number("all_simulated_share"):
        odds = settings.number("unverified_odds")
        measurement = note("diagnose.demonstrations_simulated", share=share, demonstrations=shown.total)
        yield DataFault(Gap.SIM_TO_REAL, odds, measurement, _diffuse_loss(settings))


def _few_operators_explanation(
    shown: Demonstrations | None, before: Table, after: Table, settings: Section
) -> Iterator[Explanation]:
    """Yield too few operators: their demonstrations teach one person's way, which may work in the laboratory."""
    people = {
        c.level for stratum in (shown.counts if shown else ()) for c in stratum.conditions if c.factor == "operator"
    }
    least = settings.number("min_operators")
    if people and len(people) < least:
        measurement = note("diagnose.few_operators", operators=len(people), needed=least)
        odds, loss = settings.number("unverified_odds"), loss_of(Role.PERSON, settings)
        yield Explanation(
            Gap.CONDITIONS, Stratum(), Kind.FAULT, np.ones(len(after)), np.zeros(len(before)), odds, loss,
            never_covered=True, measurement=measurement,
        )  # fmt: skip
