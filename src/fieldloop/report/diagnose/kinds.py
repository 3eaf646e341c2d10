"""The change of success by kind: a harder mix, lower success under known conditions, conditions never demonstrated."""

import math
from dataclasses import dataclass

from fieldloop.model.diagnosis import Diagnosis, Shifted
from fieldloop.model.note import Note, note
from fieldloop.say import write_sentence

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


def divide_loss_by_kind(diagnosis: Diagnosis) -> tuple[KindOfChange, ...]:
    """Divide the loss by kind of change; the parts add up to the loss."""
    shares = (diagnosis.mix_share, diagnosis.mechanism_share, diagnosis.unseen_share)
    stated = diagnosis.kinds
    mix, mechanism, unseen = (
        (stated.mix, stated.mechanism, stated.unseen) if stated else (diagnosis.loss * share for share in shares)
    )
    harder = note("diagnose.kind_mix_easier" if mix < 0.0 else "diagnose.kind_mix_harder")
    worse = note("diagnose.kind_mechanism_better" if mechanism < 0.0 else "diagnose.kind_mechanism_worse")
    every = (
        KindOfChange("mix", write_sentence(harder), mix),
        KindOfChange("mechanism", write_sentence(worse), mechanism),
        KindOfChange("unseen", write_sentence(note("diagnose.kind_unseen")), unseen),
    )
    return tuple(kind for kind in every if math.isfinite(kind.lost))


def has_visible_kinds(diagnosis: Diagnosis) -> bool:
    """Is any kind of change large enough to show?"""
    return any(abs(kind.lost) >= LEAST for kind in divide_loss_by_kind(diagnosis))


def compute_kind_shares(diagnosis: Diagnosis) -> tuple[float, ...]:
    """Return each kind's share of the loss; none where one gains what another loses, because shares would mislead."""
    parts = [
        kind.lost / diagnosis.loss if diagnosis.loss > 0.0 else math.nan for kind in divide_loss_by_kind(diagnosis)
    ]
    meaningful = all(-ABOUT <= share <= 1.0 + ABOUT for share in parts)
    return tuple(min(max(share, 0.0), 1.0) for share in parts) if meaningful else ()


def write_kinds(diagnosis: Diagnosis) -> str:
    """State the kinds in points, which add up even where one gains what another loses; '' without any."""
    if not has_visible_kinds(diagnosis):
        return ""
    change = {kind.key: -kind.lost for kind in divide_loss_by_kind(diagnosis)}
    mix, mechanism, unseen = (change.get(key) for key in ("mix", "mechanism", "unseen"))
    return write_sentence(note("diagnose.by_kind", mix=mix, mechanism=mechanism, unseen=unseen))


def write_harder_mix(diagnosis: Diagnosis) -> str:
    """State that most of a loss is a harder mix, and of which conditions; '' where it is not."""
    if diagnosis.kinds is None or not diagnosis.kinds.mostly_mix:
        return ""
    mix, loss = diagnosis.kinds.mix, diagnosis.loss
    grown = tuple(map(_make_mix_shift_note, diagnosis.shifted))
    if abs(mix - loss) < LEAST:
        return write_sentence(note("diagnose.mix_all", *grown, loss_points=100.0 * loss))
    code = "diagnose.mix_more_than_all" if mix > loss else "diagnose.mix_part"
    return write_sentence(note(code, *grown, mix_points=100.0 * mix, loss_points=100.0 * loss))


def _make_mix_shift_note(shift: Shifted) -> Note:
    return note(
        "diagnose.mix_shifted_worse" if shift.worse else "diagnose.mix_shifted",
        where=str(shift.stratum), before=shift.share_before, after=shift.share_after,
        success_before=shift.success_before, success_after=shift.success_after,
    )  # fmt: skip
