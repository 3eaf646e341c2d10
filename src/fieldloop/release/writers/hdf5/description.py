"""What robomimic's layout has no place for, as JSON beside each demonstration: nothing a reader knows is lost."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from fieldloop.model.episode import Episode
from fieldloop.model.episode_text import to_texts
from fieldloop.release.writers.framed import Framed
from fieldloop.release.writers.hdf5.keys import Place

ATTRIBUTE = "fieldloop"
NAMED = 3
TYPE_OF_NO_SIMULATOR = 2
"""robomimic must be told one of its environment types; a recorded robot has none, and gym is the barest."""


def describe(framed: Framed, places: Mapping[str, Sequence[Place]], stamps: Mapping[str, str]) -> str:
    """Write down the episode's facts and, for every stream, what it is and where it went."""
    streams = [
        framed.said(name) | {"stamps": stamps.get(name), "data": [asdict(part) for part in parts]}
        for name, parts in places.items()
    ]
    facts = {"source_episode": framed.episode.id} | to_texts(framed.episode)
    told = {"episode": facts, "grid_clock": framed.grid_clock.value, "streams": streams}
    return json.dumps(told, sort_keys=True, ensure_ascii=False)


def one_for_all(environments: Sequence[str], tasks: Sequence[str]) -> list[str]:
    """Say what robomimic's own tools will not see: the layout has one description for all demonstrations.

    >>> one_for_all([], ["stack", "pour"])
    ['task: the file names "stack" for all; "pour" is only in the description of each demonstration']
    """
    said = []
    if len(tasks) > 1 and not environments:  # else the source names it, and is not changed
        more = f" and {len(tasks) - 1 - NAMED} more" if len(tasks) - 1 > NAMED else ""
        others = ", ".join(f'"{task}"' for task in tasks[1 : 1 + NAMED])
        are = "is" if len(tasks) == 2 else "are"  # noqa: PLR2004 - one other
        said.append(
            f'task: the file names "{tasks[0]}" for all; {others}{more} {are} only in the description of each '
            "demonstration"
        )
    if len(environments) > 1:
        said.append(
            f"env_args: {len(environments)} different ones came with the episodes; the first stands for all, and each "
            "demonstration keeps its own in its description"
        )
    return said


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
