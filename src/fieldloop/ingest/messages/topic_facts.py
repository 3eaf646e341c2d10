"""Facts of an episode that topics state: the calibration of a camera, and frames that stand still."""

from collections.abc import Iterable, Mapping

from fieldloop.ingest.messages.topic import Topic
from fieldloop.model.stream import Stream, StreamKind


def facts_of(topics: Iterable[Topic], streams: Mapping[str, Stream]) -> dict[str, str]:
    """Gather facts from all topics; a calibration is filed under the cameras that share its namespace."""
    facts: dict[str, str] = {}
    cameras = [name for name, stream in streams.items() if stream.kind in (StreamKind.RGB, StreamKind.DEPTH)]
    for topic in topics:
        facts.update(topic.transforms())
        if calibration := topic.calibration():
            for camera in _cameras_beside(topic.described.topic, cameras):
                facts.setdefault(f"calibration.{camera}", calibration)
    return facts


def _cameras_beside(topic: str, cameras: Iterable[str]) -> list[str]:
    """Which cameras does /left/camera_info describe? Those under left, else left itself.

    >>> _cameras_beside("/left/camera_info", ["left/image_raw", "right/image_raw"]), _cameras_beside("/k/info", [])
    (['left/image_raw'], ['k'])
    """
    space, _, own = topic.strip("/").rpartition("/")
    if not space:
        return [camera for camera in cameras if "/" not in camera] or [own]
    return [camera for camera in cameras if camera == space or camera.startswith(f"{space}/")] or [space]
