"""Arrays of one group as parts of an episode: a position and a turn of the same thing are one pose."""

from collections.abc import Iterator

from fieldloop.ingest.readers.hdf5.draft import Part
from fieldloop.ingest.readers.hdf5.names import infer_array_kind
from fieldloop.ingest.readers.hdf5.tree import Folder, Leaf
from fieldloop.model.stream import StreamKind

POSE = ("x", "y", "z", "qx", "qy", "qz", "qw")
POSITION, TURN = "_pos", "_quat"
GUESSED = (StreamKind.JOINT_POSITION, StreamKind.JOINT_VELOCITY, StreamKind.POSE)
"""Of these the unit is guessed; an action may be anything, and is mostly normalised."""


def make_part(leaf: Leaf, name: str, kind: StreamKind) -> Part:
    """One array, one stream; colour and depth are recognised by the array itself, never by its name alone."""
    if kind in (StreamKind.RGB, StreamKind.DEPTH) and leaf.is_numeric and len(leaf.shape) < 3:  # noqa: PLR2004
        kind = StreamKind.DEPTH if kind is StreamKind.DEPTH and leaf.dtype.itemsize == 1 else StreamKind.OTHER
    return Part(name, (leaf,), kind, columns=leaf.dtype.names or (), unit_like=kind if kind in GUESSED else None)


def make_observation_parts(group: Folder, prefix: str) -> Iterator[Part]:
    """Yield the arrays of a group of observations, poses put together."""
    leaves = {leaf.path.removeprefix(f"{group.path}/"): leaf for leaf in group.list_all_leaves()}
    used: set[str] = set()
    for path, leaf in leaves.items():
        if not path.endswith(POSITION) or leaf.shape[1:] != (3,):
            continue
        name = path.removesuffix(POSITION)
        turn = leaves.get(name + TURN)
        if turn is None or turn.shape[1:] != (4,) or name in leaves:
            continue
        used |= {path, name + TURN}
        notes = {"quaternion": "assumed to be x, y, z, w"}
        yield Part(prefix + name, (leaf, turn), StreamKind.POSE, columns=POSE, notes=notes, unit_like=StreamKind.POSE)
    for path, leaf in leaves.items():
        if path not in used:
            yield make_part(leaf, prefix + path, infer_array_kind(leaf.name))
