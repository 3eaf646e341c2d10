"""The facts a log states about its episode become an Episode; what it states wrongly becomes a defect."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from fieldloop.errors import BadInput
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Defect, Episode
from fieldloop.model.stream import ClockKind, Stream

METADATA_NAME = "fieldloop.episode"
TEXTS = ("name", "task", "robot", "site", "operator", "session", "provider", "protocol", "failure")
TRUTHS = {"true": True, "false": False}
LONGEST_FACT = 4096
OTHER_NAMES = {
    "task": ("task", "task_name", "task_description", "instruction", "language_instruction"),
    "robot": ("robot", "robot_name", "robot_id", "robot_type", "robot_model"),
    "site": ("site", "facility", "location", "lab"),
    "operator": ("operator", "operator_id", "operator_name", "teleoperator", "collector"),
    "session": ("session", "session_id"),
    "provider": ("provider", "organization", "organisation"),
}
"""What others call the fields of an Episode, most telling first."""


def facts_from_metadata(records: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return everything that named records of pairs say; ours speaks in Episode's own words, others in theirs.

    What others call by a well-known name also fills the Episode's field, unless our record does.

    >>> facts_from_metadata({"rig": {"operator_id": "op-7", "lux": "400"}})
    {'operator': 'op-7', 'rig.lux': '400', 'rig.operator_id': 'op-7'}
    """
    facts = {
        f"{name}.{key}" if name else key: _short(value)
        for name, pairs in records.items()
        if name != METADATA_NAME
        for key, value in pairs.items()
    }
    others = [pairs for name, pairs in records.items() if name != METADATA_NAME]
    for field, names in OTHER_NAMES.items():
        said = [pairs[name] for name in names for pairs in others if pairs.get(name)]
        if said:
            facts[field] = _short(said[0])
    return dict(sorted((facts | dict(records.get(METADATA_NAME, {}))).items()))


def episode_from(
    facts: Mapping[str, str], *, id_: str, name: str, streams: Iterable[Stream], format_: str = "mcap"
) -> tuple[Episode, list[Defect]]:
    """Build the Episode of a log of messages; unknown keys become further facts."""
    defects: list[Defect] = []
    fields: dict[str, Any] = {key: facts[key] for key in TEXTS if facts.get(key)}
    for key in ("simulated", "succeeded"):
        if key in facts:
            fields[key] = TRUTHS.get(facts[key].lower())
            if fields[key] is None and facts[key]:
                defects.append(_wrong(key, f"{facts[key]!r} is neither 'true' nor 'false'"))
    try:
        fields["stratum"] = Stratum.parse(facts.get("stratum", ""))
    except BadInput as wrong:
        defects.append(_wrong("stratum", str(wrong)))
    known = {*TEXTS, "simulated", "succeeded", "stratum"}
    further = tuple(sorted((key, value) for key, value in facts.items() if key not in known))
    start_ns, end_ns = _span(streams)
    return Episode(
        **{"name": name, **fields}, id=id_, format=format_, start_ns=start_ns, end_ns=end_ns, facts=further
    ), defects  # fmt: skip


def _span(streams: Iterable[Stream]) -> tuple[int, int]:
    """First and last arrival: the one clock that all streams of a log share. One without it counts by its own."""
    arrivals = [times for stream in streams if len(times := stream.clocks.get(ClockKind.LOG, stream.times_ns))]
    if not arrivals:
        return 0, 0
    return int(min(t.min() for t in arrivals)), int(max(t.max() for t in arrivals))


def _short(text: str) -> str:
    """Keep a fact fit for a table: of a long text what names it is kept; the log still holds it whole."""
    if len(text) <= LONGEST_FACT:
        return text
    return f"{len(text)} characters, sha256 {hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()}"


def _wrong(key: str, message: str) -> Defect:
    return Defect(f"metadata {METADATA_NAME}", key, f"{message}; the field was left out.")
