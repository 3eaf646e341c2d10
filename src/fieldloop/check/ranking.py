"""Ranking of episodes to look at first, by the cost of their findings."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from fieldloop.model.finding import EpisodeReport, Finding, Status, compute_limit_excess
from fieldloop.model.ranking import Correlation, Look, Ranking

SEVERITY = list(Status)
FEWEST = 4
"""Least number of episodes for the interval of a rank correlation."""


def rank_episodes(reports: Iterable[EpisodeReport], durations_s: Mapping[str, float] | None = None) -> Ranking:
    """Order episodes by the cost of their findings; equal costs by how far the worst one exceeds its limit.

    `durations_s` (seconds by episode id) show whether the order follows length.
    """
    listed = tuple(reports)
    costs = [sum_finding_costs(report.findings) for report in listed]
    looks = [
        _summarise_report(report, cost)
        for report, cost in zip(listed, costs, strict=True)
        if _has_counting_findings(report)
    ]
    looks.sort(
        key=lambda look: (-round(look.cost, 9), -max(map(compute_limit_excess, look.reasons), default=0.0), look.name)
    )
    lengths = durations_s or {}
    known = [(cost, lengths[r.episode]) for cost, r in zip(costs, listed, strict=True) if r.episode in lengths]
    return Ranking(tuple(looks), len(listed), _correlate_ranks(known))


def sum_finding_costs(findings: Iterable[Finding]) -> float:
    """Return the total cost of the findings, as a share of an episode's worth.

    Of one subject (timing, vision …) only the most expensive counts: a gap in eight streams, seen by five checks, is
    one loss. Costs of different subjects multiply: each takes its share of what the others left.
    """
    highest: dict[str, float] = {}
    for finding in findings:
        if finding.counts:
            subject = finding.check.partition(".")[0]
            highest[subject] = max(finding.cost, highest.get(subject, 0.0))
    return 1.0 - math.prod(1.0 - cost for cost in highest.values())


def _has_counting_findings(report: EpisodeReport) -> bool:
    return any(finding.counts for finding in report.findings)


def _summarise_report(report: EpisodeReport, cost: float) -> Look:
    """Return the worst finding of each check; the moment is that of the most expensive one, if it has one."""
    ordered = sorted(
        (f for f in report.findings if f.counts),
        key=lambda f: (-f.cost, SEVERITY.index(f.status), -compute_limit_excess(f)),
    )
    worst: dict[str, Finding] = {}
    for finding in ordered:
        worst.setdefault(finding.check, finding)
    moment = ordered[0].at_s if ordered else None
    fixes = tuple(dict.fromkeys(f.fix for f in ordered if f.fix is not None))
    return Look(report.episode, report.name, report.status, cost, tuple(worst.values()), moment, fixes)


def _correlate_ranks(pairs: Sequence[tuple[float, float]]) -> Correlation | None:
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
