"""Facts of an episode from its topics: camera calibrations, static transforms, constant texts."""

from collections.abc import Iterable, Mapping

from fieldloop.ingest.messages.topic import Topic
from fieldloop.model.episode_text import FIELDS, escape_non_utf8, find_fields_by_alias
from fieldloop.model.stream import Stream, StreamKind


def collect_topic_facts(topics: Iterable[Topic], streams: Mapping[str, Stream]) -> dict[str, str]:
    """Gather facts from all topics; a calibration is filed under the cameras that share its namespace."""
    facts: dict[str, str] = {}
    cameras = [name for name, stream in streams.items() if stream.kind in (StreamKind.RGB, StreamKind.DEPTH)]
    for topic in topics:
        facts.update(topic.read_static_transforms())
        if calibration := topic.read_calibration():
            for camera in _find_described_cameras(topic.describe.topic, cameras):
                facts.setdefault(f"calibration.{camera}", calibration)
    return facts


def collect_topic_texts(topics: Iterable[Topic], stated_facts: Mapping[str, str]) -> dict[str, str]:
    """Return the constant texts of topics, by topic and field.

    A topic, or a field among nothing but texts, that has a name known for a field of the episode fills it, unless it
    is `stated_facts` otherwise. What has a field's name and does not fill it is filed under `topic.` and its name.
    """
    facts: dict[str, str] = {}
    names: dict[str, str] = {}
    for topic in topics:
        space = topic.describe.topic.strip("/") or "unnamed"
        for path, text in topic.collect_constant_texts().items():
            facts.setdefault(escape_non_utf8(f"{space}.{path}" if path else space), escape_non_utf8(text))
            if not path or topic.holds_only_texts:
                names.setdefault(path or space, escape_non_utf8(text))
    fields = {**find_fields_by_alias(names), **stated_facts}
    others = {f"topic.{key}" if key in FIELDS else key: text for key, text in facts.items() if fields.get(key) != text}
    return {**others, **find_fields_by_alias(names)}


def _find_described_cameras(topic: str, cameras: Iterable[str]) -> list[str]:
    """Which cameras does /left/camera_info describe? Those under left, else left itself.

    >>> (_find_described_cameras("/left/camera_info", ["left/image_raw", "right/image_raw"]),
    ...  _find_described_cameras("/k/info", []))
    (['left/image_raw'], ['k'])
    """
    space, _, last_part = topic.strip("/").rpartition("/")
    if not space:
        return [camera for camera in cameras if "/" not in camera] or [last_part]
    return [camera for camera in cameras if camera == space or camera.startswith(f"{space}/")] or [space]
