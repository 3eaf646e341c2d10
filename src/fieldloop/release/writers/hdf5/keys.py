"""Which arrays of robomimic's layout a stream goes into."""

from dataclasses import dataclass

from fieldloop.model.stream import StreamKind
from fieldloop.release.writers.features import Feature, Features
from fieldloop.release.writers.names import find_free_name

ACTIONS = "actions"
PLAIN = ("rewards", "dones", "states")
"""Streams of these names go where robomimic itself keeps them, beside the observations."""

POSE = ("x", "y", "z", "qx", "qy", "qz", "qw")
POSITION_COLUMNS = 3  # the first three of a pose
PREFIXES = ("camera/", "depth/")


@dataclass(frozen=True, slots=True)
class Place:
    """One array below a demonstration, and which columns of the stream it holds."""

    path: str
    first: int
    last: int


def assign_places(features: Features) -> dict[str, tuple[Place, ...]]:
    """Say for every stream where its columns go; no array is used twice except `actions`, which holds them all."""
    by_stream: dict[str, tuple[Place, ...]] = {}
    taken: set[str] = set()
    for feature in features.list_all:
        if feature.kind is StreamKind.ACTION and not feature.is_camera:
            by_stream[feature.name] = (Place(ACTIONS, 0, feature.width),)
        elif feature.name in PLAIN and not feature.is_camera:
            by_stream[feature.name] = (Place(feature.name, 0, feature.width),)
        elif feature.columns == POSE:
            key = find_free_name(make_key(feature.name), taken, ("_pos", "_quat"))
            by_stream[feature.name] = (
                Place(f"obs/{key}_pos", 0, POSITION_COLUMNS),
                Place(f"obs/{key}_quat", POSITION_COLUMNS, len(POSE)),
            )
        else:
            by_stream[feature.name] = (
                Place(f"obs/{find_free_name(_make_observation_key(feature), taken)}", 0, feature.width),
            )
    return by_stream


def _make_observation_key(feature: Feature) -> str:
    """Name an observation; robomimic's users find cameras by what the name ends in."""
    if not feature.is_camera:
        return make_key(feature.name)
    bare = feature.name
    for prefix in PREFIXES:
        bare = bare.removeprefix(prefix)
    ending = "depth" if feature.kind is StreamKind.DEPTH else "image"
    key = make_key(bare)
    return key if key.endswith(ending) else f"{key}_{ending}"


def make_key(name: str) -> str:
    """Make a key of a stream's name: a slash would be a folder.

    >>> make_key("gripper/effort")
    'gripper_effort'
    """
    return name.replace("/", "_").strip("_.") or "unnamed"
