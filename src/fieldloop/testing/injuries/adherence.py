"""Injuries that the checks of adherence must notice."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fieldloop.check import Case
from fieldloop.model.stream import NS_PER_S, Stream
from fieldloop.testing.injuries.injury import Injury, change_episode, cut
from fieldloop.testing.synthetic import with_streams


def squeeze(case: Case) -> Case:
    """Let the attempt pass in half the time: 3 s instead of 6."""
    start = int(case.recording.streams["joints"].times_ns[0])
    begin, end = start + round(1.5 * NS_PER_S), start + round(7.5 * NS_PER_S)

    def faster(times: NDArray[np.int64]) -> NDArray[np.int64]:
        inside = np.clip(times, begin, end) - begin
        return times - inside // 2

    streams: dict[str, Stream | None] = {}
    for name, stream in case.recording.streams.items():
        clocks = {kind: faster(np.array(times)) for kind, times in stream.clocks.items()}
        streams[name] = replace(stream, clocks=clocks, nominal_hz=None)
    return replace(case, recording=with_streams(case.recording, streams), _kept={})


INJURIES: dict[str, Injury] = {
    "adherence.duration": Injury(squeeze, {"timing.rate": "time that passes twice as fast looks like twice the rate"}),
    "adherence.pre_roll": Injury(lambda case: cut(case, lambda at_s: at_s >= 1.0)),  # leaves half a second
    "adherence.post_roll": Injury(lambda case: cut(case, lambda at_s: at_s <= 8.5)),  # noqa: PLR2004 - leaves one second
    "adherence.operator_recorded": Injury(
        lambda case: change_episode(case, operator=""), {"metadata.missing_fields": "the operator is one of the fields"}
    ),
}
