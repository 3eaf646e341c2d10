"""Proposed labels of every kind that signals can carry, each with its confidence; what signals leave open is a note."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from fieldloop.annotate.change_points import ChangePoint, find_change_points
from fieldloop.annotate.confidence import compute_confidence
from fieldloop.annotate.drifting import find_drifting_cameras
from fieldloop.annotate.evidence import Grasped, Held, find_grasp_type, judge_hold
from fieldloop.annotate.grips import Hold, Holds, find_holds, measure_travel, split_regrasps
from fieldloop.annotate.joint_phases import Piece, find_joint_phases
from fieldloop.annotate.limbs import Limb, find_limbs
from fieldloop.annotate.measures import load_proposal_measures
from fieldloop.annotate.motion import find_true_spans
from fieldloop.annotate.propose import propose_phases
from fieldloop.annotate.taxonomy import load_shipped_taxonomy
from fieldloop.annotate.tool_view import find_tool_view
from fieldloop.model.annotation import PHASE, Annotation
from fieldloop.model.episode import Recording
from fieldloop.model.note import Note, note
from fieldloop.model.stream import NS_PER_S
from fieldloop.model.taxonomy import Taxonomy

Numbers = Mapping[str, float]
PICK, PLACE = ("approach", "pre-grasp", "grasp", "lift"), ("transport", "place", "release", "retract")
JOINTS, TOOL = "joints", "tool"
IN_TIME = (PHASE, "action", "contact")
"""Kinds whose confidence is about where a segment lies; against pictures on another clock it is unknown."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Proposed labels of one episode in order of time, and what could not be proposed, with the reason."""

    annotations: tuple[Annotation, ...] = ()
    cannot_tell: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Arm:
    """A limb with its holds, and which of them carried an item."""

    limb: Limb
    holds: Holds
    carrying: tuple[Hold, ...]
    repeated: tuple[tuple[Hold, Hold], ...]

    @property
    def sureness(self) -> float:
        """How sure its surest hold is."""
        return self.holds.sureness * max((hold.sureness for hold in self.carrying), default=0.0)


def propose_labels(
    recording: Recording,
    *,
    author: str,
    known: Taxonomy | None = None,
    measures: Numbers | None = None,
) -> Proposal:
    """Propose phases, actions, contacts, repeated grasps, grasp types and results from the signals of an episode.

    Labels that the taxonomy `known` lacks are left out, with a note. Confidence is the probability that the true
    segment of the same label overlaps with a proposed one by at least half; None where it has not been measured, or
    where pictures run on another clock than the joints.
    """
    numbers = measures or load_proposal_measures()
    phases, notes = _propose_phases(recording, author, numbers)
    limbs, missing = find_limbs(recording, numbers)
    arms = _find_clear_arms(limbs, numbers)
    made = [*phases, *_propose_actions(phases), *_propose_idle(recording, limbs, phases, author, numbers)]
    if arms:
        for arm in arms:
            made += _propose_contacts(recording, arm, author, numbers)
        more, unclear = _propose_from_holds(recording, arms[0], author, numbers)
        made, notes = [*made, *more], [*notes, *unclear]
        notes += [note("propose.other_arm_left_out", side=arm.limb.side, chosen=arms[0].limb.side) for arm in arms[1:]]
    else:
        notes += list(missing)
        notes += [note("propose.no_grip_no_result")] if not missing else []
    lasting = [a for a in made if a.end_ns > a.start_ns]
    kept = [a for a in lasting if known is None or known.find_label(a.kind, a.label) is not None]
    if lacking := tuple(sorted({a.label for a in lasting if a not in kept})):
        notes.append(note("propose.not_in_taxonomy", labels=lacking))
    if drifting := find_drifting_cameras(recording, numbers):
        notes += drifting
        kept = [replace(a, confidence=None) if a.kind in IN_TIME else a for a in kept]
    return Proposal(tuple(sorted(kept, key=lambda a: (a.kind, a.start_ns))), tuple(dict.fromkeys(notes)))


def _find_arms(limbs: Sequence[Limb], numbers: Numbers) -> list[Arm]:
    arms = []
    for limb in limbs:
        if (holds := find_holds(limb, numbers)) is not None:
            carrying, repeated = split_regrasps(limb, holds.holds, numbers)
            kept = [h for h in carrying if h.sureness >= numbers["hold_least"] * max(c.sureness for c in carrying)]
            arms.append(Arm(limb, holds, tuple(kept), tuple(repeated)))
    return arms


