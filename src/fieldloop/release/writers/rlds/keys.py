"""Where in a step each stream goes: RLDS' own names where it has one, else among the observations."""

from collections.abc import Mapping

from fieldloop.model.stream import StreamKind
from fieldloop.release.writers.features import Feature, Features
from fieldloop.release.writers.names import find_free_name

OBSERVATION, ACTION = "observation", "action"
OF_THE_STEP = {"reward": 1, "discount": 1, "is_terminal": 1, "language_embedding": 0}
"""Streams of these names lie where RLDS looks for them, beside the observation; the number is the width they need."""


def choose_step_paths(features: Features) -> dict[str, str]:
    """Return stream name → path in a step; no two share one, and none lies below another."""
    actions = [f.name for f in features.signals if f.kind is StreamKind.ACTION]
    return make_unique_keys({f.name: _choose_path(f, actions) for f in features.list_all})


def make_unique_keys(wanted_keys: Mapping[str, str]) -> dict[str, str]:
    """Return name → key, no key twice.

    >>> make_unique_keys({"a/b": "a_b", "a_b": "a_b"})
    {'a/b': 'a_b', 'a_b': 'a_b_2'}
    """
    taken: set[str] = set()
    return {name: find_free_name(key, taken) for name, key in wanted_keys.items()}


def make_key(name: str) -> str:
    """Make a key of a stream's name: a slash would be a dictionary of its own.

    >>> make_key("/joints/velocity")
    'joints_velocity'
    """
    return name.strip("/").replace("/", "_") or "unnamed"


def _choose_path(feature: Feature, actions: list[str]) -> str:
    name = feature.name
    if feature.is_camera:
        kind = "depth" if feature.kind is StreamKind.DEPTH else "image"
        bare = make_key(name.removeprefix("observation/").removeprefix("camera/").removeprefix("depth/"))
        return f"{OBSERVATION}/{bare if bare.startswith(kind) else f'{kind}_{bare}'}"
    if name in actions:
        return ACTION if len(actions) == 1 else f"{ACTION}/{make_key(name.removeprefix('action/'))}"
    if name in OF_THE_STEP and OF_THE_STEP[name] in (0, feature.width):
        return name
    return f"{OBSERVATION}/{make_key(name.removeprefix('observation/'))}"
