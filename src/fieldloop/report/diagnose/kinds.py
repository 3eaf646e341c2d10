"""The change of success by kind: a harder mix, lower success under known conditions, conditions never demonstrated."""

import math
from dataclasses import dataclass

from fieldloop.model.diagnosis import Diagnosis, Shifted
from fieldloop.model.note import Note, note
from fieldloop.say import sentence

LEAST = 5e-3
"""Half a point: smaller changes need no explanation."""
ABOUT = 0.05
"""Shares are shown while no kind gains back more than this part of the loss; beyond that they mislead."""


@dataclass(frozen=True, slots=True)
class KindOfChange:
    """One kind of change: its short name, its label, and the success it cost (below 0: gained)."""

    key: str
    label: str
    lost: float


def kinds(found: Diagnosis) -> tuple[KindOfChange, ...]:
    """Divide the loss by kind of change; the parts add up to the loss."""
    shares = (found.mix_share, found.mechanism_share, found.unseen_share)
    stated = found.kinds
    mix, mechanism, unseen = (
        (stated.mix, stated.mechanism, stated.unseen) if stated else (found.loss * share for share in shares)
    )
    harder = note("diagnose.kind_mix_easier" if mix < 0.0 else "diagnose.kind_mix_harder")
    worse = note("diagnose.kind_mechanism_better" if mechanism < 0.0 else "diagnose.kind_mechanism_worse")
    every = (
        KindOfChange("mix", sentence(harder), mix),
        KindOfChange("mechanism", sentence(worse), mechanism),
        KindOfChange("unseen", sentence(note("diagnose.kind_unseen")), unseen),
    )
    return tuple(kind for kind in every if math.isfinite(kind.lost))


def has_kinds(found: Diagnosis) -> bool:
    """Is any kind of change large enough to show?"""
    return any(abs(kind.lost) >= LEAST for kind in kinds(found))


def shares(found: Diagnosis) -> tuple[float, ...]:
    """Return each kind's share of the loss; none where one gains what another loses, because shares would mislead."""
    parts = [kind.lost / found.loss if found.loss > 0.0 else math.nan for kind in kinds(found)]
    meaningful = all(-ABOUT <= share <= 1.0 + ABOUT for share in parts)
    return tuple(min(max(share, 0.0), 1.0) for share in parts) if meaningful else ()


def kinds_text(found: Diagnosis) -> str:
    """State the kinds in points, which add up even where one gains what another loses; '' without any."""
    if not has_kinds(found):
        return ""
    change = {kind.key: -kind.lost for kind in kinds(found)}
    mix, mechanism, unseen = (change.get(key) for key in ("mix", "mechanism", "unseen"))
    return sentence(note("diagnose.by_kind", mix=mix, mechanism=mechanism, unseen=unseen))


def harder_mix(found: Diagnosis) -> str:
    """State that most of a loss is a harder mix, and of which conditions; '' where it is not."""
    if found.kinds is None or not found.kinds.mostly_mix:
        return ""
    mix, loss = found.kinds.mix, found.loss
    grown = tuple(map(_mix_shift_note, found.shifted))
    if abs(mix - loss) < LEAST:
        return sentence(note("diagnose.mix_all", *grown, loss_points=100.0 * loss))
    code = "diagnose.mix_more_than_all" if mix > loss else "diagnose.mix_part"
    return sentence(note(code, *grown, mix_points=100.0 * mix, loss_points=100.0 * loss))


def _mix_shift_note(shift: Shifted) -> Note:
    return note(
        "diagnose.mix_shifted_worse" if shift.worse else "diagnose.mix_shifted",
        where=str(shift.stratum), before=shift.share_before, after=shift.share_after,
        success_before=shift.success_before, success_after=shift.success_after,
    )  # fmt: skip