def _find_clear_arms(limbs: Sequence[Limb], numbers: Numbers) -> list[Arm]:
    """Return the arms of which it is clear in which direction their fingers close, the surest first."""
    clear = [arm for arm in _find_arms(limbs, numbers) if arm.holds.direction >= numbers["direction_clear"]]
    return sorted(clear, key=lambda arm: -arm.sureness)


def _propose_phases(recording: Recording, author: str, numbers: Numbers) -> tuple[list[Annotation], list[Note]]:
    """Propose phases from the tool's pose where it is known and clear, else from joints."""
    limbs, missing = find_limbs(recording, numbers)
    every = _find_arms(limbs, numbers)
    arms = _find_clear_arms(limbs, numbers)
    if any(fact.code == "propose.mostly_gaps" for fact in missing):
        return [], list(missing)
    view, is_own = find_tool_view(recording, arms[0].limb if arms else None, arms[0].holds if arms else None)
    if view is not None:
        spans, reason = propose_phases(view, load_shipped_taxonomy(), author=author)
        if not reason or is_own:
            points = find_change_points(recording, numbers)
            rated = [_judge_span(span, points, numbers) for span in spans]
            return rated, [note("propose.phases_incomplete", reason=reason)] if reason else []
    if missing:
        return [], list(missing)
    if every and not arms:
        return [], [note("propose.direction_unknown")]
    if not arms:
        open_all_along = any(limb.opening is not None for limb in limbs)
        return [], [note("propose.never_gripped") if open_all_along else note("propose.no_fingers")]
    return _propose_joint_phases(recording, arms[0], author, numbers)


def _propose_joint_phases(
    recording: Recording, arm: Arm, author: str, numbers: Numbers
) -> tuple[list[Annotation], list[Note]]:
    limb, notes = arm.limb, [note("propose.no_tool_pose")]
    edges = _split_between(limb, arm.carrying)
    pieces: list[Piece] = []
    for hold, (begin, end) in zip(arm.carrying, pairwise(edges), strict=True):
        pieces += find_joint_phases(limb, hold, begin, end, numbers)
    if any(hold.opening is None for hold in arm.carrying):
        notes.append(note("propose.no_release"))
    first = arm.carrying[0]
    if first.from_start:
        notes.append(note("propose.held_from_start"))
    elif measure_travel(limb, 0, int(first.closing)) < numbers["approach_least"]:
        notes.append(note("propose.begins_at_item"))
    episode = recording.episode.id
    return [
        Annotation(
            episode, PHASE, p.label, limb.time_ns(p.begin.at), limb.time_ns(p.end.at), author,
            confidence=compute_confidence(p.clear * arm.holds.sureness, JOINTS, numbers),
        )
        for p in pieces
        if p.end.at - p.begin.at >= 1
    ], notes  # fmt: skip


def _split_between(limb: Limb, holds: Sequence[Hold]) -> list[int]:
    """Return where one pick ends and the next begins: where the arm is slowest in between."""
    edges = [0]
    for before, after in pairwise(holds):
        begin, end = int(before.opened or before.closed), int(after.closing)
        edges.append(begin + int(np.argmin(limb.speed[begin : max(end, begin + 1)])))
    return [*edges, len(limb.speed) - 1]


def _judge_span(span: Annotation, points: Sequence[ChangePoint], numbers: Numbers) -> Annotation:
    """Add the confidence of a span: how strongly the signals change near its ends."""
    reach = numbers["near_s"] * NS_PER_S
    clear = [
        max((p.strength for p in points if abs(p.at_ns - at) <= reach), default=0.0)
        for at in (span.start_ns, span.end_ns)
    ]
    return replace(span, confidence=compute_confidence(sum(clear) / 2, TOOL, numbers))


def _propose_actions(phases: Sequence[Annotation]) -> list[Annotation]:
    """Join phases to picks and places; a pick without a lift ends where the item starts to travel."""
    rows: list[tuple[str, list[Annotation]]] = []
    for phase in phases:
        name, parts = ("pick", PICK) if phase.label in PICK else ("place", PLACE)
        follows = rows and rows[-1][0] == name and parts.index(rows[-1][1][-1].label) < parts.index(phase.label)
        if follows:
            rows[-1][1].append(phase)
        else:
            rows.append((name, [phase]))
    return [_join_phases(row, name) for name, row in rows if any(p.label in ("grasp", "release") for p in row)]


