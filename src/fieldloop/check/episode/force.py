"""Questions about the forces of a grasp."""

from collections.abc import Iterator

import numpy as np

from fieldloop.check.case import Case
from fieldloop.check.episode.adherence import HELD_TO_NOTHING
from fieldloop.check.episode.stamps import at
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement
from fieldloop.model.stream import StreamKind


@check(
    "force.window",
    unit="N",
    needs=("gripper",),
    advice="Set the grip force for this item; below the window it slips, above it is crushed.",
)
def window(case: Case) -> Iterator[Measurement]:
    """With what force was the item held, typically and at most?

    A failed attempt is not held to the window: a grasp that slipped is what it teaches.
    """
    contact = case.parameter("force.window", "contact_n")
    for stream in case.streams(StreamKind.GRIPPER):
        if stream.unit != "N" or stream.values is None:
            continue
        force = np.abs(stream.values.reshape(len(stream), -1).astype(np.float64)).max(axis=1)
        holding = np.flatnonzero(np.isfinite(force) & (force > contact))
        if not len(holding):
            reason = "nothing was gripped." if np.isfinite(force).all() else "the forces are no numbers."
            yield Measurement(stream.name, float("nan"), cannot_tell=reason)
            continue
        held, peak = float(np.median(force[holding])), int(holding[np.argmax(force[holding])])
        if not case.collected_by_protocol or case.episode.succeeded is False:
            why = HELD_TO_NOTHING if not case.collected_by_protocol else "the attempt failed, and failures are kept."
            said = f"held with {held:.3g} N, at most {force[peak]:.3g} N; {why}"
            yield Measurement(stream.name, float("nan"), cannot_tell=said)
            continue
        yield Measurement(stream.name, held, "held, typically")
        yield Measurement(f"{stream.name} peak", float(force[peak]), at(stream, peak))
