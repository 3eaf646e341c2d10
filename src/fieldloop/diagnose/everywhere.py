"""What may be wrong everywhere alike: faults of the data or the machinery that no condition sets apart.

Each suspect rests on something measured of its own: a lag, an agreement, simulation, a number beyond all that was
usual. One that was measured and is fine is excluded; one that nobody measured is asked for.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.diagnose import gaps
from fieldloop.diagnose.beliefs import COVERABLE, never_shown
from fieldloop.diagnose.chain import Chain
from fieldloop.diagnose.demonstrated import Demonstrations
from fieldloop.diagnose.evidence import Evidence
from fieldloop.diagnose.judges import Judges
from fieldloop.diagnose.numerals import percent, several
from fieldloop.diagnose.table import Table
from fieldloop.model.condition import Condition, Stratum
from fieldloop.model.diagnosis import Gap, Lag
from fieldloop.protocol import Section

OF_THE_DATA = (Gap.TIMING, Gap.LABELS, Gap.SIM_TO_REAL)
"""Faults that lie in the training data and so reach every condition, those where precision matters most the most."""


@dataclass(frozen=True)
class Suspect:
    """A cause that would act everywhere: how far beyond its limit it is (1 = at it), where, and the words for it.

    `measured` says that it rests on a measurement made apart from the outcomes.
    """

    gap: Gap
    severity: float
    stratum: Stratum
    words: str
    measured: bool
    never_covered: bool | None = None
    number: bool = False

    @property
    def of_the_data(self) -> bool:
        """Is it a measured fault of the training data, which reaches every condition?"""
        return self.measured and self.gap in OF_THE_DATA


def suspects(
    evidence: Evidence, before: Table, after: Table, chain: Chain | None, judges: Judges | None,
    doses: Mapping[str, float], settings: Section,
) -> list[Suspect]:  # fmt: skip
    """List what may act everywhere, the most severe first; `doses` say how clearly loss goes with each number."""
    shown = evidence.demonstrations
    new = list(_new_levels(before, after, shown, settings))
    # where all of production is new, simulated demonstrations are no better suspect than they were in the baseline,
    # which the same policy passed
    of_data = [
        suspect
        for suspect in faults_of_the_data(evidence, chain, judges, doses, settings)
        if not (new and suspect.gap is Gap.SIM_TO_REAL)
    ]
    found = [*of_data, *_numbers(before, after, shown, doses, settings), *new, *_few_people(shown, settings)]
    return sorted(found, key=lambda s: (-s.measured, -s.severity))


def faults_of_the_data(
    evidence: Evidence, chain: Chain | None, judges: Judges | None, doses: Mapping[str, float], settings: Section
) -> Iterator[Suspect]:
    """What the training data themselves may have wrong."""
    yield from _timing(evidence.lags, chain, doses, settings)
    yield from _labels(evidence, judges, settings)
    yield from _simulated(evidence.demonstrations, settings)


def beyond(lag: Lag, limit_ms: float) -> bool:
    """Is a whole interval on one side of what is allowed?"""
    return lag.low_ms > limit_ms or lag.high_ms < -limit_ms


def _timing(
    lags: Sequence[Lag], chain: Chain | None, doses: Mapping[str, float], settings: Section
) -> Iterator[Suspect]:
    limit, clear = settings.number("max_lag_ms"), settings.number("clear_errors")
    words = " ".join([
        *([_of_chain(chain)] if chain is not None and chain.grows(clear) else []),
        *(
            f"The larger {name}, the more is lost ({dose:.1f} standard errors)."
            for name, dose in doses.items()
            if gaps.of_factor(name) is Gap.TIMING and dose > clear
        ),
    ])  # fmt: skip
    late = [lag for lag in lags if beyond(lag, limit)]
    if late:
        worst = max(late, key=lambda lag: abs(lag.lag_ms))
        said = (
            f"Pictures of {worst.stream} on {worst.rig} lag by {worst.lag_ms:.0f} ms ({worst.low_ms:.0f} to "
            f"{worst.high_ms:.0f}) in {worst.episodes} demonstrations, {limit:.0f} ms are allowed; {len(late)} of "
            f"{len(lags)} rigs and streams are beyond it. {words}"
        )
        yield Suspect(Gap.TIMING, abs(worst.lag_ms) / limit, Stratum(), said.strip(), measured=True)
    elif words and not lags:
        yield Suspect(Gap.TIMING, 1.0, Stratum(), f"{words} Nobody verified time from content.", measured=False)


def _of_chain(chain: Chain) -> str:
    faster = (
        f" Quick attempts are farther off (correlation {chain.quick:.2f})." if chain.quick and chain.quick > 0 else ""
    )
    first, last = (percent(float(np.expm1(step)), signed=True) for step in (chain.first, chain.last))
    return (
        f"Chains lose precision along the way: the first step ends {first} off against the baseline, the last {last}, "
        f"in {several(chain.attempts, 'attempt')} under covered conditions.{faster}"
    )


def _labels(evidence: Evidence, judges: Judges | None, settings: Section) -> Iterator[Suspect]:
    least = settings.number("min_kappa")
    frames = settings.number("max_boundary_frames")
    sizes = np.array([max(a.episodes, 1) for a in evidence.agreements], dtype=np.float64)
    if len(sizes):
        kappa = float(np.average([a.kappa for a in evidence.agreements], weights=sizes))
        apart = float(np.average([a.boundary_frames for a in evidence.agreements], weights=sizes))
        severity = max((1.0 - kappa) / (1.0 - least), apart / frames)
        if severity > 1.0:
            said = (
                f"Annotators of the release agree with kappa {kappa:.2f} ({least:.1f} asked) and boundaries "
                f"{apart:.1f} frames apart ({frames:.0f} allowed) over {int(sizes.sum())} episodes."
            )
            yield Suspect(Gap.LABELS, severity, Stratum(), said, measured=True)
    if judges is not None and judges.disagree(least, settings.number("min_slice_episodes")):
        said = (
            f"Judges of the same {judges.attempts} attempts agree in {percent(judges.same)} of them (kappa "
            f"{judges.kappa:.2f}): what counts as success is not settled."
        )
        yield Suspect(Gap.LABELS, (1.0 - (judges.kappa or 0.0)) / (1.0 - least), Stratum(), said, measured=True)


def _simulated(shown: Demonstrations | None, settings: Section) -> Iterator[Suspect]:
    if shown is None or not shown.total:
        return
    share = sum(shown.simulated.values()) / shown.total
    if share >= settings.number("all_simulated_share"):
        said = f"{percent(share)} of {shown.total} demonstrations were simulated."
        yield Suspect(Gap.SIM_TO_REAL, share / settings.number("all_simulated_share"), Stratum(), said, measured=True)


def _numbers(
    before: Table, after: Table, shown: Demonstrations | None, doses: Mapping[str, float], settings: Section
) -> Iterator[Suspect]:
    """Numbers that nearly all of production has beyond what the baseline and the demonstrations had."""
    usual = settings.number("usual_quantile")
    for name, values in after.numbers.items():
        known = before.numbers.get(name)
        if known is None or (gap := gaps.of_factor(name)) in (Gap.UNKNOWN, Gap.TIMING):
            continue
        low, high = np.nanquantile(known, [1.0 - usual, usual])
        if shown is not None and name in shown.ranges and gap in COVERABLE:
            low, high = min(low, shown.ranges[name][0]), max(high, shown.ranges[name][1])
        middle = float(np.nanmedian(values))
        outside = float(np.nanmean(values > high)), float(np.nanmean(values < low))
        if max(outside) < usual - (1.0 - usual) or (gaps.only_more_hurts(name) and middle < low):
            continue
        word, end = ("above", high) if outside[0] > outside[1] else ("below", low)
        dose, wide = doses.get(name, 0.0), float(np.nanstd(values))
        if dose < settings.number("beside_errors") and 2.0 * wide > abs(
            middle - end
        ):  # it varies enough to show a dose, and shows none
            continue
        said = (
            f"{percent(max(outside))} of production has {name} {word} {end:.4g}, where the baseline hardly was; its "
            f"middle is {middle:.4g}."
        )
        where = Stratum((Condition(name, f"{word} {end:.4g}"),))
        yield Suspect(gap, max(dose, 0.0), where, said, measured=False, number=True)


def _few_people(shown: Demonstrations | None, settings: Section) -> Iterator[Suspect]:
    """Demonstrations of too few operators teach one person's way."""
    people = {
        c.level for stratum in (shown.counts if shown else ()) for c in stratum.conditions if c.factor == "operator"
    }
    least = settings.number("min_operators")
    if people and len(people) < least:
        said = f"Demonstrations come from {several(len(people), 'operator')} only; {least:.0f} are asked for."
        yield Suspect(Gap.CONDITIONS, least / len(people), Stratum(), said, measured=False, never_covered=True)


def _new_levels(before: Table, after: Table, shown: Demonstrations | None, settings: Section) -> Iterator[Suspect]:
    """Factors whose levels in production are all ones that neither the baseline nor a demonstration had."""
    known = set(before.conditions)
    for factor, levels in after.factors.items():
        gap = gaps.of_factor(factor)
        new = [c for c in levels if c not in known and never_shown(Stratum((c,)), shown, settings) is not False]
        if gap not in COVERABLE or len(new) < len(levels) or not after.indicators(new).any(axis=1).all():
            continue
        never = never_shown(Stratum((levels[0],)), shown, settings)
        names = " and ".join(c.level for c in levels)
        said = f"Every {factor} in production ({names}) is one that the baseline never met."
        for level in levels:
            yield Suspect(gap, 1.0, Stratum((level,)), said, measured=False, never_covered=never)
