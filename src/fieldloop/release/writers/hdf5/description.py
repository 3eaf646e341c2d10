"""What robomimic's layout has no place for, as JSON beside each demonstration: nothing a reader knows is lost."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from fieldloop.model.episode import Episode
from fieldloop.model.episode_text import convert_to_texts
from fieldloop.model.note import Note, note
from fieldloop.release.writers.framed import Framed
from fieldloop.release.writers.hdf5.keys import Place

ATTRIBUTE = "fieldloop"
NAMED = 3  # tasks in one sentence
TYPE_OF_NO_SIMULATOR = 2
"""robomimic requires one of its environment types; a recorded robot has none, and gym assumes least."""


def describe_episode(framed: Framed, places: Mapping[str, Sequence[Place]], stamps: Mapping[str, str]) -> str:
    """Write down the episode's facts and, for every stream, what it is and where it went."""
    streams = [
        framed.describe_stream(name) | {"stamps": stamps.get(name), "data": [asdict(part) for part in parts]}
        for name, parts in places.items()
    ]
    facts = {"source_episode": framed.episode.id} | convert_to_texts(framed.episode)
    described = {"episode": facts, "grid_clock": framed.grid_clock.value, "streams": streams}
    return json.dumps(described, sort_keys=True, ensure_ascii=False)


def report_shared_descriptions(environments: Sequence[str], tasks: Sequence[str]) -> list[Note]:
    """Return what robomimic's own tools will not see: the layout has one description for all demonstrations.

    >>> [(lost.code, lost["others"]) for lost in report_shared_descriptions([], ["stack", "pour"])]
    [('release.one_task_for_all', ('pour',))]
    """
    lost = []
    if len(tasks) > 1 and not environments:  # else the source names it, and is not changed
        more = max(0, len(tasks) - 1 - NAMED) or None
        others = tuple(tasks[1 : 1 + NAMED])
        lost.append(note("release.one_task_for_all", name="task", task=tasks[0], others=others, more=more))
    if len(environments) > 1:
        lost.append(note("release.one_environment_for_all", name="env_args", environments=len(environments)))
    return lost


def make_env_args(episode: Episode, hz: float) -> str:
    """Return robomimic's `env_args`: the recording's own where it has one."""
    if stated := episode.get_fact("env_args"):
        return stated
    described = {
        "env_name": episode.task or "recorded",
        "type": TYPE_OF_NO_SIMULATOR,
        "env_kwargs": {"control_freq": hz, "robots": episode.robot},
    }
    return json.dumps(described, sort_keys=True, ensure_ascii=False)
