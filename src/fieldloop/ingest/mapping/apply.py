"""A recording told in this house's language becomes one told in ours: names, SI units, REP 103 axes."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.ingest.mapping.axes import to_rep_103, turn_poses, turn_vectors
from fieldloop.ingest.mapping.mapping import LogMapping, StreamRule, Told
from fieldloop.ingest.mapping.units import to_si
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Defect, Episode, Recording
from fieldloop.model.stream import Stream, StreamKind

TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
POSES = (StreamKind.POSE, StreamKind.HAND_POSE)


def apply(mapping: LogMapping, recording: Recording) -> Recording:
    """Return the recording as the mapping tells it; the episode keeps its id, for its bytes are the same.

    What the mapping says and the log does not allow is a defect, and the stream stays as it was recorded.
    """
    defects = list(recording.defects)
    streams: dict[str, Stream] = {}
    renamed = {name for name in recording.streams if (rule := mapping.rule(name)) and (rule.name or rule.drop)}
    for stream in recording.streams.values():
        rule = mapping.rule(stream.name)
        if rule and rule.drop:
            continue
        told = _told(stream, rule, mapping.frames, defects) if rule else _framed(stream, mapping.frames)
        owned = told.name in recording.streams and told.name not in renamed and told.name != stream.name
        if told.name in streams or owned:
            defects.append(
                Defect(
                    stream.name, "mapping", f"{told.name!r} is taken by another stream; the log's own name was kept."
                )
            )
            told = replace(told, name=stream.name)
        streams[told.name] = told
    return Recording(_episode(mapping, recording.episode, defects), streams, tuple(defects))


def _told(stream: Stream, rule: StreamRule, frames: Mapping[str, str], defects: list[Defect]) -> Stream:
    try:
        values, unit = _in_si(stream, rule.units)
        values = _turned(stream, rule, values)
        columns = _columns(stream, rule)
    except BadInput as wrong:
        defects.append(Defect(stream.name, "mapping", f"{wrong}; the stream stays as it was recorded."))
        return _framed(stream, frames)
    notes = dict(stream.notes)
    if rule.units and values is not stream.values:
        notes["unit"] = f"recorded in {', '.join(dict.fromkeys(rule.units))}"
    if rule.axes:
        notes["axes"] = f"recorded with axes {rule.axes}"
    return replace(
        stream, name=rule.name or stream.name, kind=rule.kind or stream.kind, unit=unit, values=values,
        columns=columns, frame_id=rule.frame or frames.get(stream.frame_id, stream.frame_id),
        serial=rule.serial or stream.serial, notes=notes,
    )  # fmt: skip


def _framed(stream: Stream, frames: Mapping[str, str]) -> Stream:
    return replace(stream, frame_id=frames[stream.frame_id]) if stream.frame_id in frames else stream


def _columns(stream: Stream, rule: StreamRule) -> tuple[str, ...]:
    if rule.columns and stream.values is not None and len(rule.columns) != stream.values.shape[1]:
        raise BadInput(f"{len(rule.columns)} columns are named, {stream.values.shape[1]} are there")
    return rule.columns or stream.columns


def _in_si(stream: Stream, units: tuple[str, ...]) -> tuple[NDArray[Any] | None, str]:
    if not units:
        return stream.values, stream.unit
    found = [to_si(unit) for unit in units]
    names = ", ".join(dict.fromkeys(name for name, _ in found if name))
    if stream.values is None:
        return None, names
    width = stream.values.shape[1]
    if len(found) not in (1, width):
        raise BadInput(f"{len(found)} units are given for {width} columns; give one, or one a column")
    factors = np.asarray([factor for _, factor in found])
    if (factors == 1.0).all():
        return stream.values, names
    return stream.values * factors, names


def _turned(stream: Stream, rule: StreamRule, values: NDArray[Any] | None) -> NDArray[Any] | None:
    if not rule.axes or values is None:
        return values
    turn, kind, width = to_rep_103(rule.axes), rule.kind or stream.kind, values.shape[1]
    if kind in POSES and width % 7 == 0:
        return turn_poses(values.astype(np.float64), turn)
    if kind not in POSES and width % 3 == 0:
        return turn_vectors(values.astype(np.float64), turn)
    raise BadInput(f"axes are given, but {width} columns are neither vectors (x y z) nor poses (x y z qx qy qz qw)")


def _episode(mapping: LogMapping, episode: Episode, defects: list[Defect]) -> Episode:
    fields: dict[str, Any] = {}
    for name, told in mapping.episode.items():
        text = _said(told, episode)
        if text is None:
            continue
        if name in ("simulated", "succeeded"):
            if text.lower() not in TRUTHS:
                defects.append(Defect(name, "mapping", f"{text!r} is neither true nor false; it was left out."))
                continue
            fields[name] = TRUTHS[text.lower()]
        else:
            fields[name] = text
    conditions = {key: text for key, told in mapping.conditions.items() if (text := _said(told, episode))}
    for key in [key for key, text in conditions.items() if set(f"{key}{text}") & set(",=")]:
        wrong = f"{key}={conditions.pop(key)}"
        defects.append(Defect("conditions", "mapping", f"{wrong!r} has a comma or = in it and was left out."))
    if conditions:
        fields["stratum"] = Stratum.of({**episode.stratum.levels, **conditions})
    return replace(episode, **fields)


def _said(told: Told, episode: Episode) -> str | None:
    if told.value:
        return told.value
    own = getattr(episode, told.fact, None)
    return own if isinstance(own, str) and own else episode.fact(told.fact)
