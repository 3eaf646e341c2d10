"""Which arrays of robomimic's layout a stream goes into."""

from dataclasses import dataclass

from fieldloop.model.stream import StreamKind
from fieldloop.release.writers.features import Feature, Features
from fieldloop.release.writers.names import free_name

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


def places(features: Features) -> dict[str, tuple[Place, ...]]:
    """Say for every stream where its columns go; no array is used twice except `actions`, which holds them all."""
    found: dict[str, tuple[Place, ...]] = {}
    taken: set[str] = set()
    for feature in features.all:
        if feature.kind is StreamKind.ACTION and not feature.is_camera:
            found[feature.name] = (Place(ACTIONS, 0, feature.width),)
        elif feature.name in PLAIN and not feature.is_camera:
            found[feature.name] = (Place(feature.name, 0, feature.width),)
        elif feature.columns == POSE:
            key = free_name(plain(feature.name), taken, ("_pos", "_quat"))
            found[feature.name] = (
                Place(f"obs/{key}_pos", 0, POSITION_COLUMNS),
                Place(f"obs/{key}_quat", POSITION_COLUMNS, len(POSE)),
            )
        else:
            found[feature.name] = (Place(f"obs/{free_name(_key(feature), taken)}", 0, feature.width),)
    return found


def _key(feature: Feature) -> str:
    """Name an observation; robomimic's users find cameras by what the name ends in."""
    if not feature.is_camera:
        return plain(feature.name)
    bare = feature.name
    for prefix in PREFIXES:
        bare = bare.removeprefix(prefix)
    ending = "depth" if feature.kind is StreamKind.DEPTH else "image"
    key = plain(bare)
    return key if key.endswith(ending) else f"{key}_{ending}"


def plain(name: str) -> str:
    """Make a key of a stream's name: a slash would be a folder.

    >>> plain("gripper/effort")
    'gripper_effort'
    """
    return name.replace("/", "_").strip("_.") or "unnamed"
