"""Injuries that the checks of adherence must notice."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.check import Case
from fieldloop.model.stream import NS_PER_S, Stream
from fieldloop.testing.injuries.injury import Injury, change_episode, change_values, keep_span
from fieldloop.testing.synthetic import replace_streams

HZ = 120.0
CONTACT_S, LIFTS_S, LETS_GO_S = 3.75, 3.95, 5.56
"""Times of contact, lift and release of the healthy pick, in seconds from the recording's start."""


def halve_duration(case: Case) -> Case:
    """Halve the attempt's duration: 3 s instead of 6."""
    start = int(case.recording.streams["joints"].times_ns[0])
    begin, end = start + round(1.5 * NS_PER_S), start + round(7.5 * NS_PER_S)

    def halve_times(times: NDArray[np.int64]) -> NDArray[np.int64]:
        inside = np.clip(times, begin, end) - begin
        return times - inside // 2

    def double_values(values: NDArray[Any]) -> None:
        values *= 2.0

    case = change_values(case, "joints/velocity", double_values)
    streams: dict[str, Stream | None] = {}
    for name, stream in case.recording.streams.items():
        clocks = {kind: halve_times(np.array(times)) for kind, times in stream.clocks.items()}
        streams[name] = replace(stream, clocks=clocks, nominal_hz=None)
    return replace(case, recording=replace_streams(case.recording, streams), _kept={})


def make_tool_injury(change: Callable[[NDArray[Any], NDArray[np.float64]], None]) -> Callable[[Case], Case]:
    """Return an injury that changes the tool's pose, given its values and seconds from the start."""

    def move_tool_pose(case: Case) -> Case:
        return change_values(case, "tool", lambda values: change(values, np.arange(len(values)) / HZ))

    return move_tool_pose


def lower_lift(values: NDArray[Any], at_s: NDArray[np.float64]) -> None:
    """Carry the item only half as high."""
    held = (at_s > CONTACT_S) & (at_s < LETS_GO_S)
    low = values[held, 2][0]
    values[held, 2] = low + (values[held, 2] - low) / 2


def release_too_high(values: NDArray[Any], at_s: NDArray[np.float64]) -> None:
    """Release the item twelve centimetres up."""
    values[:, 2] += 0.12 * np.clip((at_s - 4.6) / 0.6, 0, 1) * np.clip((7.5 - at_s) / 1.5, 0, 1)


def drag_item_aside(values: NDArray[Any], at_s: NDArray[np.float64]) -> None:
    """Push the item aside by six centimetres between contact and lift."""
    values[:, 1] += 0.06 * np.clip((at_s - 3.77) / 0.17, 0, 1) * np.clip((7.5 - at_s) / 3.0, 0, 1)


def approach_along_ground(values: NDArray[Any], at_s: NDArray[np.float64]) -> None:
    """Descend beside the item, then slide to it along the ground."""
    home, item = values[0, :3].copy(), values[int(CONTACT_S * HZ), :3].copy()
    beside = item + np.array([0.06, 0.0, 0.002])
    come, slide = (np.clip((at_s - begin) / lasts, 0, 1)[:, None] for begin, lasts in ((1.2, 1.5), (2.7, 0.7)))
    early = at_s < CONTACT_S
    way = home + (beside - home) * (3 * come**2 - 2 * come**3) + (item - beside) * slide
    values[early, :3] = way[early]


def speed_up_tool(values: NDArray[Any], at_s: NDArray[np.float64]) -> None:
    """Swing the tool out and back at a metre a second."""
    values[:, 0] += 0.1 * np.clip(1 - np.abs(at_s - 4.7) / 0.1, 0, 1)


def move_while_closing(values: NDArray[Any], at_s: NDArray[np.float64]) -> None:
    """Keep the tool moving up and down while the fingers close."""
    values[:, 2] += 0.02 * np.clip(1 - np.abs(at_s - CONTACT_S) / 0.25, 0, 1)


def keep_fingers_closed(values: NDArray[Any]) -> None:
    """Keep the fingers shut to the end."""
    values[500:] = values[500]


def start_with_closed_fingers(values: NDArray[Any]) -> None:
    """Begin with the fingers nearly shut, and open them on the way."""
    values[:300, 0] = np.interp(np.arange(300), [0, 200, 299], [0.03, 0.03, 0.08])


def remove_lift_annotation(case: Case) -> Case:
    """Leave the lift without an annotation."""
    return replace(case, annotations=tuple(a for a in case.annotations if a.label != "lift"), _kept={})


FASTER = {
    "timing.rate": "time that passes twice as fast looks like twice the rate",
    "adherence.speed_limit": "the same path in half the time is twice as fast",
}
INJURIES: dict[str, Injury] = {
    "adherence.duration": Injury(halve_duration, FASTER),
    "adherence.pre_roll": Injury(lambda case: keep_span(case, lambda at_s: at_s >= 1.0)),  # leaves half a second
    "adherence.post_roll": Injury(lambda case: keep_span(case, lambda at_s: at_s <= 8.5)),  # noqa: PLR2004 - leaves one second
    "adherence.operator_recorded": Injury(
        lambda case: change_episode(case, operator=""), {"metadata.missing_fields": "the operator is one of the fields"}
    ),
    "adherence.outcome_labelled": Injury(lambda case: change_episode(case, succeeded=False, failure="")),
    "adherence.phases": Injury(remove_lift_annotation),
    "adherence.lift_clearance": Injury(make_tool_injury(lower_lift)),
    "adherence.place_height": Injury(make_tool_injury(release_too_high)),
    "adherence.dragging": Injury(make_tool_injury(drag_item_aside)),
    "adherence.approach_angle": Injury(make_tool_injury(approach_along_ground)),
    "adherence.speed_limit": Injury(make_tool_injury(speed_up_tool)),
    "adherence.grasp_pause": Injury(make_tool_injury(move_while_closing)),
    "adherence.start_state": Injury(lambda case: change_values(case, "gripper", start_with_closed_fingers)),
    "adherence.end_state": Injury(lambda case: change_values(case, "gripper", keep_fingers_closed)),
}
