"""What robomimic's layout has no place for, as JSON beside each demonstration: nothing a reader knows is lost."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from fieldloop.model.codec import to_plain
from fieldloop.model.episode import Episode
from fieldloop.model.stream import Stream
from fieldloop.release.writers.features import Features
from fieldloop.release.writers.framed import Framed
from fieldloop.release.writers.grid import Rule
from fieldloop.release.writers.hdf5.keys import Place

ATTRIBUTE = "fieldloop"
NOT_KEPT = {"id", "format", "facts", "start_ns", "end_ns"}
"""Told by the content itself when it is read again, or kept under another name."""

TYPE_OF_NO_SIMULATOR = 2
"""robomimic must be told one of its environment types; a recorded robot has none, and gym is the barest."""


def episode_facts(episode: Episode) -> dict[str, str]:
    """Return every field and further fact of an episode as text."""
    fields = {name: _text(value) for name, value in to_plain(episode).items() if name not in NOT_KEPT}
    return {
        **dict(episode.facts),
        "source_episode": episode.id,
        **{name: text for name, text in fields.items() if text},
    }


def describe(
    framed: Framed, features: Features, places: Mapping[str, Sequence[Place]], stamps: Mapping[str, str]
) -> str:
    """Write down the episode's facts and, for every stream, what it is and where it went."""
    streams = [
        _described(framed.streams[name], framed.rules[name], features.hz)
        | {"stamps": stamps.get(name), "data": [asdict(part) for part in parts]}
        for name, parts in places.items()
    ]
    clock = framed.streams[features.clock].clock.value
    told = {"episode": episode_facts(framed.episode), "grid_clock": clock, "streams": streams}
    return json.dumps(told, sort_keys=True, ensure_ascii=False)


def environment(episode: Episode, hz: float) -> str:
    """Say what robomimic calls `env_args`: the recording's own where it came with one."""
    if said := episode.fact("env_args"):
        return said
    told = {
        "env_name": episode.task or "recorded",
        "type": TYPE_OF_NO_SIMULATOR,
        "env_kwargs": {"control_freq": hz, "robots": episode.robot},
    }
    return json.dumps(told, sort_keys=True, ensure_ascii=False)


def _described(stream: Stream, rule: Rule, grid_hz: float) -> dict[str, Any]:
    """Say what a stream is. Rows that were resampled come at the grid's rate; the stream's own stays as a note."""
    notes, hz = dict(stream.notes), stream.nominal_hz
    if rule is not Rule.AS_RECORDED:
        notes |= {"recorded_hz": f"{stream.hz:g}"} if stream.hz else {}
        hz = grid_hz
    return {
        "name": stream.name, "kind": stream.kind.value, "unit": stream.unit, "columns": list(stream.columns),
        "frame_id": stream.frame_id, "serial": stream.serial, "nominal_hz": hz, "notes": notes,
        "clock": stream.clock.value, "rule": rule.value,
    }  # fmt: skip


def _text(value: Any) -> str:
    if value is None:
        return ""
    return ("true" if value else "false") if isinstance(value, bool) else str(value)
