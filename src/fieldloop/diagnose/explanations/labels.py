"""Explanations by labels: annotators who disagree, everywhere or more under some conditions than under others."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from fieldloop.diagnose.explanations.dose import label_points, loss_of_points
from fieldloop.diagnose.explanations.explanation import Explanation, Kind
from fieldloop.diagnose.explanations.priors import suspicion
from fieldloop.diagnose.inference.table import Floats, Table
from fieldloop.model.agreement import Agreement
from fieldloop.model.condition import Condition, Stratum
from fieldloop.model.diagnosis import Gap
from fieldloop.model.note import note
from fieldloop.protocol import Section

TINY = 1e-9  # keeps a division by zero apart


def label_explanations(
    agreements: Sequence[Agreement], before: Table, after: Table, settings: Section
) -> Iterator[Explanation]:
    """Yield one explanation; where annotators differ by condition, a row counts by how far they differ under it."""
    known = [a for a in agreements if math.isfinite(a.kappa) and math.isfinite(_frames_apart(a))]
    overall = [a for a in known if not a.stratum]
    if not overall:
        return
    sizes = np.array([max(a.episodes, 1) for a in overall], dtype=np.float64)
    kappa = float(np.average([a.kappa for a in overall], weights=sizes))
    apart = float(np.average([_frames_apart(a) for a in overall], weights=sizes))
    least, frames = settings.number("min_kappa"), settings.number("max_boundary_frames")
    severity = max((1.0 - kappa) / (1.0 - least), apart / frames)
    measurement = note(
        "diagnose.annotators_disagree",
        kappa=kappa, min_kappa=least, apart_frames=apart, max_frames=frames, episodes=int(sizes.sum()),
    )  # fmt: skip
    local = _frames_apart_by_condition(known, settings)
    # a low kappa with boundaries within their limit counts as boundaries at the limit
    points = label_points(max(apart, frames) if kappa < least else apart, settings)
    if local:
        worst = max(local, key=lambda c: local[c])
        severity = max(severity, local[worst] / frames)
        best = min(local, key=lambda c: local[c])
        by_condition = note(
            "diagnose.annotators_differ_by_condition",
            worst=str(worst), worst_frames=local[worst], best=str(best), best_frames=local[best],
        )  # fmt: skip
        measurement = replace(measurement, details=(by_condition,))
        points = label_points(local[worst], settings) / settings.number("label_dose_share")
        dose = [_dose(table, local, settings) for table in (after, before)]
        where = Stratum((worst,))
    else:
        dose = [np.ones(len(after)), np.full(len(before), settings.number("already_part"))]
        where = Stratum()
    if severity <= 1.0:  # measured and fine
        return
    odds, spread = suspicion(severity, settings), settings.number("dose_spread")
    costs = note("diagnose.dose_costs", points=points, most_points=points * spread)
    yield Explanation(
        Gap.LABELS, where, Kind.FAULT, dose[0], dose[1], odds, loss_of_points(points, settings),
        measurement=replace(measurement, details=(*measurement.details, costs)), measured=True,
    )  # fmt: skip


def _frames_apart(agreement: Agreement) -> float:
    return agreement.boundary_frames if agreement.worst_frames is None else agreement.worst_frames


def _frames_apart_by_condition(agreements: Sequence[Agreement], settings: Section) -> dict[Condition, float]:
    """Frames apart by level of the factor whose levels differ most; empty where none clearly does.

    Labels that differ under some bins make every other factor look a little worse too, so only the factor whose levels
    differ most counts.
    """
    fewest = settings.number("min_compared_episodes")
    by_factor: dict[str, dict[Condition, tuple[float, int]]] = {}
    for agreement in agreements:
        if len(agreement.stratum.conditions) == 1 and agreement.episodes >= fewest:
            condition = agreement.stratum.conditions[0]
            by_factor.setdefault(condition.factor, {})[condition] = (_frames_apart(agreement), agreement.episodes)
    spread = {f: _spread(list(levels.values())) for f, levels in by_factor.items() if len(levels) > 1}
    if not spread:
        return {}
    factor = max(spread, key=lambda f: spread[f])
    return (
        {c: f for c, (f, _) in by_factor[factor].items()}
        if spread[factor] > settings.number("local_label_frames")
        else {}
    )


def _spread(levels: Sequence[tuple[float, int]]) -> float:
    frames, sizes = np.array(levels, dtype=np.float64).T
    middle = np.average(frames, weights=sizes)
    return float(np.sqrt(np.average((frames - middle) ** 2, weights=sizes)))


def _dose(table: Table, local: dict[Condition, float], settings: Section) -> Floats:
    """Scale what labels cost under a row's condition: 0 where annotators agree, 1 where they differ most."""
    levels = list(local)
    costs = np.array([label_points(local[c], settings) for c in levels])
    return np.asarray(table.indicators(levels) @ (costs / max(costs.max(initial=0.0), TINY)))
