"""Alignment of a rig: the lag between each camera and the joints that all its episodes have in common."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from numpy.typing import NDArray

from fieldloop.check.content import pooled, settings_of
from fieldloop.check.content.words import lag_measurement
from fieldloop.check.many import Batch
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement

IMPRINT = "lag"
"""Where `check/imprint/lag.py` keeps the evidence: `lag/<camera>/<array>`."""


@check(
    "batch.content_lag",
    unit="ms",
    needs=("episodes",),
    advice="Every episode of this rig is shifted alike: find the cause, or stamp its pictures anew in a release.",
)
def rig_lag(many: Batch) -> Iterator[Measurement]:
    """By how much do a rig's cameras lag behind its joints, over all its episodes together?

    What each episode tells of the lag is pooled by robot and camera: many episodes tell a lag that one cannot. Groups
    of episodes that give different lags are a reason to refuse.
    """
    rigs: dict[tuple[str, str], list[dict[str, NDArray[Any]]]] = defaultdict(list)
    for episode in many.episodes:
        cameras: dict[str, dict[str, NDArray[Any]]] = defaultdict(dict)
        for name, array in many.imprint(episode.id).under(IMPRINT):
            camera, _, key = name.rpartition("/")
            cameras[camera][key] = array
        for camera, kept in cameras.items():
            rigs[episode.robot, camera].append(kept)
    settings = settings_of(many.protocol)
    for (robot, camera), kept_of_all in sorted(rigs.items()):
        subject = f"{robot or 'unnamed robot'} {camera} ({len(kept_of_all)} episodes)"
        yield lag_measurement(subject, pooled(kept_of_all, settings))
