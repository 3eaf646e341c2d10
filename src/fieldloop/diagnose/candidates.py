"""What a loss may depend on: conditions, pairs, numbers, time, and what was demonstrated; one column each."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from fieldloop.diagnose.demonstrated import Demonstrations
from fieldloop.diagnose.gaps import only_more_hurts
from fieldloop.diagnose.table import Floats, Table
from fieldloop.diagnose.unseen import rows_under
from fieldloop.model.condition import Condition, Stratum
from fieldloop.model.stream import NS_PER_S
from fieldloop.protocol import Section

SIMULATED = Condition("simulated", "demonstrations")
NEW_ITEM = Condition("item", "never demonstrated")
TIME = "since"
CUTS = np.arange(1, 10) / 10.0
LATE = (0.25, 0.5, 0.75)
RISES = (0.1, 0.5, 0.7)


class Kind(StrEnum):
    """What sort of thing a candidate is."""

    CONDITION = "condition"
    PAIR = "pair"
    STEP = "number beyond a cut"
    RISE = "number, the farther the worse"
    LATER = "condition since a day"
    DAY = "everything since a day"
    GROWTH = "everything, more with time"


@dataclass(frozen=True)
class Candidate:
    """One column: how strongly it holds for every production row and every baseline row, from 0 to 1."""

    stratum: Stratum
    kind: Kind
    after: Floats
    before: Floats
    since_ns: int | None = None

    @property
    def inside(self) -> NDArray[np.bool_]:
        """Production rows for which it rather holds."""
        return np.asarray(self.after > 0.0)


def candidates(after: Table, before: Table, shown: Demonstrations | None, settings: Section) -> list[Candidate]:
    """List everything that has enough episodes inside, and enough outside to be compared with."""
    least = int(settings.number("min_slice_episodes"))
    found = [
        *_conditions(after, before, least),
        *_numbers(after, before, settings.number("usual_quantile"), settings.number("consequence_area")),
        *_times(after, before),
        *_shown(after, before, shown, settings),
    ]
    return [c for c in found if least <= int(c.inside.sum()) and int((c.after < 1.0).sum()) >= least]


def _conditions(after: Table, before: Table, least: int) -> Iterator[Candidate]:
    """Single conditions, pairs of unlike factors, and conditions since a day."""
    conditions = list(after.conditions)
    holds, held = after.indicators(conditions), before.indicators(conditions)
    together = holds.T @ holds
    days = _late_days(after)
    for at, condition in enumerate(conditions):
        alone = Stratum((condition,))
        yield Candidate(alone, Kind.CONDITION, holds[:, at], held[:, at])
        for since_ns in days:
            late = holds[:, at] * (after.at_ns >= since_ns)
            if least <= late.sum() < holds[:, at].sum():
                yield Candidate(alone, Kind.LATER, late, 0.0 * held[:, at], since_ns)
    for i, j in combinations(range(len(conditions)), 2):
        if conditions[i].factor != conditions[j].factor and least <= together[i, j] < min(
            together[i, i], together[j, j]
        ):
            stratum = Stratum(tuple(sorted((conditions[i], conditions[j]))))
            yield Candidate(stratum, Kind.PAIR, holds[:, i] * holds[:, j], held[:, i] * held[:, j])


def _numbers(after: Table, before: Table, usual: float, most: float) -> Iterator[Candidate]:
    """Every number beyond a cut, and rising beyond what was usual, in both directions."""
    for name, values in after.numbers.items():
        past = before.numbers.get(name, np.full(len(before), np.nan))
        if len(np.unique(values[np.isfinite(values)])) <= 1 or _consequence(past, before.success, most):
            continue
        sides = (1.0,) if only_more_hurts(name) else (1.0, -1.0)
        for cut in np.unique(np.nanquantile(values, CUTS)):
            for sign in sides:
                word = "above" if sign > 0.0 else "up to"
                beyond = _beyond(values, cut, sign)
                yield Candidate(_named(name, word, cut), Kind.STEP, beyond, _beyond(past, cut, sign))
        for sign in sides:
            word = "above" if sign > 0.0 else "below"
            for start in _starts(values, past, sign, usual):
                far = float(np.nanquantile(sign * (values - start), usual))
                if far > 0.0:
                    yield Candidate(
                        _named(name, word, start), Kind.RISE,
                        _rise(values, start, sign, far), _rise(past, start, sign, far),
                    )  # fmt: skip


def _consequence(past: Floats, success: Floats, most: float) -> bool:
    """Does a number tell failures from successes in the baseline so well that it follows from them?"""
    from scipy.stats import rankdata

    kept = np.isfinite(past)
    good, bad = success[kept] > 0.5, success[kept] <= 0.5  # noqa: PLR2004 - most judges said so
    if not good.any() or not bad.any():
        return False
    ranks = rankdata(past[kept])
    area = (ranks[good].mean() - ranks[bad].mean()) / len(ranks) + 0.5
    return bool(max(area, 1.0 - area) > most)


def _starts(values: Floats, past: Floats, sign: float, usual: float) -> list[float]:
    """From where a number may begin to hurt: the middle or the end of what the baseline had, or inside production."""
    starts = [(values, q) for q in RISES] + [(past, q) for q in (0.5, usual) if np.isfinite(past).any()]
    return sorted({float(np.nanquantile(some, q if sign > 0.0 else 1.0 - q)) for some, q in starts})


def _beyond(values: Floats, cut: float, sign: float) -> Floats:
    return np.asarray(values > cut if sign > 0.0 else values <= cut, dtype=np.float64)


def _rise(values: Floats, start: float, sign: float, far: float) -> Floats:
    return np.nan_to_num(np.clip(sign * (values - start) / far, 0.0, 1.0), nan=0.0)


def _named(name: str, word: str, value: float) -> Stratum:
    return Stratum((Condition(name, f"{word} {value:.4g}"),))


def _times(after: Table, before: Table) -> Iterator[Candidate]:
    """Everything since a day, and everything more and more."""
    nothing = np.zeros(len(before))
    for since_ns in _late_days(after, tuple(CUTS)):
        day = datetime.fromtimestamp(since_ns // NS_PER_S, UTC).date().isoformat()
        late = np.asarray(after.at_ns >= since_ns, dtype=np.float64)
        yield Candidate(Stratum((Condition(TIME, day),)), Kind.DAY, late, nothing, since_ns)
    if len(after) and (span := int(after.at_ns.max() - after.at_ns.min())) > 0:
        grown = (after.at_ns - after.at_ns.min()) / span
        yield Candidate(Stratum((Condition(TIME, "the first day, more and more"),)), Kind.GROWTH, grown, nothing)


def _late_days(table: Table, quantiles: tuple[float, ...] = LATE) -> list[int]:
    """First moments of days that lie about these shares into the time."""
    if not len(table):
        return []
    days = np.unique(np.quantile(table.days, quantiles, method="higher"))
    return [int(table.at_ns[table.days == day].min()) for day in days if day > table.days.min()]


def _shown(after: Table, before: Table, shown: Demonstrations | None, settings: Section) -> Iterator[Candidate]:
    """Rows with conditions that mostly simulation showed, and rows with an item that nothing showed."""
    if shown is None:
        return
    share = settings.number("simulated_share")
    if shown.simulated:
        resting, rested = (rows_under(t, shown, lambda s: shown.mostly_simulated(s, share)) for t in (after, before))
        yield Candidate(Stratum((SIMULATED,)), Kind.CONDITION, resting, rested)
    if shown.items:
        new, old = (
            np.array([bool(o.item) and o.item not in shown.items for o in table.outcomes], dtype=np.float64)
            for table in (after, before)
        )
        yield Candidate(Stratum((NEW_ITEM,)), Kind.CONDITION, new, old)
