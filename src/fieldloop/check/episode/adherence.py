"""Questions about whether the protocol was kept. An episode that names no protocol is held to none."""

from collections.abc import Iterator

from fieldloop.check.case import Case
from fieldloop.check.episode.movement import movement, still
from fieldloop.check.episode.stamps import seconds
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement

UNKNOWN = float("nan")
HELD_TO_NOTHING = "the log does not say that it was collected under a protocol."


@check(
    "adherence.duration",
    unit="s",
    needs=("streams",),
    advice="Cut the recording to one attempt, or record the attempt whole.",
)
def duration(case: Case) -> Iterator[Measurement]:
    """How long was the attempt, from the first to the last movement?"""
    moved = movement(case)
    if moved is None:
        yield Measurement("", UNKNOWN, cannot_tell=still(case))
        return
    yield _held(case, "the attempt", seconds(moved.offset_ns - moved.onset_ns))


@check(
    "adherence.pre_roll",
    unit="s",
    needs=("streams",),
    advice="Start recording earlier, so that the scene is seen before anything moves.",
)
def pre_roll(case: Case) -> Iterator[Measurement]:
    """For how long was the scene still before anything moved?"""
    moved = movement(case)
    if moved is None:
        yield Measurement("", UNKNOWN, cannot_tell=still(case))
        return
    yield _held(case, "the stillness before", seconds(moved.onset_ns - moved.start_ns))


@check(
    "adherence.post_roll",
    unit="s",
    needs=("streams",),
    advice="Keep recording after the last movement, so that what came of it is seen.",
)
def post_roll(case: Case) -> Iterator[Measurement]:
    """For how long was the scene still after the last movement?"""
    moved = movement(case)
    if moved is None:
        yield Measurement("", UNKNOWN, cannot_tell=still(case))
        return
    yield _held(case, "the stillness after", seconds(moved.end_ns - moved.offset_ns))


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


def _held(case: Case, what: str, value_s: float) -> Measurement:
    if case.collected_by_protocol:
        return Measurement("", value_s)
    return Measurement("", UNKNOWN, cannot_tell=f"{what} lasts {value_s:.2f} s; {HELD_TO_NOTHING}")
