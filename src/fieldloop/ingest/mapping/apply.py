"""Apply a mapping to a recording: the team's names, units and axes become fieldloop's (SI, REP 103)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from fieldloop.errors import BadInput
from fieldloop.ingest.mapping.axes import find_rep_103_rotation, rotate_poses, rotate_vectors
from fieldloop.ingest.mapping.mapping import FactSource, LogMapping, StreamRule
from fieldloop.ingest.mapping.units import find_si_unit_and_factor
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Defect, Episode, Recording
from fieldloop.model.episode_text import FLAGS, parse_bool
from fieldloop.model.note import note
from fieldloop.model.provenance import ASSUMPTION_NOTES, StreamFact
from fieldloop.model.stream import Stream, StreamKind
from fieldloop.model.stream_notes import NOT_UNDERSTOOD, RECORDED_UNIT, UNIT_NOTE

MEANING_NOTES = (NOT_UNDERSTOOD, ASSUMPTION_NOTES[StreamFact.MEANING])
POSES = (StreamKind.POSE, StreamKind.HAND_POSE)
AXES, POSE_COLUMNS = 3, 7


def apply_mapping(mapping: LogMapping, recording: Recording) -> Recording:
    """Return the mapped recording; the episode keeps its id, because its bytes are the same.

    A line of the mapping that the log does not allow is a defect; the stream stays as recorded.
    """
    defects = list(recording.defects)
    streams: dict[str, Stream] = {}
    renamed = {name for name in recording.streams if (rule := mapping.find_rule(name)) and (rule.name or rule.drop)}
    for stream in recording.streams.values():
        rule = mapping.find_rule(stream.name)
        if rule and rule.drop:
            continue
        mapped = _apply_rule(stream, rule, mapping.frames, defects) if rule else _rename_frame(stream, mapping.frames)
        owned = mapped.name in recording.streams and mapped.name not in renamed and mapped.name != stream.name
        if mapped.name in streams or owned:
            defects.append(Defect(stream.name, "mapping", note("ingest.mapping_name_taken", name=mapped.name)))
            mapped = replace(mapped, name=stream.name)
        streams[mapped.name] = mapped
    return Recording(_map_episode(mapping, recording.episode, defects), streams, tuple(defects))


def _apply_rule(stream: Stream, rule: StreamRule, frames: Mapping[str, str], defects: list[Defect]) -> Stream:
    """Apply each part of a rule; one that does not fit the stream is a defect, the others still apply."""
    mapped = replace(
        stream, name=rule.name or stream.name, kind=rule.kind or stream.kind, serial=rule.serial or stream.serial,
        frame_id=rule.frame or frames.get(stream.frame_id, stream.frame_id), notes=_drop_stated_assumptions(stream,
        rule),
    )  # fmt: skip
    for part in (_convert_to_si, _rotate_axes, _rename_columns):
        try:
            mapped = part(mapped, rule)
        except BadInput as wrong:
            defects.append(Defect(stream.name, "mapping", note("ingest.mapping_does_not_fit", reason=str(wrong))))
    return mapped


def _drop_stated_assumptions(stream: Stream, rule: StreamRule) -> Mapping[str, str]:
    """Return the notes without what the reader assumed of a meaning that the mapping states."""
    answered = MEANING_NOTES if rule.kind else ()
    return {name: text for name, text in stream.notes.items() if name not in answered}


def _rename_frame(stream: Stream, frames: Mapping[str, str]) -> Stream:
    return replace(stream, frame_id=frames[stream.frame_id]) if stream.frame_id in frames else stream


def _rename_columns(stream: Stream, rule: StreamRule) -> Stream:
    if not rule.columns:
        return stream
    if stream.values is not None and len(rule.columns) != stream.values.shape[1]:
        raise BadInput(
            f"{len(rule.columns)} columns are named in the mapping, but the stream has {stream.values.shape[1]}"
        )
    return replace(stream, columns=rule.columns)


def _convert_to_si(stream: Stream, rule: StreamRule) -> Stream:
    if not rule.units:
        return stream
    conversions = [find_si_unit_and_factor(unit) for unit in rule.units]
    unit = ", ".join(dict.fromkeys(name for name, _ in conversions if name))
    if stream.values is None:
        return replace(stream, unit=unit)
    width = stream.values.shape[1]
    if len(conversions) not in (1, width):
        raise BadInput(f"{len(conversions)} units are given for {width} columns; give one unit, or one per column")
    factors = np.asarray([factor for _, factor in conversions])
    notes = {name: text for name, text in stream.notes.items() if name != UNIT_NOTE}  # the log's guess is answered
    if (factors == 1.0).all():
        return replace(stream, unit=unit, notes=notes)
    notes[RECORDED_UNIT] = ", ".join(dict.fromkeys(rule.units))
    return replace(stream, unit=unit, values=stream.values * factors, notes=notes)


def _rotate_axes(stream: Stream, rule: StreamRule) -> Stream:
    if not rule.axes or stream.values is None:
        return stream
    turn, width, pose = find_rep_103_rotation(rule.axes), stream.values.shape[1], stream.kind in POSES
    values = stream.values.astype(np.float64)
    if pose and width % POSE_COLUMNS == 0:
        turned = rotate_poses(values, turn)
    elif width == AXES or (not pose and width % AXES == 0):
        turned = rotate_vectors(values, turn)
    else:
        raise BadInput(f"axes are given, but {width} columns are neither vectors (x y z) nor poses (x y z qx qy qz qw)")
    return replace(stream, values=turned, notes={**stream.notes, "axes": f"recorded with axes {rule.axes}"})


def _map_episode(mapping: LogMapping, episode: Episode, defects: list[Defect]) -> Episode:
    fields: dict[str, Any] = {}
    for name, source in mapping.episode.items():
        text = _look_up_fact(source, episode)
        if text is None:
            continue
        if name in FLAGS:
            if (truth := parse_bool(text)) is None:
                defects.append(Defect(name, "mapping", note("ingest.not_true_or_false", value=text)))
                continue
            fields[name] = truth
        else:
            fields[name] = text
    conditions = {key: text for key, source in mapping.conditions.items() if (text := _look_up_fact(source, episode))}
    for key in [key for key, text in conditions.items() if set(f"{key}{text}") & set(",=")]:
        wrong = f"{key}={conditions.pop(key)}"
        defects.append(Defect("conditions", "mapping", note("ingest.condition_invalid", condition=wrong)))
    if conditions:
        fields["stratum"] = Stratum.of({**episode.stratum.levels, **conditions})
    return replace(episode, **fields)


def _look_up_fact(fact_source: FactSource, episode: Episode) -> str | None:
    if fact_source.value:
        return fact_source.value
    field_value = getattr(episode, fact_source.fact, None)
    return field_value if isinstance(field_value, str) and field_value else episode.get_fact(fact_source.fact)
