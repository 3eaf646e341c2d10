"""Questions about whether the protocol was kept. An episode that names no protocol is held to none."""

from collections.abc import Iterator

from fieldloop.check.case import Case
from fieldloop.check.episode.movement import movement, still
from fieldloop.check.episode.signal import NO_RATE, at_s
from fieldloop.check.episode.stamps import seconds
from fieldloop.check.registry import check
from fieldloop.model.annotation import PHASES
from fieldloop.model.finding import Measurement

UNKNOWN = float("nan")
HELD_TO_NOTHING = "the log does not say that it was collected under a protocol."
FAILED = "the attempt failed, and failures are kept as they are."


def not_held(case: Case) -> str:
    """Say why an attempt is not held to what a good one must be; '' where it is."""
    if not case.collected_by_protocol:
        return HELD_TO_NOTHING
    return FAILED if case.episode.succeeded is False else ""


@check(
    "adherence.duration",
    unit="s",
    needs=("streams",),
    advice="Cut the recording to one attempt, or record the attempt whole.",
)
def duration(case: Case) -> Iterator[Measurement]:
    """How long was the attempt, from the first to the last movement?"""
    yield _span(case, "the attempt")


@check(
    "adherence.pre_roll",
    unit="s",
    needs=("streams",),
    advice="Start recording earlier, so that the scene is seen before anything moves.",
)
def pre_roll(case: Case) -> Iterator[Measurement]:
    """For how long was the scene still before anything moved?"""
    yield _span(case, "the stillness before")


@check(
    "adherence.post_roll",
    unit="s",
    needs=("streams",),
    advice="Keep recording after the last movement, so that what came of it is seen.",
)
def post_roll(case: Case) -> Iterator[Measurement]:
    """For how long was the scene still after the last movement?"""
    yield _span(case, "the stillness after")


@check(
    "adherence.operator_recorded",
    unit="operators",
    needs=("streams",),
    advice="Have the station write the operator's pseudonym into the log.",
)
def operator_recorded(case: Case) -> Iterator[Measurement]:
    """Is it known who demonstrated?"""
    if case.episode.operator:
        yield Measurement("", 1.0)
    elif case.collected_by_protocol:
        yield Measurement("", 0.0)
    else:
        yield Measurement("", UNKNOWN, cannot_tell="the log names no operator.")


@check(
    "adherence.outcome_labelled",
    unit="labels",
    needs=("streams",),
    advice="Say whether the attempt succeeded, and by which failure mode it did not.",
)
def outcome_labelled(case: Case) -> Iterator[Measurement]:
    """Is it said how the attempt ended, and why where it failed?"""
    episode = case.episode
    if episode.succeeded or (episode.succeeded is False and episode.failure):
        yield Measurement("", 1.0)
        return
    missing = "no outcome is recorded" if episode.succeeded is None else "it failed, nobody said how"
    if case.collected_by_protocol:
        yield Measurement("", 0.0, f"({missing})")
    else:
        yield Measurement("", UNKNOWN, cannot_tell=f"{missing}; {HELD_TO_NOTHING}")


@check(
    "adherence.phases",
    unit="missing phases",
    needs=("streams",),
    advice="Annotate the missing phases, or record the attempt whole.",
)
def phases(case: Case) -> Iterator[Measurement]:
    """Which phases of the task are missing from a success?

    Told by its annotations: the protocol's phases, or the eight of the annotation taxonomy where it names none.
    """
    if reason := not_held(case) or ("" if case.episode.succeeded else "nobody said that it succeeded."):
        yield Measurement("", UNKNOWN, cannot_tell=reason)
        return
    seen = {a.label for a in case.annotations if a.kind == "phase" and a.end_ns > a.start_ns}
    if not seen:
        yield Measurement("", UNKNOWN, cannot_tell="its phases are not annotated.")
        return
    asked = tuple(phase.name for phase in case.protocol.phases) or PHASES
    missing = [name for name in asked if name not in seen]
    yield Measurement("", float(len(missing)), f"({', '.join(missing)})" if missing else "")


def _span(case: Case, what: str) -> Measurement:
    moved = movement(case)
    if moved is None or not moved.paced:
        return Measurement("", UNKNOWN, cannot_tell=still(case) if moved is None else NO_RATE)
    onset, offset = moved.onset_ns, moved.offset_ns
    value_s, moment = {
        "the attempt": (seconds(offset - onset), onset),
        "the stillness before": (seconds(onset - moved.start_ns), onset),
        "the stillness after": (seconds(moved.end_ns - offset), offset),
    }[what]
    if not case.collected_by_protocol:
        return Measurement("", UNKNOWN, cannot_tell=f"{what} lasts {value_s:.2f} s; {HELD_TO_NOTHING}")
    return Measurement("", value_s, at_s=at_s(case, moment))
