"""Check of a rig's alignment: the lag between each camera and the joints over all its episodes."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from numpy.typing import NDArray

from fieldloop.check.batch_case import Batch
from fieldloop.check.content_lag import estimate_pooled_lag, read_content_lag_settings
from fieldloop.check.content_lag.words import make_lag_measurement
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement
from fieldloop.model.note import Subject

IMPRINT = "lag"
"""Where `check/imprint/lag.py` keeps the evidence: `lag/<camera>/<array>`."""


@check(
    "batch.content_lag",
    unit="ms",
    needs=("episodes",),
)
def measure_rig_lag(many: Batch) -> Iterator[Measurement]:
    """By how much do a rig's cameras lag behind its joints, over all its episodes together?

    The evidence of all episodes is pooled by robot and camera: many episodes show a lag that one cannot. If groups of
    episodes give different lags, no estimate is given.
    """
    rigs: dict[tuple[str, str], list[dict[str, NDArray[Any]]]] = defaultdict(list)
    for episode in many.episodes:
        cameras: dict[str, dict[str, NDArray[Any]]] = defaultdict(dict)
        for name, array in many.find_imprint(episode.id).list_arrays_under(IMPRINT):
            camera, _, key = name.rpartition("/")
            cameras[camera][key] = array
        for camera, kept in cameras.items():
            rigs[episode.robot, camera].append(kept)
    settings = read_content_lag_settings(many.protocol)
    for (robot, camera), kept_of_all in sorted(rigs.items()):
        about = Subject(stream=camera, rig=robot)
        yield make_lag_measurement(about, estimate_pooled_lag(kept_of_all, settings), episode_count=len(kept_of_all))
