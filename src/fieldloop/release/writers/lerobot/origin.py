"""Where an episode comes from, kept twice: in columns of the table of episodes, and in a file beside.

LeRobot's own tools drop columns they do not know when they delete or split; the file beside is found again by the
episode's uid, by its length and by its real stamps.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from fieldloop.model import episode_text
from fieldloop.model.codec import to_plain
from fieldloop.model.episode import Episode
from fieldloop.model.episode_text import FLAGS, convert_to_texts, escape_non_utf8
from fieldloop.model.note import Note, Subject, note
from fieldloop.release.writers.features import Features, make_note_key
from fieldloop.release.writers.framed import Framed

SIDECAR = "meta/fieldloop.jsonl"
TEXTS = ("uid", *episode_text.TEXTS, "stratum", "split", "facts")
OF_THE_SENSOR = ("serial", "frame_id")
SEVERAL = " | "


def list_tasks(episode: Episode) -> list[str]:
    """Return the episode's task, then further ones where the fact `tasks` lists several."""
    further = (episode.get_fact("tasks") or "").split(SEVERAL)
    return list(dict.fromkeys([episode.task, *(task for task in further if task)]))


def collect_episode_facts(framed: Framed, features: Features) -> dict[str, str]:
    """Return the episode's further facts, and how its streams differ from the dataset's description."""
    facts = {key: text for key, text in convert_to_texts(framed.episode).items() if key not in episode_text.FIELDS}
    for feature in features.list_all:
        stream = framed.streams[feature.name]
        differing = {what: getattr(stream, what) for what in OF_THE_SENSOR}
        differing = {what: text for what, text in differing.items() if text != getattr(feature, what)}
        differing |= {
            f"note.{key}": text for key, text in stream.notes.items() if make_note_key(key) in feature.differs
        }
        if "nominal_hz" in feature.differs:
            differing["nominal_hz"] = f"{stream.nominal_hz:g}" if stream.nominal_hz else ""
        for what, text in differing.items():
            facts.setdefault(f"{what}.{feature.name}", text)
    return facts


def report_disagreements(features: Features) -> list[Note]:
    """Return what episodes do not agree on: the dataset describes a stream once."""
    return [
        note("release.episodes_disagree", about=Subject(feature.name), what=what)
        for feature in features.list_all
        for what in sorted(feature.differs)
    ]


def make_episode_columns(episode: Episode, split: str, facts: Mapping[str, str]) -> dict[str, Any]:
    """Return the extra columns of the table of episodes; None where the log does not state them."""
    stated = convert_to_texts(episode)
    written = json.dumps(facts, ensure_ascii=False, sort_keys=True) if facts else None
    return {name: stated.get(name) for name in (*episode_text.TEXTS, "stratum")} | {
        "uid": episode.id, "split": split, "facts": written, **{name: getattr(episode, name) for name in FLAGS},
    }  # fmt: skip


def format_sidecar_line(
    framed: Framed, index: int, split: str, facts: Mapping[str, str], defects: Sequence[Any]
) -> str:
    """Return one episode's line of the file beside."""
    episode, times = replace(framed.episode, facts=tuple(sorted(facts.items()))), framed.times_ns
    stated: Mapping[str, Any] = {
        "uid": episode.id, "episode_index": index, "split": split, "length": len(framed),
        "capture_ns": [int(times[0]), int(times[-1])], "episode": to_plain(episode),
        "resampled": {name: rule.value for name, rule in framed.rules.items()},
        "notes": to_plain(framed.notes), "defects": defects,
    }  # fmt: skip
    return escape_non_utf8(json.dumps(stated, ensure_ascii=False))