def _join_phases(row: Sequence[Annotation], label: str) -> Annotation:
    stated = [p.confidence for p in row if p.confidence is not None]
    sure = round(float(np.mean(stated)), 3) if stated else None
    return replace(row[0], kind="action", label=label, end_ns=row[-1].end_ns, confidence=sure)


def _propose_idle(
    recording: Recording, limbs: Sequence[Limb], phases: Sequence[Annotation], author: str, numbers: Numbers
) -> list[Annotation]:
    """Propose stretches outside all phases in which every arm stands still."""
    if not limbs:
        return []
    first = limbs[0]
    still = np.max([limb.speed for limb in limbs], axis=0) < numbers["still_share"]
    at = first.start_ns + np.arange(len(still)) / first.hz * NS_PER_S
    for phase in phases:
        still &= (at < phase.start_ns) | (at > phase.end_ns)
    least = numbers["idle_min_s"] * first.hz
    return [
        Annotation(
            recording.episode.id, "action", "idle", first.time_ns(a), first.time_ns(b - 1), author,
            confidence=numbers["idle_confidence"],
        )
        for a, b in find_true_spans(still)
        if b - a > least
    ]  # fmt: skip


def _propose_contacts(recording: Recording, arm: Arm, author: str, numbers: Numbers) -> list[Annotation]:
    made = []
    for hold in arm.holds.holds:
        grasped = judge_hold(arm.limb, hold, numbers, high_is_open=arm.holds.high_is_open)
        if grasped.touched is not None and grasped.held is not Held.EMPTY:
            begin, end = (arm.limb.time_ns(at) for at in grasped.touched)
            sure = numbers["contact_confidence"]
            made.append(Annotation(recording.episode.id, "contact", "finger-item", begin, end, author, confidence=sure))
    return made


def _propose_from_holds(
    recording: Recording, arm: Arm, author: str, numbers: Numbers
) -> tuple[list[Annotation], list[Note]]:
    """Propose repeated grasps, the type of grasp and the result."""
    limb, episode = arm.limb, recording.episode.id

    def label_span(kind: str, label: str, begin: float, end: float, sure: float | None) -> Annotation:
        return Annotation(episode, kind, label, limb.time_ns(begin), limb.time_ns(end), author, confidence=sure)

    made = [
        label_span("recovery", "regrasp", first.opening, second.closed, None)
        for first, second in arm.repeated
        if first.opening is not None
    ]
    notes: list[Note] = []
    last = len(limb.speed) - 1
    types = [(hold, find_grasp_type(limb, hold, numbers)) for hold in arm.carrying]
    made += [
        label_span("grasp", kind, hold.closed, last if hold.opening is None else hold.opening, None)
        for hold, kind in types
        if kind
    ]
    notes += [note("propose.no_grasp_type")] if not all(kind for _, kind in types) else []
    judged = [judge_hold(limb, hold, numbers, high_is_open=arm.holds.high_is_open) for hold in arm.carrying]
    result, reason = _judge_result(judged)
    if reason is not None:
        return made, [*notes, reason]
    made.append(label_span("success", result, 0, last, numbers[f"{result}_confidence"]))
    made += [
        label_span("failure", "drop", one.touched[1], hold.opening, numbers["failure_confidence"])
        for one, hold in zip(judged, arm.carrying, strict=True)
        if one.held is Held.LOST and one.touched is not None and hold.opening is not None
    ]
    made += [
        label_span("failure", "missed-grasp", hold.closing, hold.closed, numbers["failure_confidence"])
        for one, hold in zip(judged, arm.carrying, strict=True)
        if one.held is Held.EMPTY
    ]
    return made, notes


def _judge_result(judged: Sequence[Grasped]) -> tuple[str, Note | None]:
    """Return the result that the last hold shows, or why it is unknown."""
    last = judged[-1] if judged else Grasped(Held.UNKNOWN)
    if last.held is Held.UNTIL_RELEASE:
        return "success", None
    if last.held in (Held.LOST, Held.EMPTY):
        return "failure", None
    return "", note("propose.result_unknown")
