"""The change of success by kind: a harder mix, the same gone worse, conditions that demonstrations hardly had."""

import math

from fieldloop.model.diagnosis import Diagnosis, Shifted
from fieldloop.report.words import percent, points, where

LEAST = 5e-3
"""Half a point: smaller changes need no explanation."""
ABOUT = 0.05
"""Where one kind wins back no more than this part of a loss, shares of the loss still say what they should."""


def kinds(found: Diagnosis) -> tuple[tuple[str, float], ...]:
    """Cut the loss by kind of change: each kind in words, with the success it took, which add up to the loss."""
    shares = (found.mix_share, found.mechanism_share, found.unseen_share)
    stated = found.kinds
    lost = (stated.mix, stated.mechanism, stated.unseen) if stated else tuple(found.loss * share for share in shares)
    names = (
        f"mix: {'less' if lost[0] < 0.0 else 'more'} of what was hard before",
        f"mechanism: the same went {'better' if lost[1] < 0.0 else 'worse'}",
        "unseen: conditions hardly ever demonstrated",
    )
    return tuple((name, part) for name, part in zip(names, lost, strict=True) if math.isfinite(part))


def has_kinds(found: Diagnosis) -> bool:
    """Is there anything to tell by kind?"""
    return any(abs(lost) >= LEAST for _, lost in kinds(found))


def shares(found: Diagnosis) -> tuple[float, ...]:
    """Each kind's share of the loss; none where one wins what another loses: of the little left they say nothing."""
    parts = [lost / found.loss if found.loss > 0.0 else math.nan for _, lost in kinds(found)]
    told = all(-ABOUT <= share <= 1.0 + ABOUT for share in parts)
    return tuple(min(max(share, 0.0), 1.0) for share in parts) if told else ()


def kinds_said(found: Diagnosis) -> str:
    """Say the kinds in points, which add up to the change even where one wins what another loses; '' without any."""
    parts = [f"{name.partition(':')[0]} {points(-lost)}" for name, lost in kinds(found)]
    return f"By kind, in points: {', '.join(parts)}." if has_kinds(found) else ""


def mix_said(found: Diagnosis) -> str:
    """Say that most of a loss is a harder mix, and of what; '' where it is not."""
    if found.kinds is None or not found.kinds.mostly_mix:
        return ""
    mix, loss = found.kinds.mix, found.loss
    said = f"A harder mix takes {100 * mix:.1f} of the {100 * loss:.1f} points"
    if abs(mix - loss) < LEAST:
        said = f"A harder mix takes all of the {100 * loss:.1f} points"
    elif mix > loss:
        said = f"A harder mix costs {100 * mix:.1f} points, all of it and more"
    told = "; ".join(map(_shifted, found.shifted))
    return f"{said}: {told}." if told else f"{said}."


def _shifted(one: Shifted) -> str:
    grown = f"{where(one.stratum)} went from {100 * one.share_before:.0f} to {percent(one.share_after, 0)} of the work"
    rates = f"{percent(one.success_before, 0)} succeeded before, {percent(one.success_after, 0)} now"
    return f"{grown}, and the policy is {'also' if one.worse else 'no'} worse there ({rates})"
