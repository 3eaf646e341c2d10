"""Which episodes to look at first: by what their findings cost, whatever their length."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.ranking import Correlation, Look, Ranking

SEVERITY = list(Status)
FEWEST = 4
"""A rank correlation of fewer episodes has no interval."""


def rank(reports: Iterable[EpisodeReport], durations: Mapping[str, float] | None = None) -> Ranking:
    """Order episodes by what their findings cost; equal costs by how far beyond its limit the worst one is.

    `durations` (seconds by episode id) show whether the order follows length.
    """
    listed = tuple(reports)
    costs = [cost_of(report.findings) for report in listed]
    looks = [_look(report, cost) for report, cost in zip(listed, costs, strict=True) if _against(report)]
    looks.sort(key=lambda look: (-round(look.cost, 9), -max(map(excess, look.reasons), default=0.0), look.name))
    lengths = durations or {}
    known = [(cost, lengths[r.episode]) for cost, r in zip(costs, listed, strict=True) if r.episode in lengths]
    return Ranking(tuple(looks), len(listed), _correlation(known))


def cost_of(findings: Iterable[Finding]) -> float:
    """Return the share of an episode's worth that its findings take together.

    Of one subject (timing, vision …) only the dearest counts: eight streams that share one gap, and the five checks
    that see it, are one loss. Different subjects take from what the others left.
    """
    dearest: dict[str, float] = {}
    for finding in findings:
        if finding.counts:
            subject = finding.check.partition(".")[0]
            dearest[subject] = max(finding.cost, dearest.get(subject, 0.0))
    return 1.0 - math.prod(1.0 - cost for cost in dearest.values())


def excess(finding: Finding) -> float:
    """How far beyond its limit, as a share of the limit: what makes one failure worse than another of its kind."""
    value, low, high = finding.measured, finding.minimum, finding.maximum
    if value is None:
        return 0.0
    if high is not None and value > high:
        return _beyond(value - high, high)
    if low is not None and value < low:
        return _beyond(low - value, low)
    return 0.0


def _beyond(distance: float, limit: float) -> float:
    """What is not allowed at all has no share; it is told in its own unit."""
    return distance / abs(limit) if limit else distance


def _against(report: EpisodeReport) -> bool:
    return any(finding.counts for finding in report.findings)


def _look(report: EpisodeReport, cost: float) -> Look:
    """The worst finding of each check; the moment is that of the dearest one, and of no other where it has none."""
    ordered = sorted(
        (f for f in report.findings if f.counts), key=lambda f: (-f.cost, SEVERITY.index(f.status), -excess(f))
    )
    worst: dict[str, Finding] = {}
    for finding in ordered:
        worst.setdefault(finding.check, finding)
    moment = ordered[0].at_s if ordered else None
    fixes = tuple(dict.fromkeys(f.fix for f in ordered if f.fix is not None))
    return Look(report.episode, report.name, report.status, cost, tuple(worst.values()), moment, fixes)


def _correlation(pairs: Sequence[tuple[float, float]]) -> Correlation | None:
    """Spearman's rho with Bonett and Wright's interval (2000)."""
    from scipy.stats import rankdata

    if len(pairs) < FEWEST:
        return None
    cost, length = (rankdata(column) for column in np.asarray(pairs).T)
    if np.ptp(cost) == 0.0 or np.ptp(length) == 0.0:
        return None
    rho = float(np.corrcoef(cost, length)[0, 1])
    if abs(rho) >= 1.0 - 1e-12:
        return Correlation(math.copysign(1.0, rho), math.copysign(1.0, rho), math.copysign(1.0, rho))
    half = 1.96 * math.sqrt((1.0 + rho**2 / 2.0) / (len(pairs) - 3))
    low, high = (math.tanh(math.atanh(rho) + side * half) for side in (-1.0, 1.0))
    return Correlation(rho, low, high)
