"""Propose a first mapping from logs, each line with its reason, for a person to edit."""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice

from fieldloop.errors import BadInput
from fieldloop.ingest.mapping.evidence import ColumnValues, propose_unit_lines
from fieldloop.ingest.mapping.mapping import FIELDS, SCHEMA
from fieldloop.model.episode import Recording
from fieldloop.model.episode_text import ALIASES
from fieldloop.model.stream import Stream, StreamKind

LOOKED_AT = 20
OWN_NAMES = {
    StreamKind.JOINT_POSITION: "joints", StreamKind.JOINT_VELOCITY: "joints/velocity",
    StreamKind.JOINT_EFFORT: "joints/effort", StreamKind.GRIPPER: "gripper", StreamKind.FORCE_TORQUE: "force",
    StreamKind.IMU: "imu", StreamKind.POSE: "tool", StreamKind.ACTION: "action", StreamKind.HAND_POSE: "hand",
}  # fmt: skip
FOLDERS = {StreamKind.RGB: "camera", StreamKind.DEPTH: "depth"}
PICTURE_WORDS = {
    "camera", "cam", "cameras", "image", "images", "raw", "compressed", "compresseddepth", "color", "colour", "rgb",
    "depth", "observation", "rect", "aligned", "to", "video", "stream",
}  # fmt: skip
MORE_WORDS = {"operator": ("user", "subject"), "robot": ("arm",), "site": ("building",), "provider": ("vendor",)}
FACT_WORDS = {field: (field, *names, *MORE_WORDS.get(field, ())) for field, names in ALIASES.items()}
"""Names of facts that a field may come from; a person reviews the proposal, so loose matches are fine."""


def propose_mapping(recordings: Iterable[Recording], log_name: str) -> str:
    """Write the text of a mapping for logs like these, from at most the first twenty."""
    seen: dict[str, ColumnValues] = {}
    facts: dict[str, str] = {}
    frames: set[str] = set()
    empty: set[str] = set(FIELDS)
    count = 0
    for recording in islice(recordings, LOOKED_AT):
        count += 1
        facts |= dict(recording.episode.facts)
        empty -= {name for name in FIELDS if getattr(recording.episode, name) not in ("", None)}
        for stream in recording.streams.values():
            seen.setdefault(stream.name, ColumnValues(stream)).add_stream(stream)
            frames |= {stream.frame_id} - {""}
    if not count:
        raise BadInput(f"{log_name} holds no recordings, so no mapping can be proposed.")
    return "\n".join(
        (
            *_write_header_lines(log_name, count),
            *_write_stream_lines(seen, count),
            *_write_frame_lines(frames),
            *_write_fact_lines(facts, empty),
            "",
        )
    )


def _write_header_lines(log_name: str, log_count: int) -> Iterator[str]:
    yield f"# How {log_name} names and measures things, proposed from {log_count} of its recordings. Edit it as needed."
    yield "# [streams.…] names a stream as in the log; removing a line leaves that property unchanged."
    yield "# `unit` is the recorded unit (converted to SI), `axes` states where the recorded x, y and z point"
    yield '# (REP 103 is "forward left up", a camera "right down forward"), `drop = true` leaves a stream out.'
    yield f'schema = "{SCHEMA}"'


def _write_stream_lines(evidence_by_stream: dict[str, ColumnValues], log_count: int) -> Iterator[str]:
    kinds: dict[StreamKind, int] = {}
    for evidence in evidence_by_stream.values():
        kinds[evidence.stream.kind] = kinds.get(evidence.stream.kind, 0) + 1
    taken: set[str] = set()
    for name, evidence in sorted(evidence_by_stream.items()):
        stream = evidence.stream
        size = "pictures" if stream.pictures is not None else "stamps only"
        if stream.values is not None:
            size = f"{stream.values.shape[1]} columns"
        rate = f", {stream.hz:.4g} Hz" if stream.hz else ""
        yield f"\n[streams.{_quote_text(name)}]  # {size}{rate}, in {evidence.logs} of {log_count}"
        proposed = _propose_stream_name(stream, only_of_its_kind=kinds[stream.kind] == 1)
        proposed = name if proposed in taken else proposed
        taken.add(proposed)
        yield f"name = {_quote_text(proposed)}"
        yield f"kind = {_quote_text(stream.kind.value)}"
        yield from propose_unit_lines(evidence)
        if stream.frame_id:
            yield f"frame = {_quote_text(stream.frame_id)}"


def _propose_stream_name(stream: Stream, *, only_of_its_kind: bool) -> str:
    """Return fieldloop's usual name for such a stream, where it is unambiguous.

    >>> _propose_stream_name(Stream("cam_wrist/image_raw/compressed", StreamKind.RGB, "", {}), only_of_its_kind=False)
    'camera/wrist'
    """
    if stream.kind in FOLDERS:
        words = [w for w in re.split(r"[^A-Za-z0-9]+", stream.name) if w and w.lower() not in PICTURE_WORDS]
        return f"{FOLDERS[stream.kind]}/{'_'.join(words) or 'main'}"
    return OWN_NAMES[stream.kind] if only_of_its_kind and stream.kind in OWN_NAMES else stream.name


def _write_frame_lines(frames: set[str]) -> Iterator[str]:
    if frames:
        yield "\n[frames]  # coordinate frames as the log names them; REP 105 uses base_link, tool0, …_optical_frame"
        yield from (f"{_quote_text(name)} = {_quote_text(name)}" for name in sorted(frames))


def _write_fact_lines(facts: dict[str, str], unstated_fields: set[str]) -> Iterator[str]:
    lines = []
    for name in (f for f in FIELDS if f in unstated_fields and f in FACT_WORDS):
        matching_keys = [key for key in sorted(facts) if key.rsplit(".", 1)[-1].lower() in FACT_WORDS[name]]
        if matching_keys:
            example = " ".join(facts[matching_keys[0]].split())[:60]
            lines.append(f"{name} = {{ fact = {_quote_text(matching_keys[0])} }}  # here: {example}")
        else:
            lines.append(f'# {name} = ""  # the log does not state it; a text here applies to every log')
    if lines:
        yield "\n[episode]  # facts that the log does not state"
        yield from lines


def _quote_text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
