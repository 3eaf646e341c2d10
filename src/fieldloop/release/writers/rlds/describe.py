"""What RLDS has no place for, as JSON in each episode's metadata: names, units, clocks, rules and every fact."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.codec import to_plain
from fieldloop.model.episode import Episode
from fieldloop.model.stream import ClockKind, Stream
from fieldloop.release.writers.features import Features
from fieldloop.release.writers.framed import Framed
from fieldloop.release.writers.grid import Rule, nearest

KEPT = "fieldloop"
GRID = "timestamp_ns"
STAMPS = "stamps_ns"
TEXTS = (
    "name", "task", "robot", "site", "operator", "session", "provider", "protocol", "stratum", "simulated", "succeeded",
    "failure",
)  # fmt: skip
NO_STAMP = -1
KEEPS_SAMPLES = (Rule.AS_RECORDED, Rule.NEAREST)
"""Under these rules a row is a sample that was really taken, so that it has stamps of its own."""


def episode_facts(episode: Episode) -> dict[str, str]:
    """Return every field and further fact of an episode as text; what the log did not say is left out."""
    said = to_plain(episode)
    fields = {name: _text(str(episode.stratum) if name == "stratum" else said[name]) for name in TEXTS}
    return dict(episode.facts) | {"source_episode": episode.id} | {key: value for key, value in fields.items() if value}


def stamps(framed: Framed, name: str, kinds: Sequence[ClockKind]) -> NDArray[np.int64]:
    """Return the stamps a stream's rows really had, one column a clock; NO_STAMP where a row is no sample."""
    found = np.full((len(framed), len(kinds)), NO_STAMP, np.int64)
    if keeps_samples(framed, name):
        stream = framed.streams[name]
        picks = nearest(stream.times_ns, framed.times_ns)
        for column, kind in enumerate(kinds):
            if kind in stream.clocks:
                found[:, column] = stream.clocks[kind][picks]
    return found


def keeps_samples(framed: Framed, name: str) -> bool:
    """Are a stream's rows samples that were really taken?"""
    return framed.rules[name] in KEEPS_SAMPLES


def describe(
    framed: Framed, features: Features, paths: Mapping[str, str], stamped: Mapping[str, tuple[str, Sequence[ClockKind]]]
) -> str:
    """Write it down; `stamped` says in which feature a stream's own stamps are, and which column is which clock."""
    grid = framed.streams[features.clock].clock
    streams = {}
    for name, path in paths.items():
        stream, rule = framed.streams[name], framed.rules[name]
        where, kinds = stamped[name] if name in stamped and keeps_samples(framed, name) else (GRID, (grid,))
        as_recorded = rule is Rule.AS_RECORDED
        streams[path] = {
            "name": name, "kind": stream.kind.value, "unit": stream.unit, "columns": list(stream.columns),
            "frame_id": stream.frame_id, "serial": stream.serial, "rule": rule.value,
            "clocks": [kind.value if where == GRID or kind in stream.clocks else None for kind in kinds],
            "stamps": where,
            "nominal_hz": stream.nominal_hz if as_recorded else features.hz,
            "notes": dict(stream.notes) | ({} if as_recorded or not stream.hz else {"recorded_hz": f"{stream.hz:g}"}),
        } | _form(stream)  # fmt: skip
    told: dict[str, Any] = {"facts": episode_facts(framed.episode), "streams": streams}
    return json.dumps(told, sort_keys=True, ensure_ascii=False)


def _form(stream: Stream) -> dict[str, Any]:
    if stream.values is None:
        return {}
    shape = stream.values.shape[1:]
    return {"dtype": stream.values.dtype.name} | ({} if len(shape) == 1 else {"shape": list(shape)})


def _text(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
