"""Where an episode comes from, kept twice: in columns of the table of episodes, and in a file beside.

LeRobot's own tools drop columns they do not know when they delete or split; the file beside is found again by the
episode's uid, by its length and by its real stamps.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from fieldloop.model.codec import to_plain
from fieldloop.model.episode import Episode
from fieldloop.release.writers.features import Features
from fieldloop.release.writers.framed import Framed

SIDECAR = "meta/fieldloop.jsonl"
TEXTS = (
    "uid", "name", "task", "robot", "site", "operator", "session", "provider", "protocol", "failure", "stratum",
    "split", "facts",
)  # fmt: skip
TRUTHS = ("simulated", "succeeded")
SEVERAL = " | "


def tasks_of(episode: Episode) -> list[str]:
    """Return the episode's task, then further ones where the fact `tasks` lists several."""
    further = (episode.fact("tasks") or "").split(SEVERAL)
    return list(dict.fromkeys([episode.task, *(task for task in further if task)]))


def facts_of(framed: Framed, features: Features) -> dict[str, str]:
    """Return the episode's further facts, and how its sensors differ from what is said of the whole dataset."""
    facts = dict(framed.episode.facts)
    for feature in (*features.signals, *features.cameras):
        stream = framed.streams[feature.name]
        for what in ("serial", "frame_id"):
            if (here := getattr(stream, what)) != getattr(feature, what):
                facts.setdefault(f"{what}.{feature.name}", here)
    return facts


def columns_of(episode: Episode, split: str, facts: Mapping[str, str]) -> dict[str, Any]:
    """Return what the table of episodes says beyond what LeRobot asks for; None where the log did not say."""
    said = {name: getattr(episode, name) or None for name in TEXTS if hasattr(episode, name)}
    written = json.dumps(facts, ensure_ascii=False, sort_keys=True) if facts else None
    return said | {
        "uid": episode.id, "stratum": str(episode.stratum) or None, "split": split, "facts": written,
        **{name: getattr(episode, name) for name in TRUTHS},
    }  # fmt: skip


def sidecar_line(framed: Framed, index: int, split: str, facts: Mapping[str, str], defects: Sequence[str]) -> str:
    """Return one episode's line of the file beside."""
    episode, times = replace(framed.episode, facts=tuple(sorted(facts.items()))), framed.times_ns
    said: Mapping[str, Any] = {
        "uid": episode.id, "episode_index": index, "split": split, "length": len(framed),
        "capture_ns": [int(times[0]), int(times[-1])], "episode": to_plain(episode),
        "resampled": {name: rule.value for name, rule in framed.rules.items()},
        "notes": framed.notes, "defects": defects,
    }  # fmt: skip
    return json.dumps(said, ensure_ascii=False)
