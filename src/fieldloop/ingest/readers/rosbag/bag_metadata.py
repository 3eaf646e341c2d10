"""Read metadata.yaml of a rosbag2 folder."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fieldloop.ingest.complaints import Complaints
from fieldloop.ingest.messages.plain_yaml import parse_yaml
from fieldloop.model.note import note

FILE_NAME = "metadata.yaml"
ROOT = "rosbag2_bagfile_information"
LARGEST = 8 << 20
LONGEST_TEXT = 512 << 10  # without qualities of service; parsing more takes longer than reading the bag
MOST_BRACKETS = 5000  # recorders write none, or empty ones; nested ones take the parser a square of time
QUALITIES = re.compile(r"( *)(- )?offered_qos_profiles:")
NEWEST_VERSION = 9


@dataclass(frozen=True, slots=True)
class BagMetadata:
    """The statements that can be compared with the files. None means not stated."""

    parts: tuple[str, ...] | None = None
    start_ns: int | None = None
    duration_ns: int | None = None
    count: int | None = None
    topics: Mapping[str, int] = field(default_factory=dict)
    part_counts: Mapping[str, int] = field(default_factory=dict)
    part_starts_ns: Mapping[str, int] = field(default_factory=dict)
    distribution: str = ""
    custom: Mapping[str, str] = field(default_factory=dict)

    def reduce_to_single_file(self) -> "BagMetadata":
        """Keep what holds for a file that was taken out of its folder, and may have been renamed."""
        if self.parts is not None and len(self.parts) == 1:
            return replace(self, part_counts={}, part_starts_ns={})
        return BagMetadata(distribution=self.distribution, custom=self.custom)

    def rename_parts(self, names: Mapping[str, str]) -> "BagMetadata":
        """Return the same statements under the names that files have now."""
        counts = {names.get(name, name): count for name, count in self.part_counts.items()}
        starts_ns = {names.get(name, name): start_ns for name, start_ns in self.part_starts_ns.items()}
        return replace(self, part_counts=counts, part_starts_ns=starts_ns)


def read_metadata(path: Path, complain: Complaints) -> BagMetadata:
    """Read a metadata.yaml of any version; missing or invalid entries are None."""
    if path.stat().st_size > LARGEST:
        complain(FILE_NAME, note("ingest.metadata_too_large", bytes=path.stat().st_size))
        return BagMetadata()
    return parse_metadata(path.read_bytes().decode("utf-8", "replace"), complain)


def parse_metadata(text: str, complain: Complaints) -> BagMetadata:
    """Read the text of a metadata.yaml."""
    text = _strip_qos(text)
    if len(text) > LONGEST_TEXT or text.count("[") + text.count("{") > MOST_BRACKETS:
        complain(FILE_NAME, note("ingest.metadata_too_large", bytes=len(text)))
        return BagMetadata()
    try:
        raw = parse_yaml(text)
    except ValueError as wrong:
        complain(FILE_NAME, note("ingest.metadata_not_yaml", reason=str(wrong)))
        return BagMetadata()
    root = _get_mapping_or_empty(raw).get(ROOT, raw)
    if not isinstance(root, Mapping):
        complain(FILE_NAME, note("ingest.metadata_without_root", root=ROOT))
        return BagMetadata()
    version = _get_number_or_none(root.get("version"))
    if version is None or version > NEWEST_VERSION:
        stated = str(root.get("version"))
        complain(FILE_NAME, note("ingest.version_unknown", version=stated, newest=NEWEST_VERSION))
    return _parse_root(root)


def _strip_qos(text: str) -> str:
    """Leave out the qualities of service: most of the text, of no use here, and slow to parse."""
    kept, inside = [], None
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip(" "))
        if inside is not None and (indent > inside or not line.strip() or line[inside : inside + 2] == "- "):
            continue
        inside = None
        if match := QUALITIES.match(line):
            inside = len(match[1])
            if match[2]:  # the first of a list's entry: the rest of the entry follows
                inside += len(match[2])
                kept.append(f"{match[1]}- offered_qos_profiles: left out")
            continue
        kept.append(line)
    return "\n".join(kept)


def _parse_root(root: Mapping[Any, Any]) -> BagMetadata:
    listed = root.get("relative_file_paths")
    files = [_get_mapping_or_empty(entry) for entry in _get_list_or_empty(root.get("files"))]
    counted = [
        (_get_mapping_or_empty(e.get("topic_metadata")).get("name"), e.get("message_count")) for e in _list_topics(root)
    ]
    return BagMetadata(
        parts=tuple(str(part) for part in listed) if isinstance(listed, list) else None,
        start_ns=_get_number_or_none(_get_mapping_or_empty(root.get("starting_time")).get("nanoseconds_since_epoch")),
        duration_ns=_get_number_or_none(_get_mapping_or_empty(root.get("duration")).get("nanoseconds")),
        count=_get_number_or_none(root.get("message_count")),
        topics={str(name): count for name, raw in counted if (count := _get_number_or_none(raw)) is not None},
        part_counts=_collect_numbers_by_path(files, lambda entry: entry.get("message_count")),
        part_starts_ns=_collect_numbers_by_path(
            files, lambda entry: _get_mapping_or_empty(entry.get("starting_time")).get("nanoseconds_since_epoch")
        ),
        distribution=_get_text_or_empty(root.get("ros_distro")),
        custom={
            str(name): _get_text_or_empty(value)
            for name, value in _get_mapping_or_empty(root.get("custom_data")).items()
        },
    )


def _list_topics(root: Mapping[Any, Any]) -> list[Mapping[Any, Any]]:
    return [_get_mapping_or_empty(entry) for entry in _get_list_or_empty(root.get("topics_with_message_count"))]


def _collect_numbers_by_path(files: list[Mapping[Any, Any]], get_number: Any) -> dict[str, int]:
    return {
        str(entry.get("path")): number
        for entry in files
        if (number := _get_number_or_none(get_number(entry))) is not None
    }


def _get_mapping_or_empty(value: Any) -> Mapping[Any, Any]:
    return value if isinstance(value, Mapping) else {}


def _get_list_or_empty(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _get_number_or_none(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63 else None


def _get_text_or_empty(value: Any) -> str:
    return str(value) if isinstance(value, str | int | float | bool) else ""
